#include "banded/test_bdsv_products.inl"
