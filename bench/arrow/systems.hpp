#pragma once

/// \file
/// The systems that every solver of the arrow bench is measured on: matrix and right-hand side are those of bench_arrow.cu.

#include "../support/arrow_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <shoal/arrow/host_solver.hpp>

namespace shoal_bench {

struct linear_system {
    arrow_matrix matrix;
    std::vector<double> b;
    std::vector<double> reference;  ///< what the host solver makes of it

    linear_system(const std::string& type, shoal::arrow::extent size) : matrix(make_arrow(type, size, 1)) {
        std::mt19937_64 g(7);
        std::normal_distribution<double> normal;
        b.resize(static_cast<std::size_t>(shoal::arrow::unknowns(size, block_size)));
        for (double& v : b) v = normal(g);
        reference = b;
        shoal::arrow::host_solver<double, block_size> host(size, {.threads = 1});
        if (!host.factor(view()).good()) throw std::runtime_error("the matrix is not positive definite");
        host.solve(reference.data());
    }

    shoal::arrow::matrix_view<const double> view() const {
        return {matrix.diagonal.data(), matrix.lower.data(), matrix.coupling.data(), matrix.root.data()};
    }

    /// Largest difference to the reference over its largest entry: tells little where the condition number is large.
    double apart(const std::vector<double>& x) const {
        double off = 0, largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            off = std::max(off, std::fabs(x[i] - reference[i]));
            largest = std::max(largest, std::fabs(reference[i]));
        }
        return off / largest;
    }
};

}  // namespace shoal_bench
