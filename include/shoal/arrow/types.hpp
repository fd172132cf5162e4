#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

/// \file
/// The block-arrow problem: its extent, where its blocks lie in memory, what a factorisation reports.
///
/// K x = b, K symmetric positive definite: M *tails*, each a chain of N *stages* x_1 .. x_N of n unknowns,
/// and one *root* x_0 of n unknowns. In a tail only neighbours are coupled; the root is coupled to x_1 of
/// every tail alone.
///
/// The tree of the unknowns, stage numbers k = 0 .. N-1 as in memory (k = 0 is x_1, k = N-1 the free end
/// x_N):
///
///                 .-- x_1 -- x_2 -- ... -- x_N    tail 0
///         root ---+-- x_1 -- x_2 -- ... -- x_N    tail 1
///          x_0    '-- x_1 -- x_2 -- ... -- x_N    tail M-1
///                     k=0    k=1           k=N-1
///
/// The matrix for M = 2, N = 3; every letter is an n x n block, `'` its transpose:
///
///                   tail 0            tail 1        root
///              x_1  x_2  x_3     x_1  x_2  x_3      x_0
///         x_1 [ D0   E0'  .    |  .    .    .    |  C0' ]
///         x_2 [ E0   D1   E1'  |  .    .    .    |   .  ]
///         x_3 [ .    E1   D2   |  .    .    .    |   .  ]
///             [----------------+-----------------+------]
///         x_1 [ .    .    .    |  D0   E0'  .    |  C1' ]
///         x_2 [ .    .    .    |  E0   D1   E1'  |   .  ]
///         x_3 [ .    .    .    |  .    E1   D2   |   .  ]
///             [----------------+-----------------+------]
///         x_0 [ C0   .    .    |  C1   .    .    |   R  ]
///
/// So E_k = K(stage k+1, stage k): its *row* index runs over the unknowns of the stage farther from the root,
/// its *column* index over those of the nearer stage. And C_i = K(root, x_1 of tail i): rows root, columns
/// x_1.
///
/// Storage: four arrays of blocks, one block after the other, each block n x n in column-major order (element
/// (r, c) of a block at r + n * c), the stages of a tail one after the other, tail after tail:
///
///         diagonal   [ D0 D1 .. D(N-1) | D0 D1 .. D(N-1) | .. ]    M * N blocks, lower triangles are read
///
///         lower      [ E0 .. E(N-2)    | E0 .. E(N-2)    | .. ]    M * (N - 1) blocks
///
///         coupling   [ C0              | C1              | .. ]    M blocks
///
///         root       [ R ]                                         1 block, lower triangle is read
///
/// Vectors (b and x): the stages in the same order, then the root:
///
///         [ x_1 x_2 .. x_N | x_1 x_2 .. x_N | .. | x_0 ]           n * (M * N + 1) numbers
///
/// Stages of fewer than n unknowns, and tails of fewer than N stages, are padded with identity diagonal
/// blocks and zero couplings at the free end, which changes no other number: see storage.hpp.

namespace shoal::arrow {

/// M tails of N stages each.
struct extent {
    int tails;   ///< M >= 0
    int stages;  ///< N >= 1

    friend constexpr bool operator==(extent, extent) = default;
};

/// Unknowns of the whole system.
constexpr std::int64_t unknowns(extent e, int n) {
    return (static_cast<std::int64_t>(e.tails) * e.stages + 1) * n;
}

/// The extent itself, where it can be one; throws std::invalid_argument otherwise.
inline extent checked(extent e) {
    if (e.tails < 0)
        throw std::invalid_argument("arrow: tails = " + std::to_string(e.tails) + ", must be at least 0");
    if (e.stages < 1)
        throw std::invalid_argument("arrow: stages = " + std::to_string(e.stages) + ", must be at least 1");
    return e;
}

/// Where the blocks of K lie: see the top of this file for the picture. Host or device pointers; owns
/// nothing.
template <class T>
struct matrix_view {
    T* diagonal;  ///< D_k of tail i: block i * N + k; only the lower triangle is read
    T* lower;     ///< E_k = K(stage k+1, stage k) of tail i: block i * (N - 1) + k; unused when N = 1
    T* coupling;  ///< C_i = K(root, x_1 of tail i): block i
    T* root;      ///< R: one block; only the lower triangle is read

    /// A view for writing serves for reading. A template, since nvcc warns about a conversion to the own type.
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) constexpr operator matrix_view<U>() const {
        return {diagonal, lower, coupling, root};
    }
};

/// What a factorisation found: the first pivot that is not positive and finite (NaN counts as bad).
///
/// When several tails are bad, the lowest tail is told, and in it the first bad pivot in elimination order.
/// The root is looked at only if every tail is fine.
struct info {
    int tail;   ///< 0-based; -1 for the root, and when nothing is wrong
    int block;  ///< 1 .. N for x_1 .. x_N; 0 for the root, and when nothing is wrong
    int pivot;  ///< 1-based row inside the block; 0: nothing is wrong

    constexpr bool good() const { return pivot == 0; }
    friend constexpr bool operator==(info, info) = default;
};

/// Nothing is wrong.
inline constexpr info success{-1, 0, 0};

/// In which order the stages of a tail are eliminated.
enum class order {
    automatic,   ///< what is fastest on the device at hand
    sequential,  ///< from the free end to the root: fewest operations, N dependent steps
    recursive,   ///< every other stage at once, then every other of the rest, ...: ceil(log2 N) + 1 dependent
                 ///< steps
};

}  // namespace shoal::arrow
