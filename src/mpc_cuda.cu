// The interior-point method and the branches of cuda_branches.hpp, for the kernels of mpc_kernels.cuh.
#include "arrow_device.hpp"
#include "mpc_solve.cuh"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <shoal/mpc/cuda_branches.hpp>

namespace shoal::mpc {

namespace {

using detail::check;
using detail::device_branches;
using detail::device_solve;
using detail::solve_control;

/// The arrow solver and the iterations on it.
struct engine {
    arrow::detail::device_arrow arrow;
    detail::device_ipm<arrow::detail::device_arrow> ipm;

    explicit engine(qp_shape shape) : arrow({shape.scenarios, shape.stages}), ipm(shape, arrow) {}
};

void to_device(double* device, const double* host, std::size_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(device, host, count * sizeof(double), cudaMemcpyHostToDevice, stream), "upload");
}
void to_host(std::vector<double>& host, const double* device, cudaStream_t stream) {
    check(cudaMemcpyAsync(host.data(), device, host.size() * sizeof(double), cudaMemcpyDeviceToHost, stream),
          "download");
}

}  // namespace

struct cuda_ipm_solver::state : engine {
    using engine::engine;
};

cuda_ipm_solver::cuda_ipm_solver(qp_shape shape, ipm_settings options)
    : settings(options), point(shape), state_(new state(shape)) {}
cuda_ipm_solver::cuda_ipm_solver(cuda_ipm_solver&&) noexcept = default;
cuda_ipm_solver& cuda_ipm_solver::operator=(cuda_ipm_solver&&) noexcept = default;
cuda_ipm_solver::~cuda_ipm_solver() = default;

ipm_result cuda_ipm_solver::solve(const qp_data& data) {
    const cudaStream_t stream = state_->ipm.stream();
    const device_solve& d = state_->ipm.arrays();
    to_device(d.data.e, data.e.data(), data.e.size(), stream);
    to_device(d.data.c, data.c.data(), data.c.size(), stream);
    to_device(d.data.hessian, data.hessian.data(), data.hessian.size(), stream);
    to_device(d.data.gradient, data.gradient.data(), data.gradient.size(), stream);
    to_device(d.data.limit, data.limit.data(), data.limit.size(), stream);
    to_device(d.data.normal, data.normal.data(), data.normal.size(), stream);
    to_device(d.data.initial, data.initial, state_size, stream);
    to_device(d.point.y, point.y.data(), point.y.size(), stream);
    const solve_control& c = state_->ipm.run(settings, {data.penalty, data.penalty_curvature}, [] {});
    to_host(point.z, d.point.z, stream);
    to_host(point.y, d.point.y, stream);
    to_host(point.t, d.point.t, stream);
    to_host(point.lambda, d.point.lambda, stream);
    to_host(point.s, d.point.s, stream);
    to_host(point.nu, d.point.nu, stream);
    check(cudaStreamSynchronize(stream), "download");
    return state_->ipm.result_of(c);
}

struct cuda_branches::state : engine {
    /// What a step brings in, in one piece.
    struct incoming {
        double* base = nullptr;
        std::size_t bytes = 0;

        double* x() const { return base; }
        double* targets() const { return base + stage_size; }
        quadrotor* vehicles(int stages) const {
            return reinterpret_cast<quadrotor*>(targets() + 6 * (std::size_t(stages) + 1));
        }
    };

    qp_shape shape;
    detail::device_memory memory;
    incoming host, device;
    obstacle* obstacles = nullptr;
    double* root = nullptr;  // page-locked
    device_branches d{};
    mutable std::vector<double> trajectory;

    state(const flight_problem& problem, qp_shape s)
        : engine(s), shape(s), trajectory(std::size_t(s.blocks()) * stage_size) {
        host.bytes = (stage_size + 6 * (std::size_t(s.stages) + 1)) * sizeof(double) +
                     std::size_t(s.scenarios) * sizeof(quadrotor);
        const auto layout = [&] {
            memory.take(device.base, std::int64_t(host.bytes / sizeof(double)));
            memory.take(d.trajectory, s.blocks() * stage_size);
            memory.take(obstacles, std::int64_t(problem.obstacles.size()));
        };
        layout();
        memory.allocate();
        layout();
        check(cudaMemcpy(obstacles, problem.obstacles.data(), problem.obstacles.size() * sizeof(obstacle),
                         cudaMemcpyHostToDevice),
              "obstacles");
        check(cudaMallocHost(&host.base, host.bytes), "page-locked memory");
        if (const cudaError_t e = cudaMallocHost(&root, stage_size * sizeof(double)); e != cudaSuccess) {
            cudaFreeHost(host.base);
            check(e, "page-locked memory");
        }
        d.shape = s;
        d.x = device.x();
        d.targets = device.targets();
        d.vehicles = device.vehicles(s.stages);
        d.multipliers = ipm.arrays().point.y;
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
        cudaStreamSynchronize(ipm.stream());
        cudaFreeHost(host.base);
        cudaFreeHost(root);
    }

