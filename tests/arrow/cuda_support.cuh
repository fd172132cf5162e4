#pragma once

/// \file
/// What the tests of the CUDA arrow solver share: random systems, a reference in double with plain loops, device memory.

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <shoal/arrow/cuda_solver.cuh>

namespace arrow_test {

using shoal::arrow::extent;
using shoal::arrow::info;
using shoal::arrow::matrix_view;

#define ASSERT_CUDA(call) ASSERT_EQ(cudaSuccess, (call))
#define EXPECT_OK(call)                     \
  do {                                      \
    const shoal::arrow::status s_ = (call); \
    EXPECT_TRUE(s_.ok()) << s_.message();   \
  } while (false)

/// An arrow matrix in host memory in double. The upper triangles of diagonal blocks are NaN: nobody may read them.
struct system_data {
    extent size;
    int n;
    std::vector<double> diagonal, lower, coupling, root;

    system_data(extent e, int n_) : size(e), n(n_) {
        const std::size_t b = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        const auto M = static_cast<std::size_t>(e.tails), N = static_cast<std::size_t>(e.stages);
        diagonal.resize(M * N * b);
        lower.resize(M * (N - 1) * b);
        coupling.resize(M * b);
        root.resize(b);
    }
    std::int64_t unknowns() const { return shoal::arrow::unknowns(size, n); }
    double* D(int i, int k) { return diagonal.data() + (std::int64_t{i} * size.stages + k) * n * n; }
    double* E(int i, int k) { return lower.data() + (std::int64_t{i} * (size.stages - 1) + k) * n * n; }
    double* C(int i) { return coupling.data() + std::int64_t{i} * n * n; }
    const double* D(int i, int k) const {
        return diagonal.data() + (std::int64_t{i} * size.stages + k) * n * n;
    }
    const double* E(int i, int k) const {
        return lower.data() + (std::int64_t{i} * (size.stages - 1) + k) * n * n;
    }
    const double* C(int i) const { return coupling.data() + std::int64_t{i} * n * n; }

    /// y = K x in long double, and the largest row sum of |K|.
    std::vector<long double> times(const std::vector<double>& x, double* norm = nullptr) const {
        std::vector<long double> y(x.size(), 0.0L);
        std::vector<double> rows(x.size(), 0.0);
        const auto add = [&](double v, std::int64_t r, std::int64_t c) {
            y[static_cast<std::size_t>(r)] += static_cast<long double>(v) * x[static_cast<std::size_t>(c)];
            rows[static_cast<std::size_t>(r)] += std::fabs(v);
        };
        const auto symmetric = [&](const double* A, std::int64_t at) {
            for (int c = 0; c < n; ++c) {
                for (int r = c; r < n; ++r) {
                    add(A[c * n + r], at + r, at + c);
                    if (r != c) add(A[c * n + r], at + c, at + r);
                }
            }
        };
        const auto both = [&](const double* A, std::int64_t r0, std::int64_t c0) {
            for (int c = 0; c < n; ++c) {
                for (int r = 0; r < n; ++r) {
                    add(A[c * n + r], r0 + r, c0 + c);
                    add(A[c * n + r], c0 + c, r0 + r);
                }
            }
        };
        const std::int64_t top = std::int64_t{size.tails} * size.stages * n;
        symmetric(root.data(), top);
        for (int i = 0; i < size.tails; ++i) {
            const std::int64_t at = std::int64_t{i} * size.stages * n;
            both(C(i), top, at);
            for (int k = 0; k < size.stages; ++k) {
                symmetric(D(i, k), at + k * n);
                if (k + 1 < size.stages) both(E(i, k), at + (k + 1) * n, at + k * n);
            }
        }
        if (norm) {
            *norm = 0;
            for (double r : rows) *norm = std::max(*norm, r);
        }
        return y;
    }
    /// |K x - b| / (|K| |x| + |b|) in the max norm; infinity when x is not finite.
    double backward_error(const std::vector<double>& x, const std::vector<double>& b) const {
        double norm = 0, r = 0, xm = 0, bm = 0;
        const auto y = times(x, &norm);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double d = std::fabs(static_cast<double>(y[i] - b[i]));
            if (!std::isfinite(d)) return std::numeric_limits<double>::infinity();
            r = std::max(r, d);
            xm = std::max(xm, std::fabs(x[i]));
            bm = std::max(bm, std::fabs(b[i]));
        }
        return r / (norm * xm + bm);
    }
};

