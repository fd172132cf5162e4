// Intel oneMKL PARDISO on block-arrow systems: Cholesky (mtype 2), upper rows, analysis once and not timed, then the
// factorisation (phase 22) and the solve (phase 33) by the wall clock.
//
// A variant is words joined by '.': an order (metis, pmetis, amd, chain, nested), then
//   f1  two-level parallel factorisation, otherwise the classic one    (iparm[23])
//   s1  sequential solve, s2 the other parallel one, otherwise the parallel one  (iparm[24])
//   vN  rows with at least N percent of their pattern in common are handled as blocks (iparm[36])

#include "measure.hpp"
#include "sparse.hpp"
#include "systems.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

#include <mkl_pardiso.h>
#include <mkl_service.h>

namespace {

using namespace shoal_bench;
using shoal::arrow::extent;

std::string processor() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

class pardiso_solver {
  public:
    pardiso_solver(sparse_matrix m, extent size, const std::string& variant) : matrix_(std::move(m)) {
        n_ = matrix_.rows();
        for (int& i : matrix_.row_start) ++i;
        for (int& i : matrix_.column) ++i;
        iparm_[0] = 1;
        iparm_[9] = 8;
        // 0 refines only after a pivot was perturbed; `check` proves that none was and that no step was taken.
        iparm_[7] = 0;
        iparm_[17] = -1;
        for (const std::string& word : split(variant, '.')) choose(word, size);
        call(11, nullptr, nullptr, "analysis");
    }
    pardiso_solver(const pardiso_solver&) = delete;
    pardiso_solver& operator=(const pardiso_solver&) = delete;
    ~pardiso_solver() {
        MKL_INT phase = -1, error = 0;
        pardiso(handle_, &one_, &one_, &type_, &phase, &n_, nullptr, nullptr, nullptr, nullptr, &one_, iparm_,
                &zero_, nullptr, nullptr, &error);
    }

    void factor() { call(22, nullptr, nullptr, "factorisation"); }
    void solve(double* b, double* x) { call(33, b, x, "solve"); }
    void check() const {
        if (iparm_[6] != 0 || iparm_[13] != 0)
            throw std::runtime_error("PARDISO perturbed a pivot or refined the solution");
    }
    MKL_INT factor_entries() const { return iparm_[17]; }

  private:
    void choose(const std::string& word, extent size) {
        if (word == "amd") {
            iparm_[1] = 0;
        } else if (word == "metis") {
            iparm_[1] = 2;
        } else if (word == "pmetis") {
            iparm_[1] = 3;
        } else if (word == "chain" || word == "nested") {
            iparm_[1] = 2;
            iparm_[4] = 1;
            order_ = word == "chain" ? chain_order<block_size>(size) : nested_order<block_size>(size);
            for (int& i : order_) ++i;
        } else if (word == "f1") {
            iparm_[23] = 1;
        } else if (word == "s1" || word == "s2") {
            iparm_[24] = word[1] - '0';
        } else if (word[0] == 'v') {
            // With an order of the caller's PARDISO crashes in the analysis.
            if (!order_.empty())
                throw std::invalid_argument("PARDISO takes no blocks together with an order");
            iparm_[36] = -std::stoi(word.substr(1));
        } else {
            throw std::invalid_argument("PARDISO has no variant '" + word + "'");
        }
    }

    void call(MKL_INT phase, double* b, double* x, const char* what) {
        MKL_INT error = 0;
        pardiso(handle_, &one_, &one_, &type_, &phase, &n_, matrix_.value.data(), matrix_.row_start.data(),
                matrix_.column.data(), order_.empty() ? nullptr : order_.data(), &one_, iparm_, &zero_, b, x,
                &error);
        if (error != 0)
            throw std::runtime_error(std::string("PARDISO: ") + what + " returned " + std::to_string(error));
    }

    sparse_matrix matrix_;
    std::vector<int> order_;
    void* handle_[64] = {};
    MKL_INT iparm_[64] = {};
    MKL_INT n_ = 0;
    const MKL_INT one_ = 1, zero_ = 0, type_ = 2;
};

void measure(const request& r, table& out, extent size) {
    const linear_system system(r.matrix, size);
    const sparse_matrix matrix = to_sparse<block_size>(size, system.view(), half::upper);
    std::vector<double> b = system.b, x(b.size());

    for (const std::string& variant : r.variants) {
        const auto begin = std::chrono::steady_clock::now();
        pardiso_solver solver(matrix, size, variant);
        const std::chrono::duration<double> analysis = std::chrono::steady_clock::now() - begin;
        const auto nothing = [] {};
        const auto factor = [&] { solver.factor(); };
        const auto solve = [&] { solver.solve(b.data(), x.data()); };
        const auto both = [&] { solver.factor(), solver.solve(b.data(), x.data()); };

        // The gate: no time is taken of an answer that is wrong.
        both();
        solver.check();
        const double error = system.matrix.backward_error(x, b);
        std::fprintf(
            stderr,
            "pardiso %dx%d %s %s: %lld entries of K, %lld of L, analysis %.2f s, backward error %.2e, "
            "%.2e from the host solver\n",
            size.tails, size.stages, r.matrix.c_str(), variant.c_str(),
            static_cast<long long>(matrix.entries()), static_cast<long long>(solver.factor_entries()),
            analysis.count(), error, system.apart(x));
        if (!(error < 1e-13)) throw std::runtime_error("PARDISO's answer is wrong");

        out.add(size, block_size, "factor", variant, "_wall", time_wall(r, nothing, factor), error);
        out.add(size, block_size, "solve", variant, "_wall", time_wall(r, nothing, solve), error);
        out.add(size, block_size, "factor_solve", variant, "_wall", time_wall(r, nothing, both), error);
        solver.check();
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const request r = read_request(argc, argv, "metis");
    MKLVersion version;
    mkl_get_version(&version);
    std::fprintf(stderr, "oneMKL %d.%d.%d for %s, at most %d threads\n", version.MajorVersion,
                 version.MinorVersion, version.UpdateVersion, version.Processor, mkl_get_max_threads());
    table out(r, "pardiso", processor() + " " + std::to_string(mkl_get_max_threads()) + " threads");
    for (const extent size : r.points) measure(r, out, size);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
