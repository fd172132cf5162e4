#pragma once

/// \file
/// cuBLAS and cuSOLVER, if the machine has them: found when the program runs, so that it can be compiled elsewhere and
/// runs without them.

#include <cstdio>

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <dlfcn.h>

namespace shoal_bench {

/// A function of a library, null when the library or the name is missing.
template <class F>
F* find(void* library, const char* name) {
    return library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
}

inline void* open_library(const char* first, const char* second) {
    void* library = dlopen(first, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) library = dlopen(second, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) std::fprintf(stderr, "%s is not here: its rows are left out\n", first);
    return library;
}

/// The batched routines that a user would otherwise take. `ready()` says whether they are there.
class vendor {
  public:
    explicit vendor(cudaStream_t stream) {
        void* blas = open_library("libcublas.so.13", "libcublas.so.12");
        void* solver = open_library("libcusolver.so.12", "libcusolver.so.11");
        strsm = find<decltype(cublasStrsmBatched)>(blas, "cublasStrsmBatched");
        dtrsm = find<decltype(cublasDtrsmBatched)>(blas, "cublasDtrsmBatched");
        spotrf = find<decltype(cusolverDnSpotrfBatched)>(solver, "cusolverDnSpotrfBatched");
        dpotrf = find<decltype(cusolverDnDpotrfBatched)>(solver, "cusolverDnDpotrfBatched");
        spotrs = find<decltype(cusolverDnSpotrsBatched)>(solver, "cusolverDnSpotrsBatched");
        dpotrs = find<decltype(cusolverDnDpotrsBatched)>(solver, "cusolverDnDpotrsBatched");
        const auto make_blas = find<decltype(cublasCreate_v2)>(blas, "cublasCreate_v2");
        const auto blas_stream = find<decltype(cublasSetStream_v2)>(blas, "cublasSetStream_v2");
        const auto make_solver = find<decltype(cusolverDnCreate)>(solver, "cusolverDnCreate");
        const auto solver_stream = find<decltype(cusolverDnSetStream)>(solver, "cusolverDnSetStream");
        if (strsm && dtrsm && make_blas && blas_stream) {
            blas_ready_ = make_blas(&blas_) == CUBLAS_STATUS_SUCCESS &&
                          blas_stream(blas_, stream) == CUBLAS_STATUS_SUCCESS;
        }
        if (spotrf && dpotrf && spotrs && dpotrs && make_solver && solver_stream) {
            solver_ready_ = make_solver(&solver_) == CUSOLVER_STATUS_SUCCESS &&
                            solver_stream(solver_, stream) == CUSOLVER_STATUS_SUCCESS;
        }
    }

    bool has_trsm() const { return blas_ready_; }
    bool has_potrf() const { return solver_ready_; }

    /// Lower triangles; each returns whether the library accepted the call.
    bool potrf(int n, float** a, int* info, int batch) const {
        return spotrf(solver_, CUBLAS_FILL_MODE_LOWER, n, a, n, info, batch) == CUSOLVER_STATUS_SUCCESS;
    }
    bool potrf(int n, double** a, int* info, int batch) const {
        return dpotrf(solver_, CUBLAS_FILL_MODE_LOWER, n, a, n, info, batch) == CUSOLVER_STATUS_SUCCESS;
    }
    bool potrs(int n, float** a, float** b, int* info, int batch) const {
        return spotrs(solver_, CUBLAS_FILL_MODE_LOWER, n, 1, a, n, b, n, info, batch) ==
               CUSOLVER_STATUS_SUCCESS;
    }
    bool potrs(int n, double** a, double** b, int* info, int batch) const {
        return dpotrs(solver_, CUBLAS_FILL_MODE_LOWER, n, 1, a, n, b, n, info, batch) ==
               CUSOLVER_STATUS_SUCCESS;
    }
    bool trsm(int n, int columns, float** a, float** b, int batch) const {
        const float one = 1;
        return strsm(blas_, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                     columns, &one, a, n, b, n, batch) == CUBLAS_STATUS_SUCCESS;
    }
    bool trsm(int n, int columns, double** a, double** b, int batch) const {
        const double one = 1;
        return dtrsm(blas_, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                     columns, &one, a, n, b, n, batch) == CUBLAS_STATUS_SUCCESS;
    }

  private:
    cublasHandle_t blas_ = nullptr;
    cusolverDnHandle_t solver_ = nullptr;
    bool blas_ready_ = false;
    bool solver_ready_ = false;
    decltype(cublasStrsmBatched)* strsm = nullptr;
    decltype(cublasDtrsmBatched)* dtrsm = nullptr;
    decltype(cusolverDnSpotrfBatched)* spotrf = nullptr;
    decltype(cusolverDnDpotrfBatched)* dpotrf = nullptr;
    decltype(cusolverDnSpotrsBatched)* spotrs = nullptr;
    decltype(cusolverDnDpotrsBatched)* dpotrs = nullptr;
};

}  // namespace shoal_bench
