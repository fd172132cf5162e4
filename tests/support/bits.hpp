#pragma once

/// \file
/// Bit patterns: the poison that fills what nobody may touch, and comparison that tells -0 from 0 and NaN from NaN.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

#include <shoal/core/macros.hpp>

namespace shoal::support {

/// A NaN that arithmetic does not make by itself; for integers a conspicuous number.
template <class T>
SHOAL_FN constexpr T poison() {
    if constexpr (sizeof(T) == 4) {
        return __builtin_bit_cast(T, std::uint32_t{0x7fe5a5a5u});
    } else {
        static_assert(sizeof(T) == 8);
        return __builtin_bit_cast(T, std::uint64_t{0x7ffc5a5a5a5a5a5au});
    }
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Same bits, or both NaNs that somebody computed: which operand's payload a sum of NaNs inherits is the compiler's
/// choice. Poison that was never overwritten is only like itself.
template <class T>
bool same_result(const T& a, const T& b) {
    if (same_bits(a, b)) return true;
    if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(a) && std::isnan(b) && !same_bits(a, poison<T>()) && !same_bits(b, poison<T>());
    }
    return false;
}

/// The value with all its digits, and its bits.
template <class T>
std::string show_bits(T x) {
    char text[80];
    if constexpr (sizeof(T) == 4) {
        std::snprintf(text, sizeof text, "%.9g [%08x]", static_cast<double>(x),
                      static_cast<unsigned>(__builtin_bit_cast(std::uint32_t, x)));
    } else {
        std::snprintf(text, sizeof text, "%.17g [%016llx]", static_cast<double>(x),
                      static_cast<unsigned long long>(__builtin_bit_cast(std::uint64_t, x)));
    }
    return text;
}

}  // namespace shoal::support
