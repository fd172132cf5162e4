#include "batched/test_batched_bdsv.inl"
