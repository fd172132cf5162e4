#include "batched/test_batched_pcg.inl"
