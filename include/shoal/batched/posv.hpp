#pragma once

#include <shoal/batched/checks.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/fast/posv_rows.hpp>
#include <shoal/lapack/posv.hpp>

namespace shoal::batched {

namespace detail {

template <class A>
SHOAL_FN constexpr auto as_lower(A a) {
    if constexpr (A::triangle == uplo::upper) {
        return transposed(a).matrix;
    } else {
        return a.matrix;
    }
}

template <class A>
inline constexpr bool keeps_factor = !fast::detail::read_only<decltype(A::view::matrix)>;

template <class A, class X>
struct posv_system {
    A a;
    X x;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        using view = decltype(A::view::matrix);
        if constexpr (keeps_factor<A>) {
            return shoal::posv(g, a(system), x(system));
        } else {
            static_assert(VectorOperand<X>,
                          "batched::posv: a matrix that may not be written takes one right-hand side");
            static_assert(
                ShuffleGroup<G> && view::static_rows >= 1 && view::static_rows <= fast::largest_rows,
                "batched::posv: a matrix that may not be written needs a static order up to 32");
            return fast::posv_rows(g, as_lower(a(system)), x(system));
        }
    }
};

template <class A, class X>
constexpr status check_posv(const A& a, const X& x, std::int64_t systems) {
    const argument is_a{"batched::posv", "A"}, is_x{"batched::posv", "B"};
    const status bad =
        first_bad(check_systems(systems), check_read(is_a, a, systems), check_square(is_a, a, systems),
                  check_rows(is_x, x, a, systems), check_write(is_x, x, systems));
    if constexpr (keeps_factor<A>) {
        return first_bad(bad, check_write(is_a, a, systems));
    } else {
        return bad;
    }
}

}  // namespace detail

/// B_s := A_s^-1 B_s, A_s symmetric positive definite (`lower(A)` or `upper(A)`), B_s a vector or a matrix, for
/// s = 0 .. systems - 1; see shoal::posv().
///
/// The factors replace the triangles. Where A is made of const elements they are not kept, and A is only read: static
/// orders up to 32 with one right-hand side, a good deal less memory traffic, and stride 0 is allowed.
///
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// \param info one number a system as shoal::potrf() returns it, written for every system; or null. B_s is unchanged
///        where it is not 0
/// The bits of a system do not depend on its place in the batch, nor on the batch. Nothing is allocated.
template <MatrixOperand A, uplo Uplo, Operand B>
status posv(executor& threads, triangles<A, Uplo> a, B b, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_posv(a, b, systems); !bad.ok()) return bad;
    return launch(threads, systems, detail::posv_system<triangles<A, Uplo>, B>{a, b}, info);
}
/// \copydoc posv(executor&, triangles<A, Uplo>, B, std::int64_t, int*)
template <MatrixOperand A, uplo Uplo, Operand B>
status posv(triangles<A, Uplo> a, B b, std::int64_t systems, int* info = nullptr) {
    return posv(*shared_executor(), a, b, systems, info);
}

}  // namespace shoal::batched
