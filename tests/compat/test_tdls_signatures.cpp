// The documented signatures of the drop-in header of TDLS, a row each, and that whichever of them is called gives the same bits.

#include "compat/tdls_memory.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <shoal/compat/tdls.hpp>

namespace {

using namespace shoal::support;
using tdls::RowInterchange;
using tdls::Schedule;
using tdls::TiledLUppConfig;
using tdls::TiledLUppSolverDynamic;
using tdls::TiledLUppSolverStatic;

constexpr int n = 4;

/// Never called: a row is a function that exists with exactly this type, and is not compiled for it.
template <class F>
void row(F* function) noexcept;

template <class T>
struct signatures {
    using S = TiledLUppSolverStatic<T, n>;
    using D = TiledLUppSolverDynamic<T>;
    using wide = std::int64_t;
    static_assert(noexcept(row<bool(T*, int, int*, int, int&, T*, int) noexcept>(
        &S::template factorize<true, false, true, false, true>)));
    static_assert(noexcept(row<bool(T*, int, int*, int) noexcept>(&S::template factorize<true, false>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, const T*, T*, int) noexcept>(
        &S::template substitute<true, false, true>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, T*, int) noexcept>(
        &S::template substitute_inplace<true, false, true>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, int, T*, int) noexcept>(
        &S::template substitute_canonical<true, false, true>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, const T*, T*, int, wide) noexcept>(
        &S::template substitute_multirhs<3, true, false, true, 2>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, T*, int, wide) noexcept>(
        &S::template substitute_inplace_multirhs<3, true, false, true, 2>)));
    static_assert(noexcept(row<void(const T*, int, const int*, int, int, T*, int, wide) noexcept>(
        &S::template substitute_canonical_multirhs<3, true, false, true, 2>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, const T*, T*, int, int&) noexcept>(
        &S::template solve<true, false, true, false>)));
    static_assert(noexcept(
        row<bool(T*, int, int*, int, const T*, T*, int) noexcept>(&S::template solve<true, false, true>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, T*, int, int&) noexcept>(
        &S::template solve_inplace<true, false, true, false>)));
    static_assert(noexcept(
        row<bool(T*, int, int*, int, T*, int) noexcept>(&S::template solve_inplace<true, false, true>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, const T*, T*, int, wide, int&) noexcept>(
        &S::template solve_multirhs<3, true, false, true, 2, false>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, const T*, T*, int, wide) noexcept>(
        &S::template solve_multirhs<3, true, false, true, 2>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, T*, int, wide, int&) noexcept>(
        &S::template solve_inplace_multirhs<3, true, false, true, 2, false>)));
    static_assert(noexcept(row<bool(T*, int, int*, int, T*, int, wide) noexcept>(
        &S::template solve_inplace_multirhs<3, true, false, true, 2>)));

    static_assert(noexcept(
        row<bool(int, T*, int, int*, int, int&, T*, int) noexcept>(&D::template factorize<true, false>)));
    static_assert(noexcept(row<bool(int, T*, int, int*, int) noexcept>(&D::factorize)));
    static_assert(
        noexcept(row<void(int, const T*, int, const int*, int, const T*, T*, int) noexcept>(&D::substitute)));
    static_assert(
        noexcept(row<void(int, const T*, int, const int*, int, T*, int) noexcept>(&D::substitute_inplace)));
    static_assert(noexcept(
        row<void(int, const T*, int, const int*, int, int, T*, int) noexcept>(&D::substitute_canonical)));
    static_assert(noexcept(row<void(int, int, const T*, int, const int*, int, const T*, T*, int,
                                    wide) noexcept>(&D::template substitute_multirhs<2>)));
    static_assert(noexcept(row<void(int, int, const T*, int, const int*, int, T*, int, wide) noexcept>(
        &D::template substitute_inplace_multirhs<2>)));
    static_assert(noexcept(row<void(int, int, const T*, int, const int*, int, int, T*, int, wide) noexcept>(
        &D::template substitute_canonical_multirhs<2>)));
    static_assert(noexcept(
        row<bool(int, T*, int, int*, int, const T*, T*, int, int&) noexcept>(&D::template solve<true>)));
    static_assert(noexcept(row<bool(int, T*, int, int*, int, const T*, T*, int) noexcept>(&D::solve)));
    static_assert(noexcept(
        row<bool(int, T*, int, int*, int, T*, int, int&) noexcept>(&D::template solve_inplace<true>)));
    static_assert(noexcept(row<bool(int, T*, int, int*, int, T*, int) noexcept>(&D::solve_inplace)));
    static_assert(noexcept(row<bool(int, int, T*, int, int*, int, const T*, T*, int, wide, int&) noexcept>(
        &D::template solve_multirhs<2, true>)));
    static_assert(noexcept(row<bool(int, int, T*, int, int*, int, const T*, T*, int, wide) noexcept>(
        &D::template solve_multirhs<2>)));
    static_assert(noexcept(row<bool(int, int, T*, int, int*, int, T*, int, wide, int&) noexcept>(
        &D::template solve_inplace_multirhs<2, true>)));
    static_assert(noexcept(row<bool(int, int, T*, int, int*, int, T*, int, wide) noexcept>(
        &D::template solve_inplace_multirhs<2>)));
};
template struct signatures<float>;
template struct signatures<double>;

/// A and b at the front of the numbers; each way to solve leaves its x in a slot of n behind them, its verdict in the first
/// whole numbers.
struct every_way_to_solve {
    static constexpr int ways = 10;
    static constexpr int first = n * n + n;        // of the slots
    static constexpr int room = first + ways * n;  // for copies of A and b, three apart
    static constexpr int numbers = room + 3 * (n * n + 2 * n);
    static constexpr int whole = ways + 3 * n;

