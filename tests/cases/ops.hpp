#pragma once

/// \file
/// A test case for every op, over how it looks at its operands and how it ends.

#include "support/lane.hpp"

#include <functional>
#include <type_traits>

#include <shoal/shoal.hpp>

namespace shoal::support {

/// How a case makes views of its operands.
namespace look {

/// Every number at run time: one instance serves every storage order, padding, interleaving and slice.
struct strided {
    template <class T>
    SHOAL_FN static auto matrix(piece p, T* buffer) {
        return shoal::matrix<T, dynamic, dynamic, any_stride>(buffer + p.offset, p.rows, p.cols, p.row_step,
                                                              p.col_step);
    }
    template <class T>
    SHOAL_FN static auto vector(piece p, T* buffer) {
        return shoal::vector<T, dynamic, dynamic>(buffer + p.offset, p.rows, p.row_step);
    }
};

/// Static extents, static or dynamic leading dimension.
template <int Rows, int Cols = 1, class Layout = column>
struct fixed {
    template <class T>
    SHOAL_FN static auto matrix(piece p, T* buffer) {
        return p.view<Rows, Cols, Layout>(buffer);
    }
    template <class T>
    SHOAL_FN static auto vector(piece p, T* buffer) {
        return shoal::vector<T, Rows>(buffer + p.offset);
    }
};

/// Extents at run time, the layout static.
template <class Layout>
struct stored {
    template <class T>
    SHOAL_FN static auto matrix(piece p, T* buffer) {
        return p.view<dynamic, dynamic, Layout>(buffer);
    }
    template <class T>
    SHOAL_FN static auto vector(piece p, T* buffer) {
        return shoal::vector<T>(buffer + p.offset, p.rows);
    }
};

/// The transposed of what is stored.
template <class Look>
struct flipped {
    template <class T>
    SHOAL_FN static auto matrix(piece p, T* buffer) {
        return transposed(Look::matrix(p, buffer));
    }
};

}  // namespace look

/// How a case calls its op: with the exit barrier, or deferred to the case.
namespace ends {
struct synced {
    template <class G>
    SHOAL_FN static const G& group(const G& g) {
        return g;
    }
    template <class G>
    SHOAL_FN static void finish(const G&) {}
};
struct deferred {
    template <class G>
    SHOAL_FN static auto group(const G& g) {
        return defer_sync(g);
    }
    template <class G>
    SHOAL_FN static void finish(const G& g) {
        // What the op left: results to be seen, scratch to be read.
        g.sync();
    }
};
}  // namespace ends

/// run_on_all_groups(), compiled once for each case however many tests call it.
template <class Case, class T>
void on_all_groups(const Case& c, const arena<T>& a,
                   const std::type_identity_t<std::function<void(const outcome<T>&)>>& check) {
    run_on_all_groups(c, a, check);
}

/// Groups for cases that are many: one of each scope.
template <class G>
inline constexpr bool one_of_each_scope =
    G::scope == scope::thread || G::scope == scope::block || group_size<G> == 4 || group_size<G> == 32;

/// Integers kept in a buffer of T.
template <class T, int N = dynamic>
struct integers_in {
    using value_type = int;
    static constexpr int static_size = N;
    struct element {
        T* at;
        SHOAL_FN operator int() const { return static_cast<int>(*at); }
        SHOAL_FN const element& operator=(int value) const {
            *at = static_cast<T>(value);
            return *this;
        }
        SHOAL_FN const element& operator=(const element& other) const {
            *at = *other.at;
            return *this;
        }
        SHOAL_FN element(T* a) : at(a) {}
        SHOAL_FN element(const element& other) : at(other.at) {}
    };
    T* data;
    int count;
    SHOAL_FN int size() const { return count; }
    SHOAL_FN element operator()(int i) const { return {data + i}; }
};
template <int N = dynamic, class T>
SHOAL_FN integers_in<T, N> integers(piece p, T* buffer) {
    return {buffer + p.offset, p.rows};
}

/// Which triangle of a matrix a case hands to its op, and whether transposed.
enum class shape { lower, upper, unit_lower, unit_upper };
enum class turned { no, yes };

inline const char* name(shape s) {
    return s == shape::lower        ? "lower"
           : s == shape::upper      ? "upper"
           : s == shape::unit_lower ? "unit_lower"
                                    : "unit_upper";
}
constexpr bool is_lower(shape s) {
    return s == shape::lower || s == shape::unit_lower;
}
constexpr bool is_unit(shape s) {
    return s == shape::unit_lower || s == shape::unit_upper;
}

/// op(triangle of a), not transposed.
template <class A, class Op>
SHOAL_FN void with_upright_triangle(shape s, A a, Op op) {
    if (s == shape::lower) op(lower(a));
    if (s == shape::upper) op(upper(a));
    if (s == shape::unit_lower) op(unit_lower(a));
    if (s == shape::unit_upper) op(unit_upper(a));
}

/// op(triangle of a).
template <class A, class Op>
SHOAL_FN void with_triangle(shape s, turned t, A a, Op op) {
    if constexpr (std::is_same_v<A, decltype(transposed(a))>) {
        // Transposed triangles have the types of the others: no need to compile op for both.
        const shape flipped = s == shape::lower        ? shape::upper
                              : s == shape::upper      ? shape::lower
                              : s == shape::unit_lower ? shape::unit_upper
                                                       : shape::unit_lower;
        with_upright_triangle(t == turned::no ? s : flipped, t == turned::no ? a : transposed(a), op);
    } else if (t == turned::no) {
        with_upright_triangle(s, a, op);
    } else {
        if (s == shape::lower) op(transposed(lower(a)));
        if (s == shape::upper) op(transposed(upper(a)));
        if (s == shape::unit_lower) op(transposed(unit_lower(a)));
        if (s == shape::unit_upper) op(transposed(unit_upper(a)));
    }
}

/// observe() of one triangle: the other one may not even be read.
template <class G, class T>
SHOAL_FN void observe_triangle(const G& g, T* buffer, piece from, piece to, uplo triangle) {
    for (int e = g.size() - 1 - g.rank(); e < from.rows * from.cols; e += g.size()) {
        const int i = e % from.rows;
        const int j = e / from.rows;
        if (triangle == uplo::lower ? i >= j : i <= j) buffer[to.at(i, j)] = buffer[from.at(i, j)];
    }
}

/// dot, nrm2 and iamax, one after another on the same scratch.
template <class X = look::strided, class Y = look::strided>
struct reductions_case {
    piece x, y, scratch, dot, nrm2, iamax;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto vx = X::vector(x, buffer);
        const shoal::vector<T, 32> room(scratch.data(buffer));
        dot.mine(g, buffer) = shoal::dot(g, vx, Y::vector(y, buffer), room);
        nrm2.mine(g, buffer) = shoal::nrm2(g, vx, room);
        iamax.mine(g, buffer) = static_cast<T>(shoal::iamax(g, vx, room));
        trample(g, buffer, scratch);
    }
};

