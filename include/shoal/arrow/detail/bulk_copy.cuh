#pragma once

/// \file
/// Bulk asynchronous copies from global into shared memory that complete on an mbarrier, cluster barriers, and 16-byte
/// stores that carry a value together with the flag that announces it.

#include <shoal/core/macros.hpp>

namespace shoal::arrow::detail {

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// threadIdx.x / 32, in a way that lets the compiler see that it is one value per warp: branches on it then need no
/// handling of divergence around every shuffle and barrier of a warp.
__device__ __forceinline__ int uniform_warp_index() {
    return __shfl_sync(~0u, static_cast<int>(threadIdx.x >> 5), 0);
}

/// Counts an arrival; who arrives last sees what the others wrote before they arrived. Call by one lane after a barrier
/// of those whose writes it announces; a barrier after it extends the same to all who pass it.
/// \return arrivals before this one
__device__ __forceinline__ unsigned arrive(unsigned* counter) {
    unsigned before;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0,[%1],1;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
    return before;
}

/// Draws a number: 0 .. count - 1 and over again.
__device__ __forceinline__ unsigned draw(unsigned* counter, int count) {
    return atomicInc(counter, static_cast<unsigned>(count - 1));
}

/// Starts an asynchronous copy into shared memory. Nothing waits for it before wait_for_copies().
__device__ __forceinline__ void copy_8_bytes(double* target, const double* source) {
    asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(shared_address(target)),
                 "l"(__cvta_generic_to_global(source))
                 : "memory");
}
/// The same for 16 bytes. Groups of copies end with end_copy_group().
__device__ __forceinline__ void copy_16_bytes(double* target, const double* source) {
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(shared_address(target)),
                 "l"(__cvta_generic_to_global(source))
                 : "memory");
}
__device__ __forceinline__ void end_copy_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
/// All groups but the latest `Later` are complete.
template <int Later>
__device__ __forceinline__ void wait_for_copy_groups() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
}
/// The calling thread's copies are complete; other threads see them after a barrier.
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// One arrival per phase. Call barrier_init_fence() after the last one.
__device__ __forceinline__ void barrier_init(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(barrier) : "memory");
}
/// Makes initialised barriers visible to the copy engine.
__device__ __forceinline__ void barrier_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Announces `bytes` that bulk_copy_part will bring.
__device__ __forceinline__ void expect_bytes(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void bulk_copy_part(unsigned target, const void* source, unsigned bytes,
                                               unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(target),
        "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(barrier)
        : "memory");
}
/// Starts a copy of `bytes` (a multiple of 16, as are both addresses); the barrier's phase ends when it is done.
__device__ __forceinline__ void bulk_copy(unsigned target, const void* source, unsigned bytes,
                                          unsigned barrier) {
    expect_bytes(barrier, bytes);
    bulk_copy_part(target, source, bytes, barrier);
}
/// Waits for the end of the phase of the given parity.
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done;
    do {
        asm volatile(
            "{\n.reg .pred ready;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 ready,[%1],%2;\n"
            "selp.u32 %0,1,0,ready;\n}"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
    } while (done == 0);
}
__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// The address of p, a pointer to this block's shared memory, in block `rank` of the cluster.
__device__ __forceinline__ double* in_block(double* p, unsigned rank) {
    double* q;
    asm("mapa.u64 %0,%1,%2;" : "=l"(q) : "l"(p), "r"(rank));
    return q;
}

/// Kernels of one stream follow each other closely: one may begin while the one before ends. No global memory before
/// wait_for_kernel_before().
__device__ __forceinline__ void wait_for_kernel_before() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
/// The next kernel may begin once all blocks have come here or ended.
__device__ __forceinline__ void let_next_kernel_begin() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// value and flag in one 16-byte access: who sees the flag has the value, without a fence between them.
__device__ __forceinline__ void store_flagged(double2* p, double value, unsigned long long flag) {
    asm volatile(
        "{\n.reg .b128 both;\nmov.b128 both,{%1,%2};\nst.relaxed.gpu.global.b128 [%0],both;\n}" ::"l"(
            __cvta_generic_to_global(p)),
        "l"(__double_as_longlong(value)), "l"(flag)
        : "memory");
}
__device__ __forceinline__ void load_flagged(const double2* p, double& value, unsigned long long& flag) {
    long long bits;
    asm volatile("{\n.reg .b128 both;\nld.relaxed.gpu.global.b128 both,[%2];\nmov.b128 {%0,%1},both;\n}"
                 : "=l"(bits), "=l"(flag)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    value = __longlong_as_double(bits);
}

/// Two numbers, each of which is its own announcement: the reader waits until neither is `absent`, and needs no fence.
__device__ __forceinline__ void store_announcing(double* p, double2 x) {
    asm volatile("st.relaxed.gpu.global.v2.f64 [%0],{%1,%2};" ::"l"(__cvta_generic_to_global(p)), "d"(x.x),
                 "d"(x.y)
                 : "memory");
}
__device__ __forceinline__ double2 load_announced(const double* p) {
    double2 x;
    asm volatile("ld.relaxed.gpu.global.v2.f64 {%0,%1},[%2];"
                 : "=d"(x.x), "=d"(x.y)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    return x;
}

#else  // The generic kernels run there; these only keep other targets compiling.
__device__ __forceinline__ void wait_for_kernel_before() {}
__device__ __forceinline__ void let_next_kernel_begin() {}
__device__ __forceinline__ void store_announcing(double*, double2) {}
__device__ __forceinline__ double2 load_announced(const double*) {
    return {};
}
__device__ __forceinline__ void barrier_init(unsigned) {}
__device__ __forceinline__ void barrier_init_fence() {}
__device__ __forceinline__ void expect_bytes(unsigned, unsigned) {}
__device__ __forceinline__ void bulk_copy_part(unsigned, const void*, unsigned, unsigned) {}
__device__ __forceinline__ void bulk_copy(unsigned, const void*, unsigned, unsigned) {}
__device__ __forceinline__ void barrier_wait(unsigned, unsigned) {}
__device__ __forceinline__ void cluster_arrive() {}
__device__ __forceinline__ void cluster_wait() {}
__device__ __forceinline__ double* in_block(double* p, unsigned) {
    return p;
}
__device__ __forceinline__ void store_flagged(double2*, double, unsigned long long) {}
__device__ __forceinline__ void load_flagged(const double2*, double&, unsigned long long&) {}
#endif

/// All ones, a NaN that no computation makes and `present` lets nobody send.
__device__ __forceinline__ double absent() {
    return __hiloint2double(-1, -1);
}
__device__ __forceinline__ bool is_absent(double2 x) {
    return (__double2hiint(x.x) == -1) | (__double2hiint(x.y) == -1);
}
__device__ __forceinline__ double present(double x) {
    return __double2hiint(x) == -1 ? __hiloint2double(0x7fffffff, -1) : x;
}

/// Barrier of a cluster, with the writes before it visible after it, shared memory of the other blocks included.
__device__ __forceinline__ void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

}  // namespace shoal::arrow::detail
