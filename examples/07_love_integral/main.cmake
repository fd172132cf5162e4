include(${CMAKE_CURRENT_LIST_DIR}/../harness.cmake)
