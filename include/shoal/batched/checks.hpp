#pragma once

#include <limits>

#include <shoal/batched/operands.hpp>
#include <shoal/core/status.hpp>

namespace shoal::batched::detail {

/// Who is given what: both stand in every message.
struct argument {
    const char* op;
    const char* name;

    template <class... Parts>
    constexpr status refuse(const Parts&... parts) const {
        return {status_code::invalid_argument, op, ": ", name, parts...};
    }
};

/// Whether every element of a batch has a place of its own. By distance, each step must go past all that the smaller
/// ones reach: what passes is certain, and of the matrices and batches that this refuses none is of use.
constexpr bool distinct(footprint f) {
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t& step : f.steps) step = step < 0 ? -step : step;
    std::int64_t reach = 0;
    for (int done = 0; done < 4; ++done) {
        int next = -1;
        for (int d = 0; d < 4; ++d) {
            if (f.counts[d] > 1 && (next < 0 || f.steps[d] < f.steps[next])) next = d;
        }
        if (next < 0) return true;
        const std::int64_t step = f.steps[next], more = f.counts[next] - 1;
        if (step <= reach) return false;
        reach = more > (far - reach) / step ? far : reach + more * step;
        f.counts[next] = 0;
    }
    return true;
}

/// Matrices and their triangles.
template <class A>
concept HasColumns = requires(const A& a) {
    a.columns();
};

/// Refuses extents and leading dimensions that no matrix has.
template <Operand A>
constexpr status check_shape(argument is, const A& a) {
    if constexpr (Shaped<A>) {
        if (a.rows() < 0) return is.refuse(" has ", a.rows(), " rows; at least 0 are needed");
        if constexpr (HasColumns<A>) {
            if (a.columns() < 0) return is.refuse(" has ", a.columns(), " columns; at least 0 are needed");
            const footprint one = a.footprint(1);
            const bool by_rows = one.steps[1] == 1 && one.steps[0] != 1;
            const std::int64_t leading = by_rows ? one.steps[0] : one.steps[1];
            const std::int64_t least = by_rows ? a.columns() : a.rows();
            if (leading < 0 || !(a.empty() || a.shared() || distinct(one))) {
                return is.refuse(" is ", a.rows(), " x ", a.columns(), " with leading dimension ", leading,
                                 "; at least ", least, " is needed");
            }
        }
    }
    return {};
}

/// Refuses an operand that has elements but no memory, or a shape that cannot be.
template <Operand A>
constexpr status check_read(argument is, const A& a, std::int64_t systems) {
    if (systems <= 0) return {};
    if (const status bad = check_shape(is, a); !bad.ok()) return bad;
    if (!a.empty() && a.null()) return is.refuse(" is null");
    return {};
}

/// Refuses what check_read() does, and memory that two systems would write.
template <Operand A>
constexpr status check_write(argument is, const A& a, std::int64_t systems) {
    if (const status bad = check_read(is, a, systems); !bad.ok() || systems <= 1 || a.empty()) return bad;
    if (a.shared())
        return is.refuse(" has stride 0, so that all ", systems, " systems would write the same memory");
    if constexpr (Shaped<A>) {
        const footprint f = a.footprint(systems);
        if (!distinct(f)) {
            const char* at = " at distance ";
            const char* next = ", ";
            return is.refuse(" has elements in one place: ", f.counts[0], at, f.steps[0], next, f.counts[1],
                             at, f.steps[1], next, f.counts[2], at, f.steps[2],
                             "; each distance must be longer than what the shorter ones span");
        }
    }
    return {};
}

/// Refuses a matrix that is not square.
template <Operand A>
constexpr status check_square(argument is, const A& a, std::int64_t systems) {
    if constexpr (Shaped<A>) {
        if (systems > 0 && a.rows() != a.columns()) {
            return is.refuse(" is ", a.rows(), " x ", a.columns(), "; a square matrix is needed");
        }
    }
    return {};
}

/// Refuses a right-hand side, or whatever else has a row for every row of A, of another length.
template <Operand A, Operand B>
constexpr status check_rows(argument is, const B& b, const A& a, std::int64_t systems) {
    if constexpr (Shaped<A> && Shaped<B>) {
        if (systems > 0 && a.rows() != b.rows()) {
            return is.refuse(" has ", b.rows(), HasColumns<B> ? " rows" : " elements", " and A has ",
                             a.rows(), " rows");
        }
    }
    return {};
}

/// The first that is not ok.
constexpr status first_bad(status a) {
    return a;
}
template <class... Rest>
constexpr status first_bad(status a, Rest... rest) {
    return a.ok() ? first_bad(rest...) : a;
}

}  // namespace shoal::batched::detail
