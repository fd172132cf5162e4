#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

namespace shoal::detail {

/// Two rows, the smaller first.
struct jacobi_rows {
    int p;
    int q;
};

/// Pair `pair` of round `round` of a tournament among an even number of players: every round pairs all of them, and
/// players - 1 rounds meet every pair once.
SHOAL_FN constexpr jacobi_rows jacobi_pair(int pair, int round, int players) {
    const int circle = players - 1;
    const int first = pair == 0 ? circle : (round + pair) % circle;
    const int second = (round + circle - pair) % circle;
    return first < second ? jacobi_rows{first, second} : jacobi_rows{second, first};
}

template <class T>
struct jacobi_turn {
    T c;
    T s;
};

/// The rotation by the smaller angle that makes the off-diagonal entry of [app apq; apq aqq] zero; none when the entry is
/// negligible. A huge ratio overflows to an angle of zero, which is right.
template <class T>
SHOAL_FN jacobi_turn<T> jacobi_rotation(T app, T aqq, T apq, T negligible) {
    if (core::abs(apq) <= negligible) return {T(1), T(0)};
    const T theta = (aqq - app) / (T(2) * apq);
    const T size = core::abs(theta) + core::sqrt(core::fma(theta, theta, T(1)));
    const T t = (theta < 0 ? T(-1) : T(1)) / size;
    const T c = T(1) / core::sqrt(core::fma(t, t, T(1)));
    return {c, t * c};
}

/// (x, y) := (c x - s y, s x + c y).
template <class T>
SHOAL_FN void jacobi_apply(T& x, T& y, T c, T s) {
    const T first = x;
    const T second = y;
    x = core::fma(-s, second, c * first);
    y = core::fma(s, first, c * second);
}

/// S := J' S for the rotations of one round, which touch different rows.
template <Group G, class T>
SHOAL_FN void rotate_rows(const G& g, matrix<T> s, int round, int players, const T* cosines, const T* sines) {
    const int n = s.rows();
    strided(core::rolled{}, g, players / 2 * n, [&](int e) SHOAL_INLINE_LAMBDA {
        const int pair = e / n;
        const auto [p, q] = jacobi_pair(pair, round, players);
        if (sines[pair] != 0) jacobi_apply(s(p, e % n), s(q, e % n), cosines[pair], sines[pair]);
    });
}

/// S := S J and V := V J for the rotations of one round. The entries made zero are set so: their rounding errors would
/// keep the next sweep busy.
template <Group G, class T, MatrixView V>
SHOAL_FN void rotate_columns(const G& g, matrix<T> s, V v, int round, int players, const T* cosines,
                             const T* sines) {
    const int n = s.rows();
    strided(core::rolled{}, g, players / 2 * n, [&](int e) SHOAL_INLINE_LAMBDA {
        const int pair = e / n;
        const int i = e % n;
        const auto [p, q] = jacobi_pair(pair, round, players);
        if (sines[pair] == 0) return;
        jacobi_apply(s(i, p), s(i, q), cosines[pair], sines[pair]);
        if (i == p) s(i, q) = 0;
        if (i == q) s(i, p) = 0;
        jacobi_apply(v(i, p), v(i, q), cosines[pair], sines[pair]);
    });
}

/// Makes S diagonal by sweeps of rotations, which V takes as well. rotations: n + n % 2 elements of working memory.
/// \return pairs that were still rotated in the last sweep
template <Group G, class T, MatrixView V>
SHOAL_FN int jacobi_sweeps(const G& g, matrix<T> s, V v, T* rotations, T negligible, int max_sweeps) {
    const int n = s.rows();
    const int players = n + n % 2;
    T* const cosines = rotations;
    T* const sines = rotations + players / 2;
    int rotated = 1;
    for (int sweep = 0; sweep < max_sweeps && rotated > 0; ++sweep) {
        rotated = 0;
        for (int round = 0; round < players - 1; ++round) {
            strided(core::rolled{}, g, players / 2, [&](int pair) SHOAL_INLINE_LAMBDA {
                const auto [p, q] = jacobi_pair(pair, round, players);
                const auto turn =
                    q < n ? jacobi_rotation(s(p, p), s(q, q), s(q, p), negligible) : jacobi_turn<T>{1, 0};
                cosines[pair] = turn.c;
                sines[pair] = turn.s;
            });
            // The rotations of this round, before everyone applies them.
            g.sync();
            for (int pair = 0; pair < players / 2; ++pair) rotated += sines[pair] != 0 ? 1 : 0;
            rotate_rows(g, s, round, players, cosines, sines);
            // The rotated rows, before the columns are.
            g.sync();
            rotate_columns(g, s, v, round, players, cosines, sines);
            // The rotated matrix, before the next rotations are made from it.
            g.sync();
        }
    }
    return rotated;
}

/// W := `scale` times the diagonal of S in ascending order, and the columns of V likewise; S is used up. Equal values keep
/// their order.
template <Group G, class T, VectorView W, MatrixView V>
SHOAL_FN void sort_eigenpairs(const G& g, matrix<T> s, W w, V v, T* values, T scale) {
    const int n = s.rows();
    strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { values[i] = s(i, i); });
    // The diagonal is saved, before V replaces S.
    g.sync();
    strided(core::rolled{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA { s(e % n, e / n) = v(e % n, e / n); });
    // The copy of V, before its columns are put in order.
    g.sync();
    strided(core::rolled{}, g, n * n, [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = e % n;
        const int j = e / n;
        int place = 0;
        for (int k = 0; k < n; ++k)
            place += values[k] < values[j] || (values[k] == values[j] && k < j) ? 1 : 0;
        v(i, place) = s(i, j);
        if (i == 0) w(place) = values[j] * scale;
    });
    // The values and vectors that other members wrote.
    g.sync();
}

}  // namespace shoal::detail
