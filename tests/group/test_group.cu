#include "group/test_group.inl"
