#pragma once

#include <shoal/core/math.hpp>
#include <shoal/group/collectives.hpp>

/// \file
/// One-sided Jacobi rotations of columns that lanes hold in registers.

namespace shoal::fast::detail {

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

/// A column or the half of its rows: it stands for `length * x`, so that a rotation costs one multiply-add an element
/// instead of two operations. The lengths, which shrink by a root of two a round at most, are multiplied out after a sweep.
template <class T, int Rows>
struct held_column {
    T x[Rows];
    T norm;  ///< squared, of the whole column
    T length;
    T inverse_length;
};

/// x' y: the first `Half` rows and the others, in four chains each.
///
/// Lanes that hold half of the rows get the other sum from lane rank() xor `halves`, with the same bits.
template <int Half, int Rows, class T, ShuffleGroup G>
SHOAL_FN T halved_dot(const G& g, const T (&x)[Rows], const T (&y)[Rows], int halves) {
    T part[4] = {T(0), T(0), T(0), T(0)};
    SHOAL_UNROLL
    for (int i = 0; i < Half; ++i) part[i % 4] = core::fma(x[i], y[i], part[i % 4]);
    const T sum = (part[0] + part[1]) + (part[2] + part[3]);
    if constexpr (Half == Rows) {
        return sum + g.shuffle_xor(sum, halves);
    } else {
        T rest[4] = {T(0), T(0), T(0), T(0)};
        SHOAL_UNROLL
        for (int i = Half; i < Rows; ++i) rest[(i - Half) % 4] = core::fma(x[i], y[i], rest[(i - Half) % 4]);
        return sum + ((rest[0] + rest[1]) + (rest[2] + rest[3]));
    }
}

/// The tangent of the rotation that makes two columns orthogonal: a sign, and the smaller of two angles. Single precision
/// will do: the rotation is orthogonal to working precision all the same, and what it leaves of the product is less by 2^-20.
SHOAL_FN float orthogonal_tangent(float product, float apart) {
    const float twice = 2 * product;
    const float inverse = core::rough_rsqrt(core::fma(apart, apart, twice * twice));
    return (apart < 0 ? -twice : twice) * inverse *
           core::rough_reciprocal(core::fma(core::abs(apart), inverse, 1.0F));
}

/// 1 / sqrt(x) for x = 1 + tangent^2.
SHOAL_FN float reciprocal_secant(float, float x) {
    return core::pivot_rsqrt(x).reciprocal;
}
/// \copydoc reciprocal_secant(float, float)
SHOAL_FN double reciprocal_secant(float tangent, double x) {
    const double y = core::rough_rsqrt(core::fma(tangent, tangent, 1.0F));
    const double rest = core::fma(-x * y, y, 1.0);
    return core::fma(y * rest, core::fma(0.375, rest, 0.5), y);
}

/// Makes a and b orthogonal, unless their product is negligible.
template <int Half, class T, int Rows, ShuffleGroup G>
SHOAL_FN void rotate_pair(const G& g, held_column<T, Rows>& a, held_column<T, Rows>& b, int halves,
                          T tolerance, sweep_motion<T>& motion) {
    const T product = a.length * b.length * halved_dot<Half>(g, a.x, b.x, halves);
    if (!(product * product > tolerance * (a.norm * b.norm))) return;
    const float single = orthogonal_tangent(static_cast<float>(product), static_cast<float>(b.norm - a.norm));
    const T tangent = single;
    motion.tangent = core::abs(tangent) > motion.tangent ? core::abs(tangent) : motion.tangent;
    motion.product = core::abs(product) > motion.product ? core::abs(product) : motion.product;
    // (a, b) := cosine (a - tangent b, b + tangent a)
    const T from_b = -tangent * (b.length * a.inverse_length);
    const T from_a = tangent * (a.length * b.inverse_length);
    SHOAL_UNROLL
    for (int i = 0; i < Rows; ++i) {
        const T before = a.x[i];
        a.x[i] = core::fma(from_b, b.x[i], before);
        b.x[i] = core::fma(from_a, before, b.x[i]);
    }
    const T square = core::fma(tangent, tangent, T(1));
    const T cosine = reciprocal_secant(single, square);
    const T secant = square * cosine;
    a.length *= cosine;
    b.length *= cosine;
    a.inverse_length *= secant;
    b.inverse_length *= secant;
    a.norm = core::fma(-tangent, product, a.norm);
    b.norm = core::fma(tangent, product, b.norm);
}

/// x of lane rank() xor m: the whole column.
template <class T, int Rows, ShuffleGroup G>
SHOAL_FN void move_column(const G& g, held_column<T, Rows>& x, int m) {
    SHOAL_UNROLL
    for (int i = 0; i < Rows; ++i) x.x[i] = g.shuffle_xor(x.x[i], m);
    x.norm = g.shuffle_xor(x.norm, m);
    x.length = g.shuffle_xor(x.length, m);
    x.inverse_length = g.shuffle_xor(x.inverse_length, m);
}

/// One sweep: every column meets every other once.
///
/// Two lanes hold two columns, each one half of their rows, or one lane holds both. Columns a and b of `places` pairs meet
/// while b goes from lane to lane, one bit of its number a step; then all columns a go to one half of the lanes and all b to
/// the other, which go on for themselves. What moves is what a lane holds of a column, once a round.
template <int Half, class T, int Rows, ShuffleGroup G>
SHOAL_FN sweep_motion<T> sweep_columns(const G& g, held_column<T, Rows>& a, held_column<T, Rows>& b,
                                       int lanes, T tolerance) {
    sweep_motion<T> motion{0, 0};
    const int halves = lanes / 2;
    for (held_column<T, Rows>* x : {&a, &b}) {
        x->norm = halved_dot<Half>(g, x->x, x->x, halves);
        x->length = x->inverse_length = T(1);
    }
    for (int places = halves; places > 0; places /= 2) {
        for (int step = 1; step < places; ++step) {
            rotate_pair<Half>(g, a, b, halves, tolerance, motion);
            move_column(g, b, step & -step);
        }
        rotate_pair<Half>(g, a, b, halves, tolerance, motion);
        if (places == 1) break;
        const bool keeps_b = (g.rank() & (places / 2)) != 0;
        held_column<T, Rows> moving = keeps_b ? a : b;
        move_column(g, moving, places / 2);
        (keeps_b ? a : b) = moving;
    }
    SHOAL_UNROLL
    for (int i = 0; i < Rows; ++i) {
        a.x[i] *= a.length;
        b.x[i] *= b.length;
    }
    return motion;
}

}  // namespace shoal::fast::detail
