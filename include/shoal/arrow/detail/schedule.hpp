#pragma once

#include <shoal/core/macros.hpp>

/// \file
/// How a tail is cut into chunks. Plain integers, shared by host and device.
///
/// In elimination order the stages of a tail are j = 1 .. N, from the free end: j = N - k for stage k in memory, and
/// j = N is x_1. Chunk c = 1 .. P holds j = split[c-1] + 1 .. split[c]. Its last stage is separator c; separator P is x_1.
///
///     free end  o-o-o-o-[1]-o-o-o-o-[2]-o-o-o-o-[3]- .. -[P] = x_1 --- root
///
/// The interiors are eliminated side by side, each from left to right with its left separator as second neighbour (the
/// first chunk has none). Then the separators, level by level: level l takes the odd multiples c of 2^l below P, with
/// neighbours c - 2^l (none if that is 0) and min(c + 2^l, P). P = N is the recursive order, P = 1 the sequential one.

namespace shoal::arrow::detail {

inline constexpr int max_chunks = 32;

struct chunk_schedule {
    int stages, chunks;
    int split[max_chunks + 1];
};

/// Levels of the separators: ceil(log2 P).
SHOAL_FN constexpr int separator_levels(int chunks) {
    int l = 0;
    while ((1 << l) < chunks) ++l;
    return l;
}

/// P chunks of N stages, 1 <= P <= min(N, max_chunks). A step of the first chunk, which has one neighbour, takes
/// `first_step` of the time of the others' steps; interiors are dealt so that the slowest chunk is as fast as it can be.
constexpr chunk_schedule make_schedule(int stages, int chunks, double first_step) {
    chunk_schedule s{stages, chunks, {}};
    int interior[max_chunks] = {};
    for (int left = stages - chunks; left > 0; --left) {
        int best = 0;
        for (int c = 1; c < chunks; ++c) {
            const double now = (interior[best] + 1) * (best == 0 ? first_step : 1.0);
            if (interior[c] + 1 < now) best = c;
        }
        ++interior[best];
    }
    for (int c = 0; c < chunks; ++c) s.split[c + 1] = s.split[c] + interior[c] + 1;
    return s;
}

}  // namespace shoal::arrow::detail
