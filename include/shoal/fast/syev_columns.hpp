#pragma once

#include <shoal/fast/rows.hpp>
#include <shoal/fast/warps.hpp>

namespace shoal::fast {

namespace detail {

/// The lanes that syev_columns() deals N columns to: the next power of two.
SHOAL_FN constexpr int column_lanes(int n) {
    int lanes = 2;
    while (lanes < n) lanes *= 2;
    return lanes;
}

/// Two powers of two, each the reciprocal of the other, that bring a number near one and back. Exact.
template <class T>
struct powers {
    T down;
    T up;
};
SHOAL_FN powers<double> powers_of_size(double largest) {
    std::uint64_t field = 2046U - (core::magnitude_key(largest) >> 52U);
    field = field < 1U ? 1U : field > 2045U ? 2045U : field;
    return {core::from_bits(field << 52U), core::from_bits((2046U - field) << 52U)};
}
/// \copydoc powers_of_size(double)
SHOAL_FN powers<float> powers_of_size(float largest) {
    std::uint32_t field = 254U - (core::magnitude_key(largest) >> 23U);
    field = field < 1U ? 1U : field > 253U ? 253U : field;
    return {core::from_bits(field << 23U), core::from_bits((254U - field) << 23U)};
}

/// x' y in four chains.
template <int N, class T>
SHOAL_FN T chained_dot(const T (&x)[N], const T (&y)[N]) {
    T part[4] = {T(0), T(0), T(0), T(0)};
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) part[i % 4] = core::fma(x[i], y[i], part[i % 4]);
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/// What the rotations of a sweep amounted to, at most: the largest tangent, and the largest product of two columns.
template <class T>
struct sweep_motion {
    T tangent;
    T product;
};

/// One sweep: every column of a lane meets that of every other lane once.
///
/// A column stands for `length * column`, so that a rotation costs one multiply-add an element instead of two operations;
/// the lengths, which shrink by a root of two a round at most, are multiplied out at the end.
template <int N, class T, ShuffleGroup G>
SHOAL_FN sweep_motion<T> sweep_columns(const G& g, T (&column)[N], int lanes, T tolerance) {
    sweep_motion<T> motion{0, 0};
    T own = chained_dot(column, column);
    T length = 1;
    T inverse_length = 1;
    for (int m = 1; m < lanes; ++m) {
        T other[N];
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) other[i] = g.shuffle_xor(column[i], m);
        const T beside = g.shuffle_xor(own, m);
        const T length_beside = g.shuffle_xor(length, m);
        const T product = length * length_beside * chained_dot(column, other);
        // Both lanes of a pair see the same three numbers, and so agree to the bit.
        const bool first = (g.rank() & m) < (~g.rank() & m);
        const T alpha = first ? own : beside;
        const T beta = first ? beside : own;
        if (!(product * product > tolerance * (alpha * beta))) continue;
        const T twice = T(2) * product;
        const T apart = beta - alpha;
        const T size = core::pivot_rsqrt(core::fma(apart, apart, twice * twice)).root;
        const T tangent = (apart < 0 ? -twice : twice) * core::pivot_reciprocal(core::abs(apart) + size);
        motion.tangent = core::abs(tangent) > motion.tangent ? core::abs(tangent) : motion.tangent;
        motion.product = core::abs(product) > motion.product ? core::abs(product) : motion.product;
        // (a, b) := cosine (a - tangent b, b + tangent a)
        const T turned = first ? -tangent : tangent;
        const T factor = turned * length_beside * inverse_length;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) column[i] = core::fma(factor, other[i], column[i]);
        const auto secant = core::pivot_rsqrt(core::fma(tangent, tangent, T(1)));
        length *= secant.reciprocal;
        inverse_length *= secant.root;
        own = core::fma(turned, product, own);
    }
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) column[i] *= length;
    return motion;
}

/// The largest of all lanes.
template <class T, ShuffleGroup G>
SHOAL_FN T largest_of_lanes(const G& g, T x) {
    SHOAL_UNROLL
    for (int h = 1; h < G::static_size; h *= 2) {
        const T other = g.shuffle_xor(x, h);
        x = core::magnitude_key(other) > core::magnitude_key(x) ? other : x;
    }
    return x;
}

}  // namespace detail

/// Whether syev_columns() can decompose a matrix M with a group G: static order up to 32, a lane for each column.
template <class G, class M>
SHOAL_FN constexpr bool suits_syev_columns() {
    if constexpr (M::static_rows < 1 || M::static_rows > warp_lanes) {
        return false;
    } else if constexpr (has_warps<G>) {
        return true;
    } else if constexpr (ShuffleGroup<G>) {
        return detail::column_lanes(M::static_rows) <= G::static_size;
    } else {
        return false;
    }
}

