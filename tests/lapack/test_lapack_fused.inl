// potrf_fused, inv_fused, and getrs and gesv of a vector: one source, included by test_lapack_fused.cpp (emulated groups)
// and test_lapack_fused.cu (the groups of a GPU).

#include "cases/chains.hpp"
#include "cases/ops.hpp"

#include <limits>

#include <shoal/lapack/fused.hpp>
#include <shoal/lapack/inv.hpp>

namespace {

using namespace shoal::support;

template <class T>
struct lapack_fused : testing::Test {};
TYPED_TEST_SUITE(lapack_fused, scalars);

template <class T>
using limits = std::numeric_limits<T>;

constexpr int most = 5;

/// Up to five systems, each an operand of its own.
template <class End = ends::synced>
struct systems_case {
    piece factors[most], inverses[most], pivots[most], potrf_info[most], seen_factors[most],
        seen_inverses[most];
    piece inv_info, failed_factors, failed_inverses;
    int count;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto& self = *this;
        struct int_at {
            T* at;
            SHOAL_FN const int_at& operator=(int k) const {
                *at = static_cast<T>(k);
                return *this;
            }
        };
        const int bad = shoal::potrf_fused(
            End::group(g), count,
            [&](int m) { return lower(look::strided::matrix(self.factors[m], buffer)); },
            [&](int m) { return int_at{buffer + self.potrf_info[m].at(0)}; });
        End::finish(g);
        failed_factors.mine(g, buffer) = static_cast<T>(bad);
        for (int m = 0; m < count; ++m)
            observe_triangle(g, buffer, factors[m], seen_factors[m], shoal::uplo::lower);
        const int singular = shoal::inv_fused(
            End::group(g), count, [&](int m) { return look::strided::matrix(self.inverses[m], buffer); },
            [&](int m) { return integers(self.pivots[m], buffer); }, integers(inv_info, buffer));
        End::finish(g);
        failed_inverses.mine(g, buffer) = static_cast<T>(singular);
        for (int m = 0; m < count; ++m) observe(g, buffer, inverses[m], seen_inverses[m]);
    }
};

template <class T>
struct systems {
    std::vector<dense<T>> spd, general;
    std::vector<int> potrf_info, inv_info;
};

/// The bits that one system has alone: this_thread() on the host, whose roots a GPU need not share.
template <class T>
dense<T> alone_factor(dense<T> a, int info) {
    EXPECT_EQ(shoal::potrf(shoal::this_thread(), lower(shoal::matrix<T>(a.data(), a.rows(), a.rows()))),
              info);
    return a;
}
template <class T>
dense<T> alone_inverse(dense<T> a, int info) {
    std::vector<int> pivots(static_cast<std::size_t>(a.rows()));
    EXPECT_EQ(shoal::inv(shoal::this_thread(), shoal::matrix<T>(a.data(), a.rows(), a.rows()),
                         shoal::vector<int>(pivots.data(), a.rows())),
              info);
    return a;
}

template <class Case, class T>
void run(const systems<T>& s, int at) {
    const auto count = static_cast<int>(s.spd.size());
    arena<T> a;
    Case c;
    c.count = count;
    c.inv_info = a.output(count, 1);
    c.failed_factors = a.per_member();
    c.failed_inverses = a.per_member();
    for (int m = 0; m < count; ++m) {
        const auto k = static_cast<std::size_t>(m);
        const int n = s.spd[k].rows();
        c.factors[m] = a.inout(s.spd[k], some_place(at + m));
        a.forbid_above_diagonal(c.factors[m]);
        c.inverses[m] = a.inout(s.general[k], some_place(at + m + 3));
        c.pivots[m] = a.output(n, 1);
        c.potrf_info[m] = a.output(1, 1);
        c.seen_factors[m] = a.output(n, n);
        c.seen_inverses[m] = a.output(n, n);
    }
    const auto bad = [](const std::vector<int>& infos) {
        int k = 0;
        for (const int i : infos) k += i != 0 ? 1 : 0;
        return k;
    };
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.failed_factors), bad(s.potrf_info));
        EXPECT_EQ(out.info(c.failed_inverses), bad(s.inv_info));
        for (int m = 0; m < count; ++m) {
            const auto k = static_cast<std::size_t>(m);
            EXPECT_EQ(out(c.potrf_info[m])(0), static_cast<T>(s.potrf_info[k]));
            EXPECT_EQ(out(c.inv_info)(m), static_cast<T>(s.inv_info[k]));
            const auto factor = lower_part(out(c.factors[m]));
            EXPECT_TRUE(bits_equal(lower_part(out(c.seen_factors[m])), factor));
            EXPECT_TRUE(bits_equal(out(c.seen_inverses[m]), out(c.inverses[m])));
            const auto l = alone_factor(s.spd[k], s.potrf_info[k]);
            const auto x = alone_inverse(s.general[k], s.inv_info[k]);
            if (s.potrf_info[k] == 0) {
                EXPECT_TRUE(!host_lane || bits_equal(factor, lower_part(l)));
                EXPECT_TRUE(within(cholesky_error(s.spd[k], factor), 4));
            }
            EXPECT_TRUE(s.inv_info[k] != 0 || bits_equal(out(c.inverses[m]), x));
        }
    });
}

