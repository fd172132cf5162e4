#include "blas/test_blas_structured.inl"
