#include "lapack/test_lapack_inverse.inl"
