#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <shoal/arrow/detail/host_checks.hpp>
#include <shoal/arrow/detail/host_dispatch.hpp>
#include <shoal/arrow/plan.hpp>
#include <shoal/arrow/storage.hpp>
#include <shoal/arrow/types.hpp>
#include <shoal/batched/executor.hpp>

namespace shoal::arrow {

/// Choices of a host solver.
struct host_options {
    /// `automatic` is `sequential`: on a host the tails keep the cores busy, and it needs the fewest operations.
    /// `recursive` pays when there are more cores than tails.
    order which = order::automatic;
    /// Threads of the solver's own, the caller included; 0: those of `shoal::set_num_threads` when it is made.
    int threads = 0;
    /// Runs the loops instead, when given; must outlive the solver.
    executor* threads_of = nullptr;
    /// For measurements; see `instruction_set`.
    instruction_set instructions = instruction_set::best;
};

/// K = L L' and K x = b for block-arrow K, on the host. Blocks of n x n; see types.hpp for the matrix and its storage.
///
/// Owns all memory; `factor` and `solve` never allocate. They may be repeated, `factor` with other numbers. Different
/// solvers may be used from different threads at once; one solver serves one call at a time.
///
/// The factor is the Cholesky factor of K with its stages in the order of `steps()`, tail after tail, the root last: a
/// dense Cholesky of the permuted matrix, row by column in ascending order, gives the same blocks to the bit. Only the
/// root's sum has an order of its own: U_i = F_i F_i' of each tail by itself (one chain from zero), then R - U_0 - U_1 - ... in ascending i.
/// Results do not depend on the number of threads, nor on how many right-hand sides are solved together.
///
/// Cost: 7/3 N n^3 operations a tail for `sequential`, up to 2.7 times as many for `recursive`; a solve 6 N n^2.
///
/// \tparam T float or double
/// \tparam n block size
template <class T, int n>
class host_solver {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "host_solver: T is float or double");
    static_assert(n >= 1, "host_solver: a block has at least one row; any_host_solver takes n at run time");
    using rec = detail::record<T, n>;
    static constexpr int block = n * n;
    /// Right-hand sides of one pass; more are solved in several passes.
    static constexpr int pass = 32;

  public:
    explicit host_solver(extent size, host_options options = {})
        : size_(checked(size)),
          kernels_(&detail::kernels_for<T, n>(options.instructions)),
          plan_(make_plan(size.stages, options.which)),
          tail_size_(rec::size(plan_)) {
        if (options.threads < 0) {
            throw std::invalid_argument("arrow: threads = " + std::to_string(options.threads) +
                                        ", must be at least 0");
        }
        if (options.threads_of != nullptr) {
            executor_ = std::shared_ptr<executor>(options.threads_of, [](executor*) {});
        } else if (options.threads > 0) {
            executor_ = std::make_shared<executor>(options.threads);
        } else {
            executor_ = shared_executor();
        }
        const auto tails = static_cast<std::size_t>(size.tails);
        // One part more than there are tails: the root's record.
        memory_.resize(tails * static_cast<std::size_t>(tail_size_) + block + n + 64 / sizeof(T));
        sums_.resize(tails * std::max(block, n * pass));
        found_.resize(tails * (by_level() ? static_cast<std::size_t>(size.stages) : 1), success);
    }

    // A copy would begin at another offset from a cache line, and find its records elsewhere.
    host_solver(const host_solver&) = delete;
    host_solver& operator=(const host_solver&) = delete;
    host_solver(host_solver&&) = default;
    host_solver& operator=(host_solver&&) = default;

    /// Factors K. K is only read. When the result is not good, the factor must not be used; tails without a bad pivot
    /// are finished all the same.
    ///
    /// \return the first bad pivot: that of the lowest tail, in it the first in elimination order; see `info`
    [[nodiscard]] info factor(matrix_view<const T> k) {
        detail::check_blocks(k, size_);
        const info found = factor_checked(k);
        factored_ = found.good();
        return found;
    }
    /// The same for a matrix that knows its extent: throws std::invalid_argument where that is not the solver's.
    [[nodiscard]] info factor(const storage<T, n>& k) {
        if (k.size() != size_) {
            const auto text = [](extent e) {
                return std::to_string(e.tails) + " tails of " + std::to_string(e.stages) + " stages";
            };
            throw std::invalid_argument("arrow: K has " + text(k.size()) + " and the solver was made for " +
                                        text(size_));
        }
        return factor(k.view());
    }

