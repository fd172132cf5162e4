#include "lapack/test_lapack_lu.inl"
