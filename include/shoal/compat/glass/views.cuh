#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <shoal/group/device.cuh>
#include <shoal/view/triangle.hpp>

/// \file
/// The vocabulary of the drop-in header: its enumerations, and what turns its pointers and flags into groups and views.

#ifndef SHOAL_GLASS_NAMESPACE
#  define SHOAL_GLASS_NAMESPACE glass
#endif

#ifndef SHOAL_GLASS_FN
#  define SHOAL_GLASS_FN __device__ __forceinline__
#endif

namespace SHOAL_GLASS_NAMESPACE {

/// Enumerations and scratch helpers: every tier finds them under its own name as well.
inline namespace vocabulary {

/// Which triangle of a matrix holds its data, or is written.
enum class FillMode : std::uint32_t { Lower = 0, Upper = 1, Full = 2 };
/// Whether the diagonal of a triangle is stored or is one.
enum class Diag : std::uint32_t { NonUnit = 0, Unit = 1 };

}  // namespace vocabulary

inline namespace block {
using namespace vocabulary;
}
namespace warp {
using namespace vocabulary;
}
namespace thread {
using namespace vocabulary;
}
namespace cgrps {
using namespace vocabulary;
}

namespace detail {

using shoal::dynamic;

/// The calling block; without the trailing barrier of the ops called on it unless `Sync`.
template <bool Sync = true>
SHOAL_GLASS_FN auto block_members() {
    if constexpr (Sync) {
        return shoal::this_block();
    } else {
        return shoal::defer_sync(shoal::this_block());
    }
}
/// The same for the calling warp.
template <bool Sync = true>
SHOAL_GLASS_FN auto warp_members() {
    if constexpr (Sync) {
        return shoal::this_warp();
    } else {
        return shoal::defer_sync(shoal::this_warp());
    }
}
SHOAL_GLASS_FN auto thread_members() {
    return shoal::this_thread();
}

/// A size that came as uint32_t.
template <std::uint32_t N>
inline constexpr int ct = static_cast<int>(N);
SHOAL_GLASS_FN int rt(std::uint32_t n) {
    return static_cast<int>(n);
}

/// rows x cols at `data`, column-major unless `RowMajor`; extents that are static are given all the same.
template <int Rows, int Cols, bool RowMajor = false, class T>
SHOAL_GLASS_FN auto view(T* data, int rows, int cols) {
    return shoal::matrix<T, Rows, Cols, std::conditional_t<RowMajor, shoal::row, shoal::column>>(data, rows,
                                                                                                 cols);
}
template <int N, class T>
SHOAL_GLASS_FN auto line(T* data, int n) {
    return shoal::vector<T, N>(data, n, 1);
}

/// rows x cols, of which the transposed is stored if `Transposed`.
template <int Rows, int Cols, bool Transposed, bool RowMajor = false, class T>
SHOAL_GLASS_FN auto operand(T* data, int rows, int cols) {
    if constexpr (Transposed) {
        return transposed(view<Cols, Rows, RowMajor>(data, cols, rows));
    } else {
        return view<Rows, Cols, RowMajor>(data, rows, cols);
    }
}

template <FillMode Fill, Diag Unit, bool Transposed, class M>
SHOAL_GLASS_FN auto triangle(M m) {
    static_assert(Fill != FillMode::Full, "a triangular matrix is FillMode::Lower or FillMode::Upper");
    const auto stored = [&] {
        if constexpr (Unit == Diag::Unit) {
            if constexpr (Fill == FillMode::Lower) {
                return unit_lower(m);
            } else {
                return unit_upper(m);
            }
        } else {
            if constexpr (Fill == FillMode::Lower) {
                return lower(m);
            } else {
                return upper(m);
            }
        }
    }();
    if constexpr (Transposed) {
        return transposed(stored);
    } else {
        return stored;
    }
}

template <FillMode Fill, class M>
SHOAL_GLASS_FN auto symmetric(M m) {
    if constexpr (Fill == FillMode::Upper) {
        return symmetric_upper(m);
    } else {
        return symmetric_lower(m);
    }
}

/// The trailing barrier.
template <bool Sync, class G>
SHOAL_GLASS_FN void finish(const G& g) {
    if constexpr (Sync) g.sync();
}

/// Sets an optional flag to 1 on failure and to 0 otherwise, then the trailing barrier, so that everyone can read it.
template <bool Check, bool Sync, class G>
SHOAL_GLASS_FN void finish(const G& g, int info, int* fail) {
    if constexpr (Check) {
        if (fail != nullptr && g.rank() == 0) *fail = info != 0 ? 1 : 0;
    }
    finish<Sync>(g);
}

}  // namespace detail
}  // namespace SHOAL_GLASS_NAMESPACE
