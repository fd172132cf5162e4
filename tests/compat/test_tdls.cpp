#include "test_tdls.inl"
