#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <shoal/arrow/types.hpp>

namespace shoal::arrow::detail {

/// Throws where K lacks blocks that a factorisation reads.
template <class T>
void check_blocks(const matrix_view<const T>& k, extent size) {
    const char* missing = k.root == nullptr                                         ? "root"
                          : size.tails > 0 && k.diagonal == nullptr                 ? "diagonal"
                          : size.tails > 0 && k.coupling == nullptr                 ? "coupling"
                          : size.tails > 0 && size.stages > 1 && k.lower == nullptr ? "lower"
                                                                                    : nullptr;
    if (missing != nullptr)
        throw std::invalid_argument(std::string("arrow: the blocks of K.") + missing + " are null");
}

/// Throws where right-hand sides cannot be what they are said to be, or nothing is there to solve them with.
inline void check_columns(const void* b, int nrhs, std::int64_t ld, std::int64_t unknowns, bool factored) {
    if (!factored) throw std::logic_error("arrow: solve needs a factor() whose info is good");
    if (nrhs < 0)
        throw std::invalid_argument("arrow: nrhs = " + std::to_string(nrhs) + ", must be at least 0");
    if (nrhs > 0 && b == nullptr) throw std::invalid_argument("arrow: b is null");
    if (nrhs > 0 && ld < unknowns) {
        throw std::invalid_argument("arrow: ld = " + std::to_string(ld) + ", must be at least the " +
                                    std::to_string(unknowns) + " unknowns");
    }
}

}  // namespace shoal::arrow::detail
