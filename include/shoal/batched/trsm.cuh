#pragma once

#include <shoal/batched/tiles.cuh>
#include <shoal/batched/trsm.hpp>

namespace shoal::batched {

namespace detail {

/// A system in `parts` parts of equal width: part p solves for columns offset + p * width and on. Equal, because the
/// tiles of a warp must stay in step.
template <class L, class B>
struct trsm_part {
    L l;
    B b;
    std::int64_t parts;
    int width;
    int offset;
    template <Group G>
    SHOAL_FN void operator()(const G& g, std::int64_t unit) const {
        const std::int64_t system = unit / parts;
        const auto columns = b(system);
        const int first = offset + static_cast<int>(unit - system * parts) * width;
        shoal::trsm<trsm_from_memory<G, L>()>(g, l(system), columns.block(0, first, columns.rows(), width));
    }
};

template <class L, class B>
status start_parts(cudaStream_t stream, const L& l, const B& b, std::int64_t systems, int width, int offset,
                   int columns) {
    using view = typename decltype(L::of)::view;
    constexpr int n = view::static_rows;
    const std::int64_t parts = columns / width;
    const trsm_part<L, B> body{l, b, parts, width, offset};
    if (systems * parts <= small_batch)
        return start_tiles<view, latency_tile(n)>(stream, systems * parts, body, nullptr);
    return start_tiles<view, trsm_tile(n, sizeof(typename view::value_type))>(stream, systems * parts, body,
                                                                              nullptr);
}

template <class B>
inline constexpr bool has_blocks = requires(const typename B::view& b) {
    b.block(0, 0, 0, 0);
};

}  // namespace detail

/// batched::trsm() on `stream`, in one kernel or two: the triangles and B in device memory. Allocates nothing, waits for
/// nothing, can be captured in a graph. Static orders up to 32 are solved in registers by tiles that `tuning.hpp`
/// chooses, others by a warp each; few systems with many columns are shared out by columns. Neither shows in the bits.
template <MatrixOperand A, uplo Uplo, diagonal Diagonal, MatrixOperand B>
status trsm(cudaStream_t stream, triangles<A, Uplo, Diagonal> t, B b, std::int64_t systems) {
    if (const status bad = detail::check_trsm(t, b, systems); !bad.ok()) return bad;
    if (systems == 0 || b.empty()) return {};
    using view = typename A::view;
    using element = typename view::value_type;
    constexpr int n = view::static_rows;
    if constexpr (detail::has_blocks<B>) {
        // A tile sweeps up to eight columns together. While systems do not fill the card, fewer columns a tile are
        // sooner done; when they do, only a system with a great many columns is worth sharing out.
        const int columns = b.columns();
        if (systems <= small_batch && columns > 4 && columns <= small_batch) {
            const int width = columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
            return detail::start_parts(stream, t, b, systems, width, 0, columns);
        }
        constexpr int many = 256;
        if (columns > 2 * many) {
            const int rest = columns % many;
            const status s = detail::start_parts(stream, t, b, systems, many, 0, columns - rest);
            if (!s.ok() || rest == 0) return s;
            return detail::start_parts(stream, t, b, systems, rest, columns - rest, rest);
        }
    }
    const detail::trsm_system<triangles<A, Uplo, Diagonal>, B> body{t, b};
    if (systems <= small_batch)
        return detail::start_tiles<view, latency_tile(n)>(stream, systems, body, nullptr);
    return detail::start_tiles<view, trsm_tile(n, sizeof(element))>(stream, systems, body, nullptr);
}

}  // namespace shoal::batched
