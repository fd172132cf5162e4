#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace shoal {

/// Bytes of shared memory that one block can have, by compute capability (90 for 9.0), once its kernel's
/// `cudaFuncAttributeMaxDynamicSharedMemorySize` is raised. Source: CUDA programming guide, technical specifications per
/// compute capability. 48 KB where we do not know better.
constexpr std::int64_t shared_memory_per_block(int compute_capability) {
    switch (compute_capability) {
        case 80:
        case 87:
            return 163 * 1024;
        case 86:
        case 89:
        case 120:
        case 121:
            return 99 * 1024;
        case 90:
        case 100:
        case 103:
        case 110:
            return 227 * 1024;
        default:
            return 48 * 1024;
    }
}

/// Whether matrices fit the shared memory of a block, with both numbers.
struct shared_fit {
    std::int64_t needed;     ///< bytes, as far as 64 bits count
    std::int64_t available;  ///< bytes
    int largest;             ///< largest order of as many square matrices that fits

    /// `needed` where an extent or the number of matrices is below 1.
    static constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::max();

    constexpr bool ok() const { return needed <= available; }

    /// Empty when it fits; otherwise what was asked, what there is, and what to do.
    std::string message(const std::string& what) const {
        if (ok()) return {};
        if (needed == impossible) return what + ": extents and the number of matrices must be at least 1";
        return what + " needs " + std::to_string(needed) + " bytes of shared memory and a block has " +
               std::to_string(available) +
               ": keep it in global memory, where every op works on it as well, or take an order up to " +
               std::to_string(largest);
    }
};

/// Whether `matrices` matrices of rows x cols fit the shared memory of a block. For kernel authors, before the launch.
///
/// \tparam T element type
/// \param compute_capability of the device, 90 for 9.0
template <class T>
constexpr shared_fit fits_shared(int rows, int cols, int compute_capability, int matrices = 1) {
    const auto element = static_cast<std::int64_t>(sizeof(T)) * matrices;
    const std::int64_t available = shared_memory_per_block(compute_capability);
    if (rows < 1 || cols < 1 || matrices < 1) return {shared_fit::impossible, available, 0};
    int largest = 0;
    while (element * (largest + 1) * (largest + 1) <= available) ++largest;
    const std::int64_t most = shared_fit::impossible - 1, each = std::int64_t{rows} * cols;
    return {each > most / element ? most : element * each, available, largest};
}

/// The same for static extents: `static_assert(fits<float, 570, 570, 90>, ...)`.
template <class T, int Rows, int Cols, int ComputeCapability>
inline constexpr bool fits = fits_shared<T>(Rows, Cols, ComputeCapability).ok();

}  // namespace shoal
