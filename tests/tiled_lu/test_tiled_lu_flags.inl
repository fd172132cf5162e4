// The bits of factors and solutions, as numbers that are written down: every compiler, every flag and every device must
// arrive at them.

#include "support/random.hpp"
#include "tiled_lu/one_system.hpp"

#include <cmath>
#include <cstring>

namespace {

using namespace tiled_lu_test;
using lu::config;

/// FNV-1a over the bytes.
template <class T>
std::uint64_t mix(std::uint64_t hash, const std::vector<T>& v) {
    for (const T& x : v) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &x, sizeof(T));
        for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
    }
    return hash;
}

template <class T, auto Config, int N, way How>
std::uint64_t bits_of(int n) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    shoal::support::random_stream r(static_cast<std::uint64_t>(n));
    for (int sample = 0; sample < 20; ++sample) {
        std::vector<T> a;
        std::vector<T> b;
        for (int e = 0; e < n * n; ++e) {
            const double digits = r.uniform(-1, 1);
            a.push_back(static_cast<T>(std::ldexp(digits, r.integer(-9, 9))));
        }
        for (int e = 0; e < n; ++e) b.push_back(static_cast<T>(r.uniform(-1, 1)));
        const auto out = run(task<Config, N, How>{}, a, b);
        EXPECT_EQ(out.info, 0);
        hash = mix(mix(mix(hash, out.a), out.pivots), out.x);
    }
    return hash;
}

TEST(tiled_lu_flags, bits_are_the_same_everywhere) {
    constexpr config<double> left{.tile_size = 4, .schedule = lu::looking::left};
    constexpr config<float> documented;
    constexpr config<double> documented_double;
    EXPECT_EQ((bits_of<double, lu::automatic, 6, way::solve_inplace>(6)), 12171949918620104372U);
    EXPECT_EQ((bits_of<float, lu::automatic, 5, way::solve>(5)), 12806075385430592002U);
    EXPECT_EQ((bits_of<double, left, dynamic, way::factor_then_inplace>(19)), 12955375153007634935U);
    EXPECT_EQ((bits_of<float, documented, 10, way::solve_inplace>(10)), 12795059014775068694U);
    EXPECT_EQ((bits_of<double, lu::automatic, 5, way::canonical>(5)), 1508966991743896403U);
    EXPECT_EQ((bits_of<double, documented_double, 7, way::transposed>(7)), 12431859617226984699U);
    EXPECT_EQ((bits_of<double, lu::automatic, 6, way::refined>(6)), 10810051088494422185U);
}

}  // namespace
