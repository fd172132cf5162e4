#include "backend.hpp"
#include "options.hpp"
#include "read_problem.hpp"
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include <unistd.h>

#include <shoal/batched/executor.hpp>
#include <shoal/mpc/closed_loop.hpp>

namespace {

using namespace shoal_fly;
using namespace shoal::mpc;

constexpr int impossible_input = 2;
constexpr int other_failure = 1;

/// Rewritten in place on a terminal; elsewhere one line for every second of flight.
class progress_line {
  public:
    progress_line(const options& o, const flight_problem& problem)
        : quiet_(o.quiet), terminal_(isatty(STDERR_FILENO) != 0), problem_(problem) {}
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { end(); }

    void show(int step, const flight_step& s) {
        if (quiet_ || (!terminal_ && std::floor(s.time) == second_)) return;
        second_ = std::floor(s.time);
        const double* g = problem_.goal;
        std::fprintf(
            stderr, "%sstep %4d  %5.2f s  %5.2f m to go  clearance %6.3f m  %2d iterations  %7.1f ms%s",
            terminal_ ? "\r" : "", step, s.time, std::hypot(s.x[0] - g[0], s.x[1] - g[1], s.x[2] - g[2]),
            s.clearance, s.control.ipm_iterations, 1e3 * s.seconds, terminal_ ? "  " : "\n");
        open_ = terminal_;
    }

    void end() {
        if (open_) std::fputc('\n', stderr);
        open_ = false;
    }

  private:
    bool quiet_, terminal_, open_ = false;
    const flight_problem& problem_;
    double second_ = -1;
};

/// At most forty scenarios, evenly chosen: more lines than that are not told apart.
template <class Controller>
branch_snapshot snapshot(const Controller& controller, int step, double time) {
    const qp_shape& shape = controller.shape();
    branch_snapshot out{step, time, {}};
    const int shown = std::min(shape.scenarios, 40);
    const double* trajectory = controller.trajectory().data();
    for (int j = 0; j < shown; ++j) {
        const int i = int(std::int64_t{j} * shape.scenarios / shown);
        auto& path = out.positions.emplace_back();
        for (int k = 0; k <= shape.stages; ++k) {
            const double* z = trajectory + shape.block(i, k) * stage_size;
            path.push_back({z[0], z[1], z[2]});
        }
    }
    return out;
}

std::ofstream open_output(const std::string& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    std::ofstream out(std::filesystem::path(directory) / "flight.json");
    if (!out) throw input_error("cannot write to directory " + directory);
    return out;
}

void run(const options& o) {
    const flight_problem problem = read_problem(o.problem);
    flight_report report;
    report.problem_file = o.problem;
    report.problem = &problem;
    flight_settings& settings = report.settings;
    settings.scenarios = o.scenarios.value_or(problem.default_scenarios);
    settings.stages = o.stages.value_or(problem.default_stages);
    settings.seed = o.seed.value_or(problem.seed);
    settings.max_steps = o.steps;
    constexpr std::int64_t most_blocks = 1000000;
    if (std::int64_t{settings.scenarios} * settings.stages > most_blocks)
        throw input_error("scenarios times stages must not exceed " + std::to_string(most_blocks));
    const double dt = problem.horizon_seconds / settings.stages;
    const double control_steps = problem.success.time_limit / dt;
    if (!(control_steps >= 1 && control_steps <= most_blocks)) {
        std::ostringstream what;
        what << o.problem << ": a flight of " << problem.success.time_limit << " s in steps of " << dt
             << " s, horizon_seconds over " << settings.stages << " stages, has " << control_steps
             << " control steps; 1 to " << most_blocks << " are possible";
        throw input_error(what.str());
    }
    report.guide = plan_path(problem, problem.start);
    if (report.guide.empty())
        throw input_error(o.problem + ": no way from start to goal is wide enough for the vehicle");

    shoal::executor threads(o.threads);
    report.threads = threads.threads();
    const auto backend = make_backend(o.device, problem, settings.scenarios, settings.stages, threads);
    report.device = o.device;
    std::ofstream out = open_output(o.out);

    const int every = int(std::clamp(0.5 / dt, 1.0, 1e9) + 0.5);
    {
        progress_line progress(o, problem);
        int count = 0;
        report.result =
            fly(problem, settings, *backend, [&](const auto& controller, const flight_step& step) {
                if (count % every == 0) report.branches.push_back(snapshot(controller, count, step.time));
                progress.show(++count, step);
            });
    }
    const flight_summary summary = summarise(report);
    write_json(report, summary, out);
    out.close();
    if (!out) throw std::runtime_error("writing flight.json failed");
    print_table(report, summary, std::cout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        options o;
        if (parse(argc, argv, o) == parse_outcome::help_shown) return 0;
        run(o);
        return 0;
    } catch (const input_error& e) {
        std::cerr << "shoal-fly: " << e.what() << '\n';
        return impossible_input;
    } catch (const std::bad_alloc&) {
        std::cerr << "shoal-fly: not enough memory for so many scenarios and stages\n";
        return other_failure;
    } catch (const std::exception& e) {
        std::cerr << "shoal-fly: " << e.what() << '\n';
        return other_failure;
    }
}
