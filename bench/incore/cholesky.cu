// potrf, trsm and posv in shared memory.

#include "harness.cuh"
#include "plain.cuh"
#include "tables.hpp"

#include <shoal/lapack/posv.hpp>

namespace shoal_bench::incore {

namespace {

/// Right-hand sides of trsm.
constexpr int columns = 16;

template <class T, int N>
struct potrf_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, N + 1.0, kind::symmetric);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::potrf(g, lower(shoal::matrix<T, N, N>(s)));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::potrf(g, s, N);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return factor_error(before, after, N) / unit_roundoff<T>();
    }
};

template <class T, int N>
struct trsm_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, N + 1.0);
        append(v, N, columns, 0.0);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::trsm(g, lower(shoal::matrix<T, N, N>(s)), shoal::matrix<T, N, columns>(s + N * N));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal_bench::plain::trsm(g, s, s + N * N, N, columns, shoal_bench::plain::turned::no);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        const auto l = at(before, 0, N);
        return residual<T>(
            N, columns, [&](int i, int j) { return i >= j ? l(i, j) : 0.0L; }, at(after, N * N, N),
            at(before, N * N, N));
    }
};

template <class T, int N>
struct posv_op {
    using element = T;
    static std::vector<T> fill() {
        std::vector<T> v;
        append(v, N, N, N + 1.0, kind::symmetric);
        append(v, N, 1, 0.0);
        return v;
    }
    struct ours {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            shoal::posv(g, lower(shoal::matrix<T, N, N>(s)), shoal::vector<T, N>(s + N * N));
        }
    };
    struct plain {
        template <class G>
        __device__ static void run(const G& g, T* s) {
            using shoal_bench::plain::turned;
            shoal_bench::plain::potrf(g, s, N);
            shoal_bench::plain::trsv(g, s, s + N * N, N, turned::no);
            shoal_bench::plain::trsv(g, s, s + N * N, N, turned::yes);
        }
    };
    static double error(const std::vector<T>& before, const std::vector<T>& after) {
        return residual<T>(N, 1, at(before, 0, N), at(after, N * N, N), at(before, N * N, N));
    }
};

}  // namespace

void cholesky_rows(const table& t) {
    for_each_size([&]<class T, int N>() {
        rows<potrf_op<T, N>>(t, "potrf", N);
        rows<trsm_op<T, N>>(t, "trsm", N);
        rows<posv_op<T, N>>(t, "posv", N);
    });
}

}  // namespace shoal_bench::incore
