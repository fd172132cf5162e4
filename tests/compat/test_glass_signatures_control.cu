// The documented signatures of the forms of optimal control, the block-tridiagonal functions and the tier of cooperative
// groups, a row each.

#include "compat/signature_rows.cuh"

namespace {

using namespace shoal::support;
using glass::BandSlot;
using glass::Diag;
using glass::FillMode;
using glass::TensorAxis;

template <class T>
__global__ void control_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::tensor_vec_contract<T, 3, 4, 4>(in, in, C);
    glass::tensor_vec_contract<T, 3, 4, 4, TensorAxis::K, true, false, true, false>(in, in, C);
    glass::tensor_vec_contract<T, 3, 4, 5, TensorAxis::A>(in, in, C);
    glass::tensor_vec_contract<T, 3, 4, 5, TensorAxis::B>(in, in, C);
    glass::warp::tensor_vec_contract<T, 3, 4, 4>(in, in, C);
    glass::warp::tensor_vec_contract<T, 3, 4, 4, TensorAxis::K, true, false, true, false>(in, in, C);
    glass::thread::tensor_vec_contract<T, 3, 4, 4>(in, in, C);
    glass::thread::tensor_vec_contract<T, 3, 4, 4, TensorAxis::K, true, false, true>(in, in, C);
    glass::vec_tensor_vec<T, 3, 4, 5>(in, in, in, C);
    glass::vec_tensor_vec<T, 3, 4, 5, true, true, false>(in, in, in, C);
    glass::warp::vec_tensor_vec<T, 3, 4, 5>(in, in, in, C);
    glass::warp::vec_tensor_vec<T, 3, 4, 5, true, true, false>(in, in, in, C);
    glass::thread::vec_tensor_vec<T, 3, 4, 5>(in, in, in, C);
    glass::thread::vec_tensor_vec<T, 3, 4, 5, true, true>(in, in, in, C);
    glass::congruence_sym<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::congruence_sym<T, 4, 3, true, false>(alpha, in, in, beta, C, scratch);
    glass::warp::congruence_sym<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::warp::congruence_sym<T, 4, 3, true, false>(alpha, in, in, beta, C, scratch);
    glass::thread::congruence_sym<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::thread::congruence_sym<T, 4, 3, true>(alpha, in, in, beta, C, scratch);
    glass::bilinear<T, 4, 3, 2>(alpha, in, in, in, beta, C, scratch);
    glass::bilinear<T, 4, 3, 2, true, false>(alpha, in, in, in, beta, C, scratch);
    glass::warp::bilinear<T, 4, 3, 2>(alpha, in, in, in, beta, C, scratch);
    glass::warp::bilinear<T, 4, 3, 2, true, false>(alpha, in, in, in, beta, C, scratch);
    glass::thread::bilinear<T, 4, 3, 2>(alpha, in, in, in, beta, C, scratch);
    glass::thread::bilinear<T, 4, 3, 2, true>(alpha, in, in, in, beta, C, scratch);
    glass::congruence_accum<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::congruence_accum<T, 4, 3, true, false>(alpha, in, in, beta, C, scratch);
    glass::warp::congruence_accum<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::warp::congruence_accum<T, 4, 3, true, false>(alpha, in, in, beta, C, scratch);
    glass::thread::congruence_accum<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::thread::congruence_accum<T, 4, 3, true>(alpha, in, in, beta, C, scratch);
    glass::riccati_gain<T, 4, 2>(in, in, in, in, C, scratch);
    glass::riccati_gain<T, 4, 2, true, false>(in, in, in, in, C, scratch, rho, fail);
    glass::warp::riccati_gain<T, 4, 2>(in, in, in, in, C, scratch);
    glass::warp::riccati_gain<T, 4, 2, true, false>(in, in, in, in, C, scratch, rho, fail);
    glass::thread::riccati_gain<T, 4, 2>(in, in, in, in, C, scratch);
    glass::thread::riccati_gain<T, 4, 2, true>(in, in, in, in, C, scratch, rho, fail);
}

template <class T>
__global__ void banded_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::bdmv<T, 5, 3>(C, in, in);
    glass::bdmv<T, 5, 3, false>(C, in, in);
    glass::bdmv<T, 5, 3>(B, C, in, in);
    glass::bdmv<T, 5, 3, false>(B, C, in, in);
    glass::bdsv_factor<T, 5, 3>(A, scratch);
    glass::bdsv_factor<T, 5, 3, true>(A, scratch, fail);
    glass::bdsv_solve<T, 5, 3>(in, B, scratch);
    glass::bdsv<T, 5, 3>(A, B, scratch);
    glass::bdsv<T, 5, 3, true>(A, B, scratch, fail);
    glass::store_block<T, 3>(A, BandSlot::LEFT, in);
    glass::store_block<T, 3, 12, true, false>(A, BandSlot::RIGHT, in, alpha);
    glass::load_block<T, 3>(A, in, BandSlot::MAIN);
    glass::load_block<T, 3, 12, true, false>(A, in, BandSlot::RIGHT, alpha);
    glass::warp::store_block<T, 3>(A, BandSlot::LEFT, in);
    glass::warp::store_block<T, 3, 12, true, false>(A, BandSlot::RIGHT, in, alpha);
    glass::warp::load_block<T, 3>(A, in, BandSlot::MAIN);
    glass::warp::load_block<T, 3, 12, true, false>(A, in, BandSlot::RIGHT, alpha);
    glass::pcg<T, 3, 5>(B, in, in, in, scratch, k, rho, alpha, piv);
    glass::pcg<T, 1, 2, false>(B, in, in, in, scratch, k, rho, alpha, piv);
}

