#include "banded/test_banded.inl"
