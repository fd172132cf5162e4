#pragma once

/// \file
/// The flat buffer of a test case: operands with padding inside and red zones between, all poisoned, and the check
/// that nothing was written that may not be.

#include "emu/text.hpp"
#include "support/bits.hpp"
#include "support/dense.hpp"
#include "support/piece.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shoal::support {

enum class storage { column, row };

/// How an operand is stored.
struct place {
    storage order = storage::column;
    int padding = 0;  ///< leading dimension beyond the packed one
    int stride =
        1;  ///< distance of neighbours, as in an interleaved batch (1: not interleaved) or a strided vector
    int shift = 0;  ///< elements by which the operand starts past the aligned position
};

/// Most members that a group in tests has: the room of a `per_member` operand.
inline constexpr int largest_group = 1024;

template <class T>
class arena {
  public:
    using value_type = T;

    /// Read only: unchanged bit for bit afterwards.
    piece input(const dense<T>& a, place where = {}) { return put(role::input, a, where); }
    /// Read and overwritten.
    piece inout(const dense<T>& a, place where = {}) { return put(role::output, a, where); }
    /// Overwritten without being read: poison at first.
    piece output(int rows, int cols, place where = {}) {
        return put(role::output, dense<T>(rows, cols, poison<T>()), where);
    }
    /// Room for the op; poison at first, its contents afterwards are not looked at.
    piece scratch(int count, place where = {}) {
        return put(role::scratch, dense<T>(count, 1, poison<T>()), where);
    }
    /// One value from each member (`piece::mine`), which all members must agree on.
    piece per_member() { return put(role::member, dense<T>(largest_group, 1, poison<T>()), {}); }

    /// Forbids elements of an operand, for example the triangle that an op may neither read nor write: they are
    /// poisoned, and must be so afterwards.
    template <class Where>
    void forbid(const piece& p, Where where) {
        for (int j = 0; j < p.cols; ++j)
            for (int i = 0; i < p.rows; ++i)
                if (where(i, j)) {
                    initial_[at(p, i, j)] = poison<T>();
                    kind_[at(p, i, j)] = forbidden;
                }
    }
    void forbid_above_diagonal(const piece& p) {
        forbid(p, [](int i, int j) { return i < j; });
    }
    void forbid_below_diagonal(const piece& p) {
        forbid(p, [](int i, int j) { return i > j; });
    }
    void forbid_diagonal(const piece& p) {
        forbid(p, [](int i, int j) { return i == j; });
    }

    int size() const { return static_cast<int>(initial_.size()); }
    const T* initial() const { return initial_.data(); }

    /// Whether element e belongs to no operand, or to a forbidden part of one.
    bool untouchable(int e) const { return kind_[static_cast<std::size_t>(e)] == forbidden; }

    /// Empty if `got`, the buffer after a run on `members` members, respects every promise; otherwise what is wrong.
    std::string violation(const T* got, int members) const {
        for (std::size_t e = 0; e < initial_.size(); ++e) {
            const bool fixed = kind_[e] == forbidden || kind_[e] == index_of(role::input);
            if (fixed && !same_bits(got[e], initial_[e])) return changed(static_cast<int>(e), got[e]);
        }
        for (const auto& p : pieces_) {
            if (p.what != role::member) continue;
            for (int r = 0; r < largest_group; ++r) {
                const T x = got[p.p.offset + r];
                if (r < members && !same_bits(x, got[p.p.offset]))
                    return emu::text("member ", r, " says ", show_bits(x), ", member 0 ",
                                     show_bits(got[p.p.offset]));
                if (r >= members && !same_bits(x, poison<T>())) return "a member beyond the group wrote";
            }
        }
        return {};
    }