template <class T>
__global__ void cgrps_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    const auto g = cooperative_groups::this_thread_block();
    glass::cgrps::gemm<T>(m, n, k, alpha, in, in, beta, C);
    glass::cgrps::gemm<T, true, true, true, false>(m, n, k, alpha, in, in, beta, C, g);
    glass::cgrps::gemm<T>(m, n, k, alpha, in, in, C);
    glass::cgrps::gemm<T, true, true, true, false>(m, n, k, alpha, in, in, C, g);
    glass::cgrps::gemm<T, 3, 4, 5>(alpha, in, in, beta, C);
    glass::cgrps::gemm<T, 3, 4, 5, true, true, true, false>(alpha, in, in, beta, C, g);
    glass::cgrps::gemm<T, 3, 4, 5>(alpha, in, in, C);
    glass::cgrps::gemm<T, 3, 4, 5, true, true, true, false>(alpha, in, in, C, g);
    glass::cgrps::inv<T>(n, A, scratch);
    glass::cgrps::inv<T>(n, A, scratch, g);
    glass::cgrps::potrf<T>(n, A);
    glass::cgrps::potrf<T, true>(n, A, g, fail);
    glass::cgrps::trsm<T>(n, k, in, B);
    glass::cgrps::trsm<T, FillMode::Upper, Diag::Unit, true>(n, k, in, B, g);
    glass::cgrps::gemm_reduced<T, 3, 4, 5>(alpha, A, B, beta, C);
    glass::cgrps::gemm_reduced<T, 3, 4, 5, true, true, true, false>(alpha, A, B, beta, C, g);
    glass::cgrps::gemm_reduced<T, 3, 4, 5>(alpha, A, B, C);
    glass::cgrps::gemm_reduced<T, 3, 4, 5, true, true, true, false>(alpha, A, B, C, g);
    glass::cgrps::tensor_vec_contract<T, 3, 4, 4>(in, in, C);
    glass::cgrps::tensor_vec_contract<T, 3, 4, 4, TensorAxis::K, true, false, true, false>(in, in, C, g);
    glass::cgrps::vec_tensor_vec<T, 3, 4, 5>(in, in, in, C);
    glass::cgrps::vec_tensor_vec<T, 3, 4, 5, true, true, false>(in, in, in, C, g);
    glass::cgrps::congruence_sym<T, 4, 3>(alpha, in, in, beta, C, scratch);
    glass::cgrps::congruence_sym<T, 4, 3, true, false>(alpha, in, in, beta, C, scratch, g);
    glass::cgrps::bilinear<T, 4, 3, 2>(alpha, in, in, in, beta, C, scratch);
    glass::cgrps::bilinear<T, 4, 3, 2, true, false>(alpha, in, in, in, beta, C, scratch, g);
    glass::cgrps::syrk_reduced<T, 4, 3>(alpha, in, beta, C);
    glass::cgrps::syrk_reduced<T, 4, 3, true, false>(alpha, in, beta, C, g);
    glass::cgrps::syrk_reduced<T, 4, 3>(alpha, in, C);
    glass::cgrps::syrk_reduced<T, 4, 3, true, false>(alpha, in, C, g);
    glass::cgrps::gemv<T>(m, n, alpha, in, in, beta, C);
    glass::cgrps::gemv<T, true, true, false>(m, n, alpha, in, in, C, g);
}

TEST(glass_signatures_control, every_row_compiles_for_both_types) {
    expect_compiled(control_rows<float>);
    expect_compiled(control_rows<double>);
    expect_compiled(banded_rows<float>);
    expect_compiled(banded_rows<double>);
    expect_compiled(cgrps_rows<float>);
    expect_compiled(cgrps_rows<double>);
}

TEST(glass_signatures_control, scratch_has_the_documented_size) {
    EXPECT_EQ((glass::congruence_scratch_bytes<float, 4, 3>()), 12 * sizeof(float));
    EXPECT_EQ((glass::congruence_accum_scratch_bytes<double, 4, 3>()), 24 * sizeof(double));
    EXPECT_EQ((glass::riccati_scratch_bytes<double, 4, 2>()), (4 + 16) * sizeof(double));
    EXPECT_EQ((glass::riccati_scratch_bytes<double, 2, 4>()), (16 + 8) * sizeof(double));
    EXPECT_EQ((glass::bdsv_scratch_bytes<float, 3>()), 18 * sizeof(float));
    EXPECT_EQ((glass::pcg_scratch_bytes<float, 3, 5>(64)), (5 * 7 * 3 + 2) * sizeof(float));
    EXPECT_EQ(static_cast<u32>(BandSlot::LEFT), 0u);
    EXPECT_EQ(static_cast<u32>(BandSlot::MAIN), 1u);
    EXPECT_EQ(static_cast<u32>(BandSlot::RIGHT), 2u);
}

}  // namespace
