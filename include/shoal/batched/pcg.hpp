#pragma once

#include <string>

#include <shoal/banded/pcg.hpp>
#include <shoal/batched/checks.hpp>
#include <shoal/batched/fits.hpp>
#include <shoal/batched/launch.hpp>
#include <shoal/batched/strips.hpp>

namespace shoal::batched {

/// No preconditioner for any system.
struct identity_preconditioners {
    SHOAL_FN identity_preconditioner operator()(std::int64_t) const { return {}; }
};
/// The main blocks of strips, a matrix a system; see shoal::block_jacobi().
template <Operand S>
struct jacobi_preconditioners {
    S strips;
    template <class View>
    SHOAL_FN static jacobi_preconditioner<View> of(View m) {
        return {m};
    }
    SHOAL_FN auto operator()(std::int64_t system) const { return of(strips(system)); }
};
/// From their strips.
template <class S>
jacobi_preconditioners(S) -> jacobi_preconditioners<S>;
/// Strips, a matrix a system; see shoal::symmetric_stair().
template <Operand S>
struct strip_preconditioners {
    S strips;
    template <class View>
    SHOAL_FN static strip_preconditioner<View> of(View m) {
        return {m};
    }
    SHOAL_FN auto operator()(std::int64_t system) const { return of(strips(system)); }
};
/// From their strips.
template <class S>
strip_preconditioners(S) -> strip_preconditioners<S>;

namespace detail {

/// Whether a preconditioner of a batch has strips.
template <class M>
inline constexpr bool has_strips = requires(const M& m) {
    m.strips;
};

template <class A, class M, class B, class X>
constexpr status check_pcg(const A& a, const M& m, const B& b, const X& x, std::int64_t systems) {
    constexpr const char* op = "batched::pcg";
    const argument is_a{op, "A"}, is_b{op, "b"}, is_x{op, "x"}, is_m{op, "the preconditioner"};
    status bad =
        first_bad(check_systems(systems), check_knots(is_a, a, systems), check_read(is_a, a, systems),
                  check_same_knots(is_b, b, a, systems), check_read(is_b, b, systems),
                  check_same_knots(is_x, x, a, systems), check_write(is_x, x, systems));
    if constexpr (has_strips<M>) {
        bad =
            first_bad(bad, check_same_knots(is_m, m.strips, a, systems), check_read(is_m, m.strips, systems));
    }
    return bad;
}

}  // namespace detail

/// Solves A_s x_s = b_s by preconditioned conjugate gradients for s = 0 .. systems - 1; see shoal::pcg(). x_s holds the
/// start on entry. A, b and the preconditioner may have stride 0.
///
/// \param m identity_preconditioners, jacobi_preconditioners, strip_preconditioners, or an object of one's own: `m(s)` is the
///        preconditioner of system s
/// \param threads the executor that shares the systems
/// \param scratch pcg_scratch(n, N) elements for each thread of the executor
/// \param results one a system, or null: iterations, residual and why it stopped; of a system with NaN too, which leaves
///        the others as they are
/// The bits of a system do not depend on its place in the batch, nor on the batch. Nothing is allocated.
template <Operand A, class M, Operand B, Operand X, class T>
status pcg(executor& threads, A a, M m, B b, X x, std::int64_t systems, pcg_options<T> options, T* scratch,
           pcg_result<T>* results = nullptr) {
    if (const status bad = detail::check_pcg(a, m, b, x, systems); !bad.ok()) return bad;
    if (systems > 0 && !a.empty() && scratch == nullptr)
        return {status_code::invalid_argument, "batched::pcg: scratch is null"};
    const int room = pcg_scratch(A::view::block_size, a.knots());
    threads.parallel_for(systems, [&](std::int64_t s, int worker) {
        const auto done = shoal::pcg(this_thread(), a(s), m(s), b(s), x(s), options,
                                     scratch + static_cast<std::int64_t>(worker) * room);
        if (results != nullptr) results[s] = done;
    });
    return {};
}

/// What of a system batched::pcg() can hold in the shared memory of a block, or of a cluster of blocks.
enum class pcg_residence {
    none,     ///< not even the vectors: the call is refused
    vectors,  ///< the vectors; the matrices stay in global memory
    matrix,   ///< the vectors and A
    preconditioner,  ///< the vectors, A and the preconditioner: nothing but the start and the end touches global memory
};

/// Bytes of shared memory that a system takes of each block, and what fits.
struct pcg_fit {
    std::int64_t vectors;         ///< bytes of the vectors
    std::int64_t matrix;          ///< bytes of A, rows padded
    std::int64_t preconditioner;  ///< bytes of the preconditioner, rows padded
    std::int64_t available;       ///< bytes that a block can have
    int cluster = 1;              ///< blocks among which the system is dealt

