#pragma once

#include <limits>

#include <shoal/fast/warps.hpp>
#include <shoal/group/collectives.hpp>
#include <shoal/view/matrix.hpp>

/// \file
/// Eigenvalues and eigenvectors by way of a tridiagonal matrix: Householder reflections, then QL steps with implicit shifts.

namespace shoal::detail {

template <class T>
inline constexpr T smallest_normal = std::numeric_limits<T>::min();

/// reduce() without scratch or barriers: by each warp for itself, otherwise by each member.
template <class T, Group G, class Step, class Combine>
SHOAL_FN T reduce_for_all(const G& g, int n, T zero, Step step, Combine combine) {
    const auto by = [&](const auto& members) SHOAL_INLINE_LAMBDA {
        return reduce<dynamic>(members, n, zero, step, combine, no_scratch{});
    };
    if constexpr (fast::has_warps<G>) {
        if (fast::whole_warps(g)) return by(fast::warp_of(g));
    } else if constexpr (ShuffleGroup<G>) {
        return by(g);
    }
    return by(thread_group{});
}
template <class T, Group G, class Step>
SHOAL_FN T sum_for_all(const G& g, int n, Step step) {
    return reduce_for_all(g, n, T(-0.0), step, [](T a, T b) SHOAL_INLINE_LAMBDA { return a + b; });
}

/// S := Q' S Q tridiagonal and V := V Q, S symmetric of order n in both triangles: the diagonal is left in S, element
/// (i + 1, i) in beside[i]. w: n elements of working memory.
///
/// Step k takes the reflection I - u u' with u a multiple of x + sign(x_1) |x| e_1, u'u = 2, where x is what column k has below
/// its diagonal. u is never stored: it is the column itself, scaled as it is read.
template <Group G, class T, VectorView W, MatrixView V>
SHOAL_FN void reduce_to_tridiagonal(const G& g, matrix<T> s, W w, V v, T* beside) {
    const int n = s.rows();
    // Squares of what is smaller would lose digits; left where it is, it moves no eigenvalue by a unit.
    const T least = smallest_normal<T> * T(4 * (n + 1)) / core::epsilon<T>;
    for (int k = 0; k + 1 < n; ++k) {
        const int first = k + 1;
        const T head = s(first, k);
        const T tail = sum_for_all<T>(g, n - first - 1, [&](T part, int i) SHOAL_INLINE_LAMBDA {
            const T x = s(first + 1 + i, k);
            return core::fma(x, x, part);
        });
        const bool reflect = tail > least;
        const T norm = core::pivot_rsqrt(reflect ? core::fma(head, head, tail) : T(1)).root;
        const T image = !reflect ? head : head > 0 ? -norm : norm;
        if (g.rank() == 0) beside[k] = image;
        if (!reflect) continue;
        const T scale = core::pivot_rsqrt(norm * core::abs(head - image)).reciprocal;
        const auto u = [&](int i)
                           SHOAL_INLINE_LAMBDA { return (i == first ? head - image : s(i, k)) * scale; };
        strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
            T product = i > k ? s(i, first) * u(first) : T(0);
            T along = v(i, first) * u(first);
            for (int j = first + 1; j < n; ++j) {
                const T uj = u(j);
                if (i > k) product = core::fma(s(i, j), uj, product);
                along = core::fma(v(i, j), uj, along);
            }
            if (i > k) w(i) = product;
            // Several at once: no element is asked for before the one before it is stored.
            constexpr int together = 4;
            int j = first;
            for (; j + together <= n; j += together) {
                T x[together];
                SHOAL_UNROLL
                for (int t = 0; t < together; ++t) x[t] = core::fma(-along, u(j + t), v(i, j + t));
                SHOAL_UNROLL
                for (int t = 0; t < together; ++t) v(i, j + t) = x[t];
            }
            for (; j < n; ++j) v(i, j) = core::fma(-along, u(j), v(i, j));
        });
        // S u, before everyone updates S with it.
        g.sync();
        const T half = T(0.5) * sum_for_all<T>(g, n - first, [&](T part, int i) SHOAL_INLINE_LAMBDA {
                           return core::fma(u(first + i), w(first + i), part);
                       });
        const int size = n - first;
        // Element by element as strided() goes, without a division for each.
        const int rows = g.size() % size;
        const int columns = g.size() / size;
        int r = g.rank() % size;
        for (int c = g.rank() / size; c < size; c += columns) {
            // Both triangles by the same operations.
            const int low = first + (r > c ? r : c);
            const int high = first + (r > c ? c : r);
            const T u_low = u(low);
            const T u_high = u(high);
            const T w_low = core::fma(-half, u_low, w(low));
            const T w_high = core::fma(-half, u_high, w(high));
            T& element = s(first + r, first + c);
            element = core::fma(-u_low, w_high, core::fma(-w_low, u_high, element));
            r += rows;
            if (r >= size) {
                r -= size;
                ++c;
            }
        }
        // The next column, before it is reflected, and w, before it is written again.
        g.sync();
    }
}

/// Rows first .. last of a tridiagonal matrix, between two elements that are zero.
struct tridiagonal_part {
    int first;
    int last;
};

/// Whether an element beside the diagonal elements a and b can be left out.
template <class T>
SHOAL_FN bool negligible_beside(T x, T a, T b, T negligible) {
    return core::abs(x) <= T(0.5) * core::epsilon<T> * (core::abs(a) + core::abs(b)) ||
           core::abs(x) <= negligible;
}

