#pragma once

/// \file
/// One source for batches on the host and on a GPU: memory with red zones where the batch runs, and the ready-made
/// operations called there.

#include "support/bits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#if defined(__CUDACC__)
#  include <shoal/batched/gesv.cuh>
#  include <shoal/batched/posv.cuh>
#  include <shoal/batched/potrf.cuh>
#  include <shoal/batched/trsm.cuh>
#else
#  include <shoal/batched/gesv.hpp>
#  include <shoal/batched/posv.hpp>
#  include <shoal/batched/potrf.hpp>
#  include <shoal/batched/trsm.hpp>
#endif

namespace shoal::support {

#if defined(__CUDACC__)
/// Fails the test on an error of the driver.
inline void expect_cuda(cudaError_t e) {
    EXPECT_EQ(e, cudaSuccess) << cudaGetErrorString(e);
}
inline cudaStream_t stream() {
    static cudaStream_t s = [] {
        cudaStream_t made = nullptr;
        expect_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }();
    return s;
}
#endif

/// Elements where the batch runs, between red zones of poison.
template <class T>
class batch_memory {
  public:
    batch_memory() = default;
    explicit batch_memory(const std::vector<T>& contents) : host_(zone, poison<T>()), size_(contents.size()) {
        host_.insert(host_.end(), contents.begin(), contents.end());
        host_.insert(host_.end(), zone, poison<T>());
        upload();
    }
    batch_memory(const batch_memory&) = delete;
    batch_memory& operator=(const batch_memory&) = delete;

    /// New contents of the same size, in place.
    void assign(const std::vector<T>& contents) {
        ASSERT_EQ(contents.size(), size_);
        std::copy(contents.begin(), contents.end(), host_.begin() + zone);
        upload();
    }

#if defined(__CUDACC__)
    ~batch_memory() {
        if (device_ != nullptr) expect_cuda(cudaFree(device_));
    }
    T* data() const {
        return device_ == nullptr ? nullptr : device_ + zone;
    }
    /// The contents after all that has been started; the red zones must be as they were.
    std::vector<T> read() {
        expect_cuda(cudaStreamSynchronize(stream()));
        expect_cuda(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return inner();
    }
#else
    T* data() {
        return size_ == 0 ? nullptr : host_.data() + zone;
    }
    std::vector<T> read() {
        return inner();
    }
#endif

  private:
    static constexpr std::ptrdiff_t zone = 64;

    void upload() {
#if defined(__CUDACC__)
        if (size_ == 0) return;
        if (device_ == nullptr) expect_cuda(cudaMalloc(&device_, host_.size() * sizeof(T)));
        expect_cuda(cudaMemcpy(device_, host_.data(), host_.size() * sizeof(T), cudaMemcpyHostToDevice));
        // A copy from pageable memory may still be under way, and the stream of the batches does not wait for it.
        expect_cuda(cudaDeviceSynchronize());
#endif
    }
    std::vector<T> inner() const {
        for (std::ptrdiff_t i = 0; i < zone; ++i) {
            const auto behind = static_cast<std::size_t>(zone) + size_ + static_cast<std::size_t>(i);
            EXPECT_TRUE(same_bits(host_[static_cast<std::size_t>(i)], poison<T>())) << "red zone in front";
            EXPECT_TRUE(same_bits(host_[behind], poison<T>())) << "red zone behind";
        }
        return {host_.begin() + zone, host_.begin() + zone + static_cast<std::ptrdiff_t>(size_)};
    }

    std::vector<T> host_;
    std::size_t size_ = 0;
#if defined(__CUDACC__)
    T* device_ = nullptr;
#endif
};

/// What the lane runs batches on, in front of the arguments that both lanes share.
#if defined(__CUDACC__)
inline cudaStream_t where() {
    return stream();
}
#else
inline executor& where() {
    static executor threads(3);
    return threads;
}
#endif

template <class... Arguments>
status potrf_batch(Arguments... arguments) {
    return batched::potrf(where(), arguments...);
}
template <class... Arguments>
status trsm_batch(Arguments... arguments) {
    return batched::trsm(where(), arguments...);
}
template <class... Arguments>
status posv_batch(Arguments... arguments) {
    return batched::posv(where(), arguments...);
}
template <class... Arguments>
status getrf_batch(Arguments... arguments) {
    return batched::getrf(where(), arguments...);
}
template <class... Arguments>
status gesv_batch(Arguments... arguments) {
    return batched::gesv(where(), arguments...);
}

/// True if the call was accepted; otherwise the test shows the message.
inline testing::AssertionResult accepted(status s) {
    if (s.ok()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << s.message();
}

/// True if the call was refused with a message that contains `words`.
inline testing::AssertionResult refused(status s, std::string_view words) {
    if (s.ok()) return testing::AssertionFailure() << "accepted";
    if (s.code() != status_code::invalid_argument)
        return testing::AssertionFailure() << "wrong code: " << s.message();
    if (std::string_view(s.message()).find(words) == std::string_view::npos) {
        return testing::AssertionFailure() << "the message is: " << s.message();
    }
    return testing::AssertionSuccess();
}

/// Copies of one array after another.
template <class T>
std::vector<T> repeated(const std::vector<T>& one, std::int64_t times) {
    std::vector<T> all;
    all.reserve(one.size() * static_cast<std::size_t>(times));
    for (std::int64_t s = 0; s < times; ++s) all.insert(all.end(), one.begin(), one.end());
    return all;
}

/// The number of the first system whose `size` elements are not those of `want`, or -1.
template <class T>
std::int64_t first_difference(const std::vector<T>& got, const std::vector<T>& want, std::size_t period) {
    for (std::size_t e = 0; e < got.size(); ++e) {
        if (!same_bits(got[e], want[e % want.size()])) return static_cast<std::int64_t>(e / period);
    }
    return -1;
}

}  // namespace shoal::support
