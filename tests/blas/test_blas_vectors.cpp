#include "blas/test_blas_vectors.inl"
