// The drop-in header against the ops: products and the forms of optimal control.

#include "compat/side_by_side.cuh"

namespace {

using namespace shoal::support;
using glass::Diag;
using glass::FillMode;
using glass::TensorAxis;
using shoal::matrix;
using shoal::vector;

template <class T>
struct glass_products : testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(glass_products, scalars);

/// op(A) op(B) with every flag, at run-time and compile-time size.
template <class T>
struct gemm_pair {
    static constexpr T alpha = T(-0.7), beta = T(1.3);
    __device__ static void theirs(T* p) {
        glass::gemm<T, true, false, true>(5u, 3u, 4u, alpha, p, p + 32, beta, p + 64);
        glass::gemm<T, 5, 3, 4, false, true>(alpha, p, p + 32, p + 96);
        glass::gemm_reduced<T, 5, 3, 4>(alpha, p, p + 32, beta, p + 128);
        glass::gemm_strided<T, 3, 2, 4, 5, 6>(alpha, p, p + 32, beta, p + 160);
        glass::gemm_tiled<T>(5u, 3u, 4u, alpha, p, p + 32, beta, p + 192, p + spare, p + spare + 64);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        const matrix<const T, 5, 4> a(p);
        const matrix<const T, 4, 3> b(p + 32);
        shoal::gemm(g, alpha, transposed(matrix<const T, 4, 5>(p)), b, beta,
                    matrix<T, 5, 3, shoal::row>(p + 64));
        shoal::gemm(g, alpha, a, transposed(matrix<const T, 3, 4>(p + 32)), T(0), matrix<T, 5, 3>(p + 96));
        shoal::gemm<shoal::gemm_policy{.algorithm = shoal::product_algorithm::split}>(
            g, alpha, a, b, beta, matrix<T, 5, 3>(p + 128));
        shoal::gemm(g, alpha, matrix<const T, 3, 4, shoal::column_ld<5>>(p),
                    matrix<const T, 4, 2, shoal::column_ld<6>>(p + 32), beta, matrix<T, 3, 2>(p + 160));
        shoal::gemm(g, alpha, a, b, beta, matrix<T, 5, 3>(p + 192));
    }
};

template <class T>
struct symmetric_pair {
    static constexpr T alpha = T(-0.7), beta = T(1.3);
    __device__ static void theirs(T* p) {
        glass::syrk<T>(4u, 3u, alpha, p, beta, p + 64);
        glass::syrk<T, 4, 3, FillMode::Upper, true, true>(alpha, p, p + 96);
        glass::syr2k<T, 4, 3, FillMode::Lower>(alpha, p, p + 32, beta, p + 128);
        glass::symm<T, FillMode::Upper>(4u, 3u, alpha, p, p + 32, beta, p + 160);
        glass::trmm<T, 4, 3, FillMode::Upper, Diag::Unit, true>(alpha, p, p + 32, p + 192);
        glass::dimm<T, true>(4u, 3u, alpha, p, p + 32, p + 224);
        glass::syrk_reduced<T, 4, 3, true>(alpha, p, beta, p + 256);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        constexpr shoal::syrk_policy split{.algorithm = shoal::product_algorithm::split};
        const matrix<const T, 4, 3> a(p);
        const matrix<const T, 4, 3> b(p + 32);
        shoal::syrk(g, alpha, a, beta, symmetric_lower(matrix<T, 4, 4>(p + 64)));
        shoal::symmetrize(g, symmetric_lower(matrix<T, 4, 4>(p + 64)));
        shoal::syrk(g, alpha, transposed(matrix<const T, 3, 4, shoal::row>(p)), T(0),
                    symmetric_upper(matrix<T, 4, 4, shoal::row>(p + 96)));
        shoal::syr2k(g, alpha, a, b, beta, symmetric_lower(matrix<T, 4, 4>(p + 128)));
        shoal::symm(g, alpha, symmetric_upper(matrix<const T, 4, 4>(p)), b, beta, matrix<T, 4, 3>(p + 160));
        shoal::trmm(g, alpha, transposed(unit_upper(matrix<const T, 4, 4>(p))), b, matrix<T, 4, 3>(p + 192));
        shoal::dimm(g, alpha, vector<const T, 3>(p), transposed(b), T(0),
                    transposed(matrix<T, 4, 3>(p + 224)));
        shoal::syrk<split>(g, alpha, transposed(a), beta, symmetric_lower(matrix<T, 3, 3>(p + 256)));
        shoal::symmetrize(g, symmetric_lower(matrix<T, 3, 3>(p + 256)));
    }
};

/// Products gathered by index, the second through a transposed factor.
template <class T>
struct indexed_pair {
    __device__ static void theirs(T* p) {
        __shared__ int index[6];
        fill(index);
        glass::gemm_batched_indexed<T, 4, false, true>(2u, index, index + 2, index + 4, p, p, p + 128);
        glass::gemm_batched_indexed<T, 4, false, false, true>(2u, index, index + 2, index + 4, p, p, p + 256);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        const int left[] = {0, 3}, right[] = {3, 1}, into[] = {2, 0};
        for (int k = 0; k < 2; ++k) {
            const matrix<const T, 4, 4> a(p + 16 * left[k]);
            const matrix<const T, 4, 4> b(p + 16 * right[k]);
            shoal::gemm(g, T(1), a, transposed(b), T(0), matrix<T, 4, 4>(p + 128 + 16 * into[k]));
            shoal::gemm(g, T(1), a, b, T(1), matrix<T, 4, 4>(p + 256 + 16 * into[k]));
        }
    }
    __device__ static void fill(int* index) {
        const int all[] = {0, 3, 3, 1, 2, 0};
        if (shoal::this_block().rank() == 0)
            for (int i = 0; i < 6; ++i) index[i] = all[i];
        // The indices, before anyone looks them up.
        shoal::this_block().sync();
    }
};

template <class T>
struct control_pair {
    static constexpr T alpha = T(-0.7), beta = T(1.3);
    __device__ static void theirs(T* p) {
        glass::tensor_vec_contract<T, 3, 4, 5, TensorAxis::A, false, true, true>(p, p + 64, p + 96);
        glass::vec_tensor_vec<T, 3, 4, 5, true>(p, p + 64, p + 72, p + 128);
        glass::congruence_sym<T, 4, 3, true>(alpha, p, p + 160, beta, p + 192, p + spare);
        glass::bilinear<T, 4, 3, 2>(alpha, p, p + 160, p + 64, beta, p + 224, p + spare);
        glass::congruence_accum<T, 3, 4>(alpha, p, p + 160, beta, p + 256, p + spare);
        glass::riccati_gain<T, 4, 2, true>(p + 160, p, p + 64, p + 176 + 128, p + 288, p + spare, T(8));
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        const shoal::tensor<const T, 3, 4, 5, shoal::row> by_rows(p);
        const shoal::tensor<const T, 3, 4, 5> by_columns(p);
        const matrix<const T, 4, 4> m(p + 160);
        const matrix<T, 4, 3> scratch(p + spare);
        shoal::tensor_vector<shoal::tensor_axis::slab_row>(g, T(1), by_rows, vector<const T, 4>(p + 64), T(1),
                                                           matrix<T, 3, 5>(p + 96));
        shoal::vector_tensor_vector(g, T(1), by_columns, vector<const T, 4>(p + 64),
                                    vector<const T, 5>(p + 72), T(1), vector<T, 3>(p + 128));
        shoal::congruence(g, alpha, matrix<const T, 4, 3>(p), m, beta, matrix<T, 3, 3>(p + 192), scratch);
        shoal::bilinear(g, alpha, matrix<const T, 4, 3>(p), m, matrix<const T, 4, 2>(p + 64), T(0),
                        matrix<T, 3, 2>(p + 224), matrix<T, 4, 2>(p + spare));
        shoal::congruence(g, alpha, transposed(matrix<const T, 3, 4>(p)), m, T(0), matrix<T, 3, 3>(p + 256),
                          scratch);
        shoal::riccati_gain(g, m, matrix<const T, 4, 4>(p), matrix<const T, 4, 2>(p + 64),
                            matrix<const T, 2, 2>(p + 176 + 128), T(8), matrix<T, 2, 4>(p + 288),
                            matrix<T, 2, 2>(p + spare), matrix<T, 2, 4>(p + spare + 8));
    }
};

/// A part of a block through its handle; the other members have none to spare.
template <class T>
struct cgrps_pair {
    __device__ static void theirs(T* p) {
        glass::cgrps::gemm<T, 3, 4, 5>(T(2), p, p + 32, p + 64);
        glass::cgrps::potrf<T>(5u, p + 96);
        glass::cgrps::trsm<T>(5u, 3u, p + 96, p + 128);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        shoal::gemm(g, T(2), matrix<const T, 3, 5>(p), matrix<const T, 5, 4>(p + 32), T(0),
                    matrix<T, 3, 4>(p + 64));
        shoal::potrf(g, lower(matrix<T, 5, 5>(p + 96)));
        shoal::trsm(g, lower(matrix<const T, 5, 5>(p + 96)), matrix<T, 5, 3>(p + 128));
    }
};

/// Without their trailing barriers, but one of the caller's.
template <class T>
struct deferred_pair {
    __device__ static void theirs(T* p) {
        glass::gemm<T, 3, 4, 5, false, false, false, false>(T(2), p, p + 32, p + 64);
        glass::axpy<T, false>(12u, T(3), p, p + 96);
        glass::set_const<T, 8, false>(T(4), p + 128);
        __syncthreads();
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_block();
        shoal::gemm(g, T(2), matrix<const T, 3, 5>(p), matrix<const T, 5, 4>(p + 32), T(0),
                    matrix<T, 3, 4>(p + 64));
        shoal::axpy(g, T(3), vector<const T, 12>(p), vector<T, 12>(p + 96));
        shoal::set(g, T(4), vector<T, 8>(p + 128));
    }
};

/// The tiers of a warp and of a thread.
template <class T>
struct warp_pair {
    __device__ static void theirs(T* p) {
        glass::warp::gemm<T, 3, 4, 5>(T(2), p, p + 32, p + 64);
        glass::warp::posv<T, 5, 3, true, false, true>(p + 96, p + 128, T(0.5));
        glass::warp::congruence_sym<T, 4, 3>(T(1), p, p + 160, T(0), p + 192, p + spare);
        const T total = glass::warp::reduce(40u, p + 256);
        p[300 + threadIdx.x] = total;
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_warp();
        shoal::gemm(g, T(2), matrix<const T, 3, 5>(p), matrix<const T, 5, 4>(p + 32), T(0),
                    matrix<T, 3, 4>(p + 64));
        shoal::shift_relative(g, T(0.5), matrix<T, 5, 5>(p + 96));
        shoal::posv(g, lower(matrix<T, 5, 5>(p + 96)), matrix<T, 5, 3>(p + 128));
        shoal::congruence(g, T(1), matrix<const T, 4, 3>(p), matrix<const T, 4, 4>(p + 160), T(0),
                          matrix<T, 3, 3>(p + 192), matrix<T, 4, 3>(p + spare));
        const T total = shoal::sum(g, vector<const T, 40>(p + 256));
        // Everyone has read its elements, before the first is replaced.
        g.sync();
        if (g.rank() == 0) p[256] = total;
        p[300 + g.rank()] = total;
    }
};
template <class T>
struct thread_pair {
    __device__ static void theirs(T* p) {
        glass::thread::gemm<T, 3, 4, 5>(T(2), p, p + 32, p + 64);
        glass::thread::posv<T, 5>(p + 96, p + 128);
        glass::thread::syrk<T, 3, 5>(T(1), p, p + 192);
    }
    __device__ static void ours(T* p) {
        const auto g = shoal::this_thread();
        shoal::gemm(g, T(2), matrix<const T, 3, 5>(p), matrix<const T, 5, 4>(p + 32), T(0),
                    matrix<T, 3, 4>(p + 64));
        shoal::posv(g, lower(matrix<T, 5, 5>(p + 96)), vector<T, 5>(p + 128));
        shoal::syrk(g, T(1), matrix<const T, 3, 5>(p), T(0), symmetric_lower(matrix<T, 3, 3>(p + 192)));
        shoal::symmetrize(g, symmetric_lower(matrix<T, 3, 3>(p + 192)));
    }
};

TYPED_TEST(glass_products, gemm_family) {
    expect_same<gemm_pair>(start<TypeParam>());
}
TYPED_TEST(glass_products, symmetric_family) {
    expect_same<symmetric_pair>(start<TypeParam>());
}
TYPED_TEST(glass_products, gathered) {
    expect_same<indexed_pair>(start<TypeParam>());
}
TYPED_TEST(glass_products, forms_and_tensors) {
    expect_same<control_pair>(start<TypeParam>({160}, 4));
}
TYPED_TEST(glass_products, cooperative_groups) {
    expect_same<cgrps_pair>(start<TypeParam>({96}, 5));
}
TYPED_TEST(glass_products, trailing_barriers_left_to_the_caller) {
    expect_same<deferred_pair>(start<TypeParam>());
}
TYPED_TEST(glass_products, warp_and_thread) {
    expect_same<warp_pair>(start<TypeParam>({96}, 5), {32});
    expect_same<thread_pair>(start<TypeParam>({96}, 5), {1});
}

}  // namespace
