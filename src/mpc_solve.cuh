#pragma once

#include "mpc_branch_kernels.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

#include <shoal/mpc/ipm.hpp>

/// \file
/// The host side of a solve on the device: memory, graphs, and the loop that launches iterations ahead.

namespace shoal::mpc::detail {

inline void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("mpc: ") + what + ": " + cudaGetErrorString(error));
}

/// One allocation on the device, handed out in parts: counted first, then addressed.
class device_memory {
  public:
    device_memory() = default;
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;
    ~device_memory() { cudaFree(base_); }

    template <class T>
    void take(T*& p, std::int64_t count) {
        if (base_ != nullptr) p = reinterpret_cast<T*>(base_ + used_);
        used_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    }
    void allocate() {
        check(cudaMalloc(&base_, used_), "cudaMalloc");
        check(cudaMemset(base_, 0, used_), "cudaMemset");
        used_ = 0;
    }

  private:
    char* base_ = nullptr;
    std::size_t used_ = 0;
};

/// A stream, a page-locked T that kernels' results are copied to, and graphs, all freed with it.
template <class T>
class device_session {
  public:
    device_session() {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        if (const cudaError_t e = cudaMallocHost(&host, sizeof(T)); e != cudaSuccess) {
            cudaStreamDestroy(stream);
            check(e, "page-locked memory");
        }
    }
    device_session(const device_session&) = delete;
    device_session& operator=(const device_session&) = delete;
    ~device_session() {
        cudaStreamSynchronize(stream);
        for (cudaGraphExec_t g : {check_graph, rest_graph})
            if (g != nullptr) cudaGraphExecDestroy(g);
        cudaFreeHost(host);
        cudaStreamDestroy(stream);
    }

    cudaStream_t stream = nullptr;
    T* host = nullptr;
    cudaGraphExec_t check_graph = nullptr, rest_graph = nullptr;
};

/// The interior-point method with everything on the device. The host launches iterations ahead and reads the scalars once,
/// where it expects the end. Never allocates after construction.
///
/// \tparam Solver of device pointers: `factor(stream, K)`, `solve(stream, b)`, which report errors of the launch as
/// cudaError_t, and `device_info()`
template <class Solver>
class device_ipm {
  public:
    device_ipm(qp_shape shape, Solver& solver) : solver_(solver) {
        if (shape.tail_blocks() >= (std::int64_t{1} << 31) / block_entries)
            throw std::invalid_argument("mpc: too many blocks");
        d_.data.shape = shape;
        layout(shape);
        memory_.allocate();
        layout(shape);
        d_.found = solver.device_info();
        capture(session_.check_graph, [&] { launch_check(); });
        capture(session_.rest_graph, [&] { launch_rest(); });
        check(cudaStreamSynchronize(stream()), "start");
    }

    [[nodiscard]] cudaStream_t stream() const { return session_.stream; }
    [[nodiscard]] const device_solve& arrays() const { return d_; }

    /// Solves the program that lies in arrays().data. finish() is enqueued wherever the solve may have ended, before the
    /// scalars are read.
    template <class Finish>
    const solve_control& run(const ipm_settings& settings, const penalty& w, Finish&& finish) {
        begin_kernel<<<1, 1, 0, stream()>>>(d_, settings, w);
        first_point_kernel<<<all_tiles(), solve_threads, 0, stream()>>>(d_, settings.mu_start, w);
        gram_sum_kernel<<<block_entries / 32, decide_threads, 0, stream()>>>(d_);
        for (int ahead = 0; ahead < std::min(expected_, settings.max_iterations); ++ahead) launch_iteration();
        const solve_control& c = *session_.host;
        for (;;) {
            replay(session_.check_graph);
            finish();
            check(cudaMemcpyAsync(session_.host, d_.control, sizeof c, cudaMemcpyDeviceToHost, stream()),
                  "scalars");
            check(cudaStreamSynchronize(stream()), "solve");
            if (c.state == halt::finished) break;
            if (c.state == halt::refactor && c.attempts == settings.retries) {
                session_.host->progress.status = ipm_status::factorization_failed;
                break;
            }
            go_on(c.state);
        }
        expected_ = c.progress.iteration;
        if (!usable(c.progress.status))
            check(cudaMemsetAsync(d_.point.y, 0,
                                  static_cast<std::size_t>(blocks() * state_size) * sizeof(double), stream()),
                  "cudaMemset");
        return c;
    }

    /// What the scalars say.
    static ipm_result result_of(const solve_control& c) {
        linear_statistics linear = c.linear;
        // One interval spans a factorisation and a solve, the other a solve alone, which is subtracted.
        linear.solve_seconds = 2e-9 * double(c.second);
        linear.factor_seconds = 1e-9 * (double(c.both) - double(c.second));
        return make_result(c.progress, c.failure, linear);
    }