    /// b := K^-1 b, in place, for nrhs columns with leading dimension ld (0: unknowns()). After a good `factor`.
    ///
    /// NaN in a column of b stays in that column. nrhs = 0 does nothing. Throws std::logic_error without a good `factor`,
    /// std::invalid_argument where b is null, nrhs is negative or ld is less than unknowns(); b is then as it was.
    void solve(T* b, int nrhs = 1, std::int64_t ld = 0) const {
        if (ld == 0) ld = unknowns();
        detail::check_columns(b, nrhs, ld, unknowns(), factored_);
        for (int first = 0; first < nrhs; first += pass) {
            solve_pass(b + first * ld, std::min(pass, nrhs - first), ld);
        }
    }

    extent size() const { return size_; }
    /// Length of a right-hand side: n (M N + 1).
    std::int64_t unknowns() const { return arrow::unknowns(size_, n); }
    /// The order of elimination, the same for every tail.
    const plan& steps() const { return plan_; }
    const executor& threads() const { return *executor_; }

    /// Column of the factor of one stage: pointers to n x n column-major blocks.
    struct column {
        const T* diagonal;  ///< L_k; only the lower triangle means anything
        const T*
            toward_root;  ///< block in the row of the neighbour on the root's side, or of the root for x_1
        const T* toward_end;  ///< block in the row of the neighbour on the free side; null: none
    };
    /// The factor's column of stage k = 0 .. N-1 of a tail, after a good `factor`; the neighbours: `steps()`.
    column factor_column(int tail, int stage) const {
        int index = 0;
        while (stage_of(size_.stages, plan_.steps[static_cast<std::size_t>(index)].node) != stage) ++index;
        const auto own = detail::pieces_of<T, n>(job({}, tail), index);
        return {own.l, own.b, own.a};
    }
    /// Factor of R - sum_i F_i F_i'.
    const T* factor_root() const { return root_record(); }

    /// All memory that `factor` and `solve` work in. What it holds before `factor` has no influence.
    std::span<T> memory() { return memory_; }
    std::span<T> scratch() { return sums_; }

  private:
    info factor_checked(matrix_view<const T> k) {
        const int steps = size_.stages;
        std::fill(found_.begin(), found_.end(), success);
        if (by_level()) {
            for (int l = 0; l < plan_.level_count(); ++l) {
                const int first = plan_.level_begin[static_cast<std::size_t>(l)];
                const int width = plan_.level_begin[static_cast<std::size_t>(l) + 1] - first;
                executor_->parallel_for(
                    static_cast<std::int64_t>(size_.tails) * width, [&](std::int64_t t, int) {
                        const int tail = static_cast<int>(t / width);
                        const int index = first + static_cast<int>(t % width);
                        found_[static_cast<std::size_t>(tail) * static_cast<std::size_t>(steps) +
                               static_cast<std::size_t>(index)] =
                            kernels_->eliminate(job(k, tail), index, index + 1);
                    });
            }
            executor_->parallel_for(size_.tails, [&](std::int64_t t, int) {
                kernels_->root_update(job(k, static_cast<int>(t)), sums_.data() + t * block);
            });
        } else {
            executor_->parallel_for(size_.tails, [&](std::int64_t t, int) {
                const auto tail = job(k, static_cast<int>(t));
                info& found = found_[static_cast<std::size_t>(t)];
                found = kernels_->eliminate(tail, 0, steps);
                if (found.good()) kernels_->root_update(tail, sums_.data() + t * block);
            });
        }
        const auto bad = std::find_if(found_.begin(), found_.end(), [](const info& f) { return !f.good(); });
        if (bad != found_.end()) {
            const auto per_tail = found_.size() / static_cast<std::size_t>(size_.tails);
            const int tail = static_cast<int>(static_cast<std::size_t>(bad - found_.begin()) / per_tail);
            return {tail, node_of(steps, bad->block) + 1, bad->pivot};
        }
        T* root = root_record();
        std::copy_n(k.root, block, root);
        for (int t = 0; t < size_.tails; ++t) {
            const T* u = sums_.data() + static_cast<std::int64_t>(t) * block;
            for (int i = 0; i < block; ++i) root[i] += u[i];
        }
        const int pivot = kernels_->root_factor(root, root + block);
        return {-1, 0, pivot};
    }

