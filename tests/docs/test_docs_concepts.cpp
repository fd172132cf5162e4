// The snippets of the pages on groups, views, ops, info and the exit contract: each is shown as it stands here.

#include "emu/fiber.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/shoal.hpp>

namespace {

// [own group]
/// Members 0 .. size - 1 of somebody else's runtime, with its own barrier.
struct my_group {
    static constexpr shoal::scope scope = shoal::scope::block;
    int member;
    int members;
    void (*barrier)();
    SHOAL_FN int rank() const { return member; }
    SHOAL_FN int size() const { return members; }
    SHOAL_FN void sync() const { barrier(); }
};
static_assert(shoal::Group<my_group>);
// [end]

TEST(docs_group, one_member_of_a_foreign_runtime) {
    double x[3] = {1, 2, 3}, y[3] = {1, 1, 1};

    shoal::axpy(my_group{0, 1, [] {}}, 2.0, shoal::vector<double, 3>{x}, shoal::vector<double, 3>{y});

    EXPECT_EQ(y[0], 3);
    EXPECT_EQ(y[2], 7);
}

TEST(docs_group, this_thread) {
    // [this thread]
    double a[9] = {4, 2, 2, 2, 5, 3, 2, 3, 6};  // column-major, symmetric
    double b[3] = {8, 10, 11};

    const int info =
        shoal::posv(shoal::this_thread(), lower(shoal::matrix<double, 3, 3>{a}), shoal::vector<double, 3>{b});
    // [end]

    EXPECT_EQ(info, 0);
    EXPECT_NEAR(b[0], 1, 1e-15);
    EXPECT_NEAR(b[1], 1, 1e-15);
    EXPECT_NEAR(b[2], 1, 1e-15);
}

TEST(docs_view, what_it_is) {
    // [views]
    std::vector<double> memory(100);
    double* p = memory.data();

    shoal::matrix<double, 4, 3> A{p};                                       // 4 x 3, column-major, no padding
    shoal::matrix<double, 4, 3, shoal::row> B{p};                           // row-major
    shoal::matrix<double, 4, 3, shoal::column_ld<8>> C{p};                  // columns 8 elements apart
    shoal::matrix<double> D{p, 4, 3};                                       // both extents at run time
    shoal::matrix<double, 4, 3, shoal::column_ld<shoal::dynamic>> E{p, 5};  // leading dimension at run time
    shoal::matrix<double, 2, 2, shoal::strided_column<16>> F{p};  // element e at 16 e: interleaved batch
    shoal::vector<double, 4, 2> x{p};                             // every other element
    // [end]
    const auto at = [p](const double& element) { return &element - p; };

    EXPECT_EQ(at(A(1, 2)), 9);
    EXPECT_EQ(at(B(1, 2)), 5);
    EXPECT_EQ(at(C(1, 2)), 17);
    EXPECT_EQ(at(D(1, 2)), 9);
    EXPECT_EQ(at(E(1, 2)), 11);
    EXPECT_EQ(at(F(1, 1)), 48);
    EXPECT_EQ(at(x(3)), 6);
    static_assert(sizeof(A) == sizeof(double*));
    static_assert(sizeof(C) == sizeof(double*));
}

TEST(docs_view, parts_and_meanings) {
    std::vector<double> memory(36);
    for (int e = 0; e < 36; ++e) memory[static_cast<std::size_t>(e)] = e;
    // [parts]
    shoal::matrix<double, 6, 6> A{memory.data()};

    auto corner = A.block<2, 3>(4, 0);  // 2 x 3, first element (4, 0)
    auto column = A.column(2);          // a vector of 6
    auto row = A.row(2);                // a vector of 6, increment 6
    auto flipped = transposed(A);       // the same memory, row-major
    auto triangle = lower(A);           // reads and writes i >= j only
    auto factor = unit_upper(A);        // i < j, with ones on the diagonal that are not stored
    auto both = symmetric_lower(A);     // a symmetric matrix of which i >= j is stored
    // [end]

    EXPECT_EQ(corner(1, 2), A(5, 2));
    EXPECT_EQ(column(3), A(3, 2));
    EXPECT_EQ(row(3), A(2, 3));
    EXPECT_EQ(flipped(1, 4), A(4, 1));
    EXPECT_EQ(triangle.matrix(3, 1), A(3, 1));
    static_assert(decltype(factor)::unit == shoal::diagonal::unit);
    static_assert(decltype(both)::triangle == shoal::uplo::lower);
}

TEST(docs_view, adapt) {
    // [adapt]
    std::array<double, 3> x{3, 0, 4};  // anything with data() and size()

    const double length = shoal::nrm2(shoal::this_thread(), shoal::adapt(x));
    // [end]

    EXPECT_EQ(length, 5);
}

TEST(docs_op, beta_zero_never_reads) {
    // [beta]
    double a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1};
    double c[4];  // not initialised
    for (double& element : c) element = std::numeric_limits<double>::quiet_NaN();
    using square = shoal::matrix<double, 2, 2>;