/// Random couplings in [-1/2, 1/2]; diagonals make every row dominant by a factor that grows with `margin`.
inline system_data random_system(extent e, int n, unsigned seed, double margin = 1.0) {
    system_data s(e, n);
    std::mt19937_64 g(seed);
    std::uniform_real_distribution<double> u(-0.5, 0.5);
    for (auto* v : {&s.lower, &s.coupling}) {
        for (double& x : *v) x = u(g);
    }
    const auto block = [&](double* A, double diagonal) {
        for (int c = 0; c < n; ++c) {
            for (int r = 0; r < n; ++r) {
                A[c * n + r] =
                    r < c ? std::numeric_limits<double>::quiet_NaN() : u(g) + (r == c ? diagonal : 0.0);
            }
        }
    };
    for (int i = 0; i < e.tails; ++i) {
        for (int k = 0; k < e.stages; ++k) block(s.D(i, k), 0.6 * n * margin + 1.0);
    }
    block(s.root.data(), 0.3 * n * (e.tails + 1) * margin + 1.0);
    return s;
}

inline std::vector<double> random_vector(std::int64_t count, unsigned seed) {
    std::vector<double> v(static_cast<std::size_t>(count));
    std::mt19937_64 g(seed);
    std::uniform_real_distribution<double> u(-1.0, 1.0);
    for (double& x : v) x = u(g);
    return v;
}

/// Block elimination with plain loops, from the free end. \return the first bad pivot
class reference {
  public:
    reference(const system_data& s)
        : s_(s), n_(s.n), D_(s.diagonal), E_(s.lower), C_(s.coupling), R_(s.root) {
        const int M = s.size.tails, N = s.size.stages;
        for (int i = 0; i < M; ++i) {
            for (int k = N - 1; k >= 0; --k) {
                double* L = D(i, k);
                if (const int bad = cholesky(L); bad != 0 && what_.pivot == 0) what_ = {i, k + 1, bad};
                // Coupling of x_{k+1} to what is nearer to the root, rows there: E^T for stages, C for the root.
                double* B = k > 0 ? E(i, k - 1) : C(i);
                if (k > 0) transpose(B);
                right_solve(L, B);
                subtract_gram(k > 0 ? D(i, k - 1) : R_.data(), B);
            }
        }
        if (const int bad = cholesky(R_.data()); bad != 0 && what_.pivot == 0) what_ = {-1, 0, bad};
    }
    info what() const { return what_; }
    std::vector<double> solve(std::vector<double> b) const {
        const int M = s_.size.tails, N = s_.size.stages;
        double* top = b.data() + std::int64_t{M} * N * n_;
        for (int i = 0; i < M; ++i) {
            for (int k = N - 1; k >= 0; --k) {
                double* x = b.data() + (std::int64_t{i} * N + k) * n_;
                forward(D(i, k), x);
                subtract(k > 0 ? E(i, k - 1) : C(i), x, k > 0 ? x - n_ : top);
            }
        }
        forward(R_.data(), top);
        backward(R_.data(), top);
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < N; ++k) {
                double* x = b.data() + (std::int64_t{i} * N + k) * n_;
                subtract_transposed(k > 0 ? E(i, k - 1) : C(i), k > 0 ? x - n_ : top, x);
                backward(D(i, k), x);
            }
        }
        return b;
    }

  private:
    double* D(int i, int k) { return D_.data() + (std::int64_t{i} * s_.size.stages + k) * n_ * n_; }
    double* E(int i, int k) { return E_.data() + (std::int64_t{i} * (s_.size.stages - 1) + k) * n_ * n_; }
    double* C(int i) { return C_.data() + std::int64_t{i} * n_ * n_; }
    const double* D(int i, int k) const { return const_cast<reference*>(this)->D(i, k); }
    const double* E(int i, int k) const { return const_cast<reference*>(this)->E(i, k); }
    const double* C(int i) const { return const_cast<reference*>(this)->C(i); }
    int cholesky(double* A) const {
        int bad = 0;
        for (int k = 0; k < n_; ++k) {
            const double d = A[k * n_ + k];
            if (!(d > 0.0 && std::isfinite(d)) && bad == 0) bad = k + 1;
            A[k * n_ + k] = std::sqrt(d);
            for (int i = k + 1; i < n_; ++i) A[k * n_ + i] /= A[k * n_ + k];
            for (int j = k + 1; j < n_; ++j) {
                for (int i = j; i < n_; ++i) A[j * n_ + i] -= A[k * n_ + i] * A[k * n_ + j];
            }
        }
        return bad;
    }
    void transpose(double* A) const {
        for (int c = 0; c < n_; ++c) {
            for (int r = 0; r < c; ++r) std::swap(A[c * n_ + r], A[r * n_ + c]);
        }
    }
    void right_solve(const double* L, double* B) const {  // B := B L^{-T}
        for (int k = 0; k < n_; ++k) {
            for (int i = 0; i < n_; ++i) {
                double x = B[k * n_ + i];
                for (int m = 0; m < k; ++m) x -= B[m * n_ + i] * L[m * n_ + k];
                B[k * n_ + i] = x / L[k * n_ + k];
            }
        }
    }
    void subtract_gram(double* A, const double* B) const {
        for (int c = 0; c < n_; ++c) {
            for (int r = c; r < n_; ++r) {
                for (int k = 0; k < n_; ++k) A[c * n_ + r] -= B[k * n_ + r] * B[k * n_ + c];
            }
        }
    }
    void forward(const double* L, double* x) const {
        for (int k = 0; k < n_; ++k) {
            x[k] /= L[k * n_ + k];
            for (int i = k + 1; i < n_; ++i) x[i] -= L[k * n_ + i] * x[k];
        }
    }
    void backward(const double* L, double* x) const {
        for (int k = n_ - 1; k >= 0; --k) {
            for (int i = k + 1; i < n_; ++i) x[k] -= L[k * n_ + i] * x[i];
            x[k] /= L[k * n_ + k];
        }
    }
    void subtract(const double* B, const double* x, double* y) const {
        for (int k = 0; k < n_; ++k) {
            for (int i = 0; i < n_; ++i) y[i] -= B[k * n_ + i] * x[k];
        }
    }
    void subtract_transposed(const double* B, const double* x, double* y) const {
        for (int k = 0; k < n_; ++k) {
            for (int i = 0; i < n_; ++i) y[k] -= B[k * n_ + i] * x[i];
        }
    }

    const system_data& s_;
    int n_;
    std::vector<double> D_, E_, C_, R_;
    info what_ = shoal::arrow::success;
};

