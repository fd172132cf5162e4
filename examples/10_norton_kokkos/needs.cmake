# Found by hand: the package of Debian 12 names include directories that are not there.
find_path(SHOAL_KOKKOS_INCLUDE Kokkos_Core.hpp PATH_SUFFIXES trilinos)
find_library(SHOAL_KOKKOS_LIBRARY NAMES kokkoscore trilinos_kokkoscore)
if(NOT SHOAL_KOKKOS_INCLUDE OR NOT SHOAL_KOKKOS_LIBRARY)
    message(STATUS "example_10_norton_kokkos is not built: there is no Kokkos (apt-get install libtrilinos-kokkos-dev)")
    set(wanted OFF)
endif()
