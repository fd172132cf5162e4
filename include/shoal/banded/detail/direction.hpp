#pragma once

namespace shoal::detail {

/// The two sweeps of a solve: from the first knot on with F, and back from the last with F'.
enum class direction { forward, backward };

}  // namespace shoal::detail