/// One QL step with the shift of Wilkinson on rows first .. last of the tridiagonal matrix with diagonal d and beside[i] at
/// (i + 1, i), by one member. Rotation i, of rows i and i + 1, goes to cosines[i] and sines[i].
///
/// \return the part that is left of these rows: an element that is found negligible ends it; the rotations that were made begin
///         at `begin`
template <class T, class D>
SHOAL_FN tridiagonal_part ql_step(D d, T* beside, tridiagonal_part part, T* cosines, T* sines, T negligible,
                                  int& begin) {
    const int l = part.first;
    const int m = part.last;
    const T slope = (d(l + 1) - d(l)) / (T(2) * beside[l]);
    const T size = core::sqrt(core::fma(slope, slope, T(1)));
    T g = (d(m) - d(l)) + beside[l] / (slope < 0 ? slope - size : slope + size);
    T c = 1;
    T s = 1;
    T before = 0;  // d(i + 1) is still to be changed by s * before
    T above = d(m);
    T next = d(m - 1);
    T off = beside[m - 1];
    T final_above = 0;
    int split = m;
    begin = l;
    for (int i = m - 1; i >= l; --i) {
        // What the chain of operations does not wait for is asked for early.
        const T here = next;
        const T e = off;
        if (i > l) {
            next = d(i - 1);
            off = beside[i - 1];
        }
        const T f = s * e;
        const T b = c * e;
        const T square = core::fma(f, f, g * g);
        if (square < smallest_normal<T>) {
            // Both are far below a unit: the matrix falls apart here.
            d(i + 1) = core::fma(-s, before, above);
            beside[i + 1] = 0;
            if (i + 1 < m) beside[m] = 0;
            begin = i + 1;
            return {l, i + 1};
        }
        const auto root = core::pivot_rsqrt(square);
        const T rest = core::fma(-s, before, above);
        s = f * root.reciprocal;
        c = g * root.reciprocal;
        before = core::fma(here - rest, s, T(2) * c * b);
        const T changed = core::fma(s, before, rest);
        d(i + 1) = changed;
        const bool gone = i + 1 < m && negligible_beside(root.root, changed, final_above, negligible);
        beside[i + 1] = gone ? T(0) : root.root;
        if (gone) split = i + 1;
        final_above = changed;
        g = core::fma(c, before, -b);
        above = here;
        cosines[i] = c;
        sines[i] = s;
    }
    const T changed = core::fma(-s, before, above);
    d(l) = changed;
    beside[l] = negligible_beside(g, changed, final_above, negligible) ? T(0) : g;
    beside[m] = 0;
    return {l, split};
}

/// The next part with something to be made zero; what is negligible on the way to it becomes zero.
/// \return whether there is one
template <class T, class D>
SHOAL_FN bool next_part(D d, T* beside, int n, T negligible, tridiagonal_part& part) {
    for (;;) {
        while (part.first < part.last && beside[part.first] == 0) ++part.first;
        if (part.first < part.last) return true;
        if (part.last >= n - 1) return false;
        part.first = part.last = part.last + 1;
        while (part.last < n - 1) {
            T& x = beside[part.last];
            if (negligible_beside(x, d(part.last), d(part.last + 1), negligible)) x = 0;
            if (x == 0) break;
            ++part.last;
        }
    }
}

/// Makes S, tridiagonal as reduce_to_tridiagonal() leaves it, diagonal by rotations of the columns of V.
///
/// One member makes the rotations of a step, which hang on each other, then all apply them to their rows of V.
/// \param limit steps after which the search is given up
/// \return how many elements beside the diagonal were not made zero
template <Group G, class T, VectorView W, MatrixView V>
SHOAL_FN int make_diagonal(const G& g, matrix<T> s, W w, V v, T* beside, T negligible, int limit) {
    const int n = s.rows();
    if (n == 0) return 0;
    strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { w(i) = s(i, i); });
    // The diagonal is in w: rotations may take its place.
    g.sync();
    T* const cosines = s.data();
    T* const sines = cosines + (n - 1);
    // What all need to know of a step: n times its first rotation and its last row, or below zero that it is the end.
    T& notice = beside[n - 1];
    tridiagonal_part part{-1, -1};
    int left = 0;
    for (int step = 0; left == 0; ++step) {
        if (g.rank() == 0) {
            const bool more = next_part(w, beside, n, negligible, part);
            if (more && step < limit) {
                int begin = 0;
                const int last = part.last;
                part = ql_step(w, beside, part, cosines, sines, negligible, begin);
                notice = static_cast<T>(begin * n + last);
            } else {
                int rest = 0;
                for (int i = 0; i + 1 < n; ++i)
                    rest += negligible_beside(beside[i], w(i), w(i + 1), negligible) ? 0 : 1;
                notice = static_cast<T>(-1 - rest);
            }
        }
        // The rotations of this step, before everyone applies them.
        g.sync();
        left = static_cast<int>(notice);
        if (left >= 0) {
            const int begin = left / n;
            const int last = left % n;
            left = 0;
            strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA {
                T high = v(i, last);
                T low = v(i, last - 1);
                T sine = sines[last - 1];
                T cosine = cosines[last - 1];
                for (int j = last - 1; j >= begin; --j) {
                    const T above = core::fma(sine, low, cosine * high);
                    high = core::fma(-sine, high, cosine * low);
                    // The next are asked for before this one is stored.
                    const int next = j > begin ? j - 1 : begin;
                    low = v(i, next);
                    sine = sines[next];
                    cosine = cosines[next];
                    v(i, j + 1) = above;
                }
                v(i, begin) = high;
            });
        }
        // Everyone has read the rotations, before the next are made.
        g.sync();
    }
    // sort_eigenpairs() deals the diagonal to the members as this does: no barrier between.
    strided(core::rolled{}, g, n, [&](int i) SHOAL_INLINE_LAMBDA { s(i, i) = w(i); });
    return -1 - left;
}

}  // namespace shoal::detail
