#pragma once

/// \file
/// Stacks and context switches for fibers.
///
/// On x86-64 the switch is a handful of instructions: `swapcontext` makes a system call for the signal mask,
/// which would dominate a block of a thousand members. Elsewhere, or with `SHOAL_EMU_UCONTEXT` defined, ucontext
/// is used. AddressSanitizer and ThreadSanitizer are told of every switch.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(SHOAL_EMU_UCONTEXT)
#  define SHOAL_EMU_UCONTEXT 1
#endif
#ifdef SHOAL_EMU_UCONTEXT
#  include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#  define SHOAL_EMU_ASAN 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define SHOAL_EMU_ASAN 1
#  endif
#endif
#if defined(__SANITIZE_THREAD__)
#  define SHOAL_EMU_TSAN 1
#elif defined(__has_feature)
#  if __has_feature(thread_sanitizer)
#    define SHOAL_EMU_TSAN 1
#  endif
#endif

#ifdef SHOAL_EMU_ASAN
#  include <sanitizer/asan_interface.h>
#  include <sanitizer/common_interface_defs.h>
#endif
#ifdef SHOAL_EMU_TSAN
#  include <sanitizer/tsan_interface.h>
#endif

namespace shoal::emu::detail {

/// Instrumented frames are several times larger. Only touched pages cost memory.
#if defined(SHOAL_EMU_ASAN) || defined(SHOAL_EMU_TSAN)
inline constexpr std::size_t default_stack_bytes = std::size_t{1} << 20;
#else
inline constexpr std::size_t default_stack_bytes = std::size_t{1} << 18;
#endif

/// One stack with an unreadable page below it, so that an overflow faults instead of corrupting a neighbour.
class fiber_stack {
  public:
    explicit fiber_stack(std::size_t bytes) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        usable_ = (bytes + page - 1) / page * page;
        mapped_ = usable_ + page;
        void* p = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        base_ = static_cast<char*>(p);
        mprotect(base_, page, PROT_NONE);
    }
    fiber_stack(fiber_stack&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)), mapped_(other.mapped_), usable_(other.usable_) {}
    fiber_stack& operator=(fiber_stack&&) = delete;
    ~fiber_stack() {
        if (base_) munmap(base_, mapped_);
    }

    char* bottom() const { return base_ + (mapped_ - usable_); }
    std::size_t bytes() const { return usable_; }

  private:
    char* base_;
    std::size_t mapped_ = 0;
    std::size_t usable_ = 0;
};

/// Stacks are kept between runs: mapping and first touch cost more than most test bodies.
class stack_pool {
  public:
    fiber_stack take(std::size_t bytes) {
        if (free_.empty() || free_.back().bytes() < bytes) return fiber_stack(bytes);
        fiber_stack s = std::move(free_.back());
        free_.pop_back();
#ifdef SHOAL_EMU_ASAN
        __asan_unpoison_memory_region(s.bottom(), s.bytes());
#endif
        return s;
    }
    void give(fiber_stack s) {
        free_.push_back(std::move(s));
    }

    static stack_pool& mine() {
        thread_local stack_pool pool;
        return pool;
    }

  private:
    std::vector<fiber_stack> free_;
};

#ifndef SHOAL_EMU_UCONTEXT
/// Pushes the callee-saved state, leaves the stack pointer in `*from` and continues on `to`.
__attribute__((naked, noinline)) inline void switch_stack(void** /*from*/, void* /*to*/) {
    asm("pushq %rbp\n\t"
        "pushq %rbx\n\t"
        "pushq %r12\n\t"
        "pushq %r13\n\t"
        "pushq %r14\n\t"
        "pushq %r15\n\t"
        "subq $8, %rsp\n\t"
        "stmxcsr (%rsp)\n\t"
        "fnstcw 4(%rsp)\n\t"
        "movq %rsp, (%rdi)\n\t"
        "movq %rsi, %rsp\n\t"
        "ldmxcsr (%rsp)\n\t"
        "fldcw 4(%rsp)\n\t"
        "addq $8, %rsp\n\t"
        "popq %r15\n\t"
        "popq %r14\n\t"
        "popq %r13\n\t"
        "popq %r12\n\t"
        "popq %rbx\n\t"
        "popq %rbp\n\t"
        "ret");
}
#endif

