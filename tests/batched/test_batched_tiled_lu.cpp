#include "test_batched_tiled_lu.inl"
