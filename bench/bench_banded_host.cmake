include(${CMAKE_CURRENT_LIST_DIR}/bench_arrow_host.cmake)
