#include "lapack/test_lapack_cholesky.inl"
