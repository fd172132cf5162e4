#pragma once

#include <shoal/tiled_lu/detail/accept.hpp>
#include <shoal/tiled_lu/detail/stage.hpp>
#include <shoal/tiled_lu/detail/sweep.hpp>

namespace shoal::tiled_lu::detail {

/// The sense in which the factors solve A x = b.
template <auto Config, class M>
inline constexpr sense own_sense =
    layout_of<Config, M> == storage::col_major ? sense::mirrored : sense::plain;
/// And A^T x = b.
template <auto Config, class M>
inline constexpr sense other_sense = own_sense<Config, M> == sense::plain ? sense::mirrored : sense::plain;

/// Where x starts from: itself, another block, or unit vectors.
template <class X>
struct from_itself {
    static constexpr bool in_place = true;
    X x;
    SHOAL_FN constexpr auto operator()(int i, int w) const noexcept { return x(i, w); }
};
template <class B>
struct from_block {
    static constexpr bool in_place = false;
    B b;
    SHOAL_FN constexpr auto operator()(int i, int w) const noexcept { return b(i, w); }
};
template <class T>
struct from_identity {
    static constexpr bool in_place = false;
    int column;
    SHOAL_FN constexpr T operator()(int i, int w) const noexcept { return i == column + w ? T(1) : T(0); }
};

/// Columns first .. first + W - 1 of x.
template <auto Config, sense Sense, int W, class M, class P, class X, class Start>
SHOAL_FN constexpr void solve_columns(M s, P pivots, X x, int first, Start start) noexcept {
    using T = typename M::value_type;
    constexpr int order = M::static_order;
    using Plan = plan<Config, T, order>;
    using rows = row_map<Plan, order, P>;
    constexpr bool mirrored = Sense == sense::mirrored;
    const int n = s.order();
    if constexpr (Plan::in_registers) {
        with_staged_columns<Plan, order, W>(
            x, first, [&](int i, int w) SHOAL_INLINE_LAMBDA { return start(i, first + w); },
            [&](auto block) SHOAL_INLINE_LAMBDA {
                using B = decltype(block);
                const permutation<Plan, order, W, P, B> permute{pivots, block, n, 0};
                const sweep<Plan, Sense, W, M, rows, B> both{s, rows{pivots}, block, 0};
                if constexpr (!mirrored) permute.apply(std::true_type{});
                both.forward([&](int i, int w) SHOAL_INLINE_LAMBDA { return block(i, w); });
                both.backward();
                if constexpr (mirrored) permute.apply(std::false_type{});
            });
    } else {
        const permutation<Plan, order, W, P, X> permute{pivots, x, n, first};
        const sweep<Plan, Sense, W, M, rows, X> both{s, rows{pivots}, x, first};
        if constexpr (mirrored) {
            both.forward([&](int i, int w) SHOAL_INLINE_LAMBDA { return start(i, first + w); });
        } else if constexpr (!Start::in_place && !Plan::physical) {
            both.forward([&](int i, int w)
                             SHOAL_INLINE_LAMBDA { return start(static_cast<int>(pivots[i]), first + w); });
        } else {
            if constexpr (!Start::in_place) {
                for (int i = 0; i < n; ++i) {
                    all<W>([&](int w) SHOAL_INLINE_LAMBDA { x(i, first + w) = start(i, first + w); });
                }
            }
            permute.apply(std::true_type{});
            both.forward([&](int i, int w) SHOAL_INLINE_LAMBDA { return x(i, first + w); });
        }
        both.backward();
        if constexpr (mirrored) permute.apply(std::false_type{});
    }
}

/// All columns of x, Pass at a time.
template <auto Config, sense Sense, int Pass, class M, class P, class X, class Start>
SHOAL_FN constexpr void solve_all(M s, P pivots, X x, Start start) noexcept {
    static_assert(!std::is_const_v<typename X::element_type>,
                  "tiled_lu: the solution is written, but its elements are const");
    static_assert(Pass >= 0, "tiled_lu: a pass has at least one column, or 0 for all of them");
    constexpr int columns = X::static_columns;
    // What a thread holds at a time when nobody says: all columns of a static number, within reason.
    constexpr int most = columns == dynamic ? 4 : 32;
    constexpr int wanted = Pass == 0 ? most : Pass;
    constexpr int width = columns == dynamic || wanted < columns ? wanted : columns;
    if constexpr (columns == width) {
        solve_columns<Config, Sense, width>(s, pivots, x, 0, start);
    } else {
        const int number = x.number();
        int first = 0;
        for (; first + width <= number; first += width) {
            solve_columns<Config, Sense, width>(s, pivots, x, first, start);
        }
        if constexpr (columns == dynamic) {
            for (; first < number; ++first) solve_columns<Config, Sense, 1>(s, pivots, x, first, start);
        } else if constexpr (columns % width > 0) {
            solve_columns<Config, Sense, columns % width>(s, pivots, x, first, start);
        }
    }
}

/// What is left after the forward pass that a factorisation made.
template <auto Config, class M, class P, class Y>
SHOAL_FN constexpr void complete(M s, P pivots, Y y) noexcept {
    using T = typename M::value_type;
    constexpr int order = M::static_order;
    using Plan = plan<Config, T, order>;
    using rows = row_map<Plan, order, P>;
    constexpr sense own = own_sense<Config, M>;
    sweep<Plan, own, 1, M, rows, Y>{s, rows{pivots}, y, 0}.backward();
    if constexpr (own == sense::mirrored) {
        permutation<Plan, order, 1, P, Y>{pivots, y, s.order(), 0}.apply(std::false_type{});
    }
}

}  // namespace shoal::tiled_lu::detail
