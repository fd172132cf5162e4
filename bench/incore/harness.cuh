#pragma once

/// \file
/// Cycles of one call inside a kernel, its operands in shared memory: one group in the whole grid, a barrier and the clock
/// before the call, the clock after it. The operands are put back before every call; the first calls, which fetch the
/// instructions, do not count.

#include "../support/batched_bench.cuh"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <shoal/group/device.cuh>

namespace shoal_bench::incore {

inline constexpr int calls = 24;
inline constexpr int first_calls = 4;
inline constexpr std::size_t shared_bytes = 227 * 1024;

/// Where one CSV row goes.
struct table {
    std::FILE* csv = nullptr;
    std::string device;
    std::string commit;
    int only_n = 0;

    void row(const char* op, const char* type, int n, int nu, const char* scope, int threads,
             const char* solver, const char* variant, const std::vector<long long>& cycles,
             double error) const {
        std::vector<long long> sorted(cycles.begin() + first_calls, cycles.end());
        std::sort(sorted.begin(), sorted.end());
        const std::size_t count = sorted.size();
        const long long median = sorted[count / 2];
        std::fprintf(csv, "%s,%s,%d,%d,%s,%d,%s,%s,%lld,%.2g,%.3g,%s,%s\n", op, type, n, nu, scope, threads,
                     solver, variant, median,
                     100.0 * static_cast<double>(sorted[count * 9 / 10] - sorted[count / 10]) /
                         static_cast<double>(median),
                     error, device.c_str(), commit.c_str());
        std::fflush(csv);
    }
};

/// `Call::run(g, shared)` is timed. G is a warp or a sized block, alone in its block.
template <class G, class Call, class T>
__global__ void __launch_bounds__(shoal::group_size<G>)
    time_calls(const T* initial, T* results, int elements, long long* cycles) {
    extern __shared__ __align__(128) unsigned char room[];
    T* const shared = reinterpret_cast<T*>(room);
    const G g;
    for (int c = 0; c < calls; ++c) {
        for (int e = g.rank(); e < elements; e += g.size()) shared[e] = initial[e];
        g.sync();
        const long long start = clock64();
        Call::run(g, shared);
        const long long stop = clock64();
        g.sync();
        if (g.rank() == 0) cycles[c] = stop - start;
    }
    for (int e = g.rank(); e < elements; e += g.size()) results[e] = shared[e];
}

/// One variant: its cycles, and its operands after the last call.
template <class T>
struct outcome {
    std::vector<long long> cycles;
    std::vector<T> operands;
};

template <class G, class Call, class T>
outcome<T> measure(const std::vector<T>& initial) {
    const int elements = static_cast<int>(initial.size());
    const std::size_t bytes = initial.size() * sizeof(T);
    device_array<T> in(elements), out(elements);
    device_array<long long> cycles(calls);
    check(cudaMemcpy(in.data(), initial.data(), bytes, cudaMemcpyHostToDevice), "copy");
    const auto kernel = time_calls<G, Call, T>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "shared memory");
    kernel<<<1, shoal::group_size<G>, bytes>>>(in.data(), out.data(), elements, cycles.data());
    check(cudaDeviceSynchronize(), "kernel");
    return {cycles.read(0, calls), out.read(0, elements)};
}

/// The two groups of the tables.
using warp = shoal::tile_group<32>;
using block = shoal::sized_block_group<128>;

template <class G, class Op, class Call>
void row(const table& t, const std::vector<typename Op::element>& initial, const char* op, int n, int nu,
         const char* scope, const char* solver) {
    using T = typename Op::element;
    const outcome<T> got = measure<G, Call>(initial);
    const double wrong = gate(Op::error(initial, got.operands), 50, op);
    t.row(op, type_name<T>(), n, nu, scope, shoal::group_size<G>, solver, "shared memory", got.cycles, wrong);
}

