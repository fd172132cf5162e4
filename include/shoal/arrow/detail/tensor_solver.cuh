#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

#include <shoal/arrow/cuda_status.cuh>
#include <shoal/arrow/detail/solve16_kernel.cuh>

/// \file
/// The host side of factor16.cuh and solve16_kernel.cuh: memory, attributes, launches.

namespace shoal::arrow::detail {

/// Hands out parts of one allocation.
class device_arena {
  public:
    device_arena() = default;
    device_arena(const device_arena&) = delete;
    device_arena& operator=(const device_arena&) = delete;
    ~device_arena() { cudaFree(base_); }

    /// First pass (no memory yet): counts. Second pass, after allocate(): returns addresses.
    template <class U>
    U* take(std::int64_t count) {
        U* p = base_ == nullptr ? nullptr : reinterpret_cast<U*>(base_ + used_);
        used_ += (count * static_cast<std::int64_t>(sizeof(U)) + 255) / 256 * 256;
        return p;
    }
    /// Zeroed.
    void allocate() {
        status{cudaMalloc(&base_, static_cast<std::size_t>(used_))}.or_throw("cudaMalloc");
        status{cudaMemset(base_, 0, static_cast<std::size_t>(used_))}.or_throw("cudaMemset");
        used_ = 0;
    }

  private:
    char* base_ = nullptr;
    std::int64_t used_ = 0;
};

/// Launch with the attributes that are asked for: a cluster, or all blocks resident at once. The kernel may begin while
/// the one before it in the stream ends: it must wait_for_kernel_before().
template <class... Parameters, class... Arguments>
status launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads, int shared, int cluster,
              bool cooperative, cudaStream_t stream, const Arguments&... arguments) {
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(static_cast<unsigned>(blocks));
    c.blockDim = dim3(static_cast<unsigned>(threads));
    c.dynamicSmemBytes = static_cast<std::size_t>(shared);
    c.stream = stream;
    cudaLaunchAttribute attributes[3]{};
    unsigned count = 1;
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    if (cluster > 1) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count].val.clusterDim.x = static_cast<unsigned>(cluster);
        attributes[count].val.clusterDim.y = attributes[count].val.clusterDim.z = 1;
        ++count;
    }
    if (cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count].val.cooperative = 1;
        ++count;
    }
    c.attrs = attributes;
    c.numAttrs = count;
    return {cudaLaunchKernelEx(&c, kernel, arguments...)};
}

class tensor_solver {
    static constexpr int several = 4;

