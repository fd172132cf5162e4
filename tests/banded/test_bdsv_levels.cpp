#include "banded/test_bdsv_levels.inl"
