#pragma once

#include <shoal/view/matrix.hpp>

namespace shoal {

/// Which triangle is stored.
enum class uplo { lower, upper };
/// Whether the diagonal is stored or is one.
enum class diagonal { stored, unit };

/// A triangular matrix: only the named triangle is read, and only it is written.
template <MatrixView M, uplo Uplo, diagonal Diagonal = diagonal::stored>
struct triangular {
    using value_type = typename M::value_type;
    static constexpr uplo triangle = Uplo;
    static constexpr diagonal unit = Diagonal;
    M matrix;
};

/// A symmetric matrix of which only the named triangle is stored, read and written.
template <MatrixView M, uplo Uplo>
struct symmetric {
    using value_type = typename M::value_type;
    static constexpr uplo triangle = Uplo;
    M matrix;
};

/// The lower triangle of A.
template <MatrixView M>
SHOAL_FN constexpr triangular<M, uplo::lower> lower(M a) {
    return {a};
}
/// The upper triangle of A.
template <MatrixView M>
SHOAL_FN constexpr triangular<M, uplo::upper> upper(M a) {
    return {a};
}
/// The lower triangle of A with ones on the diagonal, which is never touched.
template <MatrixView M>
SHOAL_FN constexpr triangular<M, uplo::lower, diagonal::unit> unit_lower(M a) {
    return {a};
}
/// The upper triangle of A with ones on the diagonal, which is never touched.
template <MatrixView M>
SHOAL_FN constexpr triangular<M, uplo::upper, diagonal::unit> unit_upper(M a) {
    return {a};
}
/// A symmetric matrix stored in its lower triangle.
template <MatrixView M>
SHOAL_FN constexpr symmetric<M, uplo::lower> symmetric_lower(M a) {
    return {a};
}
/// A symmetric matrix stored in its upper triangle.
template <MatrixView M>
SHOAL_FN constexpr symmetric<M, uplo::upper> symmetric_upper(M a) {
    return {a};
}

/// The transposed triangle: lower becomes upper.
template <MatrixView M, uplo Uplo, diagonal Diagonal>
SHOAL_FN constexpr auto transposed(triangular<M, Uplo, Diagonal> t) {
    constexpr uplo flipped = Uplo == uplo::lower ? uplo::upper : uplo::lower;
    auto a = transposed(t.matrix);
    return triangular<decltype(a), flipped, Diagonal>{a};
}

namespace detail {
/// The row that step s of a substitution deals with: from the top of a lower triangle, from the bottom of an upper one.
template <uplo Uplo>
SHOAL_FN constexpr int sweep_row(int s, int n) {
    return Uplo == uplo::lower ? s : n - 1 - s;
}
}  // namespace detail

}  // namespace shoal
