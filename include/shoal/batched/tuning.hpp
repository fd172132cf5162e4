#pragma once

/// \file
/// Which tile a batch of small systems is given to. One H200, in-place operands, systems one after the other and column
/// by column; the percentages are those of the memory limit at 10^6 systems (or 2 GB), where the bytes that must move
/// are counted in 32-byte sectors and the rate is that of a copy.
///
/// What decides, at large batches: sectors of one 128-byte line must be asked for together, so a tile should cover a
/// column; and the systems in flight should fit the half of the L2 cache that is near (about 17 MB), or lines leave it
/// between the read and the write. At small ones: the widest tile has the shortest way through a system.

namespace shoal::batched {

/// Lanes a system, and what a kernel for it is built and launched with.
struct tile_choice {
    int width;       ///< lanes of a tile
    int min_blocks;  ///< blocks of 128 threads that must fit a multiprocessor by registers; 1: no demand
    int resident;    ///< blocks that may run on a multiprocessor at once; 0: as many as fit
};

/// Batches up to this many systems do not fill the card: their time is the latency of one system.
inline constexpr long long small_batch = 2048;

/// The widest tile that has a row for each lane.
constexpr tile_choice latency_tile(int n) {
    int width = 2;
    while (width < n && width < 32) width *= 2;
    return {width, 1, 0};
}

/// potrf, large batches. What the memory allows is measured by moving the same sectors without computing. The memory
/// fetches 64 bytes whatever is asked for, unless cudaLimitMaxL2FetchGranularity says 32, and half of what a triangle
/// leaves out with it; a lane a row asks for a line in parts, which costs some more. Ways through shared memory that ask
/// for whole lines were slower: loads and stores then compete with the shuffles.
constexpr tile_choice potrf_tile(int n, int element_bytes) {
    if (element_bytes == 8) {
        if (n <= 4) return {4, 1, 0};    // N = 4: 90 %
        if (n <= 8) return {8, 1, 0};    // N = 6: 84 %, N = 8: 74 %
        if (n <= 12) return {16, 1, 0};  // N = 12: 74 %
        if (n <= 16) return {16, 1, 7};  // N = 16: 71 % (62 % without the bound on residents)
        return {16, 4, 0};               // N = 24: 69 %, N = 32: 67 %
    }
    if (n <= 4) return {4, 1, 0};    // N = 4: 77 %
    if (n <= 8) return {8, 1, 0};    // N = 8: 91 %
    if (n <= 16) return {16, 1, 0};  // N = 16: 77 %
    if (n <= 24) return {16, 6, 0};  // N = 24: 70 %
    return {16, 5, 4};               // N = 32: 59 %
}

/// posv with a factor that is not kept. Reads alone run at 90 % of a copy, and most of a triangle's gaps are fetched as
/// well. Beyond N = 16 the registers hold the triangle twice, by rows and by columns, and few tiles are in flight.
constexpr tile_choice posv_tile(int n, int element_bytes) {
    if (n <= 12) return {4, 1, 0};  // N = 8: 74 % (double), 74 % (float), N = 12: 74 %, 82 %
    if (element_bytes == 8) {
        if (n <= 16) return {4, 3, 0};  // N = 16: 69 %
        if (n <= 24) return {8, 3, 0};  // N = 24: 50 %
        return {8, 1, 0};               // N = 32: 46 %
    }
    if (n <= 16) return {4, 5, 0};  // N = 16: 69 %
    if (n <= 24) return {8, 1, 0};  // N = 24: 58 %
    return {8, 4, 0};               // N = 32: 48 %
}

/// trsm with as many right-hand sides as rows.
constexpr tile_choice trsm_tile(int n, int element_bytes) {
    if (n <= 4) return {4, 1, 0};  // N = 4: 101 % (double), 97 % (float)
    if (n <= 8) return {8, 1, 0};  // N = 8: 95 %, 100 %
    if (element_bytes == 8) {
        if (n <= 16) return {16, 1, 0};  // N = 12: 88 %, N = 16: 91 %
        if (n <= 24) return {8, 1, 0};   // N = 24: 85 %
        return {16, 3, 0};               // N = 32: 77 %
    }
    if (n <= 12) return {16, 1, 0};  // N = 12: 89 %
    if (n <= 16) return {8, 8, 0};   // N = 16: 85 %
    return {8, 4, 0};                // N = 24: 87 %, N = 32: 66 %
}

/// bdsv, blocks of n: whether the knots come through shared memory. 32 knots, doubles, factor and solve: N = 16: 193 us with
/// and 286 without for 1024 systems, 1430 and 2210 for 8192; N = 6: 65 and 60, 291 and 224.
constexpr bool bdsv_staged(int n) {
    return n > 8 && n <= 16;
}

/// bdsv, large batches: lanes a system. N = 16: 1430 us by warps, 1770 by tiles of 16; N = 6: 399 and 224.
constexpr int bdsv_width(int n) {
    if (n > 8) return 32;
    return n > 4 ? 8 : n > 2 ? 4 : 2;
}

}  // namespace shoal::batched
