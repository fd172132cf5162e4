// gesv and inv in shared memory.

#include "harness.cuh"
#include "plain.cuh"
#include "tables.hpp"

#include <shoal/lapack/gesv.hpp>
#include <shoal/lapack/inv.hpp>

namespace shoal_bench::incore {

namespace {

/// The pivots lie behind the other operands.
template <int N, class T>
__device__ shoal::vector<int, N> pivots_at(T* place) {
    return shoal::vector<int, N>(reinterpret_cast<int*>(place));
}

template <class T, int N>
struct gesv_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, 0.0);
        append(v, N, 2, 0.0);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::gesv(g, shoal::matrix<T, N, N>(s), pivots_at<N>(s + N * (N + 1)),
                        shoal::vector<T, N>(s + N * N));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::gesv(g, s, s + N * (N + 1), s + N * N, N);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return residual<T>(N, 1, at(before, 0, N), at(after, N * N, N), at(before, N * N, N));
    }
};

template <class T, int N>
struct inv_op {
    using element = T;
    // Dominant diagonals: the error is then that of the algorithm, whatever the draw. Pivots are searched all the same.
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, N + 1.0);
        append(v, N, 1, 0.0);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::inv(g, shoal::matrix<T, N, N>(s), pivots_at<N>(s + N * N));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::inv(g, s, s + N * N, N);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return residual<T>(N, N, at(before, 0, N), at(after, 0, N),
                           [](int i, int j) { return i == j ? 1.0L : 0.0L; });
    }
};

}  // namespace

void lu_rows(const table& t) {
    for_each_size([&]<class T, int N>() {
        rows<gesv_op<T, N>>(t, "gesv", N);
        rows<inv_op<T, N>>(t, "inv", N);
    });
}

}  // namespace shoal_bench::incore
