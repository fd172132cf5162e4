#include "core/test_core.inl"
