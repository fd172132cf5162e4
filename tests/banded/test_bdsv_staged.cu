#include "banded/test_bdsv_staged.inl"