/// A suspended line of execution: the scheduler's own, or one on a fiber stack.
class execution {
  public:
    execution() = default;
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;

    /// The scheduler: runs on the stack it was called on.
    void adopt_current() {
#ifdef SHOAL_EMU_TSAN
        tsan_ = __tsan_get_current_fiber();
#endif
    }

    /// A fiber that starts in `entry`, which must never return: it ends in `switch_to(..., last)`.
    void prepare(const fiber_stack& stack, void (*entry)()) {
        bottom_ = stack.bottom();
        bytes_ = stack.bytes();
#ifdef SHOAL_EMU_UCONTEXT
        getcontext(&state_);
        state_.uc_stack.ss_sp = stack.bottom();
        state_.uc_stack.ss_size = stack.bytes();
        state_.uc_link = nullptr;
        makecontext(&state_, entry, 0);
#else
        // As after a call: the stack pointer is 8 below a multiple of 16, above a null return address.
        auto* top = reinterpret_cast<std::uint64_t*>(stack.bottom() + stack.bytes() - 8);
        *top = 0;
        *--top = reinterpret_cast<std::uint64_t>(reinterpret_cast<void*>(entry));
        for (int i = 0; i < 6; ++i) *--top = 0;
        --top;
        asm volatile("stmxcsr (%0)\n\tfnstcw 4(%0)" : : "r"(top) : "memory");
        saved_ = top;
#endif
#ifdef SHOAL_EMU_TSAN
        tsan_ = __tsan_create_fiber(0);
        owns_tsan_ = true;
#endif
    }

    ~execution() {
#ifdef SHOAL_EMU_TSAN
        if (owns_tsan_) __tsan_destroy_fiber(tsan_);
#endif
    }

    enum class leave { and_return, last };

    /// Suspends `from` (which is running) and continues `to`. Returns when somebody continues `from`.
    static void switch_to(execution& from, execution& to, [[maybe_unused]] leave how = leave::and_return) {
#ifdef SHOAL_EMU_ASAN
        __sanitizer_start_switch_fiber(how == leave::last ? nullptr : &from.fake_, to.bottom_, to.bytes_);
#endif
#ifdef SHOAL_EMU_TSAN
        __tsan_switch_to_fiber(to.tsan_, 0);
#endif
#ifdef SHOAL_EMU_UCONTEXT
        swapcontext(&from.state_, &to.state_);
#else
        switch_stack(&from.saved_, to.saved_);
#endif
        finish_switch(from, to);
    }

    /// First thing on a new fiber.
    static void started([[maybe_unused]] execution& scheduler) {
#ifdef SHOAL_EMU_ASAN
        // Only here does AddressSanitizer tell the bounds of the stack that the scheduler runs on.
        const void* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
        scheduler.bottom_ = bottom;
        scheduler.bytes_ = bytes;
#endif
    }

  private:
    static void finish_switch([[maybe_unused]] execution& from, execution& /*to*/) {
#ifdef SHOAL_EMU_ASAN
        __sanitizer_finish_switch_fiber(from.fake_, nullptr, nullptr);
#endif
    }

#ifdef SHOAL_EMU_UCONTEXT
    ucontext_t state_{};
#else
    void* saved_ = nullptr;
#endif
    const void* bottom_ = nullptr;
    std::size_t bytes_ = 0;
#ifdef SHOAL_EMU_ASAN
    void* fake_ = nullptr;
#endif
#ifdef SHOAL_EMU_TSAN
    void* tsan_ = nullptr;
    bool owns_tsan_ = false;
#endif
};

}  // namespace shoal::emu::detail
