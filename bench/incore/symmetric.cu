// ldlt, syev and contractions of tensors in shared memory.

#include "harness.cuh"
#include "plain.cuh"
#include "tables.hpp"

#include <shoal/control/tensor_vector.hpp>
#include <shoal/lapack/ldlt.hpp>
#include <shoal/lapack/ldlt_solve.hpp>
#include <shoal/lapack/syev.hpp>

namespace shoal_bench::incore {

namespace {

/// The factor is checked by what it solves.
template <class T>
double ldlt_error(const std::vector<T>& before, const std::vector<T>& after, int n, const int* pivots) {
    std::vector<T> x;
    append(x, n, 1, 0.0);
    const std::vector<T> b = x;
    auto factor = after;
    const auto a = shoal::symmetric_lower(shoal::matrix<T>(factor.data(), n, n));
    const shoal::matrix<T> right(x.data(), n, 1);
    if (pivots == nullptr) {
        shoal::ldlt_solve(shoal::this_thread(), a, right);
    } else {
        shoal::ldlt_solve(shoal::this_thread(), a, shoal::vector<const int>(pivots, n), right);
    }
    return residual<T>(n, 1, at(before, 0, n), at(x, 0, n), at(b, 0, n));
}

/// Bunch-Kaufman; the plain one does not pivot.
template <class T, int N>
struct ldlt_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, 0.0, kind::symmetric);
        append(v, N, 1, 0.0);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::ldlt(g, symmetric_lower(shoal::matrix<T, N, N>(s)),
                        shoal::vector<int, N>(reinterpret_cast<int*>(s + N * N)));
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return ldlt_error(before, after, N, reinterpret_cast<const int*>(after.data() + N * N));
    }
};

template <class T, int N>
struct ldlt_unpivoted_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, N + 1.0, kind::symmetric);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::ldlt_unpivoted(g, symmetric_lower(shoal::matrix<T, N, N>(s)));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::ldlt(g, s, N);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return ldlt_error(before, after, N, nullptr);
    }
};

/// A, then W, V and the scratch. Beyond order 32 the generic body runs.
template <class T, int N>
struct syev_op {
    using element = T;
    static constexpr int values = N * N;
    static constexpr int vectors = values + N;
    static constexpr int scratch = vectors + N * N;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, 0.0, kind::symmetric);
        v.resize(static_cast<std::size_t>(scratch + shoal::syev_scratch(N)));
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            constexpr shoal::syev_policy policy{.algorithm = N <= 32 ? shoal::syev_algorithm::columns
                                                                     : shoal::syev_algorithm::automatic};
            shoal::syev<policy>(g, symmetric_lower(shoal::matrix<T, N, N>(s)),
                                shoal::vector<T, N>(s + values), shoal::matrix<T, N, N>(s + vectors),
                                s + scratch);
        }
    };
    /// Works on the scratch, so that A is kept here too; the values stay on its diagonal, out of order.
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            for (int e = g.rank(); e < N * N; e += g.size()) s[scratch + e] = s[e];
            g.sync();
            shoal_bench::plain::syev(g, s + scratch, s + vectors, s + scratch + N * N, N);
            for (int i = g.rank(); i < N; i += g.size()) s[values + i] = s[scratch + i * (N + 1)];
            g.sync();
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        const auto a = at(before, 0, N);
        const auto v = at(after, vectors, N);
        const auto w = at(after, values, N);
        const double size = N * largest(N, N, a);
        const double off = largest(N, N, [&](int i, int j) {
            return sum(N, [&](int k) { return a(i, k) * v(k, j); }) - w(j, 0) * v(i, j);
        });
        const double skew = largest(N, N, [&](int i, int j) {
            return sum(N, [&](int k) { return v(k, i) * v(k, j); }) - (i == j ? 1 : 0);
        });
        return std::max(off / size, skew) / (N * unit_roundoff<T>());
    }
};

/// A tensor of N x N x N and a vector, contracted along one axis; the plain way is a warp for each sum.
template <class T, int N, shoal::tensor_axis Axis>
struct tensor_op {
    using element = T;
    static constexpr int x = N * N * N;
    static constexpr int m = x + N;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N * N + 1, 0.0);
        v.resize(static_cast<std::size_t>(m + N * N));
        return v;
    }
    /// Where entry (i, j) of the result finds its c-th term.
    __host__ __device__ static int term(int i, int j, int c) {
        return Axis == shoal::tensor_axis::slab       ? i + j * N + c * N * N
               : Axis == shoal::tensor_axis::slab_row ? c + j * N + i * N * N
                                                      : j + c * N + i * N * N;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::tensor_vector<Axis>(g, T(1), shoal::tensor<T, N, N, N>(s), shoal::vector<T, N>(s + x),
                                       T(0), shoal::matrix<T, N, N>(s + m));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            const int lane = g.rank() % 32;
            for (int e = g.rank() / 32; e < N * N; e += g.size() / 32) {
                T sum = 0;
                for (int c = lane; c < N; c += 32) sum += s[term(e % N, e / N, c)] * s[x + c];
                for (int h = 16; h > 0; h /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, h);
                if (lane == 0) s[m + e] = sum;
            }
            g.sync();
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        const auto v = at(before, x, N);
        const auto got = at(after, m, N);
        return largest(N, N,
                       [&](int i, int j) {
                           return got(i, j) - sum(N, [&](int c) {
                                      return v(c, 0) * before[static_cast<std::size_t>(term(i, j, c))];
                                  });
                       }) /
               (N * N * unit_roundoff<T>());
    }
};

}  // namespace

void symmetric_rows(const table& t) {
    for_each_size([&]<class T, int N>() {
        rows<ldlt_op<T, N>>(t, "ldlt", N);
        rows<ldlt_unpivoted_op<T, N>>(t, "ldlt_unpivoted", N);
        rows<syev_op<T, N>>(t, "syev", N);
        if constexpr (N == 8 || N == 12 || N == 16 || N == 24) {
            rows<tensor_op<T, N, shoal::tensor_axis::slab>>(t, "tensor_slab", N);
            rows<tensor_op<T, N, shoal::tensor_axis::slab_row>>(t, "tensor_slab_row", N);
            rows<tensor_op<T, N, shoal::tensor_axis::slab_column>>(t, "tensor_slab_column", N);
        }
    });
}

}  // namespace shoal_bench::incore
