#pragma once

#include <shoal/group/collectives.hpp>
#include <shoal/view/tensor.hpp>

namespace shoal {

/// Which index of a tensor a contraction sums over.
enum class tensor_axis { slab, slab_row, slab_column };

/// M := alpha sum over one axis of v(c) T(.., c, ..) + beta M, T of K x A x B.
///
/// Axis `slab` gives A x B from v of K elements, `slab_row` gives K x B from v of A, `slab_column` gives K x A from v of B. With
/// the Hessians of K functions as slabs, `slab` folds them by multipliers.
/// Order: one chain of fused multiply-adds an element in ascending c, then `fma(beta, m, alpha * chain)`: the same bits at
/// every scope and group size. beta = 0 never reads M, alpha = 0 never reads T and v. M must not overlap T or v.
/// Barriers: the exit barrier. Cost: K A B FMA, the elements of M shared by the members. Equivalent:
/// `numpy.einsum("kab,k->ab", T, v)`, `"kab,a->kb"`, `"kab,b->ka"`.
template <tensor_axis Axis, Group G, class Tensor, VectorView V, MatrixView M>
SHOAL_FN void tensor_vector(const G& g, typename M::value_type alpha, Tensor t, V v,
                            typename M::value_type beta, M m) {
    constexpr int slabs = Tensor::static_slabs;
    constexpr int slab_rows = Tensor::static_rows;
    constexpr int slab_cols = Tensor::static_cols;
    static_assert(detail::extents_agree < V::static_size,
                  Axis == tensor_axis::slab       ? slabs
                  : Axis == tensor_axis::slab_row ? slab_rows
                                                  : slab_cols >,
                  "tensor_vector: v has not as many elements as the tensor along this axis");
    static_assert(detail::extents_agree < M::static_rows, Axis == tensor_axis::slab ? slab_rows : slabs >,
                  "tensor_vector: M and the tensor differ in rows");
    static_assert(detail::extents_agree < M::static_cols,
                  Axis == tensor_axis::slab_column ? slab_rows : slab_cols >,
                  "tensor_vector: M and the tensor differ in columns");
    static_assert(detail::writable<M>, "tensor_vector writes M, but its elements are const");
    using T = typename M::value_type;
    using how = flatten<G, Tensor::static_slabs, Tensor::static_rows, Tensor::static_cols>;
    const int rows = m.rows();
    const int cols = m.cols();
    const int depth = alpha == 0 ? 0 : v.size();
    // Neighbours in the group read neighbours in a slab: whole slabs apart, lanes would meet at the same banks.
    constexpr bool along_rows = Axis != tensor_axis::slab;
    strided(how{}, g, rows * cols, [&](int e) SHOAL_INLINE_LAMBDA {
        const int i = along_rows ? e / cols : e % rows;
        const int j = along_rows ? e % cols : e / rows;
        T sum = 0;
        core::loop(how{}, 0, depth, [&](int c) SHOAL_INLINE_LAMBDA {
            const T entry = Axis == tensor_axis::slab       ? t(c, i, j)
                            : Axis == tensor_axis::slab_row ? t(i, c, j)
                                                            : t(i, j, c);
            sum = core::fma(v(c), entry, sum);
        });
        m(i, j) = beta == 0 ? alpha * sum : core::fma(beta, m(i, j), alpha * sum);
    });
    // The elements of M that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

/// s(k) := alpha u' T_k w + beta s(k) for every slab T_k of A x B, u of A, w of B, s of K elements.
///
/// Order: for each slab the chain over the columns b of `w(b) * (chain over the rows a of u(a) t(a, b))`; the same bits
/// at every scope and group size. beta = 0 never reads s, alpha = 0 never reads T, u and w. s must not overlap them.
/// Barriers: the exit barrier. Cost: K (A + 1) B FMA, the slabs shared by the members. Equivalent:
/// `numpy.einsum("kab,a,b->k", T, u, w)`.
template <Group G, class Tensor, VectorView U, VectorView W, VectorView S>
SHOAL_FN void vector_tensor_vector(const G& g, typename S::value_type alpha, Tensor t, U u, W w,
                                   typename S::value_type beta, S s) {
    static_assert(detail::extents_agree<U::static_size, Tensor::static_rows>,
                  "vector_tensor_vector: u has not as many elements as a slab has rows");
    static_assert(detail::extents_agree<W::static_size, Tensor::static_cols>,
                  "vector_tensor_vector: w has not as many elements as a slab has columns");
    static_assert(detail::extents_agree<S::static_size, Tensor::static_slabs>,
                  "vector_tensor_vector: s has not as many elements as there are slabs");
    static_assert(detail::writable<S>, "vector_tensor_vector writes s, but its elements are const");
    using T = typename S::value_type;
    using how = flatten<G, Tensor::static_slabs, Tensor::static_rows, Tensor::static_cols>;
    const int rows = alpha == 0 ? 0 : u.size();
    strided(how{}, g, s.size(), [&](int k) SHOAL_INLINE_LAMBDA {
        T sum = 0;
        core::loop(how{}, 0, alpha == 0 ? 0 : w.size(), [&](int b) SHOAL_INLINE_LAMBDA {
            T inner = 0;
            core::loop(how{}, 0, rows,
                       [&](int a) SHOAL_INLINE_LAMBDA { inner = core::fma(u(a), t(k, a, b), inner); });
            sum = core::fma(w(b), inner, sum);
        });
        s(k) = beta == 0 ? alpha * sum : core::fma(beta, s(k), alpha * sum);
    });
    // The elements of s that other members wrote.
    if constexpr (syncs_on_exit<G>) g.sync();
}

}  // namespace shoal
