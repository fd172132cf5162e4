#pragma once

#include <shoal/tiled_lu/detail/rows.hpp>

/// \file
/// Copies of small static operands in arrays of the thread, so that every index into them is a constant.

namespace shoal::tiled_lu::detail {

/// A matrix of order N in an array of the thread.
template <class T, int N, storage Layout>
struct staged_square {
    using element_type = T;
    using value_type = T;
    static constexpr residency where = residency::local;
    static constexpr int static_order = N;
    static constexpr storage layout = Layout;
    T* data;

    SHOAL_FN static constexpr int order() noexcept { return N; }
    SHOAL_FN constexpr T& operator()(int r, int c) const noexcept { return data[r * N + c]; }
};

/// The block of W columns of N elements in an array of the thread.
template <class T, int N, int W>
struct staged_columns {
    using element_type = T;
    using value_type = T;
    static constexpr residency where = residency::local;
    static constexpr int static_columns = W;
    T* data;

    SHOAL_FN constexpr T& operator()(int i, int w) const noexcept { return data[w * N + i]; }
};

/// f(S, pivots) on the operands themselves, or on copies that go back afterwards where the configuration keeps the
/// system in registers.
template <auto Config, class M, class P, class F>
SHOAL_FN constexpr int with_staged(M s, P pivots, F f) noexcept {
    using T = typename M::value_type;
    constexpr int n = M::static_order;
    if constexpr (plan<Config, T, n>::in_registers) {
        using I = typename P::value_type;
        T a[n * n];
        I p[n];
        all<n>([&](int r) SHOAL_INLINE_LAMBDA {
            all<n>([&](int c) SHOAL_INLINE_LAMBDA { a[r * n + c] = s(r, c); });
        });
        const staged_square<T, n, layout_of<Config, M>> copy{a};
        const int info = f(copy, operand<I, residency::local, 1>{p});
        all<n>([&](int r) SHOAL_INLINE_LAMBDA {
            all<n>([&](int c) SHOAL_INLINE_LAMBDA { s(r, c) = a[r * n + c]; });
            pivots[r] = p[r];
        });
        return info;
    } else {
        return f(s, pivots);
    }
}

/// f(block) on W columns of x from `first` on, or on a copy; a copy starts from source(i, w) and goes to x afterwards.
template <class Plan, int N, int W, class X, class Source, class F>
SHOAL_FN constexpr void with_staged_columns(X x, int first, Source source, F f) noexcept {
    using T = typename X::value_type;
    T v[N * W];
    all<W>([&](int w) SHOAL_INLINE_LAMBDA {
        all<N>([&](int i) SHOAL_INLINE_LAMBDA { v[w * N + i] = source(i, w); });
    });
    f(staged_columns<T, N, W>{v});
    all<W>([&](int w) SHOAL_INLINE_LAMBDA {
        all<N>([&](int i) SHOAL_INLINE_LAMBDA { x(i, first + w) = v[w * N + i]; });
    });
}

/// f(block) on one column y itself, or on a copy that goes back to it.
template <auto Config, class M, class Y, class F>
SHOAL_FN constexpr void with_own_column(const M&, Y y, F f) noexcept {
    using Plan = plan<Config, typename M::value_type, M::static_order>;
    if constexpr (Plan::in_registers) {
        with_staged_columns<Plan, M::static_order, 1>(
            y, 0, [&](int i, int) SHOAL_INLINE_LAMBDA { return y(i, 0); }, f);
    } else {
        f(y);
    }
}

}  // namespace shoal::tiled_lu::detail
