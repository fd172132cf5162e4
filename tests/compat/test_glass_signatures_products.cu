// The documented signatures of the products, a row each.

#include "compat/signature_rows.cuh"

namespace {

using namespace shoal::support;
using glass::Diag;
using glass::FillMode;

template <class T>
__global__ void gemm_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::gemm<T>(m, n, k, alpha, in, in, beta, C);
    glass::gemm<T, true, true, true, false>(m, n, k, alpha, in, in, beta, C);
    glass::gemm<T>(m, n, k, alpha, in, in, C);
    glass::gemm<T, false, true, false, true>(m, n, k, alpha, in, in, C);
    glass::gemm<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::gemm<T, 3, 4, 5, true, false, true, false>(alpha, in, in, beta, C);
    glass::gemm<T, 3, 4, 5>(alpha, in, in, C);
    glass::gemm<T, 1, 1, 1, true, true, false, true>(alpha, in, in, C);
    glass::block::gemm<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::gemm_tiled<T>(m, n, k, alpha, in, in, beta, C, A, B);
    glass::gemm_tiled<T, 4>(m, n, k, alpha, in, in, beta, C, A, B);
    glass::gemm_dispatch<T>(m, n, k, alpha, in, in, beta, C);
    glass::gemm_dispatch<T, 16>(m, n, k, alpha, in, in, beta, C, A, B);
    glass::warp::gemm<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::warp::gemm<T, 3, 4, 5, true, true, true>(alpha, in, in, C);
    glass::thread::gemm<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::thread::gemm<T, 3, 4, 5, true, true, true>(alpha, in, in, C);
    glass::gemm_reduced<T, 3, 4, 5>(alpha, A, B, beta, C);
    glass::gemm_reduced<T, 3, 4, 5, true, true, true, false>(alpha, A, B, C);
    glass::warp::gemm_reduced<T, 3, 4, 5>(alpha, A, B, beta, C);
    glass::warp::gemm_reduced<T, 3, 4, 5, true, true, true, false>(alpha, A, B, C);
    glass::gemm_strided<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::gemm_strided<T, 3, 4, 5, 6, 7>(alpha, in, in, C);
    glass::gemm_batched_indexed<T>(n, idx, idx, idx, in, in, C);
    glass::gemm_batched_indexed<T, 3, true, true, true, u32>(n, dims, dims, dims, in, in, C);
}

template <class T>
__global__ void symmetric_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::syrk<T>(n, k, alpha, in, beta, C);
    glass::syrk<T, FillMode::Upper, true, true, false>(n, k, alpha, in, C);
    glass::syrk<T, 4, 3>(alpha, in, beta, C);
    glass::syrk<T, 4, 3, FillMode::Lower, true, true, false>(alpha, in, C);
    glass::warp::syrk<T, 4, 3>(alpha, in, beta, C);
    glass::warp::syrk<T, 4, 3, FillMode::Upper, true, true>(alpha, in, C);
    glass::thread::syrk<T, 4, 3>(alpha, in, beta, C);
    glass::thread::syrk<T, 4, 3, FillMode::Lower, true, true>(alpha, in, C);
    glass::syr2k<T>(n, k, alpha, in, in, beta, C);
    glass::syr2k<T, FillMode::Upper, true, true, false>(n, k, alpha, in, in, C);
    glass::syr2k<T, 4, 3>(alpha, in, in, beta, C);
    glass::syr2k<T, 4, 3, FillMode::Lower, true, true, false>(alpha, in, in, C);
    glass::warp::syr2k<T, 4, 3>(alpha, in, in, beta, C);
    glass::warp::syr2k<T, 4, 3, FillMode::Upper, true, true>(alpha, in, in, C);
    glass::thread::syr2k<T, 4, 3>(alpha, in, in, beta, C);
    glass::thread::syr2k<T, 4, 3, FillMode::Lower, true, true>(alpha, in, in, C);
    glass::syrk_reduced<T, 4, 3>(alpha, in, beta, C);
    glass::syrk_reduced<T, 4, 3, true, false>(alpha, in, C);
    glass::warp::syrk_reduced<T, 4, 3>(alpha, in, beta, C);
    glass::warp::syrk_reduced<T, 4, 3, true, false>(alpha, in, C);
    glass::symm<T>(n, m, alpha, in, in, beta, C);
    glass::symm<T, FillMode::Upper, false>(n, m, alpha, in, in, C);
    glass::symm<T, 4, 3>(alpha, in, in, beta, C);
    glass::symm<T, 4, 3, FillMode::Upper, false>(alpha, in, in, C);
    glass::trmm<T>(n, m, alpha, in, in, C);
    glass::trmm<T, FillMode::Upper, Diag::Unit, true, false>(n, m, alpha, in, in, C);
    glass::trmm<T, 4, 3>(alpha, in, in, C);
    glass::trmm<T, 4, 3, FillMode::Upper, Diag::Unit, true, false>(alpha, in, in, C);
    glass::dimm<T>(m, n, alpha, in, in, C);
    glass::dimm<T, true, false>(m, n, alpha, in, in, C);
    glass::dimm<T, 4, 3>(alpha, in, in, C);
    glass::dimm<T, 4, 3, true, false>(alpha, in, in, C);
}

TEST(glass_signatures_products, every_row_compiles_for_both_types) {
    expect_compiled(gemm_rows<float>);
    expect_compiled(gemm_rows<double>);
    expect_compiled(symmetric_rows<float>);
    expect_compiled(symmetric_rows<double>);
}

TEST(glass_signatures_products, enumerations_and_helpers_have_the_documented_values) {
    EXPECT_EQ(static_cast<u32>(FillMode::Lower), 0u);
    EXPECT_EQ(static_cast<u32>(FillMode::Upper), 1u);
    EXPECT_EQ(static_cast<u32>(FillMode::Full), 2u);
    EXPECT_EQ(static_cast<u32>(Diag::NonUnit), 0u);
    EXPECT_EQ(static_cast<u32>(Diag::Unit), 1u);
    constexpr bool reduced = glass::suggested_use_reduced<4, 100, 256>();
    EXPECT_FALSE(reduced);
    EXPECT_EQ(glass_gemm_dispatch_smem<float>(4, 5, 64, 8), (4 + 5) * 8 * sizeof(float));
    EXPECT_EQ(glass_gemm_dispatch_smem<float>(9, 9, 64, 8), 0u);
}

}  // namespace
