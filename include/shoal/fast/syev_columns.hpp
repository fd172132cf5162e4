#pragma once

#include <limits>

#include <shoal/fast/jacobi_sweep.hpp>
#include <shoal/fast/warps.hpp>
#include <shoal/view/triangle.hpp>

namespace shoal::fast {

namespace detail {

/// The lanes that syev_columns() deals N columns to: the next power of two.
SHOAL_FN constexpr int column_lanes(int n) {
    int lanes = 2;
    while (lanes < n) lanes *= 2;
    return lanes;
}

/// Where columns of zeros are sorted to.
template <class T>
inline constexpr T infinite = std::numeric_limits<T>::infinity();

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

/// A V = V diag(W) for a symmetric A of static order N, by one-sided Jacobi rotations of the columns of A + s I in
/// the registers of the lanes.
///
/// With s = 1.5 |A| (largest row sum) the shifted matrix is definite and its condition number at most five; rotations
/// from the right make its columns orthogonal, and they are then its eigenvectors. Two lanes hold a pair, each one half
/// of its rows: 2^k - 1 rounds meet every pair, and a round costs n / 2 shuffles, n / 2 FMA for the product and n for the
/// rotation. No matrix of eigenvectors is carried along.
///
/// \param max_sweeps sweeps after which the search is given up
/// \return as syev(); what is counted after the last sweep allowed are columns that still had to be turned
/// Barriers: the exit barrier is the caller's. No scratch. Registers: a column, and as much again.
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
        const int high = i > lane ? i : lane;
        const int low = i > lane ? lane : i;
        column[i] = lane < N ? (Uplo == uplo::lower ? a.matrix(high, low) : a.matrix(low, high)) : T(0);
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
    // Of a product, what a rotation of single precision may leave.
    constexpr T left = sizeof(T) == 8 ? T(0x1p-20) : T(0);
    int turning = 1;
    // Columns r and r + lanes / 2 to two lanes, the upper rows to the first.
    constexpr int half = (N + 1) / 2;
    const bool lower_rows = (lane & (lanes / 2)) != 0;
    detail::half_column<T, half> a_half;
    detail::half_column<T, half> b_half;
    SHOAL_UNROLL
    for (int i = 0; i < half; ++i) {
        const T below = half + i < N ? column[half + i < N ? half + i : 0] : T(0);
        const T other = warp.shuffle_xor(lower_rows ? column[i] : below, lanes / 2);
        a_half.x[i] = lower_rows ? other : column[i];
        b_half.x[i] = lower_rows ? below : other;
    }
    for (int sweep = 0; sweep < max_sweeps && turning > 0; ++sweep) {
        const auto motion = detail::sweep_columns(warp, a_half, b_half, lanes, tolerance);
        turning = motion.tangent != 0 ? 1 : 0;
        SHOAL_UNROLL
        for (int h = 1; h < lane_group::static_size; h *= 2) turning += warp.shuffle_xor(turning, h);
        // A pair made orthogonal is disturbed by the later rotations of the sweep. Where all of them together are too small
        // for that to count, another sweep would turn nothing. No column is shorter than a third of the shift.
        const T tangent = detail::largest_of_lanes(warp, motion.tangent);
        const T product = detail::largest_of_lanes(warp, motion.product);
        if ((T(9 * lanes) * tangent + left) * product <= unit * shift * shift) turning = 0;
    }
    SHOAL_UNROLL
    for (int i = 0; i < half; ++i) {
        const T other = warp.shuffle_xor(lower_rows ? a_half.x[i] : b_half.x[i], lanes / 2);
        column[i] = lower_rows ? other : a_half.x[i];
        if (half + i < N) column[half + i < N ? half + i : 0] = lower_rows ? b_half.x[i] : other;
    }

    // Columns have changed their lanes, those of zeros beyond the end as well.
    const T norm = detail::chained_dot(column, column);
    const bool exists = norm > 0;
    const T length = core::pivot_rsqrt(exists ? norm : T(1)).reciprocal;
    SHOAL_UNROLL
    for (int i = 0; i < N; ++i) column[i] *= length;
    // Lengths have taken the rounding errors of every rotation, and those of the shift; v' A v has not. A sixteenth of v: no
    // sum of a row then overflows.
    constexpr T small = T(1) / T(16);
    T value = 0;
    SHOAL_UNROLL
    for (int k = 0; k < N; ++k) {
        T part[4] = {T(0), T(0), T(0), T(0)};
        SHOAL_UNROLL
        for (int i = k + 1; i < N; ++i)
            part[i % 4] = core::fma(Uplo == uplo::lower ? a.matrix(i, k) : a.matrix(k, i), small * column[i],
                                    part[i % 4]);
        const T above = T(2) * ((part[0] + part[1]) + (part[2] + part[3]));
        value = core::fma(column[k], core::fma(a.matrix(k, k), small * column[k], above) * scale.down, value);
    }
    value *= T(16);
    value = exists ? value * scale.up : detail::infinite<T>;
    int place = 0;
    for (int r = 0; r < lanes; ++r) {
        const T other = warp.shuffle(value, r);
        place += other < value || (other == value && r < lane) ? 1 : 0;
    }
    if (exists && (G::scope != scope::block || g.rank() < warp_lanes)) {
        w(place) = value;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) v(i, place) = column[i];
    }
    return turning;
}

}  // namespace shoal::fast
