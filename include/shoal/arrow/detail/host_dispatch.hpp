#pragma once

#include <type_traits>

#include <shoal/arrow/detail/host_kernels.hpp>

namespace shoal::arrow {

/// Which vector instructions a host solver uses. Results have the same bits whichever it is.
///
/// There is a choice where the compiled library is linked (`SHOAL_HOST_COMPILED`, which the CMake target `shoal::host`
/// defines; define it in all of a program's files or in none) and holds the block size: 4, 6, 8, 12, 16, 24 and 32. With the headers
/// alone, and for other block sizes, it is what the compiler's flags allow.
enum class instruction_set {
    best,      ///< the widest vectors that this machine has
    baseline,  ///< what the library's own flags allow
    avx2,      ///< x86-64-v3
    avx512,    ///< x86-64-v4
};

namespace detail {

template <int n>
inline constexpr bool has_compiled = n == 4 || n == 6 || n == 8 || n == 12 || n == 16 || n == 24 || n == 32;

#if defined(SHOAL_HOST_COMPILED)
/// In the library. An instruction set that the machine lacks gives the best one that it has.
template <class T, int n>
const host_kernels<T>& compiled_kernels(instruction_set which);
#endif

template <class T, int n>
const host_kernels<T>& kernels_for(instruction_set which) {
#if defined(SHOAL_HOST_COMPILED)
    if constexpr (has_compiled<n>) return compiled_kernels<T, n>(which);
#endif
    (void)which;
    return host_bodies<fast::isa_native, T, n>::table;
}

}  // namespace detail

}  // namespace shoal::arrow
