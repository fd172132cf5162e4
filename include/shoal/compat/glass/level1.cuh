#pragma once

#include <shoal/blas/axpby.hpp>
#include <shoal/blas/axpy.hpp>
#include <shoal/blas/copy.hpp>
#include <shoal/blas/rot.hpp>
#include <shoal/blas/scal.hpp>
#include <shoal/blas/set.hpp>
#include <shoal/blas/swap.hpp>
#include <shoal/compat/glass/views.cuh>

/// \file
/// Operations on vectors, element by element, at every tier: the size comes first, or as a template argument behind T. Block
/// scope has a TRAILING_SYNC.

namespace SHOAL_GLASS_NAMESPACE {

namespace detail {

/// f(i) for i = 0 .. n - 1, and the exit barrier.
template <class G, class F>
SHOAL_GLASS_FN void each(const G& g, int n, F f) {
    for (int i = g.rank(); i < n; i += g.size()) f(i);
    if constexpr (shoal::syncs_on_exit<G>) g.sync();
}

template <int N, class G, class T>
SHOAL_GLASS_FN void axpy(const G& g, int n, T alpha, const T* x, T* y) {
    shoal::axpy(g, alpha, line<N>(x, n), line<N>(y, n));
}
template <int, class G, class T>
SHOAL_GLASS_FN void axpy(const G& g, int n, T alpha, const T* x, const T* y, T* z) {
    each(g, n, [=](int i) { z[i] = shoal::core::fma(alpha, x[i], y[i]); });
}
template <int, class G, class T>
SHOAL_GLASS_FN void axpby(const G& g, int n, T alpha, const T* x, T beta, const T* y, T* z) {
    each(g, n, [=](int i) { z[i] = beta == 0 ? alpha * x[i] : shoal::core::fma(beta, y[i], alpha * x[i]); });
}
template <int N, class G, class T>
SHOAL_GLASS_FN void copy(const G& g, int n, const T* x, T* y) {
    shoal::copy(g, line<N>(x, n), line<N>(y, n));
}
template <int, class G, class T>
SHOAL_GLASS_FN void copy(const G& g, int n, T alpha, const T* x, T* y) {
    each(g, n, [=](int i) { y[i] = alpha * x[i]; });
}
template <int N, class G, class T>
SHOAL_GLASS_FN void scal(const G& g, int n, T alpha, T* x) {
    shoal::scal(g, alpha, line<N>(x, n));
}
template <int, class G, class T>
SHOAL_GLASS_FN void scal(const G& g, int n, T alpha, const T* x, T* y) {
    each(g, n, [=](int i) { y[i] = alpha * x[i]; });
}
template <int N, class G, class T>
SHOAL_GLASS_FN void swap(const G& g, int n, T* x, T* y) {
    shoal::swap(g, line<N>(x, n), line<N>(y, n));
}
template <int N, class G, class T>
SHOAL_GLASS_FN void set_const(const G& g, int n, T alpha, T* x) {
    shoal::set(g, alpha, line<N>(x, n));
}
template <int N, class G, class T>
SHOAL_GLASS_FN void rot(const G& g, int n, T* x, T* y, T c, T s) {
    shoal::rot(g, line<N>(x, n), line<N>(y, n), c, s);
}
template <int, class G, class T>
SHOAL_GLASS_FN void clip(const G& g, int n, T* x, const T* low, const T* high) {
    each(g, n, [=](int i) { x[i] = x[i] < low[i] ? low[i] : high[i] < x[i] ? high[i] : x[i]; });
}

// An expression of x = a[i], and of y = b[i] where there are two.
#define SHOAL_GLASS_UNARY(name, expression)                       \
  template <int, class G, class T>                                \
  SHOAL_GLASS_FN void name(const G& g, int n, const T* a, T* b) { \
    each(g, n, [=](int i) {                                       \
  const T x = a[i];                                               \
  b[i] = expression;                                              \
    });                                                           \
  }
#define SHOAL_GLASS_BINARY(name, expression)                                  \
  template <int, class G, class T>                                            \
  SHOAL_GLASS_FN void name(const G& g, int n, const T* a, const T* b, T* c) { \
    each(g, n, [=](int i) {                                                   \
  const T x = a[i];                                                           \
  const T y = b[i];                                                           \
  c[i] = expression;                                                          \
    });                                                                       \
  }
#define SHOAL_GLASS_SCALAR(name, expression)                           \
  template <int, class G, class T>                                     \
  SHOAL_GLASS_FN void name(const G& g, int n, const T* a, T y, T* b) { \
    each(g, n, [=](int i) {                                            \
  const T x = a[i];                                                    \
  b[i] = expression;                                                   \
    });                                                                \
  }
SHOAL_GLASS_UNARY(elementwise_abs, shoal::core::abs(x))
SHOAL_GLASS_UNARY(elementwise_not, T(x == T(0) ? 1 : 0))
SHOAL_GLASS_BINARY(elementwise_max, x < y ? y : x)
SHOAL_GLASS_BINARY(elementwise_min, y < x ? y : x)
SHOAL_GLASS_BINARY(elementwise_mult, x* y)
SHOAL_GLASS_BINARY(elementwise_sub, x - y)
SHOAL_GLASS_BINARY(elementwise_add, x + y)
SHOAL_GLASS_BINARY(elementwise_less_than, T(x < y ? 1 : 0))
SHOAL_GLASS_BINARY(elementwise_more_than, T(x > y ? 1 : 0))
SHOAL_GLASS_BINARY(elementwise_less_than_or_eq, T(x <= y ? 1 : 0))
SHOAL_GLASS_BINARY(elementwise_and, T(x != T(0) && y != T(0) ? 1 : 0))
SHOAL_GLASS_SCALAR(elementwise_less_than_scalar, T(x < y ? 1 : 0))
SHOAL_GLASS_SCALAR(elementwise_mult_scalar, x* y)
SHOAL_GLASS_SCALAR(elementwise_max_scalar, x < y ? y : x)
SHOAL_GLASS_SCALAR(elementwise_min_scalar, y < x ? y : x)
#undef SHOAL_GLASS_UNARY
#undef SHOAL_GLASS_BINARY
#undef SHOAL_GLASS_SCALAR

}  // namespace detail

// One operation at every tier, its size at run time or compile time; the parameters and arguments that follow the size come
// in parentheses.
#define SHOAL_GLASS_LIST(...) __VA_ARGS__
#define SHOAL_GLASS_AT(tier_template, members, name, parameters, arguments)            \
  template <typename T SHOAL_GLASS_LIST tier_template>                                 \
  SHOAL_GLASS_FN void name(std::uint32_t n, SHOAL_GLASS_LIST parameters) {             \
    detail::name<detail::dynamic>(members, detail::rt(n), SHOAL_GLASS_LIST arguments); \
  }                                                                                    \
  template <typename T, std::uint32_t N SHOAL_GLASS_LIST tier_template>                \
  SHOAL_GLASS_FN void name(SHOAL_GLASS_LIST parameters) {                              \
    detail::name<detail::ct<N>>(members, detail::ct<N>, SHOAL_GLASS_LIST arguments);   \
  }
#define SHOAL_GLASS_TIERS(name, parameters, arguments)                                                    \
  inline namespace block {                                                                                \
  SHOAL_GLASS_AT((, bool TRAILING_SYNC = true), detail::block_members<TRAILING_SYNC>(), name, parameters, \
                 arguments)                                                                               \
  }                                                                                                       \
  namespace warp {                                                                                        \
  SHOAL_GLASS_AT((), detail::warp_members(), name, parameters, arguments)                                 \
  }                                                                                                       \
  namespace thread {                                                                                      \
  SHOAL_GLASS_AT((), detail::thread_members(), name, parameters, arguments)                               \
  }

SHOAL_GLASS_TIERS(axpy, (T alpha, const T* x, T* y), (alpha, x, y))
SHOAL_GLASS_TIERS(axpy, (T alpha, const T* x, const T* y, T* z), (alpha, x, y, z))
SHOAL_GLASS_TIERS(axpby, (T alpha, const T* x, T beta, const T* y, T* z), (alpha, x, beta, y, z))
SHOAL_GLASS_TIERS(copy, (const T* x, T* y), (x, y))
SHOAL_GLASS_TIERS(copy, (T alpha, const T* x, T* y), (alpha, x, y))
SHOAL_GLASS_TIERS(scal, (T alpha, T* x), (alpha, x))
SHOAL_GLASS_TIERS(scal, (T alpha, const T* x, T* y), (alpha, x, y))
SHOAL_GLASS_TIERS(swap, (T * x, T* y), (x, y))
SHOAL_GLASS_TIERS(set_const, (T alpha, T* x), (alpha, x))
SHOAL_GLASS_TIERS(rot, (T * x, T* y, T c, T s), (x, y, c, s))
SHOAL_GLASS_TIERS(clip, (T * x, const T* low, const T* high), (x, low, high))
SHOAL_GLASS_TIERS(elementwise_abs, (const T* a, T* b), (a, b))
SHOAL_GLASS_TIERS(elementwise_not, (const T* a, T* b), (a, b))
SHOAL_GLASS_TIERS(elementwise_max, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_min, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_mult, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_sub, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_add, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_less_than, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_more_than, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_less_than_or_eq, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_and, (const T* a, const T* b, T* c), (a, b, c))
SHOAL_GLASS_TIERS(elementwise_less_than_scalar, (const T* a, T y, T* b), (a, y, b))
SHOAL_GLASS_TIERS(elementwise_mult_scalar, (const T* a, T y, T* b), (a, y, b))
SHOAL_GLASS_TIERS(elementwise_max_scalar, (const T* a, T y, T* b), (a, y, b))
SHOAL_GLASS_TIERS(elementwise_min_scalar, (const T* a, T y, T* b), (a, y, b))

#undef SHOAL_GLASS_TIERS
#undef SHOAL_GLASS_AT
#undef SHOAL_GLASS_LIST

/// The rotation that turns (a, b) into (r, 0), by the calling thread: a becomes r.
template <typename T>
SHOAL_GLASS_FN void rotg(T* a, T* b, T* c, T* s) {
    const auto q = shoal::rotg(*a, *b);
    *a = q.r;
    *b = T(0);
    *c = q.c;
    *s = q.s;
}

}  // namespace SHOAL_GLASS_NAMESPACE
