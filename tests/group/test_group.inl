// Collectives, and what defer_sync() leaves out: one source, included by test_group.cpp (emulated groups) and
// test_group.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <shoal/tiers.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct group : testing::Test {};
TYPED_TEST_SUITE(group, scalars);

// ---- collectives ------------------------------------------------------------------------------------------------------

/// Every element by one member, then each member's value to all, then a sum and a largest: on one scratch.
struct collectives_case {
    piece x, touched, scratch, sum, broadcast, largest;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto vx = x.vector(buffer);
        const auto count = touched.vector(buffer);
        T* const room = scratch.data(buffer);
        shoal::strided(shoal::core::rolled{}, g, count.size(), [&](int i) { count(i) += T(i + 1); });
        T collected = 0;
        for (int source = 0; source < g.size(); ++source) {
            collected += shoal::broadcast(g, static_cast<T>(3 * g.rank() + 1), source, room);
        }
        // 1 + 4 + 7 + ...: what every member must have collected, divided away so that all groups agree.
        const int n = g.size();
        broadcast.mine(g, buffer) = collected / static_cast<T>(n + 3 * (n * (n - 1) / 2));
        sum.mine(g, buffer) = shoal::reduce<shoal::dynamic>(
            g, vx.size(), T(0), [&](T part, int i) { return part + vx(i); }, [](T a, T b) { return a + b; },
            room);
        largest.mine(g, buffer) = shoal::reduce<shoal::dynamic>(
            g, vx.size(), T(-1000), [&](T part, int i) { return part < vx(i) ? vx(i) : part; },
            [](T a, T b) { return a < b ? b : a; }, room);
        trample(g, buffer, scratch);
    }
};

TYPED_TEST(group, collectives_reach_every_member_in_one_order) {
    using T = TypeParam;
    random_stream r(1);
    for (const int n : {0, 1, 7, 32, 33, 100}) {
        const auto x = random_matrix<T>(n, 1, r);
        arena<T> a;
        const collectives_case c{a.input(x),     a.inout(dense<T>(n, 1)), a.scratch(32),
                                 a.per_member(), a.per_member(),          a.per_member()};
        T part[32] = {};
        T largest = -1000;
        for (int i = 0; i < n; ++i) {
            part[i % 32] += x(i);
            largest = std::max(largest, x(i));
        }
        for (int half = 16; half > 0; half /= 2)
            for (int p = 0; p < half; ++p) part[p] += part[p + half];
        on_all_groups(c, a, [&](const outcome<T>& out) {
            EXPECT_TRUE(bits_equal(out(c.touched), dense<T>::from(n, 1, [](int i, int) { return i + 1; })));
            EXPECT_EQ(out.value(c.broadcast), T(1));
            EXPECT_TRUE(same_bits(out.value(c.sum), part[0]));
            EXPECT_EQ(out.value(c.largest), largest);
        });
    }
}

static_assert(shoal::reduction_scratch<shoal::thread_group> == 0);

// ---- a chain of ops on one scratch ------------------------------------------------------------------------------------

/// potrf, trsm, gemm, dot one after another with nothing between them but their exit barriers.
struct chain_case {
    piece a, b, c, scratch, value;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto A = look::strided::matrix(a, buffer);
        const auto B = look::strided::matrix(b, buffer);
        const auto C = look::strided::matrix(c, buffer);
        T* const room = scratch.data(buffer);
#if defined(SHOAL_DEVICE_CODE)
        // The other half of a warp is elsewhere: tiles of odd number take their time.
        if constexpr (G::scope == shoal::scope::tile) {
            if (shoal::detail::flat_thread() / G::static_size % 2 == 1) {
                T waste = 0;
                for (int k = 0; k < 50; ++k) waste += shoal::nrm2(g, B.column(0), room);
                if (waste < T(0)) return;
            }
        }
#endif
        shoal::potrf(g, lower(A));
        shoal::trsm(g, lower(A), B);
        shoal::gemm(g, T(1), transposed(B), B, T(0), C);
        value.mine(g, buffer) = shoal::dot(g, C.column(0), C.row(1), room) +
                                shoal::dot(g, C.column(1), C.row(0), room) * shoal::nrm2(g, C.row(0), room);
        trample(g, buffer, scratch);
    }
};