template <class X = look::strided, class Y = look::strided, class End = ends::synced>
struct axpy_case {
    piece x, y, seen;
    double alpha;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::axpy(End::group(g), static_cast<T>(alpha), X::vector(x, buffer), Y::vector(y, buffer));
        End::finish(g);
        observe(g, buffer, y, seen);
    }
};

template <class A = look::strided, class X = look::strided, class Y = look::strided, class End = ends::synced>
struct gemv_case {
    piece a, x, y, seen;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::gemv(End::group(g), static_cast<T>(alpha), A::matrix(a, buffer), X::vector(x, buffer),
                    static_cast<T>(beta), Y::vector(y, buffer));
        End::finish(g);
        observe(g, buffer, y, seen);
    }
};

template <class A = look::strided, class B = look::strided, class C = look::strided, class End = ends::synced>
struct gemm_case {
    piece a, b, c, seen;
    double alpha, beta;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        shoal::gemm(End::group(g), static_cast<T>(alpha), A::matrix(a, buffer), B::matrix(b, buffer),
                    static_cast<T>(beta), C::matrix(c, buffer));
        End::finish(g);
        observe(g, buffer, c, seen);
    }
};

template <class A = look::strided, class C = look::strided, class End = ends::synced>
struct syrk_case {
    piece a, c, seen;
    double alpha, beta;
    uplo triangle;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto h = End::group(g);
        const auto A_ = A::matrix(a, buffer);
        const auto C_ = C::matrix(c, buffer);
        if (triangle == uplo::lower) {
            shoal::syrk(h, static_cast<T>(alpha), A_, static_cast<T>(beta), symmetric_lower(C_));
        } else {
            shoal::syrk(h, static_cast<T>(alpha), A_, static_cast<T>(beta), symmetric_upper(C_));
        }
        End::finish(g);
        observe_triangle(g, buffer, c, seen, triangle);
    }
};

