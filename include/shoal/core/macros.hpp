#pragma once

/// \file
/// Portability macros. Every one can be overridden by defining it before the first Shoal header.
///
/// - `SHOAL_FN`: on every function that a kernel may call: host and device, always inlined.
/// - `SHOAL_UNROLL`: before a loop whose indices must be compile-time constants, so that arrays stay in registers.
///   It carries no factor: with a factor nvcc unrolls in a later pass and leaves the arrays in local memory.
/// - `SHOAL_DEVICE_CODE`: defined while device code is compiled.
/// - `SHOAL_VERSION`: major * 10000 + minor * 100 + patch.

#define SHOAL_VERSION 100

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#  error "Shoal needs C++20: compile with -std=c++20 (nvcc: -std=c++20 as well, its default is C++17)"
// A missing file ends the compilation, which would go on for thousands of errors.
#  define SHOAL_STOP "Shoal needs C++20"
#  include SHOAL_STOP
#endif

#if (defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)) && \
    !defined(SHOAL_ALLOW_FAST_MATH)
#  error \
      "Shoal: -ffast-math removes the NaN checks and the reproducible bits; drop it or define SHOAL_ALLOW_FAST_MATH"
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#  define SHOAL_DEVICE_CODE 1
#endif

#ifndef SHOAL_FN
#  if defined(__HIP__)
// As attributes: the keywords are macros of headers that need not be there to compile for these GPUs.
#    define SHOAL_FN __attribute__((host, device, always_inline)) inline
#  elif defined(__CUDACC__)
#    define SHOAL_FN __host__ __device__ __forceinline__
#  elif defined(__GNUC__)
#    define SHOAL_FN inline __attribute__((always_inline))
#  else
#    define SHOAL_FN inline
#  endif
#endif

// Before a template whose callees may be host functions on the host: nvcc would warn at each use.
#ifndef SHOAL_CALLS_HOST_OR_DEVICE
#  if defined(__CUDACC__) && !defined(__clang__)
#    define SHOAL_CALLS_HOST_OR_DEVICE _Pragma("nv_exec_check_disable")
#  else
#    define SHOAL_CALLS_HOST_OR_DEVICE
#  endif
#endif

// A lambda takes the execution space of the function it is written in; inlining must be asked for on its own.
#ifndef SHOAL_INLINE_LAMBDA
#  if defined(__GNUC__)
#    define SHOAL_INLINE_LAMBDA __attribute__((always_inline))
#  else
#    define SHOAL_INLINE_LAMBDA
#  endif
#endif

// A host function that its caller must swallow, so that it is compiled for the caller's instruction set.
#ifndef SHOAL_HOST_FN
#  if defined(__GNUC__)
#    define SHOAL_HOST_FN inline __attribute__((always_inline))
#  else
#    define SHOAL_HOST_FN inline
#  endif
#endif

// nvcc's host pass understands neither spelling, and g++ unrolls short constant loops unasked.
#ifndef SHOAL_UNROLL
#  if defined(SHOAL_DEVICE_CODE) || (defined(__clang__) && !defined(__CUDACC__))
#    define SHOAL_UNROLL _Pragma("unroll")
#  else
#    define SHOAL_UNROLL
#  endif
#endif

// Host functions compiled for several instruction sets, chosen when the program starts. Sanitizers instrument
// the resolver before their runtime is up, so their builds keep the one version.
#ifndef SHOAL_TARGET_CLONES
#  if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
      !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define SHOAL_TARGET_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#  else
#    define SHOAL_TARGET_CLONES
#  endif
#endif
