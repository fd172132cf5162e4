target_include_directories(${name} SYSTEM PRIVATE ${SHOAL_KOKKOS_INCLUDE})
target_link_libraries(${name} PRIVATE ${SHOAL_KOKKOS_LIBRARY})
