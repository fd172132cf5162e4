#include "test_fast_panels.inl"
