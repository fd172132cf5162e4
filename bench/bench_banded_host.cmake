# The baseline is LAPACK called block by block: OpenBLAS where it lies in .peers/openblas (unpacked Debian packages
# libopenblas0-pthread and libopenblas-pthread-dev), otherwise whatever find_package(LAPACK) finds.
find_library(SHOAL_OPENBLAS openblas PATHS ${PROJECT_SOURCE_DIR}/.peers/openblas/usr/lib/x86_64-linux-gnu/openblas-pthread
             NO_DEFAULT_PATH)
if(SHOAL_OPENBLAS)
    target_link_libraries(${name} PRIVATE ${SHOAL_OPENBLAS})
    target_compile_definitions(${name} PRIVATE SHOAL_BENCH_LAPACK="openblas")
else()
    find_package(LAPACK REQUIRED)
    target_link_libraries(${name} PRIVATE ${LAPACK_LIBRARIES})
    target_compile_definitions(${name} PRIVATE SHOAL_BENCH_LAPACK="lapack")
endif()
