// The signatures of the functions on vectors and of matrix times vector, a row each.

#include "compat/signature_rows.cuh"

#include <tuple>
#include <type_traits>

namespace {

using namespace shoal::support;
using glass::Diag;
using glass::FillMode;

template <class T>
__global__ void vector_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::axpy<T>(n, alpha, in, B);
    glass::axpy<T, false>(n, alpha, in, in, C);
    glass::axpy<T, 4>(alpha, in, B);
    glass::axpy<T, 4, false>(alpha, in, in, C);
    glass::warp::axpy<T>(n, alpha, in, B);
    glass::warp::axpy<T, 4>(alpha, in, B);
    glass::thread::axpy<T>(n, alpha, in, B);
    glass::thread::axpy<T, 4>(alpha, in, B);
    glass::axpby<T>(n, alpha, in, beta, in, C);
    glass::axpby<T, 4>(alpha, in, beta, in, C);
    glass::copy<T>(n, in, B);
    glass::copy<T>(n, alpha, in, B);
    glass::copy<T, 4>(in, B);
    glass::copy<T, 1>(alpha, in, B);
    glass::warp::copy<T, 4>(in, B);
    glass::thread::copy<T, 4>(in, B);
    glass::scal<T>(n, alpha, B);
    glass::scal<T>(n, alpha, in, B);
    glass::scal<T, 4>(alpha, B);
    glass::swap<T>(n, A, B);
    glass::set_const<T>(n, alpha, B);
    glass::set_const<T, 4>(alpha, B);
    glass::rot<T>(n, A, B, alpha, beta);
    glass::clip<T>(n, A, in, in);
    glass::rotg<T>(A, B, C, scratch);
    glass::elementwise_max<T>(n, in, in, C);
    glass::elementwise_min<T, 4>(in, in, C);
    glass::elementwise_abs<T>(n, in, C);
    glass::elementwise_mult<T>(n, in, in, C);
    glass::elementwise_sub<T>(n, in, in, C);
    glass::elementwise_add<T>(n, in, in, C);
    glass::elementwise_less_than<T>(n, in, in, C);
    glass::elementwise_more_than<T>(n, in, in, C);
    glass::elementwise_less_than_or_eq<T>(n, in, in, C);
    glass::elementwise_less_than_scalar<T>(n, in, alpha, C);
    glass::elementwise_and<T>(n, in, in, C);
    glass::elementwise_not<T>(n, in, C);
    glass::elementwise_mult_scalar<T>(n, in, alpha, C);
    glass::elementwise_max_scalar<T>(n, in, alpha, C);
    glass::elementwise_min_scalar<T>(n, in, alpha, C);
}

template <class T>
__global__ void reduction_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::dot<T>(n, in, B);
    glass::dot<T, false>(n, in, B);
    glass::dot<T, 4>(in, B);
    glass::dot_lowmem<T>(n, in, in, C);
    glass::dot_lowmem<T, 4, false>(in, in, C);
    glass::dot_fast<T, 4>(in, in, C, scratch);
    glass::reduce_lowmem<T, 4>(A);
    glass::reduce_fast<T, 4, false>(A, scratch);
    glass::nrm2_lowmem<T, 4>(A);
    glass::block::nrm2_fast<T, 4>(A, scratch);
    glass::asum<T, 4>(A);
    glass::infnorm<T, 4>(A);
    glass::iamax<T, 4>(in, piv, C);
    glass::dot_fast<T>(n, in, in, C, scratch);
    glass::reduce<T>(n, A);
    glass::reduce<T, 4>(A);
    glass::reduce_lowmem<T>(n, A);
    glass::reduce_fast<T>(n, A, scratch);
    T value = glass::reduce_fast<T>(alpha, scratch) + glass::reduce_fast_min<T>(alpha, scratch);
    glass::nrm2_lowmem<T>(n, A);
    glass::nrm2_fast<T>(n, A, scratch);
    glass::asum<T>(n, A);
    glass::infnorm<T>(n, A);
    glass::iamax<T>(n, in, piv);
    glass::iamax_lowmem<T>(n, in, piv, C);
    glass::iamax_fast<T>(n, in, piv, scratch, C);
    glass::argmax<T>(n, in, piv);
    glass::argmin<T, false>(n, in, piv, C);
    glass::argmax_fast<T>(n, in, piv, scratch, C);
    glass::argmin_fast<T>(n, in, piv, scratch);
    glass::prefix_sum_inclusive<T>(n, A);
    glass::prefix_sum_exclusive<T, false>(n, A);
    glass::softmax<T>(n, A);
    glass::logsumexp<T>(n, in, C);
    glass::copy_strided<T>(n, in, 2u, B, 3u);
    glass::axpy_strided<T>(n, alpha, in, 2u, B, 3u);
    glass::dot_strided<T>(n, in, 2u, in, 3u, C);
    glass::dot_strided_coalesced<T, false>(n, in, 2u, in, 3u, C);
    u32 where = n;
    glass::warp::argmax_pair<T>(value, where);
    glass::warp::argmin_pair<T>(value, where);
    piv[2] = where;
    value += glass::warp::dot<T>(n, in, in) + glass::warp::dot<T, 4>(in, in) + glass::warp::reduce<T>(alpha) +
             glass::warp::reduce_min<T>(alpha) + glass::warp::reduce_max<T>(alpha) +
             glass::warp::nrm2<T>(n, in) + glass::warp::asum<T>(n, in) + glass::warp::infnorm<T>(n, in);
    value += glass::thread::dot<T>(n, in, in) + glass::thread::dot<T, 4>(in, in) +
             glass::thread::reduce<T>(n, in) + glass::thread::nrm2<T>(n, in) + glass::thread::asum<T>(n, in) +
             glass::thread::infnorm<T>(n, in);
    value += glass::warp::reduce(n, B) + glass::warp::reduce<T, 4>(B) + glass::warp::nrm2<T, 4>(in) +
             glass::warp::asum<T, 4>(in) + glass::warp::infnorm<T, 4>(in);
    value += glass::thread::reduce<T, 4>(in) + glass::thread::nrm2<T, 4>(in) + glass::thread::asum<T, 4>(in) +
             glass::thread::infnorm<T, 4>(in);
    piv[1] = glass::warp::iamax<T>(n, in) + glass::thread::iamax<T>(n, in);
    T p[32];
    for (int i = 0; i < 32; ++i) p[i] = in[i];
    C[1] = value + glass::reduced_tree32<T>(p);
}

