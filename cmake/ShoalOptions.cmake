# Options, the compilers' flags, and what the machine can run.
include(CheckCXXSourceRuns)
include(CheckLanguage)

option(SHOAL_BUILD_APPS "Build the command-line programs" ${PROJECT_IS_TOP_LEVEL})
option(SHOAL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SHOAL_BUILD_EXAMPLES "Build the examples and run them as tests" ${PROJECT_IS_TOP_LEVEL})
option(SHOAL_BUILD_BENCH "Build the benchmarks" OFF)
option(SHOAL_INSTALL "Make the install rules" ${PROJECT_IS_TOP_LEVEL})
set(SHOAL_CUDA AUTO CACHE STRING
    "ON, OFF, or AUTO: use CUDA when a CUDA compiler is there; in a project that fetches Shoal, when it has enabled CUDA")
set_property(CACHE SHOAL_CUDA PROPERTY STRINGS AUTO ON OFF)
set(SHOAL_HOST_ARCH "" CACHE STRING
    "Value of -march for everything that links shoal::shoal (x86-64-v3, native, ...); empty adds no flag")
set(SHOAL_TEST_LANES "cpu;gpu" CACHE STRING "Which tests to build: cpu (.cpp), gpu (.cu), or both")
set(SHOAL_TEST_FILTER "" CACHE STRING "Build only the tests and examples whose name matches this regular expression")
set(SHOAL_SANITIZE "" CACHE STRING "Sanitizers for everything built here: 'address,undefined' or 'thread'")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The bits of a result are part of the contract: the compiler may not fuse a product and a sum by itself. Setting errno is
# nothing that anybody reads, and it would keep sqrt and fma from being single instructions.
set(SHOAL_FLOAT_FLAGS -ffp-contract=off -fno-math-errno)
set(SHOAL_LIBRARY_OPTIMISATION $<$<NOT:$<CONFIG:Debug>>:-O3>)
if(SHOAL_SANITIZE)
    set(SHOAL_LIBRARY_OPTIMISATION "")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SHOAL_SANITIZE}>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
    add_link_options(-fsanitize=${SHOAL_SANITIZE})
endif()

# Explicit fma without the instruction is a function call, so what is built to run on this machine uses it if it can.
if(NOT CMAKE_CROSSCOMPILING)
    set(CMAKE_REQUIRED_FLAGS -march=x86-64-v3)
    check_cxx_source_runs("
int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1; }
" SHOAL_MACHINE_HAS_V3)
    unset(CMAKE_REQUIRED_FLAGS)
endif()
set(SHOAL_LOCAL_ARCH "")
if(SHOAL_MACHINE_HAS_V3 AND NOT SHOAL_HOST_ARCH)
    set(SHOAL_LOCAL_ARCH -march=x86-64-v3)
endif()

set(SHOAL_WITH_CUDA OFF)
# CMake 3.25 does not know that nvcc takes C++20, so the flag is given by hand.
set(SHOAL_CUDA_STANDARD $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
set(shoal_tries_cuda ${SHOAL_CUDA})
if(SHOAL_CUDA STREQUAL "AUTO")
    get_property(shoal_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(shoal_tries_cuda OFF)
    if(PROJECT_IS_TOP_LEVEL OR CUDA IN_LIST shoal_languages)
        set(shoal_tries_cuda ON)
    endif()
endif()
if(shoal_tries_cuda)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 90-real)
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(SHOAL_WITH_CUDA ON)
    elseif(NOT SHOAL_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "SHOAL_CUDA=ON, but no CUDA compiler was found. Put nvcc on the PATH, or set CUDACXX.")
    endif()
endif()
message(STATUS "shoal: CUDA ${SHOAL_WITH_CUDA}, local architecture '${SHOAL_LOCAL_ARCH}${SHOAL_HOST_ARCH}'")