    SHOAL_FN void operator()(double* p, int* w) const {
        const double* const b = p + n * n;
        double* const A = p + room;
        double* const y = A + 3 * n * n;
        double* const z = y + 3 * n;
        int* const piv = w + ways;
        const auto begin = [&](int stride) {
            for (int e = 0; e < n * n; ++e) A[e * stride] = p[e];
            for (int i = 0; i < n; ++i) y[i * stride] = b[i];
        };
        int slot = 0;
        const auto end = [&](const double* x, int stride, bool good) {
            for (int i = 0; i < n; ++i) p[first + slot * n + i] = x[i * stride];
            w[slot++] = good ? 1 : 0;
        };
        using S = TiledLUppSolverStatic<double, n>;
        using D = TiledLUppSolverDynamic<double>;
        using left =
            TiledLUppSolverStatic<double, n,
                                  TiledLUppConfig<double>{.tile_size = 2, .schedule = Schedule::LeftLooking}>;
        using physical =
            TiledLUppSolverStatic<double, n,
                                  TiledLUppConfig<double>{.row_interchange = RowInterchange::Physical}>;
        constexpr int dynamic = tdls::dynamic_stride;
        int oot = -1;

        double a[n * n], x[n], own_b[n];
        int own[n];
        for (int e = 0; e < n * n; ++e) a[e] = p[e];
        for (int i = 0; i < n; ++i) own_b[i] = b[i];
        end(x, 1, S::solve<true, true, true>(a, 1, own, 1, own_b, x, 1, oot));

        begin(3);
        end(y, 3, S::solve_inplace<false, false, false>(A, 3, piv, 3, y, 3));

        begin(2);
        bool good = S::factorize<true, false>(A, 2, own, 1);
        S::substitute<false, true, false>(A, 2, own, 1, y, z, 2);
        end(z, 2, good);

        begin(1);
        good = S::factorize<false, false, true, false, false, 1, 2, dynamic>(A, 1, piv, 2, oot);
        S::substitute_inplace<false, false, false, 1, 2>(A, 1, piv, 2, y, 1);
        end(y, 1, good);

        begin(1);
        end(z, 1, S::solve<false, false, false, false, dynamic, 3>(A, 1, piv, 3, y, z, 1, oot));

        begin(1);
        end(y, 1, D::solve_inplace(n, A, 1, piv, 1, y, 1));

        begin(3);
        good = D::factorize(n, A, 3, piv, 2, oot);
        D::substitute(n, A, 3, piv, 2, y, z, 3);
        end(z, 3, good);

        begin(2);
        end(z, 2, D::solve<true, 2, 1>(n, A, 2, piv, 1, y, z, 2, oot));

        begin(1);
        end(y, 1, left::solve_inplace<false, false, false>(A, 1, piv, 1, y, 1, oot));

        begin(1);
        end(y, 1, physical::solve_inplace<false, true, false>(A, 1, own, 1, y, 1, oot));
    }
};

TEST(tdls, every_way_to_solve_gives_the_same_bits) {
    using ways = every_way_to_solve;
    auto m = random_memory<double>(ways::numbers, ways::whole, 1);

    run(ways{}, m);

    const double* const x = m.numbers.data() + ways::first;
    for (int slot = 0; slot < ways::ways; ++slot) {
        EXPECT_EQ(m.whole[static_cast<std::size_t>(slot)], 1) << slot;
        EXPECT_EQ(std::memcmp(x, x + slot * n, n * sizeof(double)), 0) << slot;
    }
    EXPECT_LT(backward_error(n, m.numbers.data(), x, m.numbers.data() + n * n),
              4 * n * std::numeric_limits<double>::epsilon());
}

/// A at the front; each way leaves the inverse behind it, column by column.
struct every_way_to_invert {
    static constexpr int ways = 9;
    static constexpr int size = n * n;
    static constexpr int numbers = (ways + 3) * size;
    static constexpr int whole = ways + n;

