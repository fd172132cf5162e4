// The drop-in header against the ops: factorisations, solves, inverses, eigenvalues and block-tridiagonal systems.

#include "compat/side_by_side.cuh"

#include <shoal/banded/bdsv.hpp>
#include <shoal/banded/move_block.hpp>
#include <shoal/banded/pcg.hpp>

namespace {

using namespace shoal::support;
using glass::BandSlot;
using shoal::matrix;
using shoal::vector;

template <class T>
struct glass_factors : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(glass_factors, scalars);

constexpr int n = 5;
constexpr int square = n * n;

/// Integers in a buffer of T, written as numbers so that they compare.
template <class T>
__device__ void note(T* p, int value) {
    if (shoal::this_block().rank() == 0) *p = T(value);
    // The number, before the buffer is used again.
    shoal::this_block().sync();
}

template <class T>
struct cholesky_pair {
    __device__ static void theirs(T* p) {
        __shared__ int fail[3];
        glass::potrf<T, true>(5u, p, fail);
        glass::potrf<T>(3u, 5u, 4u, 5u, p + 448, p + 32, p + 480, fail + 1);
        glass::posv<T, n, 2, true, true, true>(p + 64, p + 96, T(0.5), fail + 2);
        glass::posv<T>(5u, p + 128, p + 160);
        glass::potrs<T>(5u, 3u, p, p + 192);
        note(p + 320, fail[0]);
        note(p + 321, fail[1]);
        note(p + 322, fail[2]);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        const int first = shoal::potrf(g, lower(matrix<T>(p, n, n)));
        int second = 0;
        second += shoal::potrf(g, lower(matrix<T>(p + 448, 3, 3)));
        second += shoal::potrf(g, lower(matrix<T>(p + 32, 5, 5)));
        second += shoal::potrf(g, lower(matrix<T>(p + 480, 4, 4)));
        shoal::shift_relative(g, T(0.5), matrix<T>(p + 64, n, n));
        const int third = shoal::posv(g, lower(matrix<T>(p + 64, n, n)), matrix<T>(p + 96, n, 2));
        shoal::posv(g, lower(matrix<T>(p + 128, n, n)), vector<T>(p + 160, n));
        shoal::potrs(g, lower(matrix<T>(p, n, n)), matrix<T>(p + 192, n, 3));
        note(p + 320, first != 0 ? 1 : 0);
        note(p + 321, second != 0 ? 1 : 0);
        note(p + 322, third != 0 ? 1 : 0);
    }
};

/// What an unfinished factor holds is not promised: it lies in the spare part, and the flags are compared.
template <class T>
struct bad_pivot_pair {
    __device__ static void theirs(T* p) {
        __shared__ int fail[3];
        T* const a = p + spare;
        shoal::copy(shoal::this_block(), vector<const T, 128>(p), vector<T, 128>(a));
        glass::potrf<T, n, true>(a, fail);
        glass::potrf<T>(5u, 5u, 5u, a, a + 64, fail + 1);
        shoal::copy(shoal::this_block(), vector<const T, 128>(p), vector<T, 128>(a));
        glass::posv<T, n, 1, true, true>(a + 64, a + 32, T(8), fail + 2);
        for (int k = 0; k < 3; ++k) note(p + 320 + k, fail[k]);
    }
    __device__ static void ours(T* p) {
        const int expected[] = {1, 1, 0};
        for (int k = 0; k < 3; ++k) note(p + 320 + k, expected[k]);
    }
};

template <class T>
struct lu_pair {
    __device__ static void theirs(T* p) {
        __shared__ glass_index piv[n];
        glass::getrf<T>(5u, p, piv);
        glass::getrs<T, n, 2, true>(p, piv, p + 32);
        glass::getrs<T>(5u, 2u, p, piv, p + 64);
        glass::laswp<T>(5u, 3u, p + 96, piv, 1u, 4u);
        glass::laswp<T, true>(piv, 0u, 5u, p + 128);
        for (int k = 0; k < n; ++k) note(p + 320 + k, static_cast<int>(piv[k]));
    }
    __device__ static void ours(T* p) {
        __shared__ int piv[n];
        const auto g = shoal::this_block();
        const vector<int, n> pivots(piv);
        shoal::getrf(g, matrix<T, n, n>(p), pivots);
        shoal::getrs_transposed(g, matrix<const T, n, n>(p), pivots, matrix<T, n, 2>(p + 32));
        shoal::getrs(g, matrix<const T, n, n>(p), pivots, matrix<T, n, 2>(p + 64));
        // Interchanges 1, 2 and 3, by hand.
        if (g.rank() == 0) {
            for (int k = 1; k < 4; ++k)
                for (int j = 0; j < 3; ++j) exchange(p[96 + k + 5 * j], p[96 + piv[k] + 5 * j]);
            for (int k = n - 1; k >= 0; --k) exchange(p[128 + k], p[128 + piv[k]]);
        }
        for (int k = 0; k < n; ++k) note(p + 320 + k, piv[k]);
    }
    using glass_index = std::uint32_t;
    __device__ static void exchange(T& x, T& y) {
        const T held = x;
        x = y;
        y = held;
    }
};

/// Augmented matrices: the right half is compared, the left one lies in the spare part.
template <class T>
struct inverse_pair {
    __device__ static void theirs(T* p) {
        T* const augmented = p + spare;
        copy(p, augmented);
        glass::inv<T>(5u, augmented, p + spare + 128);
        copy(augmented + square, p + 256);
        copy(p + 32, augmented);
        glass::inv_pivoted<T, n>(augmented, p + spare + 128);
        copy(augmented + square, p + 288);
        glass::inv_dense<T>(5u, p + 64, p + 320, p + spare);
        copy(p + 32, augmented);
        copy(p + 96, augmented + 64);
        glass::inv<T>(5u, 5u, 5u, augmented, augmented + 64, p + spare + 128);
        copy(augmented + square, p + 352);
        copy(augmented + 64 + square, p + 384);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        __shared__ int piv[n];
        copy(p, p + 256);
        shoal::inv_unpivoted(g, matrix<T, n, n>(p + 256));
        copy(p + 32, p + 288);
        shoal::inv(g, matrix<T, n, n>(p + 288), vector<int, n>(piv));
        shoal::inv_unpivoted(g, matrix<T, n, n>(p + 64));
        copy(p + 64, p + 320);
        copy(p + 32, p + 352);
        shoal::inv(g, matrix<T, n, n>(p + 352), vector<int, n>(piv));
        copy(p + 96, p + 384);
        shoal::inv(g, matrix<T, n, n>(p + 384), vector<int, n>(piv));
    }
    __device__ static void copy(const T* from, T* to) {
        shoal::copy(shoal::this_block(), vector<const T, square>(from), vector<T, square>(to));
    }
};

template <class T>
struct symmetric_pair {
    __device__ static void theirs(T* p) {
        __shared__ std::int32_t piv[n];
        __shared__ int signs[3];
        __shared__ int fail;
        glass::ldlt<T, true>(5u, p, p + spare, true, piv, &fail, signs);
        glass::ldlt_solve<T, n>(p, p + 32, piv);
        for (int k = 0; k < 3; ++k) note(p + 320 + k, signs[k]);
        note(p + 323, fail);
        glass::ldlt<T, n, true>(p + 64, p + spare, false, nullptr, &fail, signs);
        glass::ldlt_solve<T>(5u, p + 64, p + 96);
        for (int k = 0; k < 3; ++k) note(p + 324 + k, signs[k]);
        glass::syev<T>(5u, p + 128, p + 160, p + 192, p + spare);
        glass::eig_clamp<T, n>(p + 224, T(0.3), p + spare);
    }
    __device__ static void ours(T* p) {
        __shared__ int piv[n];
        const auto g = shoal::this_block();
        const auto pivoted = symmetric_lower(matrix<T, n, n>(p));
        const auto plain = symmetric_lower(matrix<T, n, n>(p + 64));
        const int info = shoal::ldlt(g, pivoted, vector<int, n>(piv));
        shoal::ldlt_solve(g, pivoted, vector<int, n>(piv), matrix<T, n, 1>(p + 32));
        tell(p + 320, shoal::inertia(pivoted, vector<int, n>(piv)));
        note(p + 323, info != 0 ? 1 : 0);
        shoal::ldlt_unpivoted(g, plain);
        tell(p + 324, shoal::inertia(plain));
        shoal::ldlt_solve(g, plain, matrix<T, n, 1>(p + 96));
        shoal::syev(g, symmetric_lower(matrix<const T, n, n>(p + 128)), vector<T, n>(p + 160),
                    matrix<T, n, n>(p + 192), p + spare);
        shoal::eig_clamp(g, symmetric_lower(matrix<T, n, n>(p + 224)), T(0.3), p + spare);
    }
    __device__ static void tell(T* p, shoal::inertia_counts c) {
        note(p, c.positive);
        note(p + 1, c.negative);
        note(p + 2, c.zero);
    }
};

/// Four knots of 2 x 2, assembled with the movers.
template <class T>
struct banded_pair {
    static constexpr int b = 2, knots = 4, strip = 3 * b * b;
    __device__ static void theirs(T* p) {
        for (int k = 0; k < knots; ++k) {
            glass::store_block<T, b>(p + 64 + strip * k, BandSlot::MAIN, p);
            glass::store_block<T, b, 3 * b, true>(p + 64 + strip * k, BandSlot::LEFT, p + 8, T(-1));
            glass::store_block<T, b>(p + 64 + strip * k, BandSlot::RIGHT, p + 8, T(-1));
        }
        glass::load_block<T, b>(p + 16, p + 64, BandSlot::RIGHT, T(2));
        glass::bdmv<T, knots, b>(p + 128, p + 64, p + 160);
        note(p + 320, static_cast<int>(solve(p)));
        glass::bdsv<T, knots, b>(p + 64, p + 192, p + spare);
    }
    __device__ static std::uint32_t solve(T* p) {
        __shared__ std::uint32_t iterations;
        shoal::set(shoal::this_block(), T(0), vector<T, 12>(p + 224));
        shoal::set(shoal::this_block(), T(0), vector<T, knots * strip>(p + 256));
        for (int k = 0; k < knots; ++k)
            shoal::set(shoal::this_block(), T(0), T(1), shoal::strip<T, b, knots>(p + 256).main(k));
        glass::pcg<T, b, knots>(p + 224, p + 64, p + 256, p + 192, p + spare, 50u, T(1e-8), T(0),
                                &iterations);
        return iterations;
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        const shoal::strip<T, b, knots> a(p + 64);
        const shoal::padded_vector<T, b, knots> y(p + 128), x(p + 160), rhs(p + 192), found(p + 224);
        for (int k = 0; k < knots; ++k) {
            // Row-major blocks.
            const matrix<const T, b, b, shoal::row> d(p), e(p + 8);
            shoal::move_block(g, T(1), d, a.main(k));
            shoal::move_block(g, T(-1), transposed(e), a.left(k));
            const matrix<T, b, b, shoal::row_ld<3 * b>> right(p + 64 + strip * k + 2 * b);
            shoal::move_block(g, T(-1), e, right);
        }
        shoal::move_block(g, T(2), matrix<const T, b, b, shoal::row_ld<3 * b>>(p + 64 + 2 * b),
                          matrix<T, b, b, shoal::row>(p + 16));
        shoal::bdmv(g, a, x, y);
        shoal::set(g, T(0), vector<T, 12>(p + 224));
        shoal::set(g, T(0), vector<T, knots * strip>(p + 256));
        const shoal::strip<T, b, knots> m(p + 256);
        for (int k = 0; k < knots; ++k) shoal::set(g, T(0), T(1), m.main(k));
        const auto done = shoal::pcg(g, a, shoal::strip_preconditioner<shoal::strip<T, b, knots>>{m}, rhs,
                                     found, shoal::pcg_options<T>{50, T(1e-8), T(0)}, p + spare);
        note(p + 320, done.iterations);
        shoal::bdsv(g, a, rhs);
    }
};

template <class T>
struct vectors_pair {
    __device__ static void theirs(T* p) {
        glass::dot<T>(9u, p, p + 32);
        glass::reduce<T>(40u, p + 64);
        glass::nrm2_lowmem<T>(40u, p + 128);
        glass::infnorm<T>(9u, p + 192);
        glass::block::nrm2_fast<T, 40>(p + 448, p + spare);
        __shared__ std::uint32_t index;
        glass::iamax<T>(40u, p + 224, &index, p + 300);
        note(p + 320, static_cast<int>(index));
        const T sum = glass::reduce_fast<T>(T(1), p + spare);
        note(p + 321, static_cast<int>(sum));
        glass::gemv<T, true>(5u, 4u, T(2), p, p + 32, T(0.5), p + 352);
        glass::ger<T>(3u, 4u, T(2), p, p + 4, p + 384);
        glass::transpose<T>(3u, 4u, p, p + 416);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        __shared__ T room_of_sums[32];
        const auto leave = [&](T value, T* out) {
            if (g.rank() == 0) *out = value;
            // The value, before the buffer is read again.
            g.sync();
        };
        leave(shoal::dot(g, vector<const T>(p, 9), vector<const T>(p + 32, 9), room_of_sums), p + 32);
        leave(shoal::sum(g, vector<const T>(p + 64, 40), room_of_sums), p + 64);
        leave(shoal::nrm2(g, vector<const T>(p + 128, 40), room_of_sums), p + 128);
        const int at = shoal::iamax(g, vector<const T>(p + 192, 9), room_of_sums);
        const T largest = shoal::core::abs(p[192 + at]);
        // Everyone has read its element, before the first is replaced.
        g.sync();
        leave(largest, p + 192);
        leave(shoal::nrm2(g, vector<const T>(p + 448, 40), room_of_sums), p + 448);
        const int index = shoal::iamax(g, vector<const T>(p + 224, 40), room_of_sums);
        leave(p[224 + index], p + 300);
        note(p + 320, index);
        note(p + 321, g.size());
        shoal::gemv(g, T(2), transposed(matrix<const T>(p, 5, 4)), vector<const T>(p + 32, 5), T(0.5),
                    vector<T>(p + 352, 4));
        shoal::ger(g, T(2), vector<const T>(p, 3), vector<const T>(p + 4, 4), matrix<T>(p + 384, 3, 4));
        shoal::copy(g, transposed(matrix<const T>(p, 3, 4)), matrix<T>(p + 416, 4, 3));
    }
};

template <class T>
struct searches_pair {
    __device__ static void theirs(T* p) {
        __shared__ std::uint32_t index[2];
        glass::argmax<T>(40u, p, index, p + 320);
        glass::argmin<T>(40u, p, index + 1, p + 321);
        note(p + 322, static_cast<int>(index[0]));
        note(p + 323, static_cast<int>(index[1]));
        glass::prefix_sum_inclusive<T>(40u, p + 64);
        glass::prefix_sum_exclusive<T>(40u, p + 128);
        glass::dot_strided<T>(9u, p, 2u, p + 1, 3u, p + 324);
        glass::axpy_strided<T>(9u, T(2), p, 2u, p + 192, 3u);
        glass::copy_strided<T>(9u, p, 2u, p + 256, 3u);
    }
    __device__ static void ours(T* p) {
        __shared__ T work[64];
        const auto g = shoal::this_block();
        int most = 0, least = 0;
        for (int i = 1; i < 40; ++i) {
            most = p[i] > p[most] ? i : most;
            least = p[i] < p[least] ? i : least;
        }
        const T dot = shoal::dot(g, vector<const T, 9, 2>(p), vector<const T, 9, 3>(p + 1), work);
        if (g.rank() == 0) {
            p[320] = p[most];
            p[321] = p[least];
            p[324] = dot;
        }
        note(p + 322, most);
        note(p + 323, least);
        shoal::inclusive_scan(g, vector<T, 40>(p + 64), work);
        shoal::exclusive_scan(g, vector<T, 40>(p + 128), work);
        shoal::axpy(g, T(2), vector<const T, 9, 2>(p), vector<T, 9, 3>(p + 192));
        shoal::copy(g, vector<const T, 9, 2>(p), vector<T, 9, 3>(p + 256));
    }
};

TYPED_TEST(glass_factors, searches_and_strides) {
    expect_same<searches_pair>(start<TypeParam>());
}
TYPED_TEST(glass_factors, cholesky_family) {
    auto x = start<TypeParam>({0, 32, 64, 128}, n);
    // Diagonals of the matrices of order 3 and 4 at the back.
    for (int i = 0; i < 3; ++i) x[static_cast<std::size_t>(448 + 4 * i)] += TypeParam(5);
    for (int i = 0; i < 4; ++i) x[static_cast<std::size_t>(480 + 5 * i)] += TypeParam(5);
    expect_same<cholesky_pair>(x);
}
TYPED_TEST(glass_factors, cholesky_reports_a_bad_pivot) {
    using T = TypeParam;
    auto x = start<T>({0, 64}, n);
    x[0] = x[64 + 12] = T(-1);
    expect_same<bad_pivot_pair>(x);
}
TYPED_TEST(glass_factors, lu_family) {
    expect_same<lu_pair>(start<TypeParam>());
}
TYPED_TEST(glass_factors, inverses) {
    expect_same<inverse_pair>(start<TypeParam>({0, 64}, n));
}
TYPED_TEST(glass_factors, indefinite_factors_and_eigenvalues) {
    auto x = start<TypeParam>();
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(64 + 6 * i)] += TypeParam(i % 2 == 0 ? 5 : -5);
    expect_same<symmetric_pair>(x);
}
TYPED_TEST(glass_factors, block_tridiagonal) {
    auto x = start<TypeParam>();
    x[0] = x[3] = TypeParam(5);
    x[1] = x[2];
    expect_same<banded_pair>(x);
}
TYPED_TEST(glass_factors, vectors) {
    expect_same<vectors_pair>(start<TypeParam>(), {33});
}

}  // namespace