/// Op::fill() gives the operands, Op::error(before, after) how wrong a call was, in units of n u. The calls are Op::ours
/// and, if there is one, Op::plain.
template <class Op>
void rows(const table& t, const char* op, int n, int nu = 0) {
    if (t.only_n != 0 && t.only_n != n) return;
    const auto initial = Op::fill();
    if (initial.size() * sizeof(typename Op::element) > shared_bytes) return;
    row<warp, Op, typename Op::ours>(t, initial, op, n, nu, "warp", "shoal");
    row<block, Op, typename Op::ours>(t, initial, op, n, nu, "block", "shoal");
    if constexpr (requires { typename Op::plain; }) {
        row<warp, Op, typename Op::plain>(t, initial, op, n, nu, "warp", "plain");
        row<block, Op, typename Op::plain>(t, initial, op, n, nu, "block", "plain");
    }
}

/// Another implementation for blocks alone.
template <class Op, class Call>
void peer_rows(const table& t, const char* op, int n, const char* solver) {
    if (t.only_n != 0 && t.only_n != n) return;
    const auto initial = Op::fill();
    if (initial.size() * sizeof(typename Op::element) > shared_bytes) return;
    row<block, Op, Call>(t, initial, op, n, 0, "block", solver);
}

/// f.template operator()<T, N>() for the sizes of the tables. A build that only checks that all compiles takes one.
template <class F>
void for_each_size(F f) {
#ifdef SHOAL_BENCH_ONE_SIZE
    f.template operator()<double, 8>();
#else
    const auto sizes = [&]<class T, int... N>(T, std::integer_sequence<int, N...>) {
        (f.template operator()<T, N>(), ...);
    };
    sizes(double{}, std::integer_sequence<int, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128>{});
    sizes(float{}, std::integer_sequence<int, 8, 16, 32, 64>{});
#endif
}

// ---- operands and their errors ----------------------------------------------------------------------------------------

/// splitmix64 of a number, in (-1, 1).
inline double random_number(std::uint64_t e) {
    std::uint64_t z = e * 0x9e3779b97f4a7c15u + 0x1234567u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

/// Appends a column-major matrix of m x n, `diagonal` on its diagonal; symmetric ones are so in full.
enum class kind { general, symmetric };
template <class T>
void append(std::vector<T>& to, int m, int n, double diagonal, kind k = kind::general) {
    const auto base = static_cast<std::uint64_t>(to.size());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const int r = k == kind::symmetric ? std::max(i, j) : i;
            const int c = k == kind::symmetric ? std::min(i, j) : j;
            const double x = random_number(base + static_cast<std::uint64_t>(r + c * m));
            to.push_back(static_cast<T>(i == j ? diagonal + x / 8 : x));
        }
}

/// A column-major matrix in a vector.
template <class T>
struct host_matrix {
    const T* data;
    int rows;
    long double operator()(int i, int j) const { return data[i + j * rows]; }
};
template <class T>
host_matrix<T> at(const std::vector<T>& v, int offset, int rows) {
    return {v.data() + offset, rows};
}

/// max |value(i, j)| over m x n; not-a-number counts as infinite.
template <class F>
double largest(int m, int n, F value) {
    double most = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const double x = std::fabs(static_cast<double>(value(i, j)));
            if (!(x < INFINITY)) return INFINITY;
            most = std::max(most, x);
        }
    return most;
}

/// sum over k = 0 .. depth - 1 of f(k)
template <class F>
long double sum(int depth, F f) {
    long double s = 0;
    for (int k = 0; k < depth; ++k) s += f(k);
    return s;
}

/// max |A X - B| over n x m in units of n u (|A| |X| + |B|), |.| the largest entry times the length of a row.
template <class T, class A, class X, class B>
double residual(int n, int m, A a, X x, B b) {
    const double scale = n * largest(n, n, a) * largest(n, m, x) + largest(n, m, b);
    return largest(n, m,
                   [&](int i, int j) { return sum(n, [&](int k) { return a(i, k) * x(k, j); }) - b(i, j); }) /
           (scale * n * unit_roundoff<T>());
}

}  // namespace shoal_bench::incore