TYPED_TEST(group, D03_ops_back_to_back_on_one_scratch_give_the_bits_of_a_thread) {
    using T = TypeParam;
    random_stream r(2);
    for (const int n : {5, 20}) {
        const auto A = random_spd<T>(n, 10, r);
        const auto B = random_matrix<T>(n, 7, r);
        arena<T> a;
        const chain_case c{a.inout(A, {.padding = 1}), a.inout(B), a.output(7, 7), a.scratch(32),
                           a.per_member()};
        a.forbid_above_diagonal(c.a);
        on_all_groups(c, a, [&](const outcome<T>& out) {
            const auto l = lower_part(out(c.a));
            EXPECT_TRUE(within(cholesky_error(A, l), 1));
            const auto X = chain::solve(l, true, false, B);
            EXPECT_TRUE(bits_equal(out(c.b), X));
            EXPECT_TRUE(bits_equal(out(c.c), chain::gemm(T(1), transpose(X), X, T(0), out(c.c))));
            EXPECT_FALSE(std::isnan(out.value(c.value)));
        });
    }
}

// ---- D04: more and fewer members than rows ---------------------------------------------------------------------------

TYPED_TEST(group, D04_more_and_fewer_members_than_rows) {
    using T = TypeParam;
    random_stream r(3);
    for (const int n : {3, 70}) {
        const auto A = random_spd<T>(n, 10, r);
        const auto b = random_matrix<T>(n, 2, r);
        arena<T> a;
        const posv_case<> c{a.inout(A),     a.inout(b),         a.output(n, n), a.output(n, 2),
                            a.per_member(), shoal::uplo::lower, sides::many};
        a.forbid_above_diagonal(c.a);
        dense<T> x;
        on_all_groups(c, a, [&](const outcome<T>& out) {
            x = out(c.b);
            EXPECT_EQ(out.info(c.info), 0);
            EXPECT_TRUE(within(solve_error(A, x, b), 3));
        });
#if !defined(__CUDACC__) && !defined(SHOAL_EMU_TSAN)
        for (const int members : {32, 256}) {
            std::vector<T> buffer(a.initial(), a.initial() + a.size());
            shoal::emu::fiber_block(members, shoal::emu::order::reverse).run([&](const auto& g) {
                c(g, buffer.data());
            });
            EXPECT_EQ(a.violation(buffer.data(), members), "");
            EXPECT_TRUE(bits_equal(outcome<T>(buffer.data())(c.b), x));
        }
#endif
    }
}

// ---- barriers ---------------------------------------------------------------------------------------------------------

/// A block of one member that counts its barriers.
struct counting_block {
    static constexpr shoal::scope scope = shoal::scope::block;
    int* barriers;
    SHOAL_FN static int rank() { return 0; }
    SHOAL_FN static int size() { return 1; }
    SHOAL_FN void sync() const { ++*barriers; }
};

/// Barriers that `op` asks for.
template <class Op>
int barriers_of(Op op) {
    int count = 0;
    op(counting_block{&count});
    return count;
}
/// ... and without its exit barrier.
template <class Op>
int deferred_barriers_of(Op op) {
    int count = 0;
    op(shoal::defer_sync(counting_block{&count}));
    return count;
}

TEST(group, every_op_has_the_barriers_that_it_documents_and_one_less_when_deferred) {
    for (const int n : {1, 2, 5}) {
        std::vector<double> a(25), b(25), x(5), y(5), room(32);
        std::vector<int> p(5), q(5);
        const auto A = shoal::matrix<double>{a.data(), n, n};
        const auto B = shoal::matrix<double>{b.data(), n, n};
        const auto X = shoal::vector<double>{x.data(), n};
        const auto Y = shoal::vector<double>{y.data(), n};
        const auto P = shoal::vector<int>{p.data(), n};
        const auto Q = shoal::vector<int>{q.data(), n};
        const auto start = [&] {
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) A(i, j) = B(i, j) = i == j ? 4 : 1;
                X(i) = Y(i) = 1;
                P(i) = i;
            }
        };
        const auto expect = [&](int barriers, int deferred, auto op) {
            start();
            EXPECT_EQ(barriers_of(op), barriers) << "n = " << n;
            start();
            EXPECT_EQ(deferred_barriers_of(op), deferred) << "n = " << n;
        };
        expect(1, 0, [&](auto g) { axpy(g, 1.0, X, Y); });
        expect(2, 2, [&](auto g) { EXPECT_EQ(dot(g, X, Y, room.data()), n); });
        expect(4, 4, [&](auto g) { EXPECT_GT(nrm2(g, X, room.data()), 0); });
        expect(4, 4, [&](auto g) { EXPECT_EQ(iamax(g, X, room.data()), 0); });
        expect(1, 0, [&](auto g) { gemv(g, 1.0, A, X, 0.0, Y); });
        expect(1, 0, [&](auto g) { gemm(g, 1.0, A, A, 0.0, B); });
        expect(1, 0, [&](auto g) { syrk(g, 1.0, A, 0.0, symmetric_lower(B)); });
        expect(n, n - 1, [&](auto g) { trsv(g, lower(A), X); });
        expect(1, 0, [&](auto g) { trsm(g, upper(A), B); });
        expect(n + 1, n, [&](auto g) { EXPECT_EQ(potrf(g, lower(A)), 0); });
        expect(n + 1, n, [&](auto g) { EXPECT_EQ(potrf(g, upper(A)), 0); });
        expect(2 * n, 2 * n - 1, [&](auto g) { potrs(g, lower(A), X); });
        expect(2, 1, [&](auto g) { potrs(g, upper(A), B); });
        expect(n + 3, n + 2, [&](auto g) { EXPECT_EQ(posv(g, lower(A), B), 0); });
        expect(1, 0, [&](auto g) { laswp(g, B, P); });
        expect(1, 0, [&](auto g) { laswp_reversed(g, B, P); });
        expect(1, 0, [&](auto g) { pivot_permutation(g, P, Q); });
        // The last barrier of the last column is the exit barrier.
        expect(3 * n, 3 * n - 1, [&](auto g) { EXPECT_EQ(getrf(g, A, P), 0); });
        expect(3, 2, [&](auto g) { getrs(g, A, P, B); });
        expect(3, 2, [&](auto g) { getrs_transposed(g, A, P, B); });
        expect(3 * n + 3, 3 * n + 2, [&](auto g) { EXPECT_EQ(gesv(g, A, P, B), 0); });
    }
}

