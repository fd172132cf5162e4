#pragma once

#include <shoal/arrow/types.hpp>
#include <shoal/core/macros.hpp>

/// \file
/// The first bad pivot as one number, so that an integer minimum finds it whatever the order of arrival.

namespace shoal::arrow::detail {

/// Keys order as the info asks: lowest tail, then elimination order: round 0 for the chunks, 1 + l for level l of the
/// separators, last_round for x_1; inside a round j = 1 .. N from the free end.
SHOAL_FN constexpr unsigned long long failure_key(int tail, int round, int j, int pivot) {
    return (static_cast<unsigned long long>(tail) << 36) | (static_cast<unsigned long long>(round) << 31) |
           (static_cast<unsigned long long>(j) << 6) | static_cast<unsigned long long>(pivot);
}
inline constexpr int last_round = 31;
inline constexpr unsigned long long no_failure = ~0ull;

SHOAL_FN constexpr info decode_failure(unsigned long long key, int stages) {
    return {static_cast<int>(key >> 36), stages - static_cast<int>((key >> 6) & 0x1ffffff) + 1,
            static_cast<int>(key & 63)};
}

}  // namespace shoal::arrow::detail