/// Largest |x - y| / largest |y|; infinity when x is not finite.
inline double difference(const std::vector<double>& x, const std::vector<double>& y) {
    double d = 0, m = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double e = std::fabs(x[i] - y[i]);
        if (!std::isfinite(e)) return std::numeric_limits<double>::infinity();
        d = std::max(d, e);
        m = std::max(m, std::fabs(y[i]));
    }
    return d / m;
}

/// Device memory with the contents of a host vector.
template <class T>
class device_vector {
  public:
    device_vector() = default;
    template <class U>
    explicit device_vector(const std::vector<U>& v) {
        assign(v);
    }
    device_vector(const device_vector&) = delete;
    device_vector& operator=(const device_vector&) = delete;
    ~device_vector() { cudaFree(p_); }
    template <class U>
    void assign(const std::vector<U>& v) {
        const std::vector<T> c(v.begin(), v.end());
        if (c.size() > size_) {
            cudaFree(p_);
            EXPECT_EQ(cudaSuccess, cudaMalloc(&p_, c.size() * sizeof(T)));
            size_ = c.size();
        }
        if (!c.empty()) {
            EXPECT_EQ(cudaSuccess, cudaMemcpy(p_, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
        }
    }
    std::vector<T> raw() const {
        std::vector<T> c(size_);
        if (size_ > 0)
            EXPECT_EQ(cudaSuccess, cudaMemcpy(c.data(), p_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return c;
    }
    std::vector<double> get() const {
        const std::vector<T> c = raw();
        return {c.begin(), c.end()};
    }
    T* data() { return p_; }
    const T* data() const { return p_; }

  private:
    T* p_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
struct device_system {
    device_vector<T> diagonal, lower, coupling, root;
    explicit device_system(const system_data& s)
        : diagonal(s.diagonal), lower(s.lower), coupling(s.coupling), root(s.root) {}
    void assign(const system_data& s) {
        diagonal.assign(s.diagonal);
        lower.assign(s.lower);
        coupling.assign(s.coupling);
        root.assign(s.root);
    }
    matrix_view<const T> view() const {
        return {diagonal.data(), lower.data(), coupling.data(), root.data()};
    }
};

inline info read(const info* p) {
    info i{};
    EXPECT_EQ(cudaSuccess, cudaMemcpy(&i, p, sizeof i, cudaMemcpyDeviceToHost));
    return i;
}

/// Factor and solve once on the default stream.
template <class T, int n>
std::vector<double> run(shoal::arrow::cuda_solver<T, n>& solver, const device_system<T>& K,
                        const std::vector<double>& b, int nrhs = 1, std::int64_t ld = 0) {
    device_vector<T> x(b);
    EXPECT_OK(solver.factor(nullptr, K.view()));
    EXPECT_OK(solver.solve(nullptr, x.data(), nrhs, ld));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    return x.get();
}

}  // namespace arrow_test
