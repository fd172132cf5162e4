#include "test_fast_rows.inl"
