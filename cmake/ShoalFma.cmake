# Says what the headers cannot: where the flags leave the FMA instruction out, each fma is a function call. The kernels of
# shoal::host are compiled for several instruction sets and need no flag.
get_property(shoal_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(CXX IN_LIST shoal_languages)
    include(CheckCXXSourceCompiles)
    set(shoal_quiet ${CMAKE_REQUIRED_QUIET})
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("
#if defined(__x86_64__) && !defined(__FMA__)
#  error
#endif
int main() {}
" SHOAL_FLAGS_HAVE_FMA)
    set(CMAKE_REQUIRED_QUIET ${shoal_quiet})
    if(NOT SHOAL_FLAGS_HAVE_FMA)
        message(STATUS "shoal: these compiler flags have no FMA instruction: in the headers each fma is a function call, and a "
                       "program up to 20 times slower. Add -mfma or -march=x86-64-v3, or set SHOAL_HOST_ARCH before Shoal is "
                       "fetched or installed")
    endif()
endif()