TYPED_TEST(lapack_fused, B06_F10_systems_of_different_orders_have_the_bits_that_they_have_alone) {
    using T = TypeParam;
    random_stream r(1);
    int at = 0;
    for (const auto& orders :
         {std::vector{0}, {1}, {4, 4}, {12, 4, 12}, {3, 0, 7, 1}, {1, 2, 3, 4, 33}, {}}) {
        systems<T> s;
        for (const int n : orders) {
            s.spd.push_back(random_spd<T>(n, 10, r));
            s.general.push_back(random_matrix<T>(n, n, r));
        }
        s.potrf_info = s.inv_info = std::vector<int>(orders.size(), 0);
        run<systems_case<>, T>(s, at++);
    }
}

TYPED_TEST(lapack_fused, A01_A06_a_bad_system_is_named_and_its_neighbours_keep_their_bits) {
    using T = TypeParam;
    random_stream r(2);
    systems<T> s;
    const auto matrix_of = [](std::initializer_list<double> x) {
        return dense<T>::from(2, 2, [&](int i, int j) { return x.begin()[2 * i + j]; });
    };
    const auto add = [&](const dense<T>& spd, const dense<T>& general, int k, int l) {
        s.spd.push_back(spd);
        s.general.push_back(general);
        s.potrf_info.push_back(k);
        s.inv_info.push_back(l);
    };
    auto nan = dense<T>::identity(3);
    nan(2, 2) = limits<T>::quiet_NaN();
    add(matrix_of({4, 6, 6, 9}), matrix_of({2, 4, 1, 2}), 2, 2);
    add(matrix_of({4, 2, 2, 5}), matrix_of({2, 1, 1, 1}), 0, 0);
    add(dense<T>(4, 4), dense<T>(4, 4), 1, 1);
    add(nan, nan, 3, 3);
    add(random_spd<T>(6, 10, r), random_matrix<T>(6, 6, r), 0, 0);
    run<systems_case<>, T>(s, 0);
    run<few<systems_case<ends::deferred>>, T>(s, 0);
}

// ---- vectors ------------------------------------------------------------------------------------------------------------

template <class A = look::strided, class X = look::strided, class End = ends::synced>
struct vector_case {
    piece a, pivots, x, seen_x, y, seen_y, z, seen_z, info;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto m = A::matrix(a, buffer);
        const auto p = integers<decltype(m)::static_rows>(pivots, buffer);
        info.mine(g, buffer) = static_cast<T>(shoal::gesv(End::group(g), m, p, X::vector(x, buffer)));
        End::finish(g);
        observe(g, buffer, x, seen_x);
        shoal::getrs(End::group(g), m, p, X::vector(y, buffer));
        End::finish(g);
        observe(g, buffer, y, seen_y);
        shoal::getrs_transposed(End::group(g), m, p, X::vector(z, buffer));
        End::finish(g);
        observe(g, buffer, z, seen_z);
    }
};

template <class Case, class T>
void vectors(int n, place where, random_stream& r) {
    const auto A = random_matrix<T>(n, n, r);
    const auto b = random_matrix<T>(n, 1, r);
    const place side{.stride = where.stride};
    arena<T> a;
    Case c;
    c.a = a.inout(A, where);
    c.pivots = a.output(n, 1);
    c.x = a.inout(b, side);
    c.seen_x = a.output(n, 1);
    c.y = a.inout(b, side);
    c.seen_y = a.output(n, 1);
    c.z = a.inout(b, side);
    c.seen_z = a.output(n, 1);
    c.info = a.per_member();
    auto lu = A;
    std::vector<int> pivots;
    EXPECT_EQ(chain::getrf(lu, pivots), 0);
    const auto x = chain::getrs(lu, pivots, false, b);
    const auto z = chain::getrs(lu, pivots, true, b);
    on_all_groups(c, a, [&](const outcome<T>& out) {
        EXPECT_EQ(out.info(c.info), 0);
        const auto expect = [&](const piece& at, const piece& seen, const dense<T>& solution) {
            EXPECT_TRUE(bits_equal(out(at), solution));
            EXPECT_TRUE(bits_equal(out(seen), solution));
        };
        expect(c.x, c.seen_x, x);
        expect(c.y, c.seen_y, x);
        expect(c.z, c.seen_z, z);
    });
}

TYPED_TEST(lapack_fused, B06_solves_for_a_vector_have_the_bits_of_those_for_a_matrix) {
    random_stream r(3);
    int at = 0;
    for (const int n : {0, 1, 2, 5, 16, 33}) vectors<vector_case<>, TypeParam>(n, some_place(at++), r);
    vectors<few<vector_case<look::fixed<5, 5>, look::fixed<5>, ends::deferred>>, TypeParam>(5, {}, r);
}

}  // namespace
