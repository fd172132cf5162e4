#pragma once

/// \file
/// Where one operand lies in the flat buffer of a test case. Plain numbers, so that a case can carry them to a GPU.

#include "support/bits.hpp"

#include <shoal/group/concept.hpp>
#include <shoal/view/matrix.hpp>
#include <shoal/view/vector.hpp>

namespace shoal::support {

struct piece {
    int index = 0;  ///< number of the operand in its arena
    int offset = 0;
    int rows = 0;
    int cols = 0;
    int row_step = 1;
    int col_step = 0;
    int step = 0;  ///< what a view takes last: the leading dimension, or the stride of an interleaved layout

    SHOAL_FN int at(int i, int j = 0) const { return offset + i * row_step + j * col_step; }

    template <class T>
    SHOAL_FN T* data(T* buffer) const {
        return buffer + offset;
    }

    /// The operand as a view with these extents and this layout, static or dynamic.
    template <int R = dynamic, int C = dynamic, class Layout = column_ld<dynamic>, class T>
    SHOAL_FN auto view(T* buffer) const {
        return shoal::matrix<T, R, C, Layout>(buffer + offset, rows, cols, step);
    }
    /// The first column as a vector.
    template <int N = dynamic, std::int64_t Increment = dynamic, class T>
    SHOAL_FN auto vector(T* buffer) const {
        return shoal::vector<T, N, Increment>(buffer + offset, rows, row_step);
    }
    /// What member `g.rank()` says, of an operand made by `arena::per_member`: for example its info.
    template <class G, class T>
    SHOAL_FN T& mine(const G& g, T* buffer) const {
        return buffer[offset + g.rank()];
    }
};

namespace detail {
#if defined(__SANITIZE_ADDRESS__)
#  define SHOAL_TEST_UNCHECKED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define SHOAL_TEST_UNCHECKED 1
#  endif
#endif
#ifdef SHOAL_TEST_UNCHECKED
#  undef SHOAL_TEST_UNCHECKED
/// Reads what AddressSanitizer was told that ops may not read: the forbidden triangle of an observed operand.
template <class T>
__attribute__((noinline, no_sanitize("address"))) T read(const T* p) {
    return *p;
}
#else
template <class T>
SHOAL_FN T read(const T* p) {
    return *p;
}
#endif
}  // namespace detail

/// Copies `from` to `to` (of the same shape), each element by a member that has hardly written it: called right
/// after an op, it sees stale data if the op's exit barrier is missing. No barrier of its own.
template <class G, class T>
SHOAL_FN void observe(const G& g, T* buffer, piece from, piece to) {
    for (int e = g.size() - 1 - g.rank(); e < from.rows * from.cols; e += g.size())
        buffer[to.at(e % from.rows, e / from.rows)] =
            detail::read(buffer + from.at(e % from.rows, e / from.rows));
}

/// Overwrites `scratch` with poison: called right after an op, it spoils the result if some member still reads its
/// scratch. No barrier of its own.
template <class G, class T>
SHOAL_FN void trample(const G& g, T* buffer, piece scratch) {
    for (int e = g.size() - 1 - g.rank(); e < scratch.rows; e += g.size())
        buffer[scratch.at(e)] = poison<T>();
}

}  // namespace shoal::support