    /// With fewer tails than threads, and several steps a level, threads share the steps of a level.
    bool by_level() const { return size_.tails < executor_->threads() && plan_.level_count() < size_.stages; }
    const T* tail_factor(int tail) const { return aligned() + tail * tail_size_; }
    T* tail_factor(int tail) { return const_cast<T*>(std::as_const(*this).tail_factor(tail)); }
    const T* root_record() const { return tail_factor(size_.tails); }
    T* root_record() { return tail_factor(size_.tails); }
    const T* aligned() const {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        return memory_.data() + ((64 - address % 64) % 64) / sizeof(T);
    }

    detail::tail_job<T> job(matrix_view<const T> k, int tail) const {
        const std::int64_t t = tail;
        T* factor = const_cast<T*>(tail_factor(tail));
        detail::tail_job<T> job{
            plan_.steps.data(), plan_.updates.data(), size_.stages, nullptr, nullptr, nullptr, factor};
        if (k.diagonal != nullptr) {
            job.diagonal = k.diagonal + t * size_.stages * block;
            if (size_.stages > 1) job.lower = k.lower + t * (size_.stages - 1) * block;
            job.coupling = k.coupling + t * block;
        }
        return job;
    }

    void solve_pass(T* b, int nrhs, std::int64_t ld) const {
        const int steps = size_.stages;
        const auto tail_part = [&](std::int64_t t) { return b + t * size_.stages * n; };
        T* root = tail_part(size_.tails);
        if (by_level()) {
            for (int l = 0; l < plan_.level_count(); ++l) {
                each_step(l, [&](int t, int i) {
                    kernels_->forward(job({}, t), i, i + 1, tail_part(t), nrhs, ld);
                });
            }
            executor_->parallel_for(size_.tails,
                                    [&](std::int64_t t, int) { product(t, tail_part(t), nrhs, ld); });
        } else {
            executor_->parallel_for(size_.tails, [&](std::int64_t t, int) {
                kernels_->forward(job({}, static_cast<int>(t)), 0, steps, tail_part(t), nrhs, ld);
                product(t, tail_part(t), nrhs, ld);
            });
        }
        for (int t = 0; t < size_.tails; ++t) {
            const T* z = sums_.data() + static_cast<std::int64_t>(t) * n * pass;
            for (int c = 0; c < nrhs; ++c) {
                for (int i = 0; i < n; ++i) root[i + c * ld] += z[i + c * n];
            }
        }
        kernels_->root_solve(root_record(), root_record() + block, root, nrhs, ld);
        if (by_level()) {
            for (int l = plan_.level_count() - 1; l >= 0; --l) {
                each_step(l, [&](int t, int i) {
                    kernels_->backward(job({}, t), i, i + 1, tail_part(t), root, nrhs, ld);
                });
            }
        } else {
            executor_->parallel_for(size_.tails, [&](std::int64_t t, int) {
                kernels_->backward(job({}, static_cast<int>(t)), 0, steps, tail_part(t), root, nrhs, ld);
            });
        }
    }

    void product(std::int64_t tail, const T* b, int nrhs, std::int64_t ld) const {
        kernels_->root_product(job({}, static_cast<int>(tail)), b, nrhs, ld, sums_.data() + tail * n * pass);
    }

    /// f(tail, step) for the steps of level l of every tail.
    template <class F>
    void each_step(int l, F f) const {
        const int first = plan_.level_begin[static_cast<std::size_t>(l)];
        const int width = plan_.level_begin[static_cast<std::size_t>(l) + 1] - first;
        executor_->parallel_for(static_cast<std::int64_t>(size_.tails) * width, [&](std::int64_t t, int) {
            f(static_cast<int>(t / width), first + static_cast<int>(t % width));
        });
    }

    extent size_;
    const detail::host_kernels<T>* kernels_;
    plan plan_;
    std::int64_t tail_size_;
    std::shared_ptr<executor> executor_;
    std::vector<T> memory_;        // records of the factor, tail after tail, then the root
    mutable std::vector<T> sums_;  // what each tail takes from the root
    std::vector<info> found_;
    bool factored_ = false;  // by the last call of factor()
};

}  // namespace shoal::arrow
