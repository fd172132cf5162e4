# The parts of the table, each compiled alone. cuBLASDx stands beside gemm where the headers of the wheel nvidia-mathdx lie
# unpacked in .peers/mathdx/x.
target_sources(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/incore/cholesky.cu ${CMAKE_CURRENT_SOURCE_DIR}/incore/cublasdx.cu
    ${CMAKE_CURRENT_SOURCE_DIR}/incore/lu.cu ${CMAKE_CURRENT_SOURCE_DIR}/incore/products.cu
    ${CMAKE_CURRENT_SOURCE_DIR}/incore/symmetric.cu)
# A build that is only to see whether all compiles needs one size.
if(CMAKE_CUDA_FLAGS_RELEASE MATCHES "Ofc")
    target_compile_definitions(${name} PRIVATE SHOAL_BENCH_ONE_SIZE)
endif()
set(mathdx ${PROJECT_SOURCE_DIR}/.peers/mathdx/x/nvidia/mathdx)
if(EXISTS ${mathdx}/include/cublasdx.hpp)
    target_include_directories(${name} SYSTEM PRIVATE ${mathdx}/include ${mathdx}/external/cutlass/include)
    target_compile_definitions(${name} PRIVATE SHOAL_BENCH_CUBLASDX)
    # Its headers call constexpr functions of the host in device code; our checks compute in long double on the host.
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/incore/cublasdx.cu PROPERTIES
        COMPILE_OPTIONS "--expt-relaxed-constexpr;-diag-suppress=20208")
endif()
