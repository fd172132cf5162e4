#pragma once

#include <shoal/tiled_lu/detail/panel.hpp>

namespace shoal::tiled_lu::detail {

/// S = L U of the matrix that the memory holds row after row, rows permuted, reciprocals of the pivots on the diagonal.
///
///          k0                     S is cut into tiles. Step k0 factors the diagonal tile D in local arrays, completes
///      [ U U U U U U ]            the multipliers below it (P) and the rows of U on its right (R), and, looking right,
///      [ L U U U U U ]            updates the rest.
///   k0 [ L L D R R R ]
///      [ L L P . . . ]            Every entry takes its updates one by one in ascending order, a fused multiply-add
///      [ L L P . . . ]            each: neither the tiles nor the schedule show in the bits.
template <auto Config, class M, class P, class Y>
struct factorisation : panel<Config, M, P, Y> {
    using base = panel<Config, M, P, Y>;
    using typename base::choice;
    using typename base::flat;
    using typename base::grid;
    using typename base::Plan;
    using typename base::rows;
    using typename base::T;

    int info = 0;
    int outside = 0;

    SHOAL_FN constexpr factorisation(M matrix, rows map, Y side, int extent) noexcept
        : base{matrix, map, side, extent} {}

    /// Equation c of the forward pass, as soon as column c is there: where nobody wants the factors, no register keeps
    /// the multipliers.
    template <int L, class E>
    SHOAL_FN constexpr void forward_column(const T (&d)[L], int c, E e) const noexcept {
        constexpr int LR = E::limit;
        if constexpr (base::mirrored) this->y(c, 0) *= d[c * LR + c];
        const T solved = this->y(c, 0);
        over<flat, LR>(c + 1, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
            this->y(i, 0) = fma(-d[base::mirrored ? c * LR + i : i * LR + c], solved, this->y(i, 0));
        });
    }

    template <int L, class E>
    SHOAL_FN constexpr void swap_in_tile(T (&d)[L], int k0, E e, int c, int p) const noexcept {
        constexpr int LR = E::limit;
        over<flat, LR>(0, e.size(), [&](int j) SHOAL_INLINE_LAMBDA {
            exchange<flat, LR>(c, p - k0, e.size(),
                               [&](int i) SHOAL_INLINE_LAMBDA -> T& { return d[i * LR + j]; });
        });
        this->interchange(k0 + c, p);
    }

// g++ 12 behind nvcc -O3 sees indices below zero in the loops that the last column leaves empty.
#if defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Warray-bounds"
#endif
    template <int L, class E>
    SHOAL_FN constexpr void factor_tile(T (&d)[L], int k0, E e) noexcept {
        constexpr int LR = E::limit;
        over<flat, LR>(0, e.size(), [&](int c) SHOAL_INLINE_LAMBDA {
            const choice best = this->choose(d, k0, e, c);
            const bool good = invertible(best.size, Plan::floor);
            if (info == 0) {
                if (best.missing) ++outside;
                if (!good) info = k0 + c + 1;
            }
            if constexpr (!E::last) {
                if (best.row < k0 + e.size()) {
                    swap_in_tile(d, k0, e, c, best.row);
                } else {
                    this->fetch_row(d, k0, e, c, best.row);
                }
            } else {
                swap_in_tile(d, k0, e, c, best.row);
            }
            // After a failure the sweep goes on with harmless numbers.
            const T inverse = good ? reciprocal(d[c * LR + c]) : T(0);
            d[c * LR + c] = inverse;
            over<flat, LR>(c + 1, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
                d[i * LR + c] *= inverse;
                over<flat, LR>(c + 1, e.size(), [&](int j) SHOAL_INLINE_LAMBDA {
                    d[i * LR + j] = fma(-d[i * LR + c], d[c * LR + j], d[i * LR + j]);
                });
            });
            if constexpr (base::with_side && Plan::single) forward_column(d, c, e);
        });
    }
#if defined(__CUDACC__) && defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic pop
#endif

    template <class E>
    SHOAL_FN constexpr void step(int k0, E e) noexcept {
        if (info != 0) return;
        constexpr int L = E::limit;
        const grid tiles{this->n};
        const int next = k0 + e.size();
        T d[L * L];
        if constexpr (Plan::left && !Plan::single) {
            tiles.ascend(k0, [&](int i0, auto ei) SHOAL_INLINE_LAMBDA {
                T c[decltype(ei)::limit * L];
                this->load_updated(c, i0, ei, k0, e, k0);
                this->store(c, i0, ei, k0, e);
            });
        }
        this->load(d, k0, e, k0, e);
        factor_tile(d, k0, e);
        this->store(d, k0, e, k0, e);
        if constexpr (!E::last) {
            if (info != 0) return;
            this->finish_below(d, k0, e);
            tiles.ascend(next, [&](int j0, auto ej) SHOAL_INLINE_LAMBDA {
                constexpr int J = decltype(ej)::limit;
                T c[L * J];
                if constexpr (Plan::left) {
                    this->load_updated(c, k0, e, j0, ej, k0);
                } else {
                    this->load(c, k0, e, j0, ej);
                }
                over<flat, L>(0, e.size(), [&](int q) SHOAL_INLINE_LAMBDA {
                    over<flat, L>(q + 1, e.size(), [&](int i) SHOAL_INLINE_LAMBDA {
                        over<flat, J>(0, ej.size(), [&](int b) SHOAL_INLINE_LAMBDA {
                            c[i * J + b] = fma(-d[i * L + q], c[q * J + b], c[i * J + b]);
                        });
                    });
                });
                this->store(c, k0, e, j0, ej);
            });
        }
        if constexpr (base::with_side && !Plan::single) {
            const sweep<Plan, base::mirrored ? sense::mirrored : sense::plain, 1, M, rows, Y> side{
                this->s, this->row, this->y};
            side.forward_tile(k0, e, [&](int i, int) SHOAL_INLINE_LAMBDA { return this->y(i, 0); });
        }
        if constexpr (!Plan::left && !E::last) {
            tiles.ascend(next, [&](int i0, auto ei) SHOAL_INLINE_LAMBDA {
                T l[decltype(ei)::limit * L];
                this->load(l, i0, ei, k0, e);
                tiles.ascend(next, [&](int j0, auto ej) SHOAL_INLINE_LAMBDA {
                    T c[decltype(ei)::limit * decltype(ej)::limit];
                    this->load(c, i0, ei, j0, ej);
                    this->subtract_product(c, ei, ej, l, k0, e, j0);
                    this->store(c, i0, ei, j0, ej);
                });
            });
        }
    }

    SHOAL_FN constexpr void run() noexcept {
        this->row.start(this->n);
        grid{this->n}.ascend(0, [&](int k0, auto e) SHOAL_INLINE_LAMBDA { step(k0, e); });
    }
};

}  // namespace shoal::tiled_lu::detail
