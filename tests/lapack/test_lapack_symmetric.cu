#include "lapack/test_lapack_symmetric.inl"
