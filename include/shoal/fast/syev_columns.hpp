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

/// Makes a column an eigenvector of unit length.
/// \return its value, scaled down; `infinite` for a column of zeros, which is beyond the end
template <uplo Uplo, MatrixView M, class T, int N>
SHOAL_FN T normalised_value(M a, T (&column)[N], core::scaling<T> scale) {
    const T norm = chained_dot(column, column);
    if (!(norm > 0)) return infinite<T>;
    const T length = core::pivot_rsqrt(norm).reciprocal;
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
            part[i % 4] = core::fma(Uplo == uplo::lower ? a(i, k) : a(k, i), small * column[i], part[i % 4]);
        const T above = T(2) * ((part[0] + part[1]) + (part[2] + part[3]));
        value = core::fma(column[k], core::fma(a(k, k), small * column[k], above) * scale.down, value);
    }
    return T(16) * value;
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

/// Whether syev_columns() can decompose a matrix M with a group G: static order up to 32, a lane for each column or for two.
template <class G, class M>
SHOAL_FN constexpr bool suits_syev_columns() {
    if constexpr (M::static_rows < 1 || M::static_rows > warp_lanes) {
        return false;
    } else if constexpr (has_warps<G>) {
        return true;
    } else if constexpr (ShuffleGroup<G>) {
        return detail::column_lanes(M::static_rows) <= 2 * G::static_size && G::static_size > 1;
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
/// rotation. A tile with a lane for two columns holds a pair in each lane, and makes the angles once instead of twice: of
/// many matrices more fit into a multiprocessor, a single one takes longer. The bits are the same. No matrix of eigenvectors
/// is carried along.
///
/// \param max_sweeps sweeps after which the search is given up
/// \return as syev(); what is counted after the last sweep allowed are columns that still had to be turned
/// Barriers: the exit barrier is the caller's. No scratch. Registers: a column, and as much again; a lane for two columns: two.
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
    constexpr int pairs = lanes / 2;
    // Columns of a lane: its own, and where there are lanes for pairs only, the one half of the lanes further.
    constexpr int held = lane_group::static_size < lanes ? 2 : 1;
    const int lane = warp.rank();
    T column[held][N];
    T sum = 0;
    T largest = 0;
    SHOAL_UNROLL
    for (int h = 0; h < held; ++h) {
        const int j = lane + h * pairs;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) {
            const int high = i > j ? i : j;
            const int low = i > j ? j : i;
            const T x = j < N ? (Uplo == uplo::lower ? a.matrix(high, low) : a.matrix(low, high)) : T(0);
            column[h][i] = x;
            if (core::magnitude_key(x) > core::magnitude_key(largest)) largest = core::abs(x);
        }
    }
    largest = detail::largest_of_lanes(warp, largest);
    if (largest != 0 && !core::good_pivot(largest)) return N + 1;
    // With entries near one, squares of columns neither overflow nor vanish.
    const auto scale = core::scale_to_one(largest);
    SHOAL_UNROLL
    for (int h = 0; h < held; ++h) {
        T row = 0;
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) {
            column[h][i] *= scale.down;
            row += core::abs(column[h][i]);
        }
        sum = row > sum ? row : sum;
    }
    sum = detail::largest_of_lanes(warp, sum);
    const T shift = sum > 0 ? T(1.5) * sum : T(1);
    SHOAL_UNROLL
    for (int h = 0; h < held; ++h) {
        SHOAL_UNROLL
        for (int i = 0; i < N; ++i) column[h][i] += i == lane + h * pairs ? shift : T(0);
    }

    // Products below this leave the vectors orthogonal to a few units, and are not above their rounding errors.
    constexpr T unit = core::epsilon<T> * (N < 16 ? T(2) : T(4));
    constexpr T tolerance = unit * unit;
    // Of a product, what a rotation of single precision may leave.
    constexpr T left = sizeof(T) == 8 ? T(0x1p-20) : T(0);
    int turning = 1;
    // Columns r and r + lanes / 2 to one lane, or to two, the upper rows to the first.
    constexpr int half = (N + 1) / 2;
    constexpr int rows = held == 2 ? N : half;
    const bool lower_rows = (lane & pairs) != 0;
    detail::held_column<T, rows> first;
    detail::held_column<T, rows> second;
    SHOAL_UNROLL
    for (int i = 0; i < rows; ++i) {
        if constexpr (held == 2) {
            first.x[i] = column[0][i];
            second.x[i] = column[1][i];
        } else {
            const T below = half + i < N ? column[0][half + i < N ? half + i : 0] : T(0);
            const T other = warp.shuffle_xor(lower_rows ? column[0][i] : below, pairs);
            first.x[i] = lower_rows ? other : column[0][i];
            second.x[i] = lower_rows ? below : other;
        }
    }
    for (int sweep = 0; sweep < max_sweeps && turning > 0; ++sweep) {
        const auto motion = detail::sweep_columns<half>(warp, first, second, lanes, tolerance);
        turning = motion.tangent != 0 ? held : 0;
        SHOAL_UNROLL
        for (int h = 1; h < lane_group::static_size; h *= 2) turning += warp.shuffle_xor(turning, h);
        // A pair made orthogonal is disturbed by the later rotations of the sweep. Where all of them together are too small
        // for that to count, another sweep would turn nothing. No column is shorter than a third of the shift.
        const T tangent = detail::largest_of_lanes(warp, motion.tangent);
        const T product = detail::largest_of_lanes(warp, motion.product);
        if ((T(9 * lanes) * tangent + left) * product <= unit * shift * shift) turning = 0;
    }
    SHOAL_UNROLL
    for (int i = 0; i < rows; ++i) {
        if constexpr (held == 2) {
            column[0][i] = first.x[i];
            column[1][i] = second.x[i];
        } else {
            const T other = warp.shuffle_xor(lower_rows ? first.x[i] : second.x[i], pairs);
            column[0][i] = lower_rows ? other : first.x[i];
            if (half + i < N) column[0][half + i < N ? half + i : 0] = lower_rows ? second.x[i] : other;
        }
    }

    T value[held];
    SHOAL_UNROLL
    for (int h = 0; h < held; ++h) value[h] = detail::normalised_value<Uplo>(a.matrix, column[h], scale);
    SHOAL_UNROLL
    for (int h = 0; h < held; ++h) {
        int place = 0;
        SHOAL_UNROLL
        for (int b = 0; b < held; ++b) {
            const int before = lane + h * pairs - b * pairs;
            for (int r = 0; r < lanes / held; ++r) {
                const T other = warp.shuffle(value[b], r);
                place += other < value[h] || (other == value[h] && r < before) ? 1 : 0;
            }
        }
        if (value[h] < detail::infinite<T> && (G::scope != scope::block || g.rank() < warp_lanes)) {
            w(place) = value[h] * scale.up;
            SHOAL_UNROLL
            for (int i = 0; i < N; ++i) v(i, place) = column[h][i];
        }
    }
    return turning;
}

}  // namespace shoal::fast