    [[nodiscard]] std::int64_t blocks() const { return d_.data.shape.blocks(); }
    static unsigned tiles(std::int64_t blocks) {
        return static_cast<unsigned>(std::max<std::int64_t>(1, (blocks + solve_tiles - 1) / solve_tiles));
    }

  private:
    void layout(const qp_shape& s) {
        const std::int64_t all = s.blocks(), tails = s.tail_blocks(), rows = all * s.rows();
        device_memory& m = memory_;
        m.take(d_.data.e, tails * state_size * stage_size);
        m.take(d_.data.c, tails * state_size);
        for (double** p : {&d_.data.hessian, &d_.data.gradient, &d_.right, &d_.solution, &d_.residual,
                           &d_.work.gradient, &d_.work.base, &d_.point.z, &d_.work.direction.z})
            m.take(*p, all * stage_size);
        m.take(d_.data.normal, all * s.slots * 3);
        m.take(d_.data.initial, state_size);
        for (double** p : {&d_.point.y, &d_.work.direction.y, &d_.work.defect}) m.take(*p, all * state_size);
        for (point_view* v : {&d_.point, &d_.work.direction})
            for (double** p : {&v->t, &v->lambda, &v->s, &v->nu}) m.take(*p, rows);
        for (double** p : {&d_.data.limit, &d_.work.weight, &d_.work.shift, &d_.work.push, &d_.work.gap,
                           &d_.work.change_t, &d_.work.change_s})
            m.take(*p, rows);
        m.take(d_.work.grams, tails * block_entries);
        m.take(d_.work.gram_sum, block_entries);
        m.take(d_.K.diagonal, tails * block_entries);
        m.take(d_.K.lower, (tails - s.scenarios) * block_entries);
        m.take(d_.K.coupling, std::int64_t{s.scenarios} * block_entries);
        m.take(d_.K.root, block_entries);
        for (double** p : {&d_.pull, &d_.drag, &d_.product})
            m.take(*p, std::int64_t{s.scenarios} * stage_size);
        m.take(d_.evaluated, tiles(all));
        m.take(d_.directed, 2 * tiles(all));
        m.take(d_.control, 1);
    }

    template <class Launch>
    void capture(cudaGraphExec_t& to, Launch&& launch) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "capture");
        launch();
        check(cudaStreamEndCapture(stream(), &graph), "capture");
        const cudaError_t e = cudaGraphInstantiate(&to, graph, 0);
        cudaGraphDestroy(graph);
        check(e, "graph");
        check(cudaGraphUpload(to, stream()), "graph");
    }
    void replay(cudaGraphExec_t graph) { check(cudaGraphLaunch(graph, stream()), "launch"); }

    void launch_iteration() {
        replay(session_.check_graph);
        replay(session_.rest_graph);
    }

    void launch_check() {
        prepare_kernel<<<dim3(all_tiles(), 2), solve_threads, 0, stream()>>>(d_);
        judge_kernel<<<1, decide_threads, 0, stream()>>>(d_, static_cast<int>(all_tiles()));
    }
    void launch_rest() {
        check(solver_.factor(stream(), d_.K), "factor");
        check(solver_.solve(stream(), d_.solution), "solve");
        launch_predicted();
    }
    void launch_predicted() {
        launch_direction(newton_kind::predictor);
        correct_kernel<<<all_tiles(), solve_threads, 0, stream()>>>(d_);
        check(solver_.solve(stream(), d_.solution), "solve");
        launch_corrected();
    }
    void launch_corrected() {
        launch_direction(newton_kind::corrector);
        advance_kernel<<<all_tiles(), solve_threads, 0, stream()>>>(d_);
    }
    void launch_direction(newton_kind kind) {
        direct_kernel<<<dim3(all_tiles(), 2), solve_threads, 0, stream()>>>(d_, kind);
        weigh_kernel<<<1, decide_threads, 0, stream()>>>(d_, 2 * static_cast<int>(all_tiles()), kind);
    }
    void launch_refinement() {
        check(solver_.solve(stream(), d_.residual), "solve");
        refine_kernel<<<all_tiles(), solve_threads, 0, stream()>>>(d_);
    }

    /// From where the solve stands to the next check.
    void go_on(halt why) {
        switch (why) {
            case halt::refactor:
                regularise_kernel<<<1, 1, 0, stream()>>>(d_);
                launch_iteration();
                break;
            case halt::refine_predictor:
                launch_refinement();
                launch_predicted();
                break;
            case halt::refine_corrector:
                launch_refinement();
                launch_corrected();
                break;
            default:
                replay(session_.rest_graph);
        }
        check(cudaGetLastError(), "launch");
    }

    [[nodiscard]] unsigned all_tiles() const { return tiles(blocks()); }

    Solver& solver_;
    device_solve d_{};
    device_memory memory_;
    device_session<solve_control> session_;
    int expected_ = 0;  ///< iterations of the last solve
};

}  // namespace shoal::mpc::detail
