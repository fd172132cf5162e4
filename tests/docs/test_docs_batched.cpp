// The snippets of the page on batches.

#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/batched/launch.hpp>
#include <shoal/batched/posv.hpp>
#include <shoal/shoal.hpp>

namespace {

constexpr int systems = 100;
constexpr int n = 6;

std::vector<double> identities_times_four() {
    std::vector<double> all(systems * n * n);
    for (int s = 0; s < systems; ++s)
        for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(s * n * n + i * (n + 1))] = 4;
    return all;
}

TEST(docs_batched, ops) {
    std::vector<double> matrices = identities_times_four(), vectors(systems * n, 1.0);
    matrices[7 * n * n + 2 * (n + 1)] = -1;
    std::vector<int> info(systems);
    // [ops]
    namespace batched = shoal::batched;
    batched::matrices<double, n, n> A{matrices.data()};  // one after the other
    batched::vectors<double, n> b{vectors.data()};

    const shoal::status done = batched::posv(lower(A), b, systems, info.data());
    if (!done.ok()) std::puts(done.message());
    // [end]
    EXPECT_TRUE(done.ok());

    for (int s = 0; s < systems; ++s) {
        EXPECT_EQ(info[static_cast<std::size_t>(s)], s == 7 ? 3 : 0);
        EXPECT_EQ(vectors[static_cast<std::size_t>(s * n)], s == 7 ? 1.0 : 0.25);
    }
}

TEST(docs_batched, own_body) {
    std::vector<double> matrices = identities_times_four(), vectors(systems * n, 12.0), lengths(systems);
    std::vector<int> info(systems, -1);
    // [body]
    shoal::batched::matrices<double, n, n> A{matrices.data()};
    shoal::batched::vectors<double, n> b{vectors.data()};
    double* const length = lengths.data();

    const auto body = [=](const auto& g, std::int64_t s) {
        const int k = shoal::posv(g, lower(A(s)), b(s));
        if (k == 0) length[s] = shoal::nrm2(g, b(s));
        return k;
    };
    shoal::executor threads(2);
    const shoal::status done = shoal::batched::launch(threads, systems, body, info.data());
    // [end]

    ASSERT_TRUE(done.ok());
    EXPECT_EQ(info[99], 0);
    EXPECT_NEAR(lengths[0], std::sqrt(54.0), 1e-15);
}

}  // namespace
