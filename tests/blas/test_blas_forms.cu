#include "blas/test_blas_forms.inl"
