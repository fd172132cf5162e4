// expect: tiled_lu: say the order of A with of_order
#include <vector>

#include <shoal/tiled_lu/tiled_lu.hpp>

int f(std::vector<double>& a, std::vector<int>& p) {
    return shoal::tiled_lu::factorize(a, p);
}
