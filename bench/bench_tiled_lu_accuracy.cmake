# The oracle is LAPACK's gesv.
find_package(LAPACK REQUIRED)
target_link_libraries(${name} PRIVATE ${LAPACK_LIBRARIES})
