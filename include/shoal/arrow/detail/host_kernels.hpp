#pragma once

#include <shoal/arrow/detail/host_tail.hpp>

namespace shoal::arrow::detail {

/// The entry points behind host_solver: they split right-hand sides into groups that fit registers.
template <class T, int n>
struct host_kernels {
    static info eliminate(const tail_job<T>& job, int first, int last) {
        return detail::eliminate<T, n>(job, first, last);
    }
    static void root_update(const tail_job<T>& job, T* u) { detail::root_update<T, n>(job, u); }
    static int potrf(T* w, T* r) { return fast::block_potrf<T, n>(w, r); }

    static void forward(const tail_job<T>& job, int first, int last, T* b, int nrhs, std::int64_t ld) {
        int c = 0;
        for (; c + 4 <= nrhs; c += 4) detail::forward<T, n, 4>(job, first, last, b + c * ld, ld);
        for (; c < nrhs; ++c) detail::forward<T, n, 1>(job, first, last, b + c * ld, ld);
    }
    static void root_product(const tail_job<T>& job, const T* b, int nrhs, std::int64_t ld, T* z) {
        for (int c = 0; c < nrhs; ++c) detail::root_product<T, n, 1>(job, b + c * ld, ld, z + c * n);
    }
    static void root_solve(const T* l, const T* r, T* b, int nrhs, std::int64_t ld) {
        for (int c = 0; c < nrhs; ++c) {
            fast::block_forward<T, n, 1>(b + c * ld, l, r, ld);
            fast::block_backward<T, n, 1>(b + c * ld, l, r, ld);
        }
    }
    static void backward(const tail_job<T>& job, int first, int last, T* b, const T* root, int nrhs,
                         std::int64_t ld) {
        int c = 0;
        for (; c + 4 <= nrhs; c += 4)
            detail::backward<T, n, 4>(job, first, last, b + c * ld, root + c * ld, ld);
        for (; c < nrhs; ++c) detail::backward<T, n, 1>(job, first, last, b + c * ld, root + c * ld, ld);
    }
};

}  // namespace shoal::arrow::detail