    SHOAL_FN void operator()(double* p, int* w) const {
        using S = TiledLUppSolverStatic<double, n>;
        using D = TiledLUppSolverDynamic<double>;
        double* const A = p + (ways + 1) * size;
        double* const unit = A + size;
        int* const piv = w + ways;
        int oot = -1;
        int slot = 0;
        const auto begin = [&](double* to) {
            for (int e = 0; e < size; ++e) to[e] = double(e % (n + 1) == 0 ? 1 : 0);
        };
        const auto next = [&](bool good) {
            w[slot] = good ? 1 : 0;
            return p + ++slot * size;
        };
        begin(unit);
        for (int e = 0; e < size; ++e) A[e] = p[e];

        double* x = p + size;
        bool good = S::factorize<false, false>(A, 1, piv, 1);
        for (int c = 0; c < n; ++c)
            S::substitute_canonical<false, false, false>(A, 1, piv, 1, c, x + c * n, 1);

        x = next(good) + size;
        S::substitute_canonical_multirhs<n, false, false, false>(A, 1, piv, 1, 0, x, 1, n);

        x = next(good) + size;
        // The last three columns, two at a time, then the first two.
        S::substitute_canonical_multirhs<3, false, false, false, 2>(A, 1, piv, 1, 1, x + n, 1, n);
        D::substitute_canonical_multirhs<2>(n, 2, A, 1, piv, 1, 0, x, 1, n);

        x = next(good) + size;
        S::substitute_multirhs<n, false, false, false, 3>(A, 1, piv, 1, unit, x, 1, n);

        x = next(good) + size;
        begin(x);
        D::substitute_inplace_multirhs<1>(n, n, A, 1, piv, 1, x, 1, n);

        x = next(good) + size;
        {
            // All in arrays of the thread, the columns behind each other.
            double a[size], own[size];
            int own_piv[n];
            for (int e = 0; e < size; ++e) a[e] = A[e];
            for (int i = 0; i < n; ++i) own_piv[i] = piv[i];
            begin(own);
            S::substitute_inplace_multirhs<n, true, true, true, 4>(a, 1, own_piv, 1, own, 1, 0);
            for (int e = 0; e < size; ++e) x[e] = own[e];
        }

        // Entries of a column n apart, columns next to each other: the transposed inverse.
        x = next(good) + size;
        for (int e = 0; e < size; ++e) A[e] = p[e];
        begin(x);
        good = S::solve_inplace_multirhs<n, false, false, false, 2, false, 1, 1, n, 1>(A, 1, piv, 1, x, n, 1,
                                                                                       oot);

        x = next(good) + size;
        for (int e = 0; e < size; ++e) A[e] = p[e];
        good = D::solve_multirhs<3>(n, n, A, 1, piv, 1, unit, x, 1, n);

        x = next(good) + size;
        for (int e = 0; e < size; ++e) A[e] = p[e];
        good = S::solve_multirhs<n, false, false, false>(A, 1, piv, 1, unit, x, 1, n, oot);
        next(good);
    }
};

TEST(tdls, every_way_to_invert_gives_the_same_bits) {
    using ways = every_way_to_invert;
    auto m = random_memory<double>(ways::numbers, ways::whole, 2);

    run(ways{}, m);

    const double* const inverse = m.numbers.data() + ways::size;
    for (int slot = 0; slot < ways::ways; ++slot) {
        EXPECT_EQ(m.whole[static_cast<std::size_t>(slot)], 1) << slot;
        bool same = true;
        for (int e = 0; e < ways::size; ++e) {
            const int found = slot == 6 ? e % n * n + e / n : e;
            same = same && inverse[slot * ways::size + found] == inverse[e];
        }
        EXPECT_TRUE(same) << slot;
    }
    for (int c = 0; c < n; ++c) {
        double unit[n] = {};
        unit[c] = 1;
        EXPECT_LT(backward_error(n, m.numbers.data(), inverse + c * n, unit),
                  4 * n * std::numeric_limits<double>::epsilon());
    }
}

TEST(tdls, long_double_on_the_host) {
    using S = TiledLUppSolverStatic<long double, 3>;
    long double a[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2}, b[3] = {5, 5, 3}, x[3];
    int piv[3];
    EXPECT_TRUE((S::solve<true, true, true>(a, 1, piv, 1, b, x, 1)));
    for (const long double value : x) EXPECT_NEAR(static_cast<double>(value), 1, 1e-18);
}

}  // namespace
