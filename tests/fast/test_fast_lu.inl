// LU with partial pivoting in registers against the generic bodies, to the bit: one source, included by
// test_fast_lu.cpp (emulated groups) and test_fast_lu.cu (the groups of a GPU).

#include "cases/ops.hpp"

#include <functional>
#include <limits>

#include <shoal/fast/solve_rows.hpp>
#include <shoal/fast/solve_tiles.hpp>
#include <shoal/lapack/gesv.hpp>

namespace {

using namespace shoal::support;

// As in test_fast_rows.inl: kernels of the GPU lane have 64 registers a thread.
#if defined(__CUDACC__)
constexpr int words = 48;
// And each order takes seconds to compile.
constexpr int large = 8;
constexpr int medium = 5;
constexpr int panels = 19;
#else
constexpr int words = 255;
constexpr int large = 24;
constexpr int medium = 16;
constexpr int panels = 35;
#endif

template <class G, int N>
constexpr bool holds() {
    if constexpr (shoal::fast::suits_square_rows<G, shoal::matrix<double, N, N>>) {
        return shoal::fast::detail::square_words<double, N, G::static_size> <= words;
    } else {
        return false;
    }
}

/// Where 16 bytes are aligned in scratch with `padding` more elements than are wanted.
template <class T>
constexpr int padding = 16 / static_cast<int>(sizeof(T));
template <class T>
SHOAL_FN T* aligned(piece scratch, T* buffer) {
    T* first = buffer + scratch.at(0);
    while (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
    return first;
}

/// Equal to the bit, but for which of several not-a-numbers an operation hands on.
template <class T>
testing::AssertionResult results_equal(const dense<T>& a, const dense<T>& b) {
    for (int j = 0; j < a.cols(); ++j) {
        for (int i = 0; i < a.rows(); ++i) {
            if (!same_result(a(i, j), b(i, j))) {
                return testing::AssertionFailure()
                       << "element (" << i << ", " << j << "): " << show_bits(a(i, j)) << " is not "
                       << show_bits(b(i, j));
            }
        }
    }
    return testing::AssertionSuccess();
}

constexpr shoal::getrf_policy in_place{.algorithm = shoal::getrf_algorithm::columns};
constexpr shoal::getrf_policy in_registers{.algorithm = shoal::getrf_algorithm::rows};

/// getrf in registers and in place, on two copies of the same matrix.
template <int N>
struct getrf_pair {
    piece rows, columns, seen, rows_pivots, columns_pivots, rows_info, columns_info;
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        rows_info.mine(g, buffer) =
            T(shoal::getrf<in_registers>(g, rows.view<N, N>(buffer), integers<N>(rows_pivots, buffer)));
        observe(g, buffer, rows, seen);
        columns_info.mine(g, buffer) =
            T(shoal::getrf<in_place>(g, columns.view<N, N>(buffer), integers<N>(columns_pivots, buffer)));
    }
};

template <class T, int N>
void expect_equal_factors(const dense<T>& A, place where, int info) {
    arena<T> a;
    const getrf_pair<N> c{a.inout(A, where), a.inout(A, where), a.output(N, N), a.output(N, 1),
                          a.output(N, 1),    a.per_member(),    a.per_member()};
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.rows_info), info);
        EXPECT_EQ(out.info(c.columns_info), info);
        EXPECT_TRUE(bits_equal(out(c.rows_pivots), out(c.columns_pivots))) << "N = " << N;
        EXPECT_TRUE(results_equal(out(c.rows), out(c.columns))) << "N = " << N;
        EXPECT_TRUE(results_equal(out(c.seen), out(c.rows))) << "before the exit barrier, N = " << N;
    });
}

