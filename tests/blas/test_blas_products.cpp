#include "blas/test_blas_products.inl"