/// A V = V diag(W) for a symmetric A of static order N, by one-sided Jacobi rotations of the columns of A + s I, one column
/// in the registers of each lane.
///
/// With s = 1.5 |A| (largest row sum) the shifted matrix is definite and its condition number at most five; rotations
/// from the right make its columns orthogonal, and they are then its eigenvectors. In round m of
/// a sweep the lanes r and r xor m hold a pair: 2^k - 1 rounds meet every pair, and the columns never change their lanes. A
/// round costs n shuffles, n FMA for the product, n for the rotation. No matrix of eigenvectors is carried along.
///
/// \param max_sweeps sweeps after which the search is given up
/// \return as syev(); what is counted after the last sweep allowed are columns that still had to be turned
/// Barriers: the exit barrier is the caller's. No scratch. Registers: two columns.
template <Group G, MatrixView M, uplo Uplo, VectorView W, MatrixView V>
SHOAL_FN int syev_columns(const G& g, symmetric<M, Uplo> a, W w, V v, int max_sweeps) {
    using T = typename M::value_type;
    constexpr int N = M::static_rows;
    constexpr int lanes = detail::column_lanes(N);
    const auto warp = [&]() SHOAL_INLINE_LAMBDA {
        if constexpr (has_warps<G>) {
            return warp_of(g);
        } else {
            return with_exit_sync(g);
        }
    }();
    using lane_group = std::remove_cvref_t<decltype(warp)>;
    const int lane = warp.rank();
    T column[N];
    T sum = 0;
    T largest = 0;
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) {
        const bool stored = Uplo == uplo::lower ? i >= lane : i <= lane;
        column[i] = lane < N ? (stored ? a.matrix(i, lane) : a.matrix(lane, i)) : T(0);
        if (core::magnitude_key(column[i]) > core::magnitude_key(largest)) largest = core::abs(column[i]);
    }
    largest = detail::largest_of_lanes(warp, largest);
    if (largest != 0 && !core::good_pivot(largest)) return N + 1;
    // With entries near one, squares of columns neither overflow nor vanish.
    const auto scale = detail::powers_of_size(largest);
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) {
        column[i] *= scale.down;
        sum += core::abs(column[i]);
    }
    sum = detail::largest_of_lanes(warp, sum);
    const T shift = sum > 0 ? T(1.5) * sum : T(1);
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) column[i] += i == lane ? shift : T(0);

    // Products below this leave the vectors orthogonal to a few units, and are not above their rounding errors.
    constexpr T unit = core::epsilon<T> * (N < 16 ? T(2) : T(4));
    constexpr T tolerance = unit * unit;
    int turning = 1;
    for (int sweep = 0; sweep < max_sweeps && turning > 0; ++sweep) {
        const auto motion = detail::sweep_columns<N>(warp, column, lanes, tolerance);
        turning = motion.tangent != 0 ? 1 : 0;
        SHOAL_UNROLL
        for (int h = 1; h < lane_group::static_size; h *= 2) turning += warp.shuffle_xor(turning, h);
        // A pair made orthogonal is disturbed by the later rotations of the sweep. Where all of them together are too small
        // for that to count, another sweep would turn nothing. No column is shorter than a third of the shift.
        const T tangent = detail::largest_of_lanes(warp, motion.tangent);
        const T product = detail::largest_of_lanes(warp, motion.product);
        if (T(9 * lanes) * tangent * product <= unit * shift * shift) turning = 0;
    }

    const T length = core::pivot_rsqrt(lane < N ? detail::chained_dot(column, column) : T(1)).reciprocal;
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) column[i] *= length;
    // Lengths have taken the rounding errors of every rotation, and those of the shift; v' A v has not. The columns turn so
    // that the loop over k need not be flat.
    T value = 0;
    for (int k = 0; k < N; ++k) {
        T part[4] = {T(0), T(0), T(0), T(0)};
        SHOAL_UNROLL
        for (int s = 0; s < N; ++s) {
            const int i = s + k < N ? s + k : s + k - N;
            const bool below = Uplo == uplo::lower ? i >= k : i <= k;
            const T entry = below ? a.matrix(i, k) : a.matrix(k, i);
            part[s % 4] = core::fma(entry * scale.down, column[s], part[s % 4]);
        }
        value = core::fma(column[0], (part[0] + part[1]) + (part[2] + part[3]), value);
        const T first = column[0];
        SHOAL_UNROLL
        for (int s = 0; s + 1 < N; ++s) column[s] = column[s + 1];
        column[N - 1] = first;
    }
    value *= scale.up;
    int place = 0;
    for (int r = 0; r < N; ++r) {
        const T other = warp.shuffle(value, r);
        place += other < value || (other == value && r < lane) ? 1 : 0;
    }
    if (lane < N && (G::scope != scope::block || g.rank() < warp_lanes)) {
        w(place) = value;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) v(i, place) = column[i];
    }
    return turning;
}

}  // namespace shoal::fast
