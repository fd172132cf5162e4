// The documented signatures of LU, triangular solves, LDL' and the eigenvalues, a row each.

#include "compat/signature_rows.cuh"

namespace {

using namespace shoal::support;
using glass::Diag;
using glass::FillMode;

template <class T>
__global__ void lu_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::laswp<T>(n, m, A, dims, 0u, k);
    glass::laswp<T, true, false>(n, m, A, dims, 0u, k);
    glass::laswp<T>(n, A, dims, 0u, k);
    glass::laswp<T, true, false>(n, A, dims, 0u, k);
    glass::laswp<T>(dims, 0u, k, A);
    glass::laswp<T, true, false>(dims, 0u, k, A);
    glass::getrf<T>(n, A, piv);
    glass::getrf<T, true, false>(n, A, piv, fail);
    glass::getrf<T, 4>(A, piv);
    glass::getrf<T, 4, true, false>(A, piv, fail);
    glass::getrs<T>(n, k, in, dims, B);
    glass::getrs<T, true, false>(n, k, in, dims, B);
    glass::getrs<T, 4, 3>(in, dims, B);
    glass::getrs<T, 4, 3, true, false>(in, dims, B);
    glass::gesv<T>(n, k, A, piv, B);
    glass::gesv<T, true, false>(n, k, A, piv, B, fail);
    glass::gesv<T, 4, 3>(A, piv, B);
    glass::gesv<T, 4, 3, true, false>(A, piv, B, fail);
    glass::trsm<T>(n, k, in, B);
    glass::trsm<T, FillMode::Upper, Diag::Unit, true, false>(n, k, in, B);
    glass::trsm<T, 4, 3>(in, B);
    glass::trsm<T, 4, 3, FillMode::Upper, Diag::Unit, true, false>(in, B);
    glass::warp::trsm<T, 4, 3>(in, B);
    glass::warp::trsm<T, 4, 3, FillMode::Upper, Diag::Unit, true>(in, B);
    glass::thread::trsm<T, 4, 3>(in, B);
    glass::thread::trsm<T, 4, 3, FillMode::Upper, Diag::Unit, true>(in, B);
    glass::warp::trsv<T, 4>(in, B);
    glass::warp::trsv<T, 4, FillMode::Upper, Diag::Unit, true>(in, B);
    glass::trsv<T>(n, in, B);
    glass::trsv<T, 4>(in, B);
    glass::thread::trsv<T, 4>(in, B);
}

template <class T>
__global__ void ldlt_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::ldlt<T>(n, A, scratch);
    glass::ldlt<T, true, false>(n, A, scratch, true, ipiv, fail, inertia);
    glass::ldlt<T, 4>(A, scratch);
    glass::ldlt<T, 4, true, false>(A, scratch, true, ipiv, fail, inertia);
    glass::ldlt_solve<T>(n, in, B);
    glass::ldlt_solve<T, false>(n, in, B, ipiv);
    glass::ldlt_solve<T, 4>(in, B);
    glass::ldlt_solve<T, 4, false>(in, B, ipiv);
    glass::warp::ldlt<T, 4>(A);
    glass::warp::ldlt<T, 4, true>(A, fail, inertia);
    glass::warp::ldlt_solve<T, 4>(in, B);
    glass::thread::ldlt<T, 4>(A);
    glass::thread::ldlt<T, 4, true>(A, fail, inertia);
    glass::thread::ldlt_solve<T, 4>(in, B);
    glass::syev<T>(n, in, B, C, scratch);
    glass::syev<T, false>(n, in, B, C, scratch);
    glass::syev<T, 4>(in, B, C, scratch);
    glass::syev<T, 4, false>(in, B, C, scratch);
    glass::eig_clamp<T>(n, A, rho, scratch);
    glass::eig_clamp<T, false>(n, A, rho, scratch);
    glass::eig_clamp<T, 4>(A, rho, scratch);
    glass::eig_clamp<T, 4, false>(A, rho, scratch);
}

TEST(glass_signatures_lu, every_row_compiles_for_both_types) {
    expect_compiled(lu_rows<float>);
    expect_compiled(lu_rows<double>);
    expect_compiled(ldlt_rows<float>);
    expect_compiled(ldlt_rows<double>);
}

TEST(glass_signatures_lu, scratch_has_the_documented_size) {
    EXPECT_EQ(glass::ldlt_scratch_bytes<float>(5), 6 * sizeof(float));
    EXPECT_EQ(glass::syev_scratch_bytes<double>(5), 34 * sizeof(double));
    EXPECT_EQ(glass::eig_clamp_scratch_bytes<double>(5), 64 * sizeof(double));
    EXPECT_EQ(glass::syev_eps<float>(), 0x1p-23f);
    EXPECT_EQ(glass::syev_eps<double>(), 0x1p-52);
    // What the ops need is never more.
    for (int n = 0; n < 70; ++n) {
        EXPECT_LE(static_cast<std::size_t>(shoal::syev_scratch(n)),
                  glass::syev_scratch_bytes<float>(static_cast<u32>(n)) / sizeof(float));
        EXPECT_LE(static_cast<std::size_t>(shoal::eig_clamp_scratch(n)),
                  glass::eig_clamp_scratch_bytes<float>(static_cast<u32>(n)) / sizeof(float));
    }
}

}  // namespace
