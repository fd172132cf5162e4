#pragma once

#include <shoal/banded/detail/bdsv_columns.hpp>
#include <shoal/fast/host_block.hpp>
#include <shoal/fast/host_sweep.hpp>

namespace shoal::detail {

/// A block-tridiagonal system on one host thread, with the vector kernels of `fast`. Those want blocks column-major and
/// without gaps, so that a block of a strip is brought into that form, and its factor back: n^2 moves for n^3 operations.
/// Bits, info and what a failure leaves are those of the generic body.
template <class Isa, class A, class X>
struct bdsv_host {
    using T = typename A::value_type;
    static constexpr int n = A::block_size;
    static constexpr int ld = A::row_length;
    static constexpr bool by_kernels = n <= 32;

    /// B(i, j) := row-major block: one becomes the other's transpose by reading it with the orders exchanged.
    static void take(const T* from, T* b) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) b[i * n + j] = from[i * ld + j];
        }
    }

    static knot_info factor(A a) {
        if constexpr (!by_kernels) {
            return bdsv_factor_columns(this_thread(), a);
        } else {
            // `rows` holds blocks as they are stored, which as column-major ones are their transposes.
            T rows[n * n], d[n * n], l[n * n], r[n];
            T e[n * n] = {};  // not read before it is set, which g++ does not see
            const T* const squared[] = {e};
            const int knots = a.knots();
            for (int k = 0; k < knots; ++k) {
                take(a.main(k).data(), rows);
                fast::block_transpose<Isa, T, n>(d, rows);
                const int bad = fast::block_potrf<Isa, T, n>(l, r, d, squared, k > 0 ? 1 : 0);
                // The generic body leaves the columns before the bad one final: it knows how.
                if (bad != 0) return bdsv_factor_columns(this_thread(), a, k);
                for (int i = 0; i < n; ++i) {
                    for (int j = 0; j <= i; ++j) a.main(k)(i, j) = l[i + n * j];
                }
                if (k + 1 < knots) {
                    take(a.left(k + 1).data(), rows);
                    fast::block_transpose<Isa, T, n>(e, rows);
                    fast::block_trsm_right<Isa, T, n>(e, e, nullptr, nullptr, l, r);
                    fast::block_transpose<Isa, T, n>(rows, e);
                    for (int i = 0; i < n; ++i) {
                        for (int j = 0; j < n; ++j) a.left(k + 1)(i, j) = rows[i * n + j];
                    }
                }
            }
            return {};
        }
    }

    static void solve(A a, X x) {
        if constexpr (!by_kernels) {
            bdsv_solve_columns(this_thread(), a, x);
        } else {
            T rows[n * n], columns[n * n], y[n] = {}, z[n];
            const int knots = a.knots();
            for (int k = 0; k < knots; ++k) {
                for (int i = 0; i < n; ++i) z[i] = x(k * n + i);
                if (k > 0) {
                    take(a.left(k).data(), rows);
                    fast::block_transpose<Isa, T, n>(columns, rows);
                    fast::block_subtract_product<Isa, T, n, 1>(z, n, columns, y, n);
                }
                take(a.main(k).data(), rows);
                fast::block_transpose<Isa, T, n>(columns, rows);
                T reciprocal[n];
                for (int i = 0; i < n; ++i) reciprocal[i] = core::pivot_reciprocal(rows[i * n + i]);
                fast::block_forward<Isa, T, n, 1>(z, n, columns, reciprocal);
                for (int i = 0; i < n; ++i) x(k * n + i) = y[i] = z[i];
            }
            for (int k = knots - 1; k >= 0; --k) {
                for (int i = 0; i < n; ++i) z[i] = x(k * n + i);
                if (k + 1 < knots) {
                    // Column-major, the rows of E are the columns of E'.
                    take(a.left(k + 1).data(), rows);
                    fast::block_subtract_product<Isa, T, n, 1>(z, n, rows, y, n);
                }
                take(a.main(k).data(), rows);
                T reciprocal[n];
                for (int i = 0; i < n; ++i) reciprocal[i] = core::pivot_reciprocal(rows[i * n + i]);
                fast::block_backward<Isa, T, n, 1>(z, n, rows, reciprocal);
                for (int i = 0; i < n; ++i) x(k * n + i) = y[i] = z[i];
            }
        }
    }
};

}  // namespace shoal::detail
