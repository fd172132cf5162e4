#include "options.hpp"

#include "read_problem.hpp"

#include <algorithm>
#include <iostream>

#include <CLI/CLI.hpp>

namespace shoal_fly {

parse_outcome parse(int argc, char** argv, options& out) {
    CLI::App app(
        "Flies a quadrotor among obstacles by branch model predictive control, under mass and wind that the "
        "controller does not know.");
    app.name("shoal-fly");
    app.set_version_flag("--version", SHOAL_FLY_VERSION);
    app.footer(
        "Exit code: 0 after a flight, whether or not it reached the goal; 2 where the input is impossible; 1 "
        "where\n"
        "something else failed. Problems to fly are in data/.");
    app.allow_extras();
    std::int64_t scenarios = 0, stages = 0, seed = 0, steps = 0, threads = 0;
    app.add_option("--problem", out.problem, "problem file (JSON); needed")->type_name("FILE");
    auto* scenarios_given =
        app.add_option("--scenarios", scenarios, "scenarios M >= 1 (default: the file's)")->type_name("M");
    auto* stages_given =
        app.add_option("--stages", stages, "stages N >= 1 (default: the file's)")->type_name("N");
    auto* seed_given =
        app.add_option("--seed", seed, "seed of the scenarios and of the true vehicle (default: the file's)")
            ->type_name("S");
    auto* steps_given = app.add_option("--steps", steps, "stop after K >= 1 control steps")->type_name("K");
    app.add_option("--device", out.device, "where the controller computes: cpu (default) or cuda")
        ->type_name("DEVICE");
    app.add_option("--threads", threads, "host threads, 1 to 1024 (default: 0, one per core)")
        ->type_name("T");
    app.add_option("--out", out.out, "directory for flight.json (default: out)")->type_name("DIR");
    app.add_flag("--quiet", out.quiet, "no progress line");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        return parse_outcome::help_shown;
    } catch (const CLI::CallForVersion&) {
        std::cout << "shoal-fly " SHOAL_FLY_VERSION "\n";
        return parse_outcome::help_shown;
    } catch (const CLI::ParseError& e) {
        throw input_error(e.what());
    }
    if (!app.remaining().empty())
        throw input_error(app.remaining().front() + " was not expected; --help tells what is");
    if (out.problem.empty())
        throw input_error("--problem FILE is needed; problems are in data/, and --help tells more");
    if (out.out.empty()) throw input_error("--out must name a directory");
    auto limited = [](const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
        if (value < low || value > high)
            throw input_error(std::string(name) + " must lie from " + std::to_string(low) + " to " +
                              std::to_string(high) + ", not " + std::to_string(value));
        return value;
    };
    // With no scenario there is no plan, so M = 0, which the linear solver accepts, is refused here.
    if (scenarios_given->count()) out.scenarios = int(limited("--scenarios", scenarios, 1, 100000));
    if (stages_given->count()) out.stages = int(limited("--stages", stages, 1, 100000));
    if (seed_given->count()) out.seed = std::uint64_t(limited("--seed", seed, 0, std::int64_t{1} << 53));
    if (steps_given->count()) out.steps = int(limited("--steps", steps, 1, 1000000));
    out.threads = int(limited("--threads", threads, 0, 1024));
    if (out.device != "cpu" && out.device != "cuda")
        throw input_error("--device must be cpu or cuda, not " + out.device);
    return parse_outcome::fly;
}

}  // namespace shoal_fly
