#pragma once

#include <shoal/batched/gesv.hpp>
#include <shoal/batched/lu_tuning.hpp>
#include <shoal/batched/panels.cuh>
#include <shoal/batched/rows.cuh>
#include <shoal/fast/gesv_thread.hpp>
#include <shoal/group/lockstep.cuh>

namespace shoal::batched {

namespace detail {

struct gesv_by_thread {
    template <class T, std::size_t Elements, std::size_t N>
    SHOAL_FN int operator()(T (&a)[Elements], T (&x)[N]) const {
        return fast::gesv_thread<static_cast<int>(N)>(a, x);
    }
};

/// Whether the systems of an operand may lie one after the other, and what it says of that when the program runs.
template <class A>
inline constexpr bool maybe_packed = false;
template <class T, int N>
inline constexpr bool maybe_packed<matrices<T, N, N, column>> = true;
template <class T, int N>
inline constexpr bool maybe_packed<vectors<T, N, 1>> = true;

/// Factorisations in place: tiles as wide as the rows are many, where the registers hold them.
template <class View, class Body>
status start_rows(cudaStream_t stream, std::int64_t systems, const Body& body, int* info) {
    constexpr int n = View::static_rows;
    using tile = lockstep_tile<latency_tile(n).width>;
    if constexpr (n >= 1 && n <= fast::largest_rows && fast::suits_square_rows<tile, View>) {
        return start<tile, 1>(stream, systems, body, info, 0);
    } else {
        return start<tile_group<32>, 1>(stream, systems, body, info, 0);
    }
}

/// The solve by threads, tiles or warps that `Choice` names.
template <lu_choice Choice, class A, class X>
status start_solve(cudaStream_t stream, std::int64_t systems, A a, X x, int* info) {
    using view = typename A::view;
    using T = std::remove_const_t<typename view::value_type>;
    constexpr int n = view::static_rows;
    if constexpr (Choice.worker == lu_worker::thread) {
        if constexpr (maybe_packed<A> && maybe_packed<X>) {
            if (a.stride() == n * n && x.stride() == n) {
                return start_staged<n, Choice.min_blocks, T>(
                    stream, systems, static_cast<const T*>(a(0).data()), x(0).data(), info, gesv_by_thread{});
            }
        }
        return start_threads<n, Choice.min_blocks, T>(stream, systems, a, x, info, gesv_by_thread{});
    } else if constexpr (Choice.worker == lu_worker::panels) {
        if constexpr (maybe_packed<A> && maybe_packed<X>) {
            if (a.stride() == n * n && x.stride() == n) {
                return start_panels<n, Choice.width, bring::together, T>(stream, systems, a, x, info);
            }
        }
        return start_panels<n, Choice.width, bring::alone, T>(stream, systems, a, x, info);
    } else if constexpr (Choice.worker == lu_worker::tile) {
        return start<lockstep_tile<Choice.width>, Choice.min_blocks>(stream, systems,
                                                                     solve_system<A, X>{a, x}, info, 0);
    } else if constexpr (Choice.worker == lu_worker::rows) {
        return start_rows_shared<n, Choice.width, Choice.min_blocks, T>(stream, systems, a, x, info);
    } else {
        return start_tiles_shared<n, Choice.width, T>(stream, systems, a, x, info);
    }
}

}  // namespace detail

/// batched::gesv() without pivots in one kernel on `stream`: A, x and `info` in device memory. Allocates nothing, waits for
/// nothing, can be captured in a graph. A thread, a tile or a warp a system, as `lu_tuning.hpp` chooses, which does not
/// show in the bits.
template <MatrixOperand A, VectorOperand X>
status gesv(cudaStream_t stream, A a, X x, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_solve(a, x, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    using element = typename A::view::value_type;
    constexpr int n = A::view::static_rows;
    if (systems <= small_batch)
        return detail::start_solve<lu_latency(n, sizeof(element))>(stream, systems, a, x, info);
    if constexpr (detail::neighbours < A >> 1) {
        return detail::start_solve<lu_interleaved(n, sizeof(element))>(stream, systems, a, x, info);
    } else {
        return detail::start_solve<lu_stored(n, sizeof(element))>(stream, systems, a, x, info);
    }
}

/// batched::getrf() in one kernel on `stream`; as gesv(). Static orders up to 32 go by tiles in registers, others by a warp
/// each.
template <MatrixOperand A, VectorOperand P>
status getrf(cudaStream_t stream, A a, P pivots, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_getrf(a, pivots, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    return detail::start_rows<typename A::view>(stream, systems, detail::getrf_system<A, P>{a, pivots}, info);
}

/// batched::gesv() with pivots in one kernel on `stream`; as getrf().
template <MatrixOperand A, VectorOperand P, Operand B>
status gesv(cudaStream_t stream, A a, P pivots, B b, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_gesv(a, pivots, b, systems); !bad.ok()) return bad;
    if (systems == 0) return {};
    const detail::gesv_system<A, P, B> body{a, pivots, b};
    if constexpr (VectorOperand<B>) {
        return detail::start_rows<typename A::view>(stream, systems, body, info);
    } else {
        return detail::start<tile_group<32>, 1>(stream, systems, body, info, 0);
    }
}

}  // namespace shoal::batched
