#include "test_fast_dense.inl"
