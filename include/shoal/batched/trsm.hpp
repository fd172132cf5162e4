#pragma once

#include <shoal/batched/checks.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/blas/trsm.hpp>

namespace shoal::batched {

namespace detail {

/// How a group solves with one of the triangles L: from memory far away each is read once, into registers.
template <class G, class L>
SHOAL_FN constexpr trsm_policy trsm_from_memory() {
    constexpr int members = group_size<G>;
    constexpr bool rows = members > 1 && fast::suits_rows<G, typename decltype(L::of)::view>;
    return {.algorithm = rows ? trsm_algorithm::rows : trsm_algorithm::automatic};
}

template <class L, class B>
struct trsm_system {
    L l;
    B b;
    template <Group G>
    SHOAL_FN void operator()(const G& g, std::int64_t system) const {
        shoal::trsm<trsm_from_memory<G, L>()>(g, l(system), b(system));
    }
};

template <class L, class B>
constexpr status check_trsm(const L& l, const B& b, std::int64_t systems) {
    const argument is_l{"batched::trsm", "the triangle"}, is_b{"batched::trsm", "B"};
    const std::int64_t read = b.empty() ? 0 : systems;
    return first_bad(check_systems(systems), check_read(is_l, l, read), check_square(is_l, l, read),
                     check_rows(is_b, b, l, read), check_write(is_b, b, systems));
}

}  // namespace detail

/// B_s := T_s^-1 B_s for s = 0 .. systems - 1, in place; see shoal::trsm(). The triangles may have stride 0: one for
/// all systems. No columns: nothing is read.
///
/// \param threads the executor that shares the systems; without it, the threads of `set_num_threads`
/// The bits of a system do not depend on its place in the batch, nor on the batch. Nothing is allocated.
template <MatrixOperand A, uplo Uplo, diagonal Diagonal, MatrixOperand B>
status trsm(executor& threads, triangles<A, Uplo, Diagonal> t, B b, std::int64_t systems) {
    if (const status bad = detail::check_trsm(t, b, systems); !bad.ok()) return bad;
    if (b.empty()) return {};
    return launch(threads, systems, detail::trsm_system<triangles<A, Uplo, Diagonal>, B>{t, b});
}
/// \copydoc trsm(executor&, triangles<A, Uplo, Diagonal>, B, std::int64_t)
template <MatrixOperand A, uplo Uplo, diagonal Diagonal, MatrixOperand B>
status trsm(triangles<A, Uplo, Diagonal> t, B b, std::int64_t systems) {
    return trsm(*shared_executor(), t, b, systems);
}

}  // namespace shoal::batched
