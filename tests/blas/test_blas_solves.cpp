#include "blas/test_blas_solves.inl"
