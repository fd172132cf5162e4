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

/// The same number, of which a compiler for NVIDIA GPUs no longer knows where it comes from.
SHOAL_FN constexpr std::int64_t forgotten(std::int64_t stride) noexcept {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) asm("" : "+l"(stride));
#endif
    return stride;
}

/// The same operand with its addresses to be computed anew: n^2 of them kept from the loads to the stores would take more
/// registers than the system.
template <class X>
SHOAL_FN constexpr X renewed(const X& x) noexcept {
    return x;
}
template <class T, residency W, int C>
SHOAL_FN constexpr auto renewed(const operand<T, W, dynamic, C>& x) noexcept {
    return operand<T, W, dynamic, C>{x.data(), forgotten(x.stride())};
}
template <class T, residency W, int C, int N>
SHOAL_FN constexpr auto renewed(const square<operand<T, W, dynamic, C>, N>& s) noexcept {
    return square<operand<T, W, dynamic, C>, N>{renewed(s.elements()), s.order()};
}
template <class E, int W, std::int64_t S>
SHOAL_FN constexpr auto renewed(const column_block<E, W, S>& x) noexcept {
    return column_block<E, W, S>{renewed(x.elements()), x.number(), x.column_stride()};
}

/// f(S, pivots) on the operands themselves, or on copies that go back afterwards where the configuration keeps the
/// system in registers.
template <auto Config, class M, class P, class F>
SHOAL_FN constexpr int with_staged(M s, P pivots, F f) noexcept {
    static_assert(!std::is_const_v<typename M::element_type>,
                  "tiled_lu: A is overwritten by its factors, but its elements are const");
    static_assert(!std::is_const_v<typename P::element_type>,
                  "tiled_lu: the pivots are written, but they are const");
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
        const auto target = renewed(s);
        const auto target_pivots = renewed(pivots);
        all<n>([&](int r) SHOAL_INLINE_LAMBDA {
            all<n>([&](int c) SHOAL_INLINE_LAMBDA { target(r, c) = a[r * n + c]; });
            target_pivots[r] = p[r];
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
    const X target = renewed(x);
    all<W>([&](int w) SHOAL_INLINE_LAMBDA {
        all<N>([&](int i) SHOAL_INLINE_LAMBDA { target(i, first + w) = v[w * N + i]; });
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
