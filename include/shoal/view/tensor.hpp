#pragma once

#include <shoal/view/matrix.hpp>

namespace shoal {

/// K matrices of A x B, one behind the other: element (k, a, b) is element (a, b) of slab k. A slab must have fewer than
/// 2^31 elements; all of them together may have more.
///
/// \tparam Layout storage of a slab: `column` (default) or `row`, without padding
template <class T, int K = dynamic, int A = dynamic, int B = dynamic, class Layout = column>
class tensor : detail::extent<K, 0>, detail::extent<A, 1>, detail::extent<B, 2> {
    using slab_base = detail::extent<K, 0>;
    using row_base = detail::extent<A, 1>;
    using col_base = detail::extent<B, 2>;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    static constexpr int static_slabs = K;
    static constexpr int static_rows = A;
    static constexpr int static_cols = B;

    /// Everything is static.
    SHOAL_FN constexpr explicit tensor(T* data) requires(K != dynamic && A != dynamic && B != dynamic)
        : tensor(data, K, A, B) {}
    /// Static extents must be given as they are.
    SHOAL_FN constexpr tensor(T* data, int slabs, int rows, int cols)
        : slab_base(slabs), row_base(rows), col_base(cols), data_(data) {}

    SHOAL_FN constexpr T* data() const { return data_; }
    SHOAL_FN constexpr int slabs() const { return slab_base::get(); }
    SHOAL_FN constexpr int rows() const { return row_base::get(); }
    SHOAL_FN constexpr int cols() const { return col_base::get(); }
    SHOAL_FN constexpr T& operator()(int k, int a, int b) const { return slab(k)(a, b); }
    /// Slab k as a matrix.
    SHOAL_FN constexpr matrix<T, A, B, Layout> slab(int k) const {
        return {data_ + std::int64_t{k} * (rows() * cols()), rows(), cols()};
    }

  private:
    T* data_ = nullptr;
};

template <class T>
tensor(T*, int, int, int) -> tensor<T>;

}  // namespace shoal
