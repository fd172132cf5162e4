#include "cases/test_cases.inl"