    constexpr pcg_residence residence() const {
        if (vectors > available) return pcg_residence::none;
        if (vectors + matrix > available) return pcg_residence::vectors;
        if (vectors + matrix + preconditioner > available) return pcg_residence::matrix;
        return pcg_residence::preconditioner;
    }
    constexpr bool ok() const { return residence() != pcg_residence::none; }
    /// Bytes that are used.
    constexpr std::int64_t bytes() const {
        const pcg_residence r = residence();
        return (r >= pcg_residence::vectors ? vectors : 0) + (r >= pcg_residence::matrix ? matrix : 0) +
               (r >= pcg_residence::preconditioner ? preconditioner : 0);
    }
    /// Empty when everything fits; otherwise what does not, and both numbers.
    std::string message() const {
        const auto sentence = [&](const char* what, std::int64_t needed, const char* then) {
            return std::string("pcg: ") + what + " take " + std::to_string(needed) +
                   " bytes of shared memory" +
                   (cluster > 1 ? " in each of " + std::to_string(cluster) + " blocks" : "") +
                   " and a block has " + std::to_string(available) + ": " + then;
        };
        switch (residence()) {
            case pcg_residence::none:
                return sentence("the vectors", vectors,
                                "take fewer knots, or pcg() in a kernel of your own with its scratch in "
                                "global memory");
            case pcg_residence::vectors:
                return sentence("the vectors and A", vectors + matrix, "the matrices stay in global memory");
            case pcg_residence::matrix:
                return sentence("the vectors, A and the preconditioner", vectors + matrix + preconditioner,
                                "the preconditioner stays in global memory");
            default:
                return {};
        }
    }
};

namespace detail {
/// Threads of each block of a cluster that solves a system; rows are dealt in stretches of as many.
inline constexpr int pcg_cluster_threads = 256;
/// The largest cluster that every device with clusters can run.
inline constexpr int largest_pcg_cluster = 8;
}  // namespace detail

/// What fits of N knots of n x n, before a launch.
///
/// \tparam T element type
/// \param blocks of a strip of A: 2 for [ L | D ], 3 for [ L | D | R ]
/// \param preconditioner_blocks likewise; 0: none
/// \param compute_capability of the device, 90 for 9.0
/// \param cluster blocks that share the system: 1, or on devices from 9.0 on 2, 4 or 8
template <class T>
constexpr pcg_fit fits_pcg(int n, int knots, int blocks, int preconditioner_blocks, int compute_capability,
                           int cluster = 1) {
    const auto element = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t stretch = std::int64_t{detail::pcg_cluster_threads} * cluster;
    const std::int64_t all = std::int64_t{n} * knots;
    const std::int64_t rows =
        cluster == 1 ? all : (all + stretch - 1) / stretch * detail::pcg_cluster_threads;
    const auto strips_of = [&](int count) { return count == 0 ? 0 : rows * ((count * n) | 1) * element; };
    // The vectors of pcg() and x; the pads keep what follows at a multiple of 16 bytes.
    return {(pcg_scratch(1, static_cast<int>(rows)) + rows + 4) * element, strips_of(blocks),
            strips_of(preconditioner_blocks), shared_memory_per_block(compute_capability), cluster};
}

/// The form that batched::pcg() takes: the fewest blocks that hold all of a system, or else the most of it.
template <class T>
constexpr pcg_fit best_pcg_fit(int n, int knots, int blocks, int preconditioner_blocks,
                               int compute_capability) {
    pcg_fit best = fits_pcg<T>(n, knots, blocks, preconditioner_blocks, compute_capability);
    constexpr int with_clusters = 90;
    if (compute_capability < with_clusters) return best;
    for (int cluster = 2; cluster <= detail::largest_pcg_cluster; cluster *= 2) {
        const pcg_fit fit = fits_pcg<T>(n, knots, blocks, preconditioner_blocks, compute_capability, cluster);
        if (fit.residence() > best.residence()) best = fit;
    }
    return best;
}

}  // namespace shoal::batched
