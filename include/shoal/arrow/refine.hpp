#pragma once

#include <cstdint>
#include <vector>

#include <shoal/arrow/residual.hpp>

namespace shoal::arrow {

/// Choices of a refinement.
struct refine_options {
    int most_steps = 2;  ///< corrections to try
    /// Stop once |b - K x| is at most this times |K| |x| + |b|; 0: as long as a step lowers the residual.
    double tolerance = 0;
};

/// What a refinement did.
struct refinement {
    int steps;              ///< corrections that were kept
    double backward_error;  ///< of the x that is handed back
};

/// Iterative refinement: x := x + K^-1 (b - K x), for any solver of the same extent with `solve(T* b)`.
///
/// Owns two vectors; calls do not allocate.
template <class T, int n>
class refiner {
  public:
    explicit refiner(extent size, refine_options options = {})
        : size_(size),
          options_(options),
          residual_(static_cast<std::size_t>(unknowns(size, n))),
          trial_(residual_.size()) {}

    /// Improves x, an approximate solution of K x = b, in place.
    ///
    /// A residual of 0 takes no step and leaves x as it is. A step that does not lower the max norm of the residual,
    /// which NaN never does, is dropped, and it is the last. With NaN in K, b or x nothing is done.
    template <class Solver>
    refinement operator()(const Solver& solver, matrix_view<const T> k, const T* b, T* x) {
        const auto total = static_cast<std::int64_t>(residual_.size());
        T* r = residual_.data();
        T* trial = trial_.data();
        const T of_k = max_norm<T, n>(size_, k, r);
        const T of_b = max_norm(b, total);
        residual<T, n>(size_, k, x, b, r);
        T size_now = max_norm(r, total);
        const auto error = [&](T res) {
            return res == T(0) ? T(0) : res / (of_k * max_norm(x, total) + of_b);
        };
        int steps = 0;
        while (steps < options_.most_steps && size_now > T(0) &&
               error(size_now) > static_cast<T>(options_.tolerance)) {
            solver.solve(r);
            for (std::int64_t i = 0; i < total; ++i) trial[i] = x[i] + r[i];
            residual<T, n>(size_, k, trial, b, r);
            const T size_then = max_norm(r, total);
            if (!(size_then < size_now)) break;
            for (std::int64_t i = 0; i < total; ++i) x[i] = trial[i];
            size_now = size_then;
            ++steps;
        }
        return {steps, static_cast<double>(error(size_now))};
    }

  private:
    extent size_;
    refine_options options_;
    std::vector<T> residual_;
    std::vector<T> trial_;
};

}  // namespace shoal::arrow
