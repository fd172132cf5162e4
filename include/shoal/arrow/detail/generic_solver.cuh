#pragma once

#include <shoal/arrow/detail/generic_factor.cuh>
#include <shoal/arrow/detail/generic_solve.cuh>
#include <shoal/arrow/detail/tensor_solver.cuh>

/// \file
/// The host side of generic_factor.cuh and generic_solve.cuh.

namespace shoal::arrow::detail {

template <class T, int n>
class generic_solver_host {
    static_assert(n >= 1 && n <= 32, "arrow: the CUDA backend has blocks of up to 32 x 32");
    static constexpr int pass = 16;  // right-hand sides of one launch

  public:
    explicit generic_solver_host(const cuda_plan& plan) : plan_(plan) {
        status{cudaFuncSetAttribute(generic_factor_kernel<T, n>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    shared())}
            .or_throw("shared memory");
        layout();
        memory_.allocate();
        layout();
        status{cudaMemset(failure_, 0xff, sizeof *failure_ * static_cast<std::size_t>(plan_.systems))}
            .or_throw("cudaMemset");
        status{cudaDeviceSynchronize()}.or_throw("start");
    }

    status factor(cudaStream_t stream, matrix_view<const T> K) {
        const generic_factor_args<T> a{plan_.size.tails, plan_.at, K,         records_, root_record_,
                                       separators_,      grams_,   arrivals_, failure_, result_};
        generic_factor_kernel<T, n>
            <<<static_cast<unsigned>(std::max<std::int64_t>(plan_.systems, tails())),
               32u * static_cast<unsigned>(plan_.factor_warps), static_cast<std::size_t>(shared()), stream>>>(
                a);
        return {cudaGetLastError()};
    }

    status solve(cudaStream_t stream, T* b, int nrhs, std::int64_t ld) {
        for (int first = 0; first < nrhs; first += pass) {
            const generic_solve_args<T> a{plan_.systems, plan_.size.tails, plan_.at, records_,
                                          root_record_,  b + first * ld,   ld,       parts_};
            const auto columns = static_cast<unsigned>(std::min(pass, nrhs - first));
            const dim3 grid(static_cast<unsigned>(tails()), columns);
            const unsigned threads = 32u * static_cast<unsigned>(plan_.single.warps);
            if (plan_.size.tails > 0) generic_forward_kernel<T, n><<<grid, threads, 0, stream>>>(a);
            generic_root_kernel<T, n>
                <<<dim3(static_cast<unsigned>(plan_.systems), columns), 32, 0, stream>>>(a);
            if (plan_.size.tails > 0) generic_backward_kernel<T, n><<<grid, threads, 0, stream>>>(a);
        }
        return {cudaGetLastError()};
    }

    const info* device_info() const { return result_; }

  private:
    int shared() const {
        return plan_.factor_warps * generic_scratch<T, n>::size * static_cast<int>(sizeof(T));
    }
    std::int64_t tails() const { return std::int64_t{plan_.systems} * plan_.size.tails; }
    void layout() {
        const std::int64_t systems = plan_.systems, block = n * n;
        records_ = memory_.take<T>(tails() * plan_.size.stages * 3 * block);
        root_record_ = memory_.take<T>(systems * 3 * block);
        separators_ = memory_.take<T>(tails() * plan_.at.chunks * 4 * block);
        grams_ = memory_.take<T>(tails() * block);
        parts_ = memory_.take<T>(tails() * n * pass);
        arrivals_ = memory_.take<unsigned>(systems);
        failure_ = memory_.take<unsigned long long>(systems);
        result_ = memory_.take<info>(systems);
    }

    cuda_plan plan_;
    device_arena memory_;
    T *records_ = nullptr, *root_record_ = nullptr, *separators_ = nullptr, *grams_ = nullptr,
      *parts_ = nullptr;
    unsigned* arrivals_ = nullptr;
    unsigned long long* failure_ = nullptr;
    info* result_ = nullptr;
};

}  // namespace shoal::arrow::detail
