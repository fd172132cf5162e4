#pragma once

#include <type_traits>

#include <shoal/batched/checks.hpp>
#include <shoal/batched/lane_solves.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/fast/gesv_rows.hpp>
#include <shoal/lapack/gesv.hpp>

namespace shoal::batched {

namespace detail {

/// The static order of the matrices of A, and whether they suit a solve that does not write them.
template <class A>
inline constexpr int order_of = A::view::static_rows;

template <class A, class X>
constexpr void check_solve_types() {
    using a = typename A::view;
    static_assert(shoal::detail::extents_agree<a::static_rows, a::static_cols>,
                  "batched::gesv: A is not square");
    static_assert(a::static_rows >= 1 && a::static_rows <= fast::detail::largest_square_order,
                  "batched::gesv: without pivots A is only read, which needs a static order up to 64");
    static_assert(shoal::detail::extents_agree<a::static_rows, X::view::static_size>,
                  "batched::gesv: A has not as many rows as x has elements");
    static_assert(shoal::detail::writable<typename X::view>,
                  "batched::gesv writes x, but its elements are const");
}

/// x := A^-1 x by a tile; A is only read.
template <class A, class X>
struct solve_system {
    A a;
    X x;
    template <ShuffleGroup G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return fast::gesv_rows(g, read_only(a(system)), fast::no_pivots{}, x(system));
    }
    template <class T, int Rows, int Cols, class Layout>
    SHOAL_FN static matrix<const T, Rows, Cols, Layout> read_only(matrix<T, Rows, Cols, Layout> m) {
        return m;
    }
};

template <class A, class P, class B>
struct gesv_system {
    A a;
    P pivots;
    B b;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return shoal::gesv(g, a(system), pivots(system), b(system));
    }
};
template <class A, class P>
struct getrf_system {
    A a;
    P pivots;
    template <Group G>
    SHOAL_FN int operator()(const G& g, std::int64_t system) const {
        return shoal::getrf(g, a(system), pivots(system));
    }
};

template <class A, class X>
constexpr status check_solve(const A& a, const X& x, std::int64_t systems, const char* op = "batched::gesv") {
    check_solve_types<A, X>();
    const argument is_a{op, "A"}, is_x{op, "B"};
    return first_bad(check_systems(systems), check_read(is_a, a, systems), check_square(is_a, a, systems),
                     check_rows(is_x, x, a, systems), check_write(is_x, x, systems));
}

template <class A, class P>
constexpr status check_getrf(const A& a, const P& pivots, std::int64_t systems,
                             const char* op = "batched::getrf") {
    const argument is_a{op, "A"}, is_p{op, "pivots"};
    return first_bad(check_systems(systems), check_read(is_a, a, systems), check_square(is_a, a, systems),
                     check_rows(is_p, pivots, a, systems), check_write(is_a, a, systems),
                     check_write(is_p, pivots, systems));
}

template <class A, class P, class B>
constexpr status check_gesv(const A& a, const P& pivots, const B& b, std::int64_t systems) {
    const argument is_b{"batched::gesv", "B"};
    return first_bad(check_getrf(a, pivots, systems, is_b.op), check_rows(is_b, b, a, systems),
                     check_write(is_b, b, systems));
}

}  // namespace detail

/// P_s A_s = L_s U_s with partial pivoting for s = 0 .. systems - 1, in place; see shoal::getrf().
///
/// \param pivots a batch of vectors of n integers: row k changed places with row pivots(k), 0-based
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// \param info one number a system as shoal::getrf() returns it, written for every system; or null
/// A failure of one system leaves the others as they are. The bits of a system do not depend on its place in the batch,
/// nor on the batch. Nothing is allocated.
template <MatrixOperand A, VectorOperand P>
status getrf(executor& threads, A a, P pivots, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_getrf(a, pivots, systems); !bad.ok()) return bad;
    return launch(threads, systems, detail::getrf_system<A, P>{a, pivots}, info);
}
/// \copydoc getrf(executor&, A, P, std::int64_t, int*)
template <MatrixOperand A, VectorOperand P>
status getrf(A a, P pivots, std::int64_t systems, int* info = nullptr) {
    return getrf(*shared_executor(), a, pivots, systems, info);
}

/// B_s := A_s^-1 B_s with partial pivoting, B_s a vector or a matrix, for s = 0 .. systems - 1; the factors replace the
/// matrices. See shoal::gesv(), and getrf() above for the parameters. B_s is unchanged where info is not 0.
template <MatrixOperand A, VectorOperand P, Operand B>
status gesv(executor& threads, A a, P pivots, B b, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_gesv(a, pivots, b, systems); !bad.ok()) return bad;
    return launch(threads, systems, detail::gesv_system<A, P, B>{a, pivots, b}, info);
}
/// \copydoc gesv(executor&, A, P, B, std::int64_t, int*)
template <MatrixOperand A, VectorOperand P, Operand B>
status gesv(A a, P pivots, B b, std::int64_t systems, int* info = nullptr) {
    return gesv(*shared_executor(), a, pivots, b, systems, info);
}

/// x_s := A_s^-1 x_s with partial pivoting for s = 0 .. systems - 1. The matrices, of static order up to 64, are only
/// read, and nothing is kept but the solutions: a good deal less memory traffic, and stride 0 is allowed for A.
///
/// Systems go in step, one in each lane of the vectors that the compiler's flags allow (`-march=...`). The bits are those
/// of shoal::gesv(); x_s is unchanged where info is not 0. For the parameters see above.
template <MatrixOperand A, VectorOperand X>
status gesv(executor& threads, A a, X x, std::int64_t systems, int* info = nullptr) {
    if (const status bad = detail::check_solve(a, x, systems); !bad.ok()) return bad;
    return detail::host_solves<A, X>{a, x}.run(threads, systems, info);
}
/// \copydoc gesv(executor&, A, X, std::int64_t, int*)
template <MatrixOperand A, VectorOperand X>
status gesv(A a, X x, std::int64_t systems, int* info = nullptr) {
    return gesv(*shared_executor(), a, x, systems, info);
}

}  // namespace shoal::batched
