#include "test_batched_solves.inl"
