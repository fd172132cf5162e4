# A build that is only to see whether all compiles needs one size.
if(CMAKE_CUDA_FLAGS_RELEASE MATCHES "Ofc")
    target_compile_definitions(${name} PRIVATE SHOAL_BENCH_ONE_SIZE)
endif()