TEST(group, defer_sync_is_undone_for_inner_steps) {
    int count = 0;
    const counting_block g{&count};
    const auto deferred = shoal::defer_sync(g);
    static_assert(shoal::syncs_on_exit<counting_block>);
    static_assert(!shoal::syncs_on_exit<decltype(deferred)>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(shoal::defer_sync(deferred))>,
                                 std::remove_const_t<decltype(deferred)>>);
    static_assert(std::is_same_v<decltype(shoal::with_exit_sync(deferred)), counting_block>);
    static_assert(std::is_same_v<decltype(shoal::with_exit_sync(g)), counting_block>);
    static_assert(shoal::ShuffleGroup<decltype(shoal::defer_sync(shoal::this_thread()))>);
    static_assert(shoal::group_size<decltype(shoal::defer_sync(shoal::this_thread()))> == 1);
    static_assert(shoal::group_size<counting_block> == -1);
    deferred.sync();
    EXPECT_EQ(count, 1);
}

// ---- null pointers and the tiers --------------------------------------------------------------------------------------

TEST(group, B06_null_pointers_are_fine_where_nothing_is_there) {
    const auto g = shoal::this_thread();
    const shoal::matrix<double> none{nullptr, 0, 0};
    const shoal::vector<double> empty{nullptr, 0};
    const shoal::vector<int> no_pivots{nullptr, 0};
    axpy(g, 1.0, empty, empty);
    gemv(g, 1.0, none, empty, 0.0, empty);
    gemm(g, 1.0, none, none, 1.0, none);
    syrk(g, 1.0, none, 1.0, symmetric_upper(none));
    trsv(g, unit_lower(none), empty);
    trsm(g, upper(none), none);
    laswp(g, none, no_pivots);
    laswp_reversed(g, none, no_pivots);
    pivot_permutation(g, no_pivots, no_pivots);
    getrs(g, none, no_pivots, none);
    getrs_transposed(g, none, no_pivots, none);
    potrs(g, lower(none), none);
    EXPECT_EQ(dot(g, empty, empty), 0);
    EXPECT_EQ(nrm2(g, empty), 0);
    EXPECT_EQ(iamax(g, empty), -1);
    EXPECT_EQ(potrf(g, lower(none)), 0);
    EXPECT_EQ(posv(g, upper(none), none), 0);
    EXPECT_EQ(posv(g, lower(none), empty), 0);
    EXPECT_EQ(getrf(g, none, no_pivots), 0);
    EXPECT_EQ(gesv(g, none, no_pivots, none), 0);
}

TEST(group, tiers_forward_to_their_group) {
    double a[] = {0, 1, 4, 1, 0, -3, 2, 3, 8};
    double b[] = {8, 10, 22};
    int pivots[3];
    const shoal::matrix<double, 3, 3> A{a};
    const shoal::vector<int, 3> P{pivots};
    EXPECT_EQ(shoal::thread::gesv(A, P, shoal::matrix<double, 3, 1>{b}), 0);
    EXPECT_EQ(b[0], 1);
    EXPECT_EQ(b[1], 2);
    EXPECT_EQ(b[2], 3);
    EXPECT_EQ(pivots[0], 2);
    EXPECT_EQ(shoal::thread::dot(shoal::vector<double, 3>{b}, shoal::vector<double, 3>{b}), 14);
    EXPECT_EQ(shoal::thread::iamax(shoal::vector<double, 3>{b}), 2);
}

}  // namespace