template <class T>
__global__ void matrix_rows(row_arguments<T> r) {
    const auto [alpha, beta, rho, in, A, B, C, scratch, mats, m, n, k, dims, piv, ipiv, idx, fail, inertia] =
        r;
    glass::gemv<T>(m, n, alpha, in, in, beta, C);
    glass::gemv<T, true, true, false>(m, n, alpha, in, in, C);
    glass::gemv<T, 4, 3>(alpha, in, in, beta, C);
    glass::gemv<T, 4, 3, true, true, false>(alpha, in, in, C);
    glass::warp::gemv<T, 4, 3>(alpha, in, in, beta, C);
    glass::warp::gemv<T, 4, 3, true, true>(alpha, in, in, C);
    glass::thread::gemv<T, 4, 3>(alpha, in, in, beta, C);
    glass::thread::gemv<T, 4, 3, true, true>(alpha, in, in, C);
    glass::gemv_reduced<T, 4, 3>(alpha, in, in, beta, C);
    glass::warp::gemv_reduced<T, 4, 3, true>(alpha, in, in, beta, C);
    glass::gemv_strided<T, 4, 3, 6>(alpha, in, in, beta, C);
    glass::ger<T>(m, n, alpha, in, in, A);
    glass::trmv<T>(n, in, in, C);
    glass::trmv<T, FillMode::Upper, Diag::Unit, true, false>(n, in, in, C);
    glass::trmv_inplace<T>(n, in, B, scratch);
    glass::set_identity<T>(n, A);
    glass::add_identity<T>(n, A, alpha);
    glass::transpose<T>(n, A);
    glass::transpose<T>(m, n, in, C);
    glass::symmetrize<T>(n, A);
}

TEST(glass_signatures_vectors, every_row_compiles_for_both_types) {
    expect_compiled(vector_rows<float>);
    expect_compiled(vector_rows<double>);
    expect_compiled(reduction_rows<float>);
    expect_compiled(reduction_rows<double>);
    expect_compiled(matrix_rows<float>);
    expect_compiled(matrix_rows<double>);
}

TEST(glass_signatures_vectors, scratch_has_the_documented_size) {
    EXPECT_EQ(glass::dot_fast_scratch_bytes<float>(65), 3 * sizeof(float));
    EXPECT_EQ(glass::iamax_fast_scratch_bytes<double>(64), 4 * sizeof(double));
    EXPECT_EQ(glass::trmv_scratch_bytes<double>(5), 5 * sizeof(double));
    EXPECT_EQ(glass::reduce_fast_scratch_bytes<float>(65), 3 * sizeof(float));
    EXPECT_EQ(glass::nrm2_fast_scratch_bytes<double>(32), sizeof(double));
    EXPECT_EQ(glass::argreduce_scratch_bytes<double>(64), 4 * sizeof(double));
}

/// A tier has the enumerations and the scratch helpers under its own name; all names mean one thing.
template <class... Of>
constexpr bool same = (std::is_same_v<typename std::tuple_element<0, std::tuple<Of...>>::type, Of> && ...);

TEST(glass_signatures_vectors, enumerations_and_scratch_helpers_have_a_name_in_every_tier) {
    EXPECT_TRUE((same<FillMode, glass::block::FillMode, glass::warp::FillMode, glass::thread::FillMode,
                      glass::cgrps::FillMode>));
    EXPECT_TRUE((same<Diag, glass::block::Diag, glass::warp::Diag, glass::thread::Diag, glass::cgrps::Diag>));
    EXPECT_TRUE((same<glass::BandSlot, glass::block::BandSlot, glass::warp::BandSlot>));
    EXPECT_TRUE((same<glass::TensorAxis, glass::block::TensorAxis, glass::warp::TensorAxis,
                      glass::thread::TensorAxis, glass::cgrps::TensorAxis>));
    EXPECT_EQ((glass::block::pcg_scratch_bytes<float, 2, 3>(64)), 52 * sizeof(float));
    EXPECT_EQ((glass::block::bdsv_scratch_bytes<float, 3>()), 18 * sizeof(float));
    EXPECT_EQ(glass::block::inv_scratch_bytes<float>(3), 7 * sizeof(float));
    EXPECT_EQ((glass::warp::riccati_scratch_bytes<double, 4, 2>()),
              (glass::riccati_scratch_bytes<double, 4, 2>()));
    EXPECT_EQ(glass::block::syev_scratch_bytes<double>(2), 10 * sizeof(double));
    EXPECT_EQ((glass::cgrps::congruence_scratch_bytes<double, 4, 2>()), 8 * sizeof(double));
    EXPECT_FALSE((glass::block::suggested_use_reduced<8, 64, 32>()));
}

}  // namespace
