// NVIDIA cuDSS on block-arrow systems: symmetric positive definite, lower rows, analysis once and not timed, no refinement,
// superpanels on, all data on the device; then the factorisation and the solve.
//
// A variant is words joined by '.'; `default` changes nothing:
//   amd, chain, nested, natural   order: the library's other one, ours by structure (sparse.hpp), none
//   refactor                      time CUDSS_PHASE_REFACTORIZATION for the factorisation
//   hybrid                        the library may run parts on the host
//   levelsN                       N levels of nested dissection
//   panels0                       superpanels off
//   graph                         also capture each phase in CUDA graphs and time their replay

#include "measure.hpp"
#include "sparse.hpp"
#include "systems.hpp"

#include <cstdio>
#include <exception>
#include <functional>

#include <cuda_runtime.h>
#include <cudss.h>

namespace {

using namespace shoal_bench;
using shoal::arrow::extent;

void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

void check(cudssStatus_t s, const char* what) {
    if (s != CUDSS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": cuDSS status " + std::to_string(s));
}

/// An array on the device.
template <class T>
class device_array {
  public:
    explicit device_array(std::size_t count) : count_(count) {
        check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) { write(from); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }

    void write(const std::vector<T>& from) {
        check(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
              "copy to the device");
    }
    std::vector<T> read() const {
        std::vector<T> to(count_);
        check(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
        return to;
    }
    T* data() const { return data_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// The library's handle, and the stream and events that everything is timed on.
struct device {
    device() {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        check(cudaEventCreate(&begin), "event");
        check(cudaEventCreate(&end), "event");
        check(cudssCreate(&handle), "cudssCreate");
        check(cudssSetStream(handle, stream), "cudssSetStream");
        // Threads only shorten the analysis, which is not timed.
        if (const char* layer = std::getenv("CUDSS_THREADING_LIB"))
            if (cudssSetThreadingLayer(handle, layer) != CUDSS_STATUS_SUCCESS)
                std::fputs("cuDSS: no host threads\n", stderr);
    }
    device(const device&) = delete;
    device& operator=(const device&) = delete;
    ~device() {
        cudssDestroy(handle);
        cudaEventDestroy(end);
        cudaEventDestroy(begin);
        cudaStreamDestroy(stream);
    }

    cudssHandle_t handle = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    device_array<char> flush{std::size_t{256} << 20};  ///< larger than the caches
};

class cudss_solver {
  public:
    cudss_solver(device& d, const sparse_matrix& m, const std::vector<double>& b, extent size,
                 const std::string& variant)
        : device_(d),
          start_(m.row_start),
          column_(m.column),
          value_(m.value),
          b_(b),
          x_(b.size()),
          size_(size) {
        const std::int64_t n = m.rows();
        check(cudssConfigCreate(&config_), "cudssConfigCreate");
        check(cudssDataCreate(d.handle, &data_), "cudssDataCreate");
        check(cudssMatrixCreateDn(&rhs_, n, 1, n, b_.data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
              "right-hand side");
        check(cudssMatrixCreateDn(&solution_, n, 1, n, x_.data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
              "solution");
        check(cudssMatrixCreateCsr(&matrix_, n, n, m.entries(), start_.data(), nullptr, column_.data(),
                                   value_.data(), CUDA_R_32I,
#if CUDSS_VERSION >= 800
                                   CUDA_R_32I,
#endif
                                   CUDA_R_64F, CUDSS_MTYPE_SPD, CUDSS_MVIEW_LOWER, CUDSS_BASE_ZERO),
              "matrix");
        set(CUDSS_CONFIG_IR_N_STEPS, 0);
        set(CUDSS_CONFIG_USE_SUPERPANELS, 1);
        for (const std::string& word : split(variant, '.')) choose(word);
        execute(CUDSS_PHASE_ANALYSIS, "analysis");
        execute(CUDSS_PHASE_FACTORIZATION, "factorisation");
        synchronise();
    }
    cudss_solver(const cudss_solver&) = delete;
    cudss_solver& operator=(const cudss_solver&) = delete;
    ~cudss_solver() {
        cudaStreamSynchronize(device_.stream);
        cudssMatrixDestroy(matrix_);
        cudssMatrixDestroy(solution_);
        cudssMatrixDestroy(rhs_);
        cudssDataDestroy(device_.handle, data_);
        cudssConfigDestroy(config_);
    }

    void factor() {
        execute(factor_phase_, "factorisation");
    }
    void solve() {
        execute(CUDSS_PHASE_SOLVE, "solve");
    }
    void synchronise() const {
        check(cudaStreamSynchronize(device_.stream), "synchronise");
    }
    void set_values(const std::vector<double>& values) {
        value_.write(values);
    }
    void forget_solution() {
        check(cudaMemset(x_.data(), 0xff, x_.bytes()), "memset");
    }
    std::vector<double> solution() const {
        return x_.read();
    }
    bool wants_graphs() const {
        return graphs_;
    }
    std::int64_t factor_entries() const {
        std::int64_t count = 0;
        std::size_t written = 0;
        check(cudssDataGet(device_.handle, data_, CUDSS_DATA_LU_NNZ, &count, sizeof count, &written),
              "entries");
        return count;
    }

  private:
    void set(cudssConfigParam_t what, int value) {
        check(cudssConfigSet(config_, what, &value, sizeof value), "cudssConfigSet");
    }

    void choose(const std::string& word) {
        if (word == "default") {
        } else if (word == "amd") {
#if CUDSS_VERSION >= 10000
            set(CUDSS_CONFIG_REORDERING_ALG, CUDSS_REORDERING_ALG_AMD);
#else
            set(CUDSS_CONFIG_REORDERING_ALG, CUDSS_ALG_3);
#endif
        } else if (word == "natural") {
#if CUDSS_VERSION >= 10000
            set(CUDSS_CONFIG_REORDERING_ALG, CUDSS_REORDERING_ALG_NONE);
#else
            throw std::invalid_argument("this cuDSS always orders");
#endif
        } else if (word == "chain" || word == "nested") {
            order_ = word == "chain" ? chain_order<block_size>(size_) : nested_order<block_size>(size_);
            check(cudssDataSet(device_.handle, data_, CUDSS_DATA_USER_PERM, order_.data(),
                               order_.size() * sizeof(int)),
                  "order");
        } else if (word == "refactor") {
            factor_phase_ = CUDSS_PHASE_REFACTORIZATION;
        } else if (word == "hybrid") {
            set(CUDSS_CONFIG_HYBRID_EXECUTE_MODE, 1);
        } else if (word == "panels0") {
            set(CUDSS_CONFIG_USE_SUPERPANELS, 0);
        } else if (word == "graph") {
            graphs_ = true;
        } else if (word.rfind("levels", 0) == 0) {
            set(CUDSS_CONFIG_ND_NLEVELS, std::stoi(word.substr(6)));
        } else {
            throw std::invalid_argument("cuDSS has no variant '" + word + "'");
        }
    }

    void execute(int phase, const char* what) {
        check(cudssExecute(device_.handle, static_cast<cudssPhase_t>(phase), config_, data_, matrix_,
                           solution_, rhs_),
              what);
    }

    device& device_;
    device_array<int> start_, column_;
    device_array<double> value_, b_, x_;
    std::vector<int> order_;
    extent size_;
    int factor_phase_ = CUDSS_PHASE_FACTORIZATION;
    bool graphs_ = false;
    cudssConfig_t config_ = nullptr;
    cudssData_t data_ = nullptr;
    cudssMatrix_t matrix_ = nullptr, solution_ = nullptr, rhs_ = nullptr;
};

/// `work` between two events; `prepare` before the first one.
timing time_events(const request& r, device& d, const std::function<void()>& prepare,
                   const std::function<void()>& work) {
    std::vector<double> us;
    for (int i = -r.warmups; i < r.repeats; ++i) {
        prepare();
        check(cudaEventRecord(d.begin, d.stream), "event");
        work();
        check(cudaEventRecord(d.end, d.stream), "event");
        check(cudaEventSynchronize(d.end), "event");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, d.begin, d.end), "event");
        if (i >= 0) us.push_back(1000.0 * ms);
    }
    return summarise(std::move(us));
}

/// `count` calls of `work` as a CUDA graph; throws when the library cannot be captured.
class graph {
  public:
    graph(device& d, int count, const std::function<void()>& work) : device_(d) {
        check(cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeRelaxed), "begin of capture");
        std::exception_ptr failed;
        try {
            for (int i = 0; i < count; ++i) work();
        } catch (...) {
            failed = std::current_exception();
        }
        cudaGraph_t captured = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(d.stream, &captured);
        cudaGetLastError();
        if (failed || ended != cudaSuccess) {
            if (captured) cudaGraphDestroy(captured);
            if (failed) std::rethrow_exception(failed);
            check(ended, "end of capture");
        }
        std::size_t nodes = 0;
        cudaGraphGetNodes(captured, nullptr, &nodes);
        nodes_ = static_cast<int>(nodes);
        const cudaError_t made = cudaGraphInstantiate(&exec_, captured, 0);
        cudaGraphDestroy(captured);
        check(made, "instantiation");
    }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;
    ~graph() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    void launch() const { check(cudaGraphLaunch(exec_, device_.stream), "graph launch"); }
    int nodes() const { return nodes_; }

  private:
    device& device_;
    cudaGraphExec_t exec_ = nullptr;
    int nodes_ = 0;
};

/// Replays must redo the work: with K twice as large a replayed factorisation and solve give half of x.
void verify_replay(cudss_solver& solver, const sparse_matrix& matrix, const graph& factor,
                   const graph& solve) {
    solver.forget_solution();
    factor.launch();
    solve.launch();
    solver.synchronise();
    const std::vector<double> x = solver.solution();
    sparse_matrix twice = matrix;
    for (double& v : twice.value) v *= 2;
    solver.set_values(twice.value);
    solver.forget_solution();
    factor.launch();
    solve.launch();
    solver.synchronise();
    const std::vector<double> half = solver.solution();
    solver.set_values(matrix.value);
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(x[i]));
        off = std::max(off, std::abs(x[i] - 2 * half[i]));
        if (!(std::abs(half[i]) >= 0)) throw std::runtime_error("replay left the solution untouched");
    }
    if (!(off <= 1e-9 * largest)) throw std::runtime_error("replay does not follow the values of K");
}

void measure(const request& r, table& out, device& d, extent size) {
    const linear_system system(r.matrix, size);
    const sparse_matrix matrix = to_sparse<block_size>(size, system.view(), half::lower);

    for (const std::string& variant : r.variants) {
        const auto begin = std::chrono::steady_clock::now();
        cudss_solver solver(d, matrix, system.b, size, variant);
        const std::chrono::duration<double> analysis = std::chrono::steady_clock::now() - begin;

        // The gate: no time is taken of an answer that is wrong.
        solver.factor();
        solver.solve();
        solver.synchronise();
        const std::vector<double> x = solver.solution();
        const double error = system.matrix.backward_error(x, system.b);
        std::fprintf(stderr,
                     "cudss %dx%d %s %s: %lld entries of K, %lld of L, analysis and first factorisation %.2f "
                     "s, backward "
                     "error %.2e, %.2e from the host solver\n",
                     size.tails, size.stages, r.matrix.c_str(), variant.c_str(),
                     static_cast<long long>(matrix.entries()),
                     static_cast<long long>(solver.factor_entries()), analysis.count(), error,
                     system.apart(x));
        if (!(error < 1e-13)) throw std::runtime_error("cuDSS's answer is wrong");

        struct phase {
            const char* name;
            std::function<void()> work;
        };
        const phase phases[] = {{"factor", [&] { solver.factor(); }},
                                {"solve", [&] { solver.solve(); }},
                                {"factor_solve", [&] { solver.factor(), solver.solve(); }}};
        const std::function<void()> nothing = [] {};
        const std::function<void()> cool = [&] {
            check(cudaMemsetAsync(d.flush.data(), 1, d.flush.bytes(), d.stream), "memset");
        };
        for (const phase& p : phases) {
            const auto add = [&](const char* clock, timing t) {
                out.add(size, block_size, p.name, variant, clock, t, error);
            };
            add("_events", time_events(r, d, nothing, p.work));
            add("_cold", time_events(r, d, cool, p.work));
            add("_wall", time_wall(r, nothing, [&] { p.work(), solver.synchronise(); }));
        }
        if (!solver.wants_graphs()) continue;
        try {
            const graph factor(d, 1, phases[0].work), solve(d, 1, phases[1].work);
            std::fprintf(stderr, "cudss %dx%d %s: %d graph nodes in a factorisation, %d in a solve\n",
                         size.tails, size.stages, variant.c_str(), factor.nodes(), solve.nodes());
            verify_replay(solver, matrix, factor, solve);
            for (const phase& p : phases) {
                const graph one(d, 1, p.work);
                const auto add = [&](const char* clock, timing t) {
                    out.add(size, block_size, p.name, variant, clock, t, error);
                };
                const timing single = time_events(r, d, nothing, [&] { one.launch(); });
                add("_single", single);
                // Twenty calls, or as many as 10 ms hold: what a launch costs is lost in longer ones.
                const int calls = std::clamp(static_cast<int>(10000 / single.median_us), 1, 20);
                const graph many(d, calls, p.work);
                timing t = time_events(r, d, nothing, [&] { many.launch(); });
                t.median_us /= calls;
                add("", t);
                add("_single_wall", time_wall(r, nothing, [&] { one.launch(), solver.synchronise(); }));
            }
        } catch (const std::exception& e) {
            std::fprintf(stderr, "cudss %dx%d %s: not in a CUDA graph: %s\n", size.tails, size.stages,
                         variant.c_str(), e.what());
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const request r = read_request(argc, argv, "default");
    int found = 0, version[3] = {};
    check(cudaGetDeviceCount(&found), "no GPU");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "device");
    for (int i = 0; i < 3; ++i)
        check(cudssGetProperty(static_cast<libraryPropertyType>(i), &version[i]), "version");
    std::fprintf(stderr, "cuDSS %d.%d.%d on %s\n", version[0], version[1], version[2], properties.name);
    device d;
    table out(r, "cudss", properties.name);
    for (const extent size : r.points) measure(r, out, d, size);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
