#include "banded/test_preconditioner.inl"
