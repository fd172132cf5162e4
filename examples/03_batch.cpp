// A thousand systems in one call: where they lie is an operand, each has an info of its own, and any body can be a batch.
#include <cmath>
#include <cstdio>
#include <vector>

#include <shoal/batched/launch.hpp>
#include <shoal/batched/posv.hpp>
#include <shoal/shoal.hpp>

int main() {
    constexpr int systems = 1000;
    constexpr int n = 4;
    std::vector<double> a(systems * n * n, 1.0), b(systems * n, 1.0), lengths(systems);
    std::vector<int> info(systems);
    for (std::size_t s = 0; s < systems; ++s) {
        for (std::size_t i = 0; i < n; ++i)
            a[s * n * n + i * (n + 1)] = s == 13 ? 0.5 : 2 + 0.001 * static_cast<double>(s);
    }

    // A_s x_s = b_s, one system after the other in memory, shared by two threads.
    namespace batched = shoal::batched;
    const batched::matrices<const double, n, n> A{a.data()};
    const batched::vectors<double, n> x{b.data()};
    shoal::executor threads(2);
    const shoal::status solved = batched::posv(threads, lower(A), x, systems, info.data());
    if (!solved.ok()) {
        std::printf("%s\n", solved.message());
        return 1;
    }

    // The same with a body of your own, which may call any ops.
    double* const length = lengths.data();
    const auto body = [=](const auto& g, std::int64_t s) { length[s] = shoal::nrm2(g, x(s)); };
    if (!batched::launch(threads, systems, body).ok()) return 1;

    // A = diagonal + ones: every element of x is 1 / (diagonal - 1 + n). System 13 is not positive definite.
    int right = 0;
    for (std::size_t s = 0; s < systems; ++s) {
        const double expected = 1 / (0.001 * static_cast<double>(s) + n + 1);
        const bool good = info[s] == 0 && std::fabs(b[s * n] - expected) < 1e-15 &&
                          std::fabs(lengths[s] - 2 * expected) < 1e-15;
        const bool refused = s == 13 && info[s] == 2 && b[s * n] == 1;
        right += good || refused ? 1 : 0;
    }
    std::printf("%d of %d systems are as expected; system 13 says %d\n", right, systems, info[13]);
    return right == systems ? 0 : 1;
}
