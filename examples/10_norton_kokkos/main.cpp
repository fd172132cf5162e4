// The material points of the example before, in the memory and the loops of Kokkos: the solver does not know whose they are.
#include "../08_norton_viscoplasticity/points.hpp"
#include "../harness.hpp"

#include <cstdio>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

namespace {

using norton::history;
using norton::unknowns;
// The first index runs fastest: entry e of point p is at p + e * count.
template <class T>
using interleaved = Kokkos::View<T**, Kokkos::LayoutLeft>;

std::vector<history> load_all(int count) {
    const interleaved<double> a("A", count, unknowns * unknowns), x("x", count, unknowns);
    const interleaved<int> pivots("pivots", count, unknowns);
    const Kokkos::View<history*> results("results", count);
    const norton::material m;
    Kokkos::parallel_for(
        count, KOKKOS_LAMBDA(int point) {
            results(point) = norton::load_interleaved(m, point, count, a.data(), pivots.data(), x.data());
        });
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view(results);
    Kokkos::deep_copy(host, results);
    return {host.data(), host.data() + count};
}

}  // namespace

int main(int argc, char** argv) {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    constexpr int count = norton::point_count;
    std::vector<history> results, reference;
    const norton::material m;
    for (int point = 0; point < count; ++point) reference.push_back(norton::load_in_arrays(m, point));

    const double time = harness::milliseconds([&] { results = load_all(count); });
    const double error = norton::difference(reference, results);

    char name[40];
    std::snprintf(name, sizeof name, "Kokkos, %s", Kokkos::DefaultExecutionSpace::name());
    // On a host the bits are those of the loop; on a device pow differs in its last digit.
    constexpr bool host = std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
    return harness::line(name, time, error, host ? error == 0 : error < 1e-12) ? 0 : 1;
}
