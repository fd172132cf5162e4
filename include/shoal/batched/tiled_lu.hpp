#pragma once

#include <cstddef>
#include <type_traits>

#include <shoal/batched/gesv.hpp>
#include <shoal/tiled_lu/solve.hpp>

namespace shoal::batched {

namespace detail {

template <auto Config>
inline constexpr bool configured =
    !std::is_same_v<std::remove_cvref_t<decltype(Config)>, shoal::tiled_lu::automatic_config>;

/// x := A^-1 x by one thread with a given configuration, in a row-major copy: A itself is factored, whatever its layout.
template <auto Config, class A, class X>
struct tiled_lu_system {
    A a;
    X x;
    SHOAL_FN int operator()(const thread_group&, std::int64_t system) const {
        using T = std::remove_const_t<typename A::view::value_type>;
        constexpr int n = A::view::static_rows;
        T copy[static_cast<std::size_t>(n * n)];
        T right[static_cast<std::size_t>(n)];
        int pivots[static_cast<std::size_t>(n)];
        const auto from = a(system);
        const auto to = x(system);
        using how = flatten<thread_group, n>;
        core::loop(how{}, 0, n, [&](int i) SHOAL_INLINE_LAMBDA {
            core::loop(how{}, 0, n, [&](int j) SHOAL_INLINE_LAMBDA { copy[i * n + j] = from(i, j); });
            right[i] = to(i);
        });
        const int info = shoal::tiled_lu::solve_inplace<Config>(
            shoal::tiled_lu::of_order<n>(shoal::tiled_lu::local(copy)), shoal::tiled_lu::local(pivots),
            shoal::tiled_lu::local(right));
        if (info == 0) core::loop(how{}, 0, n, [&](int i) SHOAL_INLINE_LAMBDA { to(i) = right[i]; });
        return info;
    }
};

template <auto Config>
constexpr void check_layout() {
    if constexpr (configured<Config>) {
        static_assert(Config.layout == shoal::tiled_lu::storage::row_major,
                      "batched::tiled_lu: operands say how they are stored; leave `layout` as it is");
    }
}

}  // namespace detail

/// x_s := A_s^-1 x_s by tiled LU for s = 0 .. systems - 1; the matrices, of static order up to 64, are only read.
///
/// Without a configuration the pivot is the largest entry of the column, so that a tile or a warp can do the work of a
/// thread: the call is that of gesv() without pivots, whose bits are those of shoal::tiled_lu::solve(). A pivot that is not
/// zero is accepted, also below the smallest normal number. With a configuration one thread a system runs
/// `shoal::tiled_lu::solve_inplace<Config>`, and info is what that returns.
///
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// \param info one number a system, written for every system; or null. x_s is unchanged where it is not 0
/// The bits of a system do not depend on its place in the batch, nor on the batch. Nothing is allocated.
template <auto Config = shoal::tiled_lu::automatic, MatrixOperand A, VectorOperand X>
status tiled_lu(executor& threads, A a, X x, std::int64_t systems, int* info = nullptr) {
    detail::check_layout<Config>();
    if (const status bad = detail::check_solve(a, x, systems, "batched::tiled_lu"); !bad.ok()) return bad;
    if constexpr (detail::configured<Config>) {
        return launch(threads, systems, detail::tiled_lu_system<Config, A, X>{a, x}, info);
    } else {
        return gesv(threads, a, x, systems, info);
    }
}
/// \copydoc tiled_lu(executor&, A, X, std::int64_t, int*)
template <auto Config = shoal::tiled_lu::automatic, MatrixOperand A, VectorOperand X>
status tiled_lu(A a, X x, std::int64_t systems, int* info = nullptr) {
    return tiled_lu<Config>(*shared_executor(), a, x, systems, info);
}

}  // namespace shoal::batched