    shoal::gemm(shoal::this_thread(), 1.0, square{a}, square{b}, 0.0,
                square{c});  // C := A B, whatever was in C
    // [end]

    EXPECT_EQ(c[0], 1);
    EXPECT_EQ(c[3], 4);
}

// [own op]
/// y := D A x for a diagonal matrix D, which comes as a vector.
template <shoal::Group G, shoal::VectorView D, shoal::MatrixView A, shoal::VectorView X, shoal::VectorView Y>
SHOAL_FN void weighted_product(const G& g, D d, A a, X x, Y y) {
    using T = typename Y::value_type;
    // The whole group sees y when this returns, even where our caller wants no last barrier of us.
    shoal::gemv(shoal::with_exit_sync(g), T(1), a, x, T(0), y);
    // Elements rank, rank + size, ... are each member's. At thread scope small static sizes become flat code.
    shoal::strided(shoal::flatten<G, Y::static_size>{}, g, y.size(), [&](int i) { y(i) *= d(i); });
    // The elements that other members wrote.
    if constexpr (shoal::syncs_on_exit<G>) g.sync();
}
// [end]

TEST(docs_op, of_your_own) {
    double a[6] = {1, 2, 3, 4, 5, 6}, d[3] = {10, 100, 1000}, x[2] = {1, 2};
    const double expected[3] = {90, 1200, 15000};
    const auto check = [&](const auto& run) {
        double y[3] = {};
        run([&](const auto& g) {
            weighted_product(g, shoal::vector<double, 3>{d}, shoal::matrix<double, 3, 2>{a},
                             shoal::vector<double, 2>{x}, shoal::vector<double, 3>{y});
        });
        for (int i = 0; i < 3; ++i) EXPECT_EQ(y[i], expected[i]);
    };
    check([](const auto& body) { body(shoal::this_thread()); });
    check([](const auto& body) { shoal::emu::fiber_block(7, shoal::emu::order::reverse).run(body); });
    check([](const auto& body) { shoal::emu::fiber_block(2, shoal::emu::order::forward).run(body); });
}

TEST(docs_info, bad_pivot) {
    // [info]
    double a[4] = {1, 2, 2, 1};  // not positive definite: 1 - 2 * 2 < 0

    const int info = shoal::potrf(shoal::this_thread(), lower(shoal::matrix<double, 2, 2>{a}));

    EXPECT_EQ(info, 2);  // the second pivot, counted from 1
    // [end]
}

TEST(docs_exit, one_barrier_less) {
    double a[4] = {4, 2, 2, 5}, memory[8] = {1, 1, 1, 2, 0, 0, 0, 0};
    // [defer]
    const auto body = [&](const auto& g) {
        shoal::matrix<double, 2, 2> A{a};
        shoal::vector<double, 2> x{memory}, y{memory + 2}, Ax{memory + 4}, Ay{memory + 6};
        // Neither product reads what the other writes: one barrier serves both.
        shoal::gemv(shoal::defer_sync(g), 1.0, A, x, 0.0, Ax);
        shoal::gemv(g, 1.0, A, y, 0.0, Ay);
    };
    // [end]
    // [emulated]
    // Gives the body 33 members that run until they meet a barrier, in reverse order.
    shoal::emu::fiber_block block(33, shoal::emu::order::reverse);
    block.run(body);
    // [end]

    EXPECT_EQ(memory[4], 6);
    EXPECT_EQ(memory[5], 7);
    EXPECT_EQ(memory[6], 8);
    EXPECT_EQ(memory[7], 12);
}

TEST(docs_emulators, a_missing_barrier_shows) {
    // [missing barrier]
    double shared = 0;
    double seen = 0;
    const auto body = [&](const auto& g) {
        if (g.rank() == 1) shared = 1;
        // A g.sync() is missing here.
        if (g.rank() == 0) seen = shared;
    };

    shoal::emu::fiber_block(2, shoal::emu::order::reverse).run(body);
    EXPECT_EQ(seen, 1);  // member 1 happened to be first
    shoal::emu::fiber_block(2, shoal::emu::order::forward).run(body);
    // [end]
    shared = seen = 0;
    shoal::emu::fiber_block(2, shoal::emu::order::forward).run(body);

    EXPECT_EQ(seen, 0);
}

}  // namespace
