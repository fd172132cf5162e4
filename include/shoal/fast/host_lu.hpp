#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <shoal/fast/lanes.hpp>
#include <shoal/fast/pivot_rows.hpp>

/// \file
/// LU with partial pivoting of W interleaved systems on one host thread, a system a lane: element e of lane l at
/// `e * W + l`. Lanes differ in their interchanges, so rows are not moved by address: what a lane exchanges is selected
/// while it passes through the registers anyway.

namespace shoal::fast {

/// What host_lu says of a lane with a pivot so small that its reciprocal overflows.
inline constexpr std::int32_t solve_by_itself = -1;

/// Lanes of host_lu: those of the widest vector.
template <class Isa, class T>
inline constexpr int host_lu_lanes = Isa::bytes / static_cast<int>(sizeof(T));

template <class Isa, class T>
class host_lu;

// The device compiler knows the vectors of neither host compiler.
#if !defined(__CUDACC__)
/// The solver for one instruction set, which must have vectors.
template <class Isa, class T>
class host_lu {
    using lane = lanes<Isa, T, host_lu_lanes<Isa, T>>;

  public:
    static constexpr int W = host_lu_lanes<Isa, T>;
    /// x := A^-1 x in each lane, in the order of getrf() and getrs(), to the bit; `a` by columns, used up. `n` is an int or
    /// an integral constant. info[l] as getrf() gives it, or `solve_by_itself`; x means nothing where it is not 0.
    template <class Order>
    SHOAL_FN static void solve(Order order, T* a, T* x, std::int32_t* info) {
        const int n = order;
        alignas(64) T reciprocals[static_cast<std::size_t>(largest_rows * W)];
        alignas(64) T multipliers[static_cast<std::size_t>(largest_rows * W)];
        integer bad{};
        integer tiny{};
        for (int k = 0; k < n; ++k) {
            T* const column = a + k * n * W;
            const real above = get(column + k * W);
            real pivot = above;
            integer p = number(k);
            for (int i = k + 1; i < n; ++i) {
                const real candidate = get(column + i * W);
                const integer larger = magnitude(candidate) > magnitude(pivot);
                pivot = larger ? candidate : pivot;
                p = larger ? number(i) : p;
            }
            const real size = real(magnitude(pivot));
            const integer good = integer(size > all(T(0))) & integer(size <= all(core::largest_finite<T>));
            tiny |= good & integer(size < all(detail::smallest_invertible<T>));
            bad |= integer(bad == integer{}) & ~good & number(k + 1);
            const real reciprocal = all(T(1)) / pivot;
            put(reciprocals + k * W, reciprocal);
            put(column + k * W, pivot);
            for (int i = k + 1; i < n; ++i) {
                const real value = integer(p == number(i)) ? above : get(column + i * W);
                put(multipliers + i * W, value * reciprocal);
            }
            int j = k + 1;
            for (; j + 4 <= n; j += 4) update<4>(n, k, multipliers, p, a + j * n * W);
            for (; j < n; ++j) update<1>(n, k, multipliers, p, a + j * n * W);
            update<1>(n, k, multipliers, p, x);
        }
        for (int k = n - 1; k >= 0; --k) {
            const real xk = get(x + k * W) * get(reciprocals + k * W);
            put(x + k * W, xk);
            const T* const column = a + k * n * W;
            for (int i = 0; i < k; ++i) put(x + i * W, subtract(get(column + i * W), xk, get(x + i * W)));
        }
        for (int l = 0; l < W; ++l)
            info[l] = tiny[l] != 0 ? solve_by_itself : static_cast<std::int32_t>(bad[l]);
    }

    /// `count` elements of W systems, system l at from[l], interleaved. By squares of W x W through the registers.
    SHOAL_FN static void interleave(const T* const* from, std::ptrdiff_t count, T* to) {
        std::ptrdiff_t e = 0;
        for (; e + W <= count; e += W) {
            lane square[W];
            each<W>([&](auto l) SHOAL_INLINE_LAMBDA { square[l] = lane::load(from[l] + e); });
            transpose_lanes(square);
            each<W>([&](auto q) SHOAL_INLINE_LAMBDA { square[q].store(to + (e + q) * W); });
        }
        for (; e < count; ++e) {
            for (std::ptrdiff_t l = 0; l < W; ++l) to[e * W + l] = from[l][e];
        }
    }

    /// Element e of W neighbours, for e = 0 .. count - 1, from `from + e * from_step` to `to + e * to_step`: a line of memory
    /// at a time.
    SHOAL_FN static void move(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, int count) {
        for (int e = 0; e < count; ++e) lane::load(from + e * from_step).store(to + e * to_step);
    }

  private:
    using whole = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef T real __attribute__((vector_size(static_cast<std::size_t>(W) * sizeof(T))));
    typedef whole integer __attribute__((vector_size(static_cast<std::size_t>(W) * sizeof(T))));

    SHOAL_FN static real get(const T* p) { return real(lane::load(p).v); }
    SHOAL_FN static void put(T* p, real x) { lane{decltype(lane::v)(x)}.store(p); }
    /// c - a * b with one rounding.
    SHOAL_FN static real subtract(real a, real b, real c) {
        using v = decltype(lane::v);
        return real(lane::subtract_product({v(a)}, {v(b)}, {v(c)}).v);
    }
    SHOAL_FN static real all(T x) { return real(lane::broadcast(x).v); }
    SHOAL_FN static integer number(int i) { return integer{} + static_cast<whole>(i); }
    SHOAL_FN static integer magnitude(real x) {
        return integer(x) & (integer{} + std::numeric_limits<whole>::max());
    }

    /// Interchanges rows k and p of `Columns` columns c(i, j) at `c + (i + j * n) * W`, and subtracts the multipliers times
    /// row k from the rows below.
    template <int Columns>
    SHOAL_FN static void update(int n, int k, const T* multipliers, integer p, T* c) {
        real held[Columns];
        real u[Columns];
        each<Columns>([&](auto j) SHOAL_INLINE_LAMBDA { held[j] = u[j] = get(c + (k + j * n) * W); });
        for (int i = k + 1; i < n; ++i) {
            const integer chosen = p == number(i);
            each<Columns>([&](auto j)
                              SHOAL_INLINE_LAMBDA { u[j] = chosen ? get(c + (i + j * n) * W) : u[j]; });
        }
        each<Columns>([&](auto j) SHOAL_INLINE_LAMBDA { put(c + (k + j * n) * W, u[j]); });
        for (int i = k + 1; i < n; ++i) {
            const integer chosen = p == number(i);
            const real l = get(multipliers + i * W);
            each<Columns>([&](auto j) SHOAL_INLINE_LAMBDA {
                T* const at = c + (i + j * n) * W;
                put(at, subtract(l, u[j], chosen ? held[j] : get(at)));
            });
        }
    }
};
#endif

}  // namespace shoal::fast
