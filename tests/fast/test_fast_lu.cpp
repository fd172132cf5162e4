#include "test_fast_lu.inl"