  public:
    tensor_solver(const cuda_plan& plan, const cuda_options& options) : plan_(plan) {
        const auto limit = [](auto kernel, int bytes) {
            status{cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)}.or_throw(
                "shared memory");
        };
        limit(factor16_kernel<workers::block>, factor_shared());
        limit(factor16_kernel<workers::cluster>, factor_shared());
        // The planner's guess is checked against the driver: waiting inside the kernel needs every block resident.
        resident_[0] = plan.single.cluster > 1 ? fits_clustered(plan.single) : fits<1>(plan.single);
        resident_[1] = plan.several.ring > 0 && fits<several>(plan.several);
        if (options.wait == root_wait::two_kernels) resident_[0] = resident_[1] = false;
        const bool needed = options.wait == root_wait::in_kernel || plan.single.cluster > 1;
        if (needed && !resident_[0] && plan.size.tails > 0) {
            throw std::invalid_argument("arrow: the blocks of the solve do not fit on the device at once");
        }
        layout();
        memory_.allocate();
        layout();
        const auto all_ones = [](auto* p, std::int64_t count) {
            status{cudaMemset(p, 0xff, static_cast<std::size_t>(count) * sizeof *p)}.or_throw("cudaMemset");
        };
        all_ones(failure_, plan_.systems);
        all_ones(grams_, 2 * tails() * lower_doubles);
        all_ones(group_grams_, 2 * plan_.systems * groups() * lower_doubles);
        status{cudaDeviceSynchronize()}.or_throw("start");
    }

    /// Tensor-core code is there for this device.
    static bool available() {
        int device = 0, major = 0;
        cudaFuncAttributes a{};
        return cudaGetDevice(&device) == cudaSuccess &&
               cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
               major >= 9 && cudaFuncGetAttributes(&a, factor16_kernel<workers::block>) == cudaSuccess &&
               a.ptxVersion >= 90;
    }

    status factor(cudaStream_t stream, matrix_view<const double> K) {
        factor16_args a{};
        a.systems = plan_.systems;
        a.tails = plan_.size.tails;
        a.group = plan_.group;
        a.at = plan_.at;
        a.K = K;
        a.records = records_;
        a.root_record = root_record_;
        a.grams = grams_;
        a.group_grams = group_grams_;
        a.begun = begun_;
        a.launches = launches_;
        a.failure = failure_;
        a.result = result_;
        factored_last_ = true;
        if (a.tails == 0) return launch(root16_kernel, a.systems, 32, 0, 1, false, stream, a);
        const int cluster = plan_.factor_cluster;
        return launch(cluster > 1 ? factor16_kernel<workers::cluster> : factor16_kernel<workers::block>,
                      tails() * cluster, 32 * plan_.factor_warps, factor_shared(), cluster, false, stream, a,
                      cluster);
    }

    status solve(cudaStream_t stream, double* b, int nrhs, std::int64_t ld) {
        status s;
        for (int first = 0; first < nrhs && s.ok();) {
            const int left = nrhs - first;
            double* from = b + first * ld;
            if (plan_.size.tails == 0) {
                s = launch(root_solve16_kernel, plan_.systems, 32, 0, 1, false, stream,
                           static_cast<const double*>(root_record_), from);
                ++first;
            } else if (left == 1 || plan_.several.ring == 0) {
                s = plan_.single.cluster > 1
                        ? pass<1, workers::cluster>(stream, plan_.single, true, from, 1, ld)
                        : pass<1, workers::block>(stream, plan_.single, resident_[0], from, 1, ld);
                ++first;
            } else {
                s = pass<several, workers::block>(stream, plan_.several, resident_[1], from,
                                                  std::min(left, several), ld);
                first += several;
            }
        }
        return s;
    }

    const info* device_info() const { return result_; }
    bool one_kernel() const { return resident_[0]; }

  private:
    template <int NR, workers Who>
    status pass(cudaStream_t stream, const solve_shape& shape, bool resident, double* b, int columns,
                std::int64_t ld) {
        solve16_args a{};
        a.systems = plan_.systems;
        a.tails = plan_.size.tails;
        a.ring = shape.ring;
        a.separator_slots = shape.separator_slots;
        a.longest = shape.longest;
        a.sum = plan_.sum;
        a.records_ready = !factored_last_;
        factored_last_ = false;
        a.at = plan_.at;
        a.columns = columns;
        a.records = records_;
        a.root_record = root_record_;
        a.b = b;
        a.ld = ld;
        a.partials = partials_;
        a.epoch = epoch_;
        a.finished = finished_;
        a.root_solution = root_solution_;
        const std::int64_t blocks = tails() * shape.cluster;
        const int threads = 32 * shape.warps;
        if constexpr (Who == workers::cluster) {
            return launch(solve16_kernel<NR, workers::cluster, sweep::fused>, blocks, threads,
                          shape.shared_bytes, shape.cluster, true, stream, a, shape.cluster);
        } else {
            if (resident) {
                return launch(solve16_kernel<NR, workers::block, sweep::fused>, blocks, threads,
                              shape.shared_bytes, 1, true, stream, a, 1);
            }
            const status forward = launch(solve16_kernel<NR, workers::block, sweep::forward>, blocks, threads,
                                          shape.shared_bytes, 1, false, stream, a, 1);
            return !forward.ok() ? forward
                                 : launch(solve16_kernel<NR, workers::block, sweep::backward>, blocks,
                                          threads, shape.shared_bytes, 1, false, stream, a, 1);
        }
    }

    template <int NR>
    bool fits(const solve_shape& s) {
        const auto limit = [&](auto kernel) {
            status{cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, s.shared_bytes)}
                .or_throw("shared memory");
        };
        limit(solve16_kernel<NR, workers::block, sweep::fused>);
        limit(solve16_kernel<NR, workers::block, sweep::forward>);
        limit(solve16_kernel<NR, workers::block, sweep::backward>);
        int per_sm = 0;
        status{cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &per_sm, solve16_kernel<NR, workers::block, sweep::fused>, 32 * s.warps,
                   static_cast<std::size_t>(s.shared_bytes))}
            .or_throw("occupancy");
        int device = 0, count = 0;
        status{cudaGetDevice(&device)}.or_throw("device");
        status{cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)}.or_throw("device");
        return std::int64_t{per_sm} * count >= tails();
    }
    bool fits_clustered(const solve_shape& s) {
        const auto kernel = solve16_kernel<1, workers::cluster, sweep::fused>;
        status{cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, s.shared_bytes)}
            .or_throw("shared memory");
        cudaLaunchConfig_t c{};
        c.gridDim = dim3(static_cast<unsigned>(std::max<std::int64_t>(1, tails()) * s.cluster));
        c.blockDim = dim3(static_cast<unsigned>(32 * s.warps));
        c.dynamicSmemBytes = static_cast<std::size_t>(s.shared_bytes);
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(s.cluster);
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        c.attrs = &attribute;
        c.numAttrs = 1;
        int clusters = 0;
        status{cudaOccupancyMaxActiveClusters(&clusters, kernel, &c)}.or_throw("occupancy");
        return clusters >= tails();
    }
    std::int64_t tails() const { return std::int64_t{plan_.systems} * plan_.size.tails; }
    std::int64_t groups() const { return (plan_.size.tails + plan_.group - 1) / std::max(1, plan_.group); }
    int factor_shared() const { return 8 * factor16_layout(plan_.factor_warps, plan_.at.chunks).total; }
    void layout() {
        const std::int64_t systems = plan_.systems;
        records_ = memory_.take<double>(tails() * plan_.size.stages * record16);
        root_record_ = memory_.take<double>(systems * inverse_doubles);
        grams_ = memory_.take<double>(2 * tails() * lower_doubles);
        group_grams_ = memory_.take<double>(2 * systems * groups() * lower_doubles);
        begun_ = memory_.take<unsigned>(systems * (1 + groups()));
        launches_ = memory_.take<unsigned>(systems);
        failure_ = memory_.take<unsigned long long>(systems);
        result_ = memory_.take<info>(systems);
        partials_ = memory_.take<double2>(tails() * 16 * several);
        epoch_ = memory_.take<unsigned long long>(1);
        finished_ = memory_.take<unsigned>(systems);
        root_solution_ = memory_.take<double2>(systems * root_copies(plan_.size.tails) * 16 * several);
    }

    cuda_plan plan_;
    bool resident_[2] = {false, false};
    bool factored_last_ = true;  // the latest call was no solve
    device_arena memory_;
    double *records_ = nullptr, *root_record_ = nullptr, *grams_ = nullptr, *group_grams_ = nullptr;
    unsigned *begun_ = nullptr, *launches_ = nullptr, *finished_ = nullptr;
    unsigned long long *failure_ = nullptr, *epoch_ = nullptr;
    info* result_ = nullptr;
    double2 *partials_ = nullptr, *root_solution_ = nullptr;
};

}  // namespace shoal::arrow::detail
