#include "support/test_support.inl"
