#pragma once

#include <shoal/arrow/detail/host_tail.hpp>

namespace shoal::arrow::detail {

/// The entry points behind host_solver, for one instruction set.
template <class T>
struct host_kernels {
    info (*eliminate)(const tail_job<T>& job, int first, int last);
    void (*root_update)(const tail_job<T>& job, T* u);
    int (*root_factor)(T* w, T* r);
    void (*forward)(const tail_job<T>& job, int first, int last, T* b, int nrhs, std::int64_t ld);
    void (*root_product)(const tail_job<T>& job, const T* b, int nrhs, std::int64_t ld, T* z);
    void (*root_solve)(const T* l, const T* r, T* b, int nrhs, std::int64_t ld);
    void (*backward)(const tail_job<T>& job, int first, int last, T* b, const T* root, int nrhs,
                     std::int64_t ld);
};

/// Their bodies. Right-hand sides go four at a time, and what is left one at a time: the tiles of four fit the
/// registers, and each column has its own sums, so that grouping changes no bit.
template <class Isa, class T, int n>
struct host_bodies {
    static info eliminate(const tail_job<T>& job, int first, int last) {
        return detail::eliminate<Isa, T, n>(job, first, last);
    }
    static void root_update(const tail_job<T>& job, T* u) { detail::root_update<Isa, T, n>(job, u); }
    static int root_factor(T* w, T* r) {
        const int bad = fast::block_potrf<Isa, T, n>(w, r, w, nullptr, 0);
        if (bad == 0) fast::block_mirror<Isa, T, n>(w);
        return bad;
    }
    static void forward(const tail_job<T>& job, int first, int last, T* b, int nrhs, std::int64_t ld) {
        int c = 0;
        for (; c + 4 <= nrhs; c += 4) detail::forward<Isa, T, n, 4>(job, first, last, b + c * ld, ld);
        for (; c < nrhs; ++c) detail::forward<Isa, T, n, 1>(job, first, last, b + c * ld, ld);
    }
    static void root_product(const tail_job<T>& job, const T* b, int nrhs, std::int64_t ld, T* z) {
        for (int c = 0; c < nrhs; ++c) detail::root_product<Isa, T, n, 1>(job, b + c * ld, ld, z + c * n);
    }
    static void root_solve(const T* l, const T* r, T* b, int nrhs, std::int64_t ld) {
        for (int c = 0; c < nrhs; ++c) {
            fast::block_forward<Isa, T, n, 1>(b + c * ld, ld, l, r);
            fast::block_backward<Isa, T, n, 1>(b + c * ld, ld, l, r);
        }
    }
    static void backward(const tail_job<T>& job, int first, int last, T* b, const T* root, int nrhs,
                         std::int64_t ld) {
        int c = 0;
        for (; c + 4 <= nrhs; c += 4) {
            detail::backward<Isa, T, n, 4>(job, first, last, b + c * ld, root + c * ld, ld);
        }
        for (; c < nrhs; ++c) detail::backward<Isa, T, n, 1>(job, first, last, b + c * ld, root + c * ld, ld);
    }
    static constexpr host_kernels<T> table{eliminate,    root_update, root_factor, forward,
                                           root_product, root_solve,  backward};
};

}  // namespace shoal::arrow::detail
