// expect: needs scratch here: a view of reduction_scratch<G> elements
#include <shoal/blas/dot.hpp>

struct block {
    static constexpr shoal::scope scope = shoal::scope::block;
    static int rank() { return 0; }
    static int size() { return 1; }
    static void sync() {}
};

double f(double* x) {
    return dot(block{}, shoal::vector<double, 3>{x}, shoal::vector<double, 3>{x});
}
