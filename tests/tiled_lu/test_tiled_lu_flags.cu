#include "tiled_lu/test_tiled_lu_flags.inl"
