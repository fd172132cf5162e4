#include "lapack/test_lapack_eigen.inl"
