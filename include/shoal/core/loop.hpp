#pragma once

#include <type_traits>

#include <shoal/core/macros.hpp>

namespace shoal::core {

/// Whether a loop must be flat: `flat{}` unrolls it fully, `rolled{}` leaves it to the compiler.
///
/// Arrays stay in registers only under compile-time indices, so the bodies ask for `flat` where one thread
/// holds a small matrix of static size, and for `rolled` everywhere else: a flat loop over a large matrix
/// takes minutes to compile.
using flat = std::true_type;
using rolled = std::false_type;

/// f(i) for i = first, first + step, ... while i < last; last + step must be an int.
template <class Flat, class F>
SHOAL_FN constexpr void loop(Flat, int first, int last, int step, F f) {
    if constexpr (Flat::value) {
        SHOAL_UNROLL
        for (int i = first; i < last; i += step) {
            f(i);
        }
    } else {
        for (int i = first; i < last; i += step) {
            f(i);
        }
    }
}

/// f(i) for i = first .. last - 1.
template <class Flat, class F>
SHOAL_FN constexpr void loop(Flat how, int first, int last, F f) {
    loop(how, first, last, 1, f);
}

}  // namespace shoal::core
