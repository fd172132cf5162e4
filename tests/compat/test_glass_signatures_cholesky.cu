// The documented signatures of the Cholesky family and of the inverses, a row each.

#include "compat/signature_rows.cuh"

namespace {

using namespace shoal::support;

template <class T>
__global__ void cholesky_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::potrf<T>(n, A);
    glass::potrf<T, true, false>(n, A, fail);
    glass::potrf<T, 4>(A);
    glass::potrf<T, 1, true, false>(A, fail);
    glass::potrf<T>(k, dims, m, mats);
    glass::potrf<T, false>(k, dims, m, mats, fail);
    glass::potrf<T>(m, n, k, A, B);
    glass::potrf<T, false>(m, n, k, A, B, fail);
    glass::potrf<T>(m, n, k, m, A, B, C);
    glass::potrf<T, false>(m, n, k, m, A, B, C, fail);
    glass::warp::potrf<T, 4>(A);
    glass::warp::potrf<T, 4, true>(A, fail);
    glass::thread::potrf<T, 4>(A);
    glass::thread::potrf<T, 4, true>(A, fail);
    glass::posv<T>(n, A, B);
    glass::posv<T, false>(n, A, B);
    glass::posv<T, 4>(A, B);
    glass::posv<T>(n, k, A, B);
    glass::posv<T, true, true, true, false>(n, k, A, B, rho, fail);
    glass::posv<T, 4, 3>(A, B);
    glass::posv<T, 4, 1, true, true, true, false>(A, B, rho, fail);
    glass::warp::posv<T, 4>(A, B);
    glass::warp::posv<T, 4, 3>(A, B);
    glass::warp::posv<T, 4, 1, true, true, true>(A, B, rho, fail);
    glass::thread::posv<T, 4>(A, B);
    glass::potrs<T>(n, in, B);
    glass::potrs<T, false>(n, in, B);
    glass::potrs<T, 4>(in, B);
    glass::potrs<T>(n, k, in, B);
    glass::potrs<T, false>(n, k, in, B);
    glass::potrs<T, 4, 3>(in, B);
    glass::potrs<T, 4, 3, false>(in, B);
    glass::warp::potrs<T, 4>(in, B);
    glass::thread::potrs<T, 4>(in, B);
}

template <class T>
__global__ void inverse_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::inv<T>(n, A, scratch);
    glass::inv<T, false>(n, A, scratch, fail);
    glass::inv<T, 4>(A, scratch);
    glass::inv<T, 1, false>(A, scratch, fail);
    glass::inv<T>(k, dims, m, mats, scratch);
    glass::inv<T, false>(k, dims, m, mats, scratch, fail);
    glass::inv<T>(m, n, k, A, B, scratch);
    glass::inv<T, false>(m, n, k, A, B, scratch, fail);
    glass::inv<T>(m, n, k, m, A, B, C, scratch);
    glass::inv<T, false>(m, n, k, m, A, B, C, scratch, fail);
    glass::warp::inv<T, 4>(A, scratch);
    glass::thread::inv<T, 4>(A, scratch);
    glass::inv_pivoted<T>(n, A, scratch);
    glass::inv_pivoted<T, false>(n, A, scratch, fail);
    glass::inv_pivoted<T, 4>(A, scratch);
    glass::inv_pivoted<T, 4, false>(A, scratch, fail);
    glass::inv_dense<T>(n, A, B, scratch);
    glass::inv_dense<T, false>(n, A, B, scratch, fail);
    glass::inv_dense<T, 4>(A, B, scratch);
    glass::inv_dense<T, 4, false>(A, B, scratch, fail);
}

TEST(glass_signatures_cholesky, every_row_compiles_for_both_types) {
    expect_compiled(cholesky_rows<float>);
    expect_compiled(cholesky_rows<double>);
    expect_compiled(inverse_rows<float>);
    expect_compiled(inverse_rows<double>);
}

TEST(glass_signatures_cholesky, scratch_has_the_documented_size) {
    EXPECT_EQ(glass::inv_scratch_bytes<float>(5), 11 * sizeof(float));
    EXPECT_EQ(glass::inv_pivoted_scratch_bytes<double>(5), 16 * sizeof(double));
    EXPECT_EQ(glass::inv_dense_scratch_bytes<double>(5), 15 * sizeof(double));
    const u32 dims[] = {2, 3, 4};
    EXPECT_EQ(glass::inv_fused_scratch_bytes<float>(3, dims), (5 + 7 + 9) * sizeof(float));
}

}  // namespace
