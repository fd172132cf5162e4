#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <shoal/arrow/types.hpp>

/// \file
/// Which stage is eliminated when, with which neighbours, and what it needs from the stages before it. Pure host code
/// without numbers of the matrix: one plan serves every backend, and it is tested without any kernel.
///
/// A tail is a path. Its nodes are numbered from the *free end*: node j = 1 is x_N, node j = N is x_1, and j = N + 1
/// stands for the root:
///
///     node    1 ---- 2 ---- 3 ---- ... ---- N ---- N+1
///     stage   x_N    x_N-1  x_N-2           x_1    x_0 (root)
///
/// Eliminating node j couples its two neighbours of that moment: a < j on the free side (or none), b > j on the root's
/// side (always one). With K(b, j) and K(a, j) as they are at that moment,
///
///     D_j = L_j L_j',   B_j = K(b, j) L_j^-T,   A_j = K(a, j) L_j^-T,
///     D_b -= B_j B_j',  D_a -= A_j A_j',        K(b, a) := -B_j A_j'.
///
/// x_1 (node N) goes last, whatever the order: only then does the root stay coupled to one block of each tail.

namespace shoal::arrow {

/// Number of levels of the recursive order before x_1: ceil(log2 N).
constexpr int levels(int stages) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(stages) - 1U));
}

/// Stage k = 0 .. N-1 in memory of node j = 1 .. N, and the reverse.
constexpr int stage_of(int stages, int node) {
    return stages - node;
}
/// Node j = 1 .. N of stage k = 0 .. N-1 in memory.
constexpr int node_of(int stages, int stage) {
    return stages - stage;
}

/// Level and neighbours of one node.
struct elimination {
    int level;  ///< nodes of one level do not touch each other
    int a;      ///< neighbour towards the free end; 0: none
    int b;      ///< neighbour towards the root; N + 1: the root

    friend constexpr bool operator==(elimination, elimination) = default;
};

/// The sequential order: from the free end to the root, node by node.
constexpr elimination sequential_elimination(int /*stages*/, int node) {
    return {node - 1, 0, node + 1};
}

/// The recursive order: level l has the odd multiples of 2^l below N; x_1 comes after all levels.
constexpr elimination recursive_elimination(int stages, int node) {
    if (node == stages) return {levels(stages), 0, stages + 1};
    const int reach = node & -node;
    return {std::countr_zero(static_cast<unsigned>(node)), node - reach, std::min(node + reach, stages)};
}

/// The chunked order: P chunks of nearly equal size; inside each all but the last node, its *separator*, go one after
/// the other from the free side; then the separators, of which the last is x_1, in the recursive order.
///
/// For devices with a few workers per tail: a worker carries a chunk in registers, and levels remain for P nodes only.
struct chunking {
    int stages;
    int chunks;  ///< P, 1 .. N

    constexpr int chunk_of(int node) const {
        // The separator of chunk c is the last node that is not beyond (c + 1) N / P.
        int c = static_cast<int>((static_cast<std::int64_t>(node) * chunks - 1) / stages);
        while (c > 0 && separator(c - 1) >= node) --c;
        while (separator(c) < node) ++c;
        return c;
    }
    /// Last node of chunk c = 0 .. P-1.
    constexpr int separator(int c) const {
        return static_cast<int>((static_cast<std::int64_t>(c) + 1) * stages / chunks);
    }
    /// First node of chunk c.
    constexpr int first(int c) const { return c == 0 ? 1 : separator(c - 1) + 1; }
    /// Levels before the separators' own: the size of the largest chunk's interior.
    constexpr int interior_levels() const {
        int most = 0;
        for (int c = 0; c < chunks; ++c) most = std::max(most, separator(c) - first(c));
        return most;
    }
    constexpr elimination operator()(int node) const {
        const int c = chunk_of(node);
        if (node != separator(c)) return {node - first(c), first(c) - 1, node + 1};
        const elimination among = recursive_elimination(chunks, c + 1);
        const auto node_at = [this](int position) {
            return position == 0 ? 0 : position > chunks ? stages + 1 : separator(position - 1);
        };
        return {interior_levels() + among.level, node_at(among.a), node_at(among.b)};
    }
};

/// One of the two blocks that an elimination leaves in its column of the factor.
enum class side : std::int8_t {
    root,  ///< B_j, in the row of b
    end,   ///< A_j, in the row of a
};

/// D_node -= S S', where S is one block of an earlier step.
struct update {
    int step;
    side which;

    friend constexpr bool operator==(update, update) = default;
};

/// Eliminating one node.
struct step {
    int node;           ///< j
    elimination at;     ///< level and neighbours
    int b_fill;         ///< step s with K(b, j) = -B_s A_s'; -1: the block of the matrix
    int a_fill;         ///< step s with K(a, j) = -A_s B_s'; -1: the block of the matrix (or there is no a)
    int first_update;   ///< range of plan::updates, in elimination order
    int last_update;    ///< one past the end
    int blocks_before;  ///< blocks of the factor that the steps before this one leave, L_j counted as one

    side later = side::root;  ///< the neighbour that is eliminated after the other one

    constexpr int neighbours() const { return at.a == 0 ? 1 : 2; }
};