    void bring_in(const branch_task& task) {
        static_assert(sizeof(quadrotor) % sizeof(double) == 0);
        std::copy(task.x, task.x + state_size, host.x());
        const double* first = target_of(task.reference, 0);
        std::copy(first, first + 6 * (std::size_t(shape.stages) + 1), host.targets());
        std::copy(task.vehicles.begin(), task.vehicles.end(), host.vehicles(shape.stages));
        d.how = task.how;
        d.how.obstacles = obstacles;
        check(cudaMemcpyAsync(device.base, host.base, host.bytes, cudaMemcpyHostToDevice, ipm.stream()),
              "upload");
    }

    void fetch_root() {
        check(cudaMemcpyAsync(root, d.trajectory + shape.root() * stage_size, stage_size * sizeof(double),
                              cudaMemcpyDeviceToHost, ipm.stream()),
              "root");
    }

    /// The step of a program that has been solved, and the input; nothing if it has not.
    void take_step(const branch_task& task) {
        const auto blocks_of = [](std::int64_t count) {
            return static_cast<unsigned>((count + detail::decide_threads - 1) / detail::decide_threads);
        };
        const device_solve& s = ipm.arrays();
        detail::measure_kernel<<<blocks_of(shape.blocks()), detail::decide_threads, 0, ipm.stream()>>>(s);
        detail::
            take_kernel<<<blocks_of(shape.blocks() * stage_size), detail::decide_threads, 0, ipm.stream()>>>(
                s, d, task.longest_turn, task.longest_move);
        fetch_root();
    }

    unsigned tiles() const { return ipm.tiles(shape.blocks()); }
};

cuda_branches::cuda_branches(const flight_problem& problem, int scenarios, int stages)
    : state_(new state(problem, {scenarios, stages, obstacle_slots(problem)})) {}
cuda_branches::cuda_branches(cuda_branches&&) noexcept = default;
cuda_branches& cuda_branches::operator=(cuda_branches&&) noexcept = default;
cuda_branches::~cuda_branches() = default;

void cuda_branches::start(const branch_task& task) {
    state& s = *state_;
    s.bring_in(task);
    detail::along_kernel<<<s.tiles(), detail::solve_threads, 0, s.ipm.stream()>>>(s.d);
    s.fetch_root();
    check(cudaGetLastError(), "launch");
}

void cuda_branches::shift(const branch_task& task) {
    state& s = *state_;
    s.bring_in(task);
    detail::next_root_kernel<<<1, detail::decide_threads, 0, s.ipm.stream()>>>(s.d);
    detail::
        shift_kernel<<<static_cast<unsigned>(s.shape.scenarios), detail::solve_threads, 0, s.ipm.stream()>>>(
            s.d);
    s.fetch_root();
    check(cudaGetLastError(), "launch");
}

program_outcome cuda_branches::improve(const branch_task& task) {
    state& s = *state_;
    detail::linearise_kernel<<<s.tiles(), detail::solve_threads, 0, s.ipm.stream()>>>(s.d,
                                                                                      s.ipm.arrays().data);
    program_outcome out;
    for (int attempt = 0; attempt < 2; ++attempt) {
        const solve_control& c =
            s.ipm.run(task.ipm, {default_penalty, default_curvature}, [&] { s.take_step(task); });
        out.last = s.ipm.result_of(c);
        out.ipm_iterations += out.last.iterations;
        add(out.linear, out.last.linear);
        out.step = c.share;
        if (usable(out.last.status)) break;
    }
    return out;
}

void cuda_branches::input(double* u) {
    check(cudaStreamSynchronize(state_->ipm.stream()), "step");
    std::copy(state_->root + state_size, state_->root + stage_size, u);
}

const qp_shape& cuda_branches::shape() const {
    return state_->shape;
}

const std::vector<double>& cuda_branches::trajectory() const {
    const state& s = *state_;
    to_host(s.trajectory, s.d.trajectory, s.ipm.stream());
    check(cudaStreamSynchronize(s.ipm.stream()), "trajectory");
    return s.trajectory;
}

}  // namespace shoal::mpc
