#pragma once

#include <shoal/batched/tuning.hpp>

/// \file
/// How a batch of small general systems is solved on a GPU when the matrices are only read. One H200, 10^6 systems (2^18 to
/// 2^20), percentages of the memory limit: A and b read, x written.
///
/// A thread a system needs no shuffles and the fewest instructions: it wins as long as its registers hold the matrix.
/// What threads hold is read by them where systems are interleaved, and through shared memory where they lie one after
/// the other. Beyond, tiles, whose rows are in registers: through shared memory a pivot row comes with a quarter or half of the
/// instructions that shuffles would take. From 25 doubles on the tensor cores do most of the work of a warp.

namespace shoal::batched {

/// What works on one system.
enum class lu_worker {
    thread,  ///< one thread, the matrix in its registers
    panels,  ///< one thread, the matrix in shared memory and `width` of its columns in registers
    tile,    ///< `width` lanes of a warp, whole rows in their registers
    rows,    ///< the same, and pivot rows go through shared memory
    warp,    ///< a warp, the matrix in shared memory and a panel of its columns in registers
};

/// Who works on a system, and what a kernel for it is built with.
struct lu_choice {
    lu_worker worker;
    int width;       ///< of a panel or a tile, or systems a block
    int min_blocks;  ///< as in tile_choice; of threads, tiles and rows
};

/// Large batches of systems that lie one after the other.
constexpr lu_choice lu_stored(int n, int element_bytes) {
    using enum lu_worker;
    if (element_bytes == 8) {
        if (n <= 4) return {thread, 1, 8};  // N = 4: 84 % (tiles of 4: 68 %)
        if (n <= 9)
            return {thread, 1, 1};  // N = 8: 83 % (panels 82 %, tiles of 4 62 %), N = 9: 83 % (panels 76 %)
        if (n <= 10) return {panels, 5, 1};  // N = 10: 70 %
        if (n <= 13) return {panels, 4, 1};  // N = 12: 67 % (tiles of 4: 45 %)
        if (n <= 24) return {rows, 8, 1};    // N = 16: 49 % (panels 40 %), N = 20: 36 %, N = 24: 39 %
        return {warp, 1, 1};                 // N = 32: 36 %, N = 48: 27 %, N = 64: 21 %
    }
    if (n <= 4) return {thread, 1, 10};  // N = 4: 82 % (74 % without the bound)
    if (n <= 6) return {thread, 1, 8};   // N = 6: 81 % (69 % without the bound)
    if (n <= 8) return {thread, 1, 5};   // N = 8: 86 % (79 % without the bound, tiles of 4: 50 %)
    if (n <= 10) return {thread, 1, 1};  // N = 9: 90 %
    if (n <= 12) return {panels, 6, 1};  // N = 12: 62 % (tiles of 4 48 %)
    if (n <= 16) return {panels, 4, 1};  // N = 16: 42 % (tiles of 8 40 %, rows 38 %)
    if (n <= 20) return {rows, 4, 1};    // N = 20: 41 %
    if (n <= 24) return {rows, 8, 1};    // N = 24: 37 %
    if (n <= 48) return {rows, 16, 1};   // N = 32: 29 %, N = 48: 21 %
    return {rows, 32, 1};                // N = 64: 19 %
}

/// Large batches of interleaved systems.
constexpr lu_choice lu_interleaved(int n, int element_bytes) {
    using enum lu_worker;
    if (element_bytes == 8) {
        if (n <= 7) return {thread, 1, 1};   // N = 4: 96 %, N = 6: 98 %, N = 7: 100 %
        if (n <= 8) return {thread, 1, 3};   // N = 8: 97 %
        if (n <= 9) return {thread, 1, 1};   // N = 9: 96 %
        if (n <= 10) return {panels, 5, 1};  // N = 10: 68 %
        if (n <= 12) return {panels, 6, 1};  // N = 12: 67 % (tiles of 4: 43 %)
        if (n <= 14) return {panels, 4, 1};  // N = 13: 44 % (rows 40 %)
        if (n <= 16) return {rows, 4, 1};    // N = 16: 44 % (panels 39 %)
        if (n <= 24) return {rows, 8, 1};    // N = 20: 28 %, N = 24: 32 %
        return {warp, 4, 1};                 // N = 32: 22 %, N = 48: 18 %, N = 64: 13 %
    }
    if (n <= 7) return {thread, 1, 1};
    if (n <= 8) return {thread, 1, 5};   // N = 8: 95 %
    if (n <= 12) return {thread, 1, 1};  // N = 10: 88 %, N = 12: 67 %
    if (n <= 16) return {panels, 4, 1};  // N = 16: 43 % (tiles of 4: 36 %)
    if (n <= 24) return {rows, 4, 1};    // N = 20: 31 %, N = 24: 29 %
    if (n <= 32) return {rows, 8, 1};    // N = 32: 20 %
    if (n <= 48) return {rows, 16, 1};   // N = 48: 15 %
    return {rows, 32, 1};                // N = 64: 11 %
}

/// Up to `small_batch` systems: the shortest way through one. N = 8: 5.3 us with a tile of 8 against 6.4 us with a thread.
constexpr lu_choice lu_latency(int n, int element_bytes) {
    if (n > 32 && element_bytes == 8) return {lu_worker::warp, 1, 1};
    return {n > 12 ? lu_worker::rows : lu_worker::tile, latency_tile(n).width, 1};
}

}  // namespace shoal::batched