/// Everything about one tail. Steps are level by level, inside a level by ascending node.
struct plan {
    int stages = 1;
    std::vector<step> steps;
    std::vector<update> updates;
    std::vector<int> level_begin;  ///< steps of level l: level_begin[l] .. level_begin[l + 1] - 1

    int level_count() const { return static_cast<int>(level_begin.size()) - 1; }
    /// Blocks of the factor of one tail, the coupling to the root among them.
    std::int64_t factor_blocks() const { return steps.back().blocks_before + 1 + steps.back().neighbours(); }
};

/// Operations and blocks of one tail; the root adds M n^2 additions and n^3 / 3.
struct counts {
    int one_neighbour = 0;   ///< eliminations below x_1 with b alone
    int two_neighbours = 0;  ///< eliminations with a and b: each makes one fill block
    double factor_n3 = 0;    ///< floating-point operations of the factorisation / n^3, x_1 and its U included
    double solve_n2 = 0;     ///< of one solve / n^2
    std::int64_t blocks_in = 0;   ///< blocks read by the factorisation
    std::int64_t blocks_out = 0;  ///< blocks of the factor
    int depth = 0;                ///< dependent eliminations
};

namespace detail {

/// Fills in what follows from level and neighbours of each node.
template <class Eliminate>
plan make_plan(int stages, Eliminate eliminate) {
    plan p;
    p.stages = stages;
    std::vector<elimination> at(static_cast<std::size_t>(stages) + 2);
    std::vector<int> nodes;
    for (int j = 1; j <= stages; ++j) {
        at[static_cast<std::size_t>(j)] = eliminate(j);
        nodes.push_back(j);
    }
    const auto level = [&](int j) { return at[static_cast<std::size_t>(j)].level; };
    std::stable_sort(nodes.begin(), nodes.end(), [&](int i, int j) { return level(i) < level(j); });
    std::vector<int> step_of(static_cast<std::size_t>(stages) + 2, -1);
    std::vector<std::vector<update>> onto(static_cast<std::size_t>(stages) + 2);
    // The fill between two nodes, kept at the lower one: the latest step whose neighbours are just these.
    std::vector<int> fill(static_cast<std::size_t>(stages) + 2, -1);
    int blocks = 0;
    for (const int j : nodes) {
        const elimination e = at[static_cast<std::size_t>(j)];
        const int s = static_cast<int>(p.steps.size());
        while (static_cast<int>(p.level_begin.size()) <= e.level) p.level_begin.push_back(s);
        step_of[static_cast<std::size_t>(j)] = s;
        const auto& mine = onto[static_cast<std::size_t>(j)];
        const int first = static_cast<int>(p.updates.size());
        p.updates.insert(p.updates.end(), mine.begin(), mine.end());
        const side later = e.a != 0 && e.b <= stages && level(e.a) > level(e.b) ? side::end : side::root;
        // Consecutive nodes have no fill between them, since a fill needs a node in the middle.
        p.steps.push_back({j, e, fill[static_cast<std::size_t>(j)],
                           e.a == 0 ? -1 : fill[static_cast<std::size_t>(e.a)], first,
                           static_cast<int>(p.updates.size()), blocks, later});
        blocks += 1 + p.steps.back().neighbours();
        onto[static_cast<std::size_t>(e.b)].push_back({s, side::root});
        if (e.a != 0) {
            onto[static_cast<std::size_t>(e.a)].push_back({s, side::end});
            fill[static_cast<std::size_t>(e.a)] = s;
        }
    }
    p.level_begin.push_back(stages);
    return p;
}

}  // namespace detail

/// The plan of a tail of N >= 1 stages. `automatic` is `sequential`; a device with its own idea asks for it by name.
inline plan make_plan(int stages, order which) {
    if (stages < 1)
        throw std::invalid_argument("arrow: stages = " + std::to_string(stages) + ", must be at least 1");
    if (which == order::recursive) {
        return detail::make_plan(stages, [stages](int j) { return recursive_elimination(stages, j); });
    }
    return detail::make_plan(stages, [stages](int j) { return sequential_elimination(stages, j); });
}

/// The plan of the chunked order, 1 <= chunks <= stages.
inline plan make_plan(chunking how) {
    if (how.stages < 1 || how.chunks < 1 || how.chunks > how.stages) {
        throw std::invalid_argument("arrow: " + std::to_string(how.chunks) + " chunks of " +
                                    std::to_string(how.stages) + " stages");
    }
    return detail::make_plan(how.stages, how);
}

/// Counts from the steps themselves: n^3 / 3 for L, n^3 for each triangular solve and each symmetric update, 2 n^3 for
/// each fill; in a solve 2 n^2 for L and 4 n^2 for each neighbour.
inline counts count(const plan& p) {
    counts c;
    for (const step& s : p.steps) {
        const int neighbours = s.neighbours();
        if (s.node != p.stages) ++(neighbours == 1 ? c.one_neighbour : c.two_neighbours);
        c.factor_n3 += neighbours == 1 ? 7.0 / 3.0 : 19.0 / 3.0;
        c.solve_n2 += 2 + 4 * neighbours;
    }
    c.blocks_in = 2 * static_cast<std::int64_t>(p.stages);
    c.blocks_out = p.factor_blocks();
    c.depth = p.level_count();
    return c;
}

}  // namespace shoal::arrow
