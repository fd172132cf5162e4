#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/vector.hpp>

namespace shoal {

/// A plane rotation: [c s; -s c] [a; b] = [r; 0].
template <class T>
struct rotation {
    T c;
    T s;
    T r;
};

/// The rotation that turns (a, b) into (r, 0), safe from overflow and underflow; by the calling member alone.
///
/// c >= 0 unless a = 0; b = 0 gives the identity. NaN gives NaN. BLAS rotg in the convention of LAPACK lartg.
template <class T>
SHOAL_FN rotation<T> rotg(T a, T b) {
    if (b == 0) return {T(1), T(0), a};
    if (a == 0) return {T(0), b < 0 ? T(-1) : T(1), core::abs(b)};
    const bool steep = core::abs(b) > core::abs(a);
    const T ratio = steep ? a / b : b / a;
    // The larger component in front of the root keeps both squares in range.
    const T root = core::sqrt(core::fma(ratio, ratio, T(1)));
    const T large = T(1) / root;
    const T small = core::abs(ratio) * large;
    const T r = (steep ? core::abs(b) : core::abs(a)) * root;
    const T c = steep ? small : large;
    const T s = steep ? large : small;
    const bool opposite = (a < 0) != (b < 0);
    return {c, opposite ? -s : s, a < 0 ? -r : r};
}

/// (x, y) := (c x + s y, c y - s x) for x and y of n elements, which must not overlap.
///
/// Barriers: the exit barrier. Cost: 4 n operations shared by the members. BLAS rot.
template <Group G, VectorView X, VectorView Y>
requires(SameScalar<X, Y>)
    SHOAL_FN void rot(const G& g, X x, Y y, typename X::value_type c, typename X::value_type s) {
    static_assert(detail::extents_agree<X::static_size, Y::static_size>, "rot: x and y differ in size");
    static_assert(detail::writable<X>, "rot writes x, but its elements are const");
    static_assert(detail::writable<Y>, "rot writes y, but its elements are const");
    using T = typename X::value_type;
    strided(flatten<G, X::static_size>{}, g, x.size(), [&](int i) SHOAL_INLINE_LAMBDA {
        const T first = x(i);
        const T second = y(i);
        x(i) = core::fma(s, second, c * first);
        y(i) = core::fma(-s, first, c * second);
    });
    // The elements that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