/// gesv in registers, with the factor and without it, and in place.
template <int N>
struct gesv_trio {
    piece rows, x_rows, only_read, x_only_read, columns, x_columns, seen, seen_only_read, pivots[2], infos[3],
        scratch;
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        infos[0].mine(g, buffer) = T(shoal::gesv<in_registers>(
            g, rows.view<N, N>(buffer), integers<N>(pivots[0], buffer), x_rows.vector<N, 1>(buffer)));
        observe(g, buffer, x_rows, seen);
        infos[1].mine(g, buffer) =
            T(shoal::fast::solve_rows(g, only_read.view<N, N>(static_cast<const T*>(buffer)),
                                      x_only_read.vector<N, 1>(buffer), aligned(scratch, buffer)));
        trample(g, buffer, scratch);
        observe(g, buffer, x_only_read, seen_only_read);
        infos[2].mine(g, buffer) = T(shoal::gesv<in_place>(
            g, columns.view<N, N>(buffer), integers<N>(pivots[1], buffer), x_columns.vector<N, 1>(buffer)));
    }
};

template <class T, int N>
void expect_equal_solutions(const dense<T>& A, const dense<T>& b, int info) {
    arena<T> a;
    const gesv_trio<N> c{a.inout(A),
                         a.inout(b),
                         a.input(A, {.padding = 2}),
                         a.inout(b),
                         a.inout(A),
                         a.inout(b),
                         a.output(N, 1),
                         a.output(N, 1),
                         {a.output(N, 1), a.output(N, 1)},
                         {a.per_member(), a.per_member(), a.per_member()},
                         a.scratch(shoal::fast::solve_rows_scratch<T, N> + padding<T>)};
    run_on_all_groups(c, a, [&](const outcome<T>& out) {
        for (const piece& p : c.infos) EXPECT_EQ(out.info(p), info);
        EXPECT_TRUE(bits_equal(out(c.x_rows), out(c.x_columns))) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.x_only_read), out(c.x_columns))) << "N = " << N;
        EXPECT_TRUE(results_equal(out(c.rows), out(c.columns))) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.pivots[0]), out(c.pivots[1]))) << "N = " << N;
        EXPECT_TRUE(bits_equal(out(c.seen), out(c.x_rows))) << "before the exit barrier, N = " << N;
        EXPECT_TRUE(bits_equal(out(c.seen_only_read), out(c.x_only_read)))
            << "before the exit barrier, N = " << N;
        if (info > 0) {
            EXPECT_TRUE(bits_equal(out(c.x_rows), b)) << "after a failure, N = " << N;
        }
    });
}

/// What decides or spoils the choice of a pivot.
template <class T, int N>
void for_each_hard_matrix(const std::function<void(const dense<T>&, int)>& f) {
    random_stream r(N);
    const auto A = random_matrix<T>(N, N, r);
    f(A, 0);
    // Equal magnitudes in every column, of which the first counts, wherever interchanges have brought it.
    f(dense<T>::from(N, N, [&](int i, int j) { return i + j == N - 1 ? T(1) : T(0); }), 0);
    f(dense<T>::from(N, N, [&](int i, int j) { return i > j                  ? T(-1)
                                                      : i == j || j == N - 1 ? T(1)
                                                                             : T(0); }),
      0);
    // A pivot whose reciprocal overflows, and one that is none.
    const T tiny = std::numeric_limits<T>::denorm_min() * T(5);
    f(dense<T>::from(N, N, [&](int i, int j) { return i == j ? T(1) : j == 0 ? tiny * T(i + 1) : T(0); }), 0);
    f(dense<T>::from(N, N,
                     [&](int i, int j) { return T(i + j) * tiny + (i == j ? tiny * T(i) * T(3) : T(0)); }),
      N == 1 ? 1 : 0);
    for (const T bad : {T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        auto B = A;
        for (int i = 0; i < N; ++i) B(i, N / 2) = bad;
        f(B, N / 2 + 1);
    }
}

template <class T, int N>
void getrf_has_the_bits_of_the_generic_body() {
    for_each_hard_matrix<T, N>(
        [](const dense<T>& A, int info) { expect_equal_factors<T, N>(A, {.padding = 3, .shift = 1}, info); });
}
template <class T, int N>
void gesv_has_the_bits_of_the_generic_body() {
    random_stream r(100 + N);
    const auto b = random_matrix<T>(N, 1, r);
    for_each_hard_matrix<T, N>(
        [&](const dense<T>& A, int info) { expect_equal_solutions<T, N>(A, b, info); });
}

/// The solve by panels and gesv in place.
template <int N>
struct panels_pair {
    piece a, x_panels, columns, x_columns, seen, pivots, infos[2], scratch;
    template <class G>
    static constexpr bool supports = holds<G, N>();
    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto A = a.view<N, N>(static_cast<const T*>(buffer));
        const auto x = x_panels.vector<N, 1>(buffer);
        T* const copy = aligned(scratch, buffer);
        constexpr int lead = shoal::fast::solve_tiles_lead<T, N>;
        for (int e = g.rank(); e < N * N; e += g.size()) copy[e / N * lead + e % N] = A(e % N, e / N);
        // The columns that the members brought together.
        g.sync();
        infos[0].mine(g, buffer) = T(shoal::fast::solve_tiles<N>(g, copy, x));
        trample(g, buffer, scratch);
        observe(g, buffer, x_panels, seen);
        infos[1].mine(g, buffer) = T(shoal::gesv<in_place>(
            g, columns.view<N, N>(buffer), integers<N>(pivots, buffer), x_columns.vector<N, 1>(buffer)));
    }
};

