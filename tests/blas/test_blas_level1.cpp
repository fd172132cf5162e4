#include "blas/test_blas_level1.inl"
