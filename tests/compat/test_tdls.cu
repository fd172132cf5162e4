// The namespace can be renamed, which this lane does.
#define SHOAL_TDLS_NAMESPACE tdls_renamed
namespace tdls_renamed {}
namespace tdls = tdls_renamed;

#include "test_tdls.inl"
