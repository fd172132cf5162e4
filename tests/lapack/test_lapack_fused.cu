#include "lapack/test_lapack_fused.inl"
