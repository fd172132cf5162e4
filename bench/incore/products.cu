// gemm and riccati_gain in shared memory.

#include "gemm_operands.cuh"
#include "plain.cuh"
#include "tables.hpp"

#include <shoal/control/riccati_gain.hpp>

namespace shoal_bench::incore {

namespace {

template <class T, int N>
struct gemm_op : gemm_operands<T, N> {
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::gemm(g, T(1), shoal::matrix<T, N, N>(s), shoal::matrix<T, N, N>(s + N * N), T(0),
                        shoal::matrix<T, N, N>(s + 2 * N * N));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::gemm(g, s, 1, N, s + N * N, s + 2 * N * N, N, N, N, T(0));
        }
    };
};

template <class T, int Nx, int Nu>
struct riccati_op {
    using element = T;
    static constexpr int a = Nx * Nx;
    static constexpr int b = 2 * Nx * Nx;
    static constexpr int r = b + Nx * Nu;
    static constexpr int k = r + Nu * Nu;
    static constexpr int s_scratch = k + Nu * Nx;
    static constexpr int t_scratch = s_scratch + Nu * Nu;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, Nx, Nx, Nx + 1.0, kind::symmetric);
        append(v, Nx, Nx, 1.0);
        append(v, Nx, Nu, 0.0);
        append(v, Nu, Nu, Nu + 1.0, kind::symmetric);
        v.resize(static_cast<std::size_t>(t_scratch + Nu * Nx));
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* m) {
            shoal::riccati_gain(g, shoal::matrix<T, Nx, Nx>(m), shoal::matrix<T, Nx, Nx>(m + a),
                                shoal::matrix<T, Nx, Nu>(m + b), shoal::matrix<T, Nu, Nu>(m + r), T(0),
                                shoal::matrix<T, Nu, Nx>(m + k), shoal::matrix<T, Nu, Nu>(m + s_scratch),
                                shoal::matrix<T, Nu, Nx>(m + t_scratch));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* m) {
            shoal_bench::plain::riccati_gain(g, m, m + a, m + b, m + r, m + k, m + s_scratch, m + t_scratch,
                                             Nx, Nu);
        }
    };
    /// (R + B' P B) K = B' P A
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        const auto P = at(before, 0, Nx), A = at(before, a, Nx), B = at(before, b, Nx), R = at(before, r, Nu);
        std::vector<long double> t(static_cast<std::size_t>(Nu * Nx));
        const auto T1 = [&](int i, int j) -> long double& { return t[static_cast<std::size_t>(i + j * Nu)]; };
        for (int j = 0; j < Nx; ++j)
            for (int i = 0; i < Nu; ++i) T1(i, j) = sum(Nx, [&](int q) { return B(q, i) * P(q, j); });
        return residual<T>(
                   Nu, Nx,
                   [&](int i, int j) { return R(i, j) + sum(Nx, [&](int q) { return T1(i, q) * B(q, j); }); },
                   at(after, k, Nu),
                   [&](int i, int j) { return sum(Nx, [&](int q) { return T1(i, q) * A(q, j); }); }) /
               Nx;
    }
};

template <class T>
void riccati_rows(const table& t) {
    rows<riccati_op<T, 12, 4>>(t, "riccati_gain", 12, 4);
#ifndef SHOAL_BENCH_ONE_SIZE
    rows<riccati_op<T, 14, 7>>(t, "riccati_gain", 14, 7);
    rows<riccati_op<T, 36, 12>>(t, "riccati_gain", 36, 12);
    rows<riccati_op<T, 48, 16>>(t, "riccati_gain", 48, 16);
#endif
}

}  // namespace

void product_rows(const table& t) {
    for_each_size([&]<class T, int N>() { rows<gemm_op<T, N>>(t, "gemm", N); });
    riccati_rows<double>(t);
#ifndef SHOAL_BENCH_ONE_SIZE
    riccati_rows<float>(t);
#endif
}

}  // namespace shoal_bench::incore
