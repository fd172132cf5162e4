#include "control/test_control.inl"