template <class T, int N>
void panels_have_the_bits_of_the_generic_body() {
    random_stream r(200 + N);
    const auto b = random_matrix<T>(N, 1, r);
    for_each_hard_matrix<T, N>([&](const dense<T>& A, int info) {
        arena<T> a;
        const panels_pair<N> c{a.input(A, {.padding = 1}),
                               a.inout(b),
                               a.inout(A),
                               a.inout(b),
                               a.output(N, 1),
                               a.output(N, 1),
                               {a.per_member(), a.per_member()},
                               a.scratch(shoal::fast::solve_tiles_scratch<T, N> + padding<T>)};
        run_on_all_groups(c, a, [&](const outcome<T>& out) {
            for (const piece& p : c.infos) EXPECT_EQ(out.info(p), info);
            EXPECT_TRUE(bits_equal(out(c.x_panels), out(c.x_columns))) << "N = " << N;
            EXPECT_TRUE(bits_equal(out(c.seen), out(c.x_panels))) << "before the exit barrier, N = " << N;
        });
    });
}

TEST(fast_lu, getrf_double) {
    getrf_has_the_bits_of_the_generic_body<double, 1>();
    getrf_has_the_bits_of_the_generic_body<double, large>();
}
TEST(fast_lu, getrf_float) {
    getrf_has_the_bits_of_the_generic_body<float, 2>();
    getrf_has_the_bits_of_the_generic_body<float, medium>();
}
TEST(fast_lu, gesv_double) {
    gesv_has_the_bits_of_the_generic_body<double, 1>();
    gesv_has_the_bits_of_the_generic_body<double, large>();
}
TEST(fast_lu, gesv_float) {
    gesv_has_the_bits_of_the_generic_body<float, 3>();
    gesv_has_the_bits_of_the_generic_body<float, medium>();
}

TEST(fast_lu, panels_double) {
    panels_have_the_bits_of_the_generic_body<double, 6>();
    panels_have_the_bits_of_the_generic_body<double, panels>();
}
TEST(fast_lu, panels_float) {
    panels_have_the_bits_of_the_generic_body<float, 16>();
}

// What fits the registers, so that nobody takes the path by chance.
TEST(fast_lu, which_groups_hold_which_orders) {
    using shoal::fast::detail::square_words;
    EXPECT_EQ((square_words<double, 32, 16>), 128);
    EXPECT_EQ((square_words<float, 64, 32>), 128);
    EXPECT_EQ((square_words<float, 6, 4>), 12);
    EXPECT_FALSE((shoal::fast::suits_square_rows<shoal::thread_group, shoal::matrix<double, 4, 4>>));
}

}  // namespace
