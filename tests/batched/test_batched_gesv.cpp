#include "test_batched_gesv.inl"
