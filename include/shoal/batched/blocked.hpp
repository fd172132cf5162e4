#pragma once

#include <shoal/batched/operands.hpp>

namespace shoal::batched {

/// Blocks of W interleaved systems: element e of system s at `data[(s / W) * stride + e * W + s % W]`, e counted by
/// columns. A block is `stride` elements, Rows * Cols * W unless gaps are wanted; the last one is complete, whether or not
/// the batch fills it.
template <class T, int W, int Rows, int Cols>
class blocked_matrices {
  public:
    using view = matrix<T, Rows, Cols, strided_column<W>>;
    static constexpr int block_systems = W;
    static_assert(W >= 1 && Rows >= 1 && Cols >= 1, "blocked_matrices: extents are static");

    constexpr blocked_matrices() = default;
    SHOAL_FN constexpr explicit blocked_matrices(T* data, std::int64_t stride = std::int64_t{W} * Rows * Cols)
        : data_(data), stride_(stride) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return view(data_ + system / W * stride_ + system % W);
    }
    SHOAL_FN static constexpr int rows() { return Rows; }
    SHOAL_FN static constexpr int columns() { return Cols; }
    SHOAL_FN static constexpr bool empty() { return false; }
    SHOAL_FN constexpr bool null() const { return data_ == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    constexpr detail::footprint footprint(std::int64_t systems) const {
        return {{std::int64_t{Rows} * Cols, W, (systems + W - 1) / W, 1}, {W, 1, stride_, 0}};
    }

  private:
    T* data_ = nullptr;
    std::int64_t stride_ = 0;
};

/// Blocks of W interleaved vectors: element i of system s at `data[(s / W) * stride + i * W + s % W]`.
template <class T, int W, int N>
class blocked_vectors {
  public:
    using view = vector<T, N, W>;
    static constexpr int block_systems = W;
    static_assert(W >= 1 && N >= 1, "blocked_vectors: extents are static");

    constexpr blocked_vectors() = default;
    SHOAL_FN constexpr explicit blocked_vectors(T* data, std::int64_t stride = std::int64_t{W} * N)
        : data_(data), stride_(stride) {}

    SHOAL_FN constexpr view operator()(std::int64_t system) const {
        return view(data_ + system / W * stride_ + system % W);
    }
    SHOAL_FN static constexpr int rows() { return N; }
    SHOAL_FN static constexpr bool empty() { return false; }
    SHOAL_FN constexpr bool null() const { return data_ == nullptr; }
    SHOAL_FN constexpr bool shared() const { return stride_ == 0; }
    constexpr detail::footprint footprint(std::int64_t systems) const {
        return {{N, W, (systems + W - 1) / W, 1}, {W, 1, stride_, 0}};
    }

  private:
    T* data_ = nullptr;
    std::int64_t stride_ = 0;
};

namespace detail {

/// How many systems follow each other in memory element by element, from a multiple of that number on: all, W, or 1.
template <class A>
inline constexpr std::int64_t neighbours = 1;
template <class T, int Rows, int Cols>
inline constexpr std::int64_t neighbours<interleaved_matrices<T, Rows, Cols>> = std::int64_t{1} << 40;
template <class T, int N>
inline constexpr std::int64_t neighbours<interleaved_vectors<T, N>> = std::int64_t{1} << 40;
template <class T, int W, int Rows, int Cols>
inline constexpr std::int64_t neighbours<blocked_matrices<T, W, Rows, Cols>> = W;
template <class T, int W, int N>
inline constexpr std::int64_t neighbours<blocked_vectors<T, W, N>> = W;

}  // namespace detail

}  // namespace shoal::batched