template <class A = look::strided, class X = look::strided, class End = ends::synced>
struct trsv_case {
    piece t, x, seen;
    shape triangle;
    turned transposed_;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        with_triangle(triangle, transposed_, A::matrix(t, buffer),
                      [&](auto view) { shoal::trsv(End::group(g), view, X::vector(x, buffer)); });
        End::finish(g);
        observe(g, buffer, x, seen);
    }
};

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct trsm_case {
    piece t, b, seen;
    shape triangle;
    turned transposed_;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        with_triangle(triangle, transposed_, A::matrix(t, buffer),
                      [&](auto view) { shoal::trsm(End::group(g), view, B::matrix(b, buffer)); });
        End::finish(g);
        observe(g, buffer, b, seen);
    }
};

template <class A = look::strided, class End = ends::synced,
          potrf_algorithm Algorithm = potrf_algorithm::automatic>
struct potrf_case {
    static constexpr potrf_policy policy{.algorithm = Algorithm};
    piece a, seen, info;
    uplo triangle;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto h = End::group(g);
        const auto A_ = A::matrix(a, buffer);
        const int k =
            triangle == uplo::lower ? shoal::potrf<policy>(h, lower(A_)) : shoal::potrf<policy>(h, upper(A_));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe_triangle(g, buffer, a, seen, triangle);
    }
};

/// B a matrix, or a vector.
enum class sides { many, one };

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct potrs_case {
    piece a, b, seen;
    uplo triangle;
    sides how;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto solve = [&](auto factor) {
            if (how == sides::many) {
                shoal::potrs(End::group(g), factor, B::matrix(b, buffer));
            } else {
                shoal::potrs(End::group(g), factor, B::vector(b, buffer));
            }
        };
        if (triangle == uplo::lower) {
            solve(lower(A::matrix(a, buffer)));
        } else {
            solve(upper(A::matrix(a, buffer)));
        }
        End::finish(g);
        observe(g, buffer, b, seen);
    }
};

template <class A = look::strided, class B = look::strided, class End = ends::synced,
          potrf_algorithm Algorithm = potrf_algorithm::automatic>
struct posv_case {
    static constexpr potrf_policy policy{.algorithm = Algorithm};
    piece a, b, seen_a, seen_b, info;
    uplo triangle;
    sides how;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto solve = [&](auto A_) {
            if (how == sides::many) {
                return shoal::posv<policy>(End::group(g), A_, B::matrix(b, buffer));
            } else {
                return shoal::posv<policy>(End::group(g), A_, B::vector(b, buffer));
            }
        };
        const int k =
            triangle == uplo::lower ? solve(lower(A::matrix(a, buffer))) : solve(upper(A::matrix(a, buffer)));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe_triangle(g, buffer, a, seen_a, triangle);
        observe(g, buffer, b, seen_b);
    }
};

