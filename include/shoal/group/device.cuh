#pragma once

#include <cstdint>

#include <shoal/group/thread.hpp>

/// \file
/// The groups of a CUDA kernel: tiles of a warp, the warp, the block. For device code; a host call of
/// `rank()` gives 0.

namespace shoal {

namespace detail {

/// Rank of the calling thread in its block, whatever the block's dimensions.
SHOAL_FN int flat_thread() {
#if defined(SHOAL_DEVICE_CODE)
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
#else
    return 0;
#endif
}
SHOAL_FN int flat_block_size() {
#if defined(SHOAL_DEVICE_CODE)
    return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
#else
    return 1;
#endif
}
SHOAL_FN std::int64_t flat_block() {
#if defined(SHOAL_DEVICE_CODE)
    return blockIdx.x + static_cast<std::int64_t>(gridDim.x) *
                            (blockIdx.y + static_cast<std::int64_t>(gridDim.y) * blockIdx.z);
#else
    return 0;
#endif
}
SHOAL_FN std::int64_t flat_grid_size() {
#if defined(SHOAL_DEVICE_CODE)
    return static_cast<std::int64_t>(gridDim.x) * gridDim.y * gridDim.z;
#else
    return 1;
#endif
}

}  // namespace detail

/// W neighbouring lanes of a warp, W = 2, 4, 8, 16 or 32, starting at a multiple of W. The other lanes of the
/// warp may be elsewhere: barriers and shuffles name the lanes of the tile alone.
template <int W>
struct tile_group {
    static_assert(W == 2 || W == 4 || W == 8 || W == 16 || W == 32, "a tile has 2, 4, 8, 16 or 32 lanes");
    static constexpr shoal::scope scope = W == 32 ? shoal::scope::warp : shoal::scope::tile;
    static constexpr int static_size = W;

    SHOAL_FN static int rank() { return detail::flat_thread() & (W - 1); }
    SHOAL_FN static constexpr int size() { return W; }
    SHOAL_FN static void sync() {
#if defined(SHOAL_DEVICE_CODE)
        __syncwarp(mask());
#endif
    }
    template <class T>
    SHOAL_FN static T shuffle(T x, [[maybe_unused]] int source) {
#if defined(SHOAL_DEVICE_CODE)
        return __shfl_sync(mask(), x, source, W);
#else
        return x;
#endif
    }
    template <class T>
    SHOAL_FN static T shuffle_xor(T x, [[maybe_unused]] int lanes) {
#if defined(SHOAL_DEVICE_CODE)
        return __shfl_xor_sync(mask(), x, lanes, W);
#else
        return x;
#endif
    }
    /// A bit for each lane with b, that of rank 0 lowest.
    SHOAL_FN static std::uint32_t ballot([[maybe_unused]] bool b) {
#if defined(SHOAL_DEVICE_CODE)
        return in_tile(__ballot_sync(mask(), b));
#else
        return b ? 1U : 0U;
#endif
    }
    /// The largest x.
    SHOAL_FN static std::uint32_t largest(std::uint32_t x) {
#if defined(SHOAL_DEVICE_CODE)
        return __reduce_max_sync(mask(), x);
#else
        return x;
#endif
    }
    /// b, which all lanes share: whether to enter a branch around collectives.
    SHOAL_FN static bool any(bool b) {
        return b;
    }
    /// The lanes of this tile, a bit each.
    SHOAL_FN static unsigned mask() {
        if constexpr (W == 32) {
            return 0xffffffffU;
        } else {
            return ((1U << W) - 1U) << (detail::flat_thread() & (32 - W));
        }
    }

  protected:
    /// Of a ballot of the warp, the bits of this tile.
    SHOAL_FN static std::uint32_t in_tile(std::uint32_t bits) {
        if constexpr (W == 32) {
            return bits;
        } else {
            return bits >> (detail::flat_thread() & (32 - W)) & ((1U << W) - 1U);
        }
    }
};

/// All threads of the block, of any shape.
struct block_group {
    static constexpr shoal::scope scope = shoal::scope::block;
    SHOAL_FN static int rank() { return detail::flat_thread(); }
    SHOAL_FN static int size() { return detail::flat_block_size(); }
    SHOAL_FN static void sync() {
#if defined(SHOAL_DEVICE_CODE)
        __syncthreads();
#endif
    }
    /// The tile of W lanes that the calling thread belongs to. The block's size must be a multiple of W.
    template <int W>
    SHOAL_FN static tile_group<W> split() {
        return {};
    }
};

/// A block whose number of threads is static.
template <int Threads>
struct sized_block_group : block_group {
    static constexpr int static_size = Threads;
    SHOAL_FN static constexpr int size() { return Threads; }
};

/// The tile of W lanes that the calling thread belongs to.
template <int W>
SHOAL_FN tile_group<W> tile() {
    return {};
}
/// The calling thread's warp. The block's size must be a multiple of 32.
SHOAL_FN tile_group<32> this_warp() {
    return {};
}
/// The calling thread's block.
SHOAL_FN block_group this_block() {
    return {};
}
/// The calling thread's block, its number of threads known at compile time.
template <int Threads>
SHOAL_FN sized_block_group<Threads> this_block() {
    return {};
}

/// Number of groups of this kind in the grid: the step of a loop over more systems than groups.
template <Group G>
SHOAL_FN std::int64_t group_count(const G&) {
    if constexpr (G::scope == scope::block) {
        return detail::flat_grid_size();
    } else {
        return detail::flat_grid_size() * (detail::flat_block_size() / G::static_size);
    }
}

/// Which system the calling group owns when groups and systems are counted alike through the grid.
template <Group G>
SHOAL_FN std::int64_t first_system(const G&) {
    if constexpr (G::scope == scope::block) {
        return detail::flat_block();
    } else {
        return detail::flat_block() * (detail::flat_block_size() / G::static_size) +
               detail::flat_thread() / G::static_size;
    }
}

}  // namespace shoal