    /// Empty if every result in `got` has the bits it has in `reference` (NaNs: `same_result`); otherwise the first
    /// difference.
    std::string difference(const T* reference, const T* got) const {
        for (const auto& p : pieces_) {
            if (p.what == role::scratch || p.what == role::input) continue;
            const int rows = p.what == role::member ? 1 : p.p.rows;
            for (int j = 0; j < p.p.cols; ++j)
                for (int i = 0; i < rows; ++i) {
                    const int e = p.p.at(i, j);
                    if (!same_result(reference[e], got[e]))
                        return emu::text(describe(p, i, j), ": ", show_bits(got[e]), " is not ",
                                         show_bits(reference[e]));
                }
        }
        return {};
    }

  private:
    enum class role : std::uint8_t { input, output, scratch, member };
    static constexpr std::uint8_t forbidden = 0xff;
    static constexpr std::uint8_t index_of(role r) { return static_cast<std::uint8_t>(r); }
    // Widest vector access, and the distance that an index one row or column astray covers.
    static constexpr int alignment = 128 / static_cast<int>(sizeof(T));
    static constexpr int red_zone = 64;

    struct entry {
        piece p;
        role what;
    };

    static std::size_t at(const piece& p, int i, int j) { return static_cast<std::size_t>(p.at(i, j)); }

    piece put(role what, const dense<T>& a, place where) {
        const bool by_column = where.order == storage::column;
        const int ld = (by_column ? a.rows() : a.cols()) + where.padding;
        piece p;
        p.index = static_cast<int>(pieces_.size());
        p.rows = a.rows();
        p.cols = a.cols();
        p.row_step = where.stride * (by_column ? 1 : ld);
        p.col_step = where.stride * (by_column ? ld : 1);
        p.step = where.stride == 1 ? ld : where.stride;
        p.offset = (size() + red_zone + alignment - 1) / alignment * alignment + where.shift;
        const int extent = a.rows() > 0 && a.cols() > 0 ? p.at(a.rows() - 1, a.cols() - 1) + 1 - p.offset : 0;
        initial_.resize(static_cast<std::size_t>(p.offset + extent + red_zone), poison<T>());
        kind_.resize(initial_.size(), forbidden);
        for (int j = 0; j < a.cols(); ++j)
            for (int i = 0; i < a.rows(); ++i) {
                initial_[at(p, i, j)] = a(i, j);
                kind_[at(p, i, j)] = index_of(what);
            }
        pieces_.push_back({p, what});
        return p;
    }

    std::string describe(const entry& p, int i, int j) const {
        return emu::text("operand ", p.p.index, " (", p.p.rows, " x ", p.p.cols, "), element (", i, ", ", j,
                         ")");
    }

    std::string changed(int e, T got) const {
        const std::string what = emu::text(" became ", show_bits(got));
        for (const auto& p : pieces_)
            for (int j = 0; j < p.p.cols; ++j)
                for (int i = 0; i < p.p.rows; ++i)
                    if (p.p.at(i, j) == e)
                        return emu::text(p.what == role::input ? "read-only " : "forbidden ",
                                         describe(p, i, j), what);
        const entry* before = nullptr;
        for (const auto& p : pieces_)
            if (p.p.offset <= e) before = &p;
        if (!before) return emu::text("the red zone before operand 0", what);
        return emu::text("padding or red zone, ", e - before->p.offset,
                         " elements past the start of operand ", before->p.index, what);
    }

    std::vector<T> initial_;
    std::vector<std::uint8_t> kind_;
    std::vector<entry> pieces_;
};

/// The buffer after a run.
template <class T>
class outcome {
  public:
    explicit outcome(const T* buffer) : buffer_(buffer) {}

    dense<T> operator()(const piece& p) const {
        return dense<T>::from(p.rows, p.cols, [&](int i, int j) { return buffer_[p.at(i, j)]; });
    }
    /// What every member said in a `per_member` operand.
    T value(const piece& p) const { return buffer_[p.offset]; }
    int info(const piece& p) const { return static_cast<int>(value(p)); }

  private:
    const T* buffer_;
};

}  // namespace shoal::support