/// getrf and the permutation that its interchanges make.
template <class A = look::strided, class End = ends::synced>
struct getrf_case {
    piece a, pivots, permutation, seen, info;
    piece permutation_seen{};  // left out: not looked at

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto A_ = A::matrix(a, buffer);
        const int k = shoal::getrf(g, A_, integers<decltype(A_)::static_rows>(pivots, buffer));
        shoal::pivot_permutation(End::group(g), integers(pivots, buffer), integers(permutation, buffer));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        if (permutation_seen.rows > 0) observe(g, buffer, permutation, permutation_seen);
        observe(g, buffer, a, seen);
    }
};

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct getrs_case {
    piece lu, pivots, b, seen;
    turned transposed_;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto h = End::group(g);
        const auto A_ = A::matrix(lu, buffer);
        const auto p = integers<decltype(A_)::static_rows>(pivots, buffer);
        if (transposed_ == turned::no) {
            shoal::getrs(h, A_, p, B::matrix(b, buffer));
        } else {
            shoal::getrs_transposed(h, A_, p, B::matrix(b, buffer));
        }
        End::finish(g);
        observe(g, buffer, b, seen);
    }
};

template <class A = look::strided, class B = look::strided, class End = ends::synced>
struct gesv_case {
    piece a, pivots, b, seen, info;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const int k =
            shoal::gesv(End::group(g), A::matrix(a, buffer), integers(pivots, buffer), B::matrix(b, buffer));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe(g, buffer, b, seen);
    }
};

/// gesv and getrs for a vector: b by gesv, c by getrs with the factor that gesv leaves, d by getrs_transposed.
template <class A = look::strided, class X = look::strided, class End = ends::synced>
struct lu_vector_case {
    piece a, pivots, b, c, d, seen, info;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto A_ = A::matrix(a, buffer);
        const auto p = integers<decltype(A_)::static_rows>(pivots, buffer);
        const int k = shoal::gesv(g, A_, p, X::vector(b, buffer));
        shoal::getrs(g, A_, p, X::vector(c, buffer));
        shoal::getrs_transposed(End::group(g), A_, p, X::vector(d, buffer));
        End::finish(g);
        info.mine(g, buffer) = static_cast<T>(k);
        observe(g, buffer, d, seen);
    }
};

enum class interchange { forward, reversed };

template <class B = look::strided, class End = ends::synced, int Pivots = dynamic>
struct laswp_case {
    piece b, pivots, seen;
    interchange order;

    template <class G, class T>
    SHOAL_FN void operator()(const G& g, T* buffer) const {
        const auto B_ = B::matrix(b, buffer);
        const auto p = integers<Pivots>(pivots, buffer);
        if (order == interchange::forward) {
            shoal::laswp(End::group(g), B_, p);
        } else {
            shoal::laswp_reversed(End::group(g), B_, p);
        }
        End::finish(g);
        observe(g, buffer, b, seen);
    }
};

/// A case on one group of each scope only.
template <class Case>
struct few : Case {
    template <class G>
    static constexpr bool supports = one_of_each_scope<G>;
    using Case::operator();
};
template <class Case>
few(Case) -> few<Case>;

/// Whether square roots have the host's bits in this lane.
#if defined(__CUDACC__)
inline constexpr bool host_lane = false;
#else
inline constexpr bool host_lane = true;
#endif

/// Storage of every kind, for cases that look at strides.
inline constexpr place places[] = {{},
                                   {.padding = 3},
                                   {.order = storage::row},
                                   {.order = storage::row, .padding = 1},
                                   {.stride = 5},
                                   {.order = storage::row, .stride = 3},
                                   {.padding = 2, .shift = 1},
                                   {.order = storage::row, .padding = 2, .stride = 2, .shift = 3}};
/// One of them, by number.
inline place some_place(int k) {
    constexpr int count = static_cast<int>(sizeof places / sizeof places[0]);
    return places[static_cast<unsigned>(k) % count];
}

}  // namespace shoal::support
