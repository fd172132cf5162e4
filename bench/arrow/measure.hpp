#pragma once

/// \file
/// What the programs of the arrow bench share: their command line, medians, and rows of the table of results.

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <shoal/arrow/types.hpp>

namespace shoal_bench {

struct request {
    std::vector<shoal::arrow::extent> points;
    std::vector<std::string> variants;
    std::string matrix = "published";
    std::string file;  ///< rows are appended here; without it they are printed
    std::string commit = "unknown";
    int repeats = 60;
    int warmups = 10;
};

inline std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t to = std::min(text.find(at, from), text.size());
        if (to > from) parts.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

/// --points 20x30,100x30 --variants a,b --matrix NAME --csv FILE --commit HASH --repeats COUNT
inline request read_request(int argc, char** argv, const std::string& variants) {
    request r;
    r.variants = split(variants, ',');
    for (int i = 1; i < argc; i += 2) {
        const std::string key = argv[i];
        if (i + 1 == argc) throw std::invalid_argument(key + " wants a value");
        const std::string value = argv[i + 1];
        if (key == "--points") {
            for (const std::string& p : split(value, ',')) {
                const auto parts = split(p, 'x');
                if (parts.size() != 2) throw std::invalid_argument("a point is MxN, not " + p);
                r.points.push_back({std::stoi(parts[0]), std::stoi(parts[1])});
            }
        } else if (key == "--variants") {
            r.variants = split(value, ',');
        } else if (key == "--matrix") {
            r.matrix = value;
        } else if (key == "--csv") {
            r.file = value;
        } else if (key == "--commit") {
            r.commit = value;
        } else if (key == "--repeats") {
            r.repeats = std::stoi(value);
        } else {
            throw std::invalid_argument("unknown option " + key);
        }
    }
    if (r.points.empty()) throw std::invalid_argument("--points MxN,... is needed");
    return r;
}

/// Median and the distance between the quartiles.
struct timing {
    double median_us = 0;
    double spread_percent = 0;
};

inline timing summarise(std::vector<double> us) {
    std::sort(us.begin(), us.end());
    const auto quantile = [&](double q) {
        const double at = q * static_cast<double>(us.size() - 1);
        const auto low = static_cast<std::size_t>(at);
        const std::size_t high = std::min(low + 1, us.size() - 1);
        return us[low] + (at - static_cast<double>(low)) * (us[high] - us[low]);
    };
    const double median = quantile(0.5);
    return {median, 100 * (quantile(0.75) - quantile(0.25)) / median};
}

/// Calls `prepare`, untimed, then `work`, wall clock; the first calls warm up and do not count.
template <class Prepare, class Work>
timing time_wall(const request& r, Prepare prepare, Work work) {
    std::vector<double> us;
    for (int i = -r.warmups; i < r.repeats; ++i) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        if (i >= 0) us.push_back(took.count());
    }
    return summarise(std::move(us));
}

/// What a factorisation or a solve must move at least, over the measured rate of a copy: the blocks of K read and as many
/// of the factor written, each once; a solve reads the factor once. Dense blocks, whatever sparsity a solver is given.
inline double floor_us(shoal::arrow::extent size, int n, const std::string& phase) {
    constexpr double bytes_per_us = 4.13e6;
    const double blocks = 2.0 * size.tails * size.stages + 1;
    const double bytes = blocks * n * n * 8;
    return (phase == "factor" ? 2 : phase == "solve" ? 1 : 3) * bytes / bytes_per_us;
}

/// Appends rows; each is on the disk as soon as it is known, so that a later failure loses nothing.
class table {
  public:
    table(const request& r, std::string solver, std::string device)
        : request_(r), solver_(std::move(solver)), device_(std::move(device)) {
        std::erase(device_, ',');
        while (!device_.empty() && std::isspace(static_cast<unsigned char>(device_.back())))
            device_.pop_back();
    }

    /// A variant ends in how it was timed: _events (one call between two events), _cold (the same after the caches were
    /// overwritten), _single (a graph of one call between two events), nothing (a graph of 20 calls, divided by 20),
    /// _wall or _single_wall (wall clock, launch and synchronisation included).
    void add(shoal::arrow::extent size, int n, const std::string& phase, const std::string& variant,
             const std::string& clock, timing t, double error) {
        char line[512];
        std::snprintf(line, sizeof line, "arrow,%s,%d,%d,%d,%s,%s,%s%s,%.3f,%.2f,%.2f,%.2e,%s,%s\n",
                      request_.matrix.c_str(), size.tails, size.stages, n, phase.c_str(), solver_.c_str(),
                      variant.c_str(), clock.c_str(), t.median_us, t.spread_percent, floor_us(size, n, phase),
                      error, device_.c_str(), request_.commit.c_str());
        if (request_.file.empty()) {
            std::fputs(line, stdout);
            std::fflush(stdout);
            return;
        }
        std::ofstream out(request_.file, std::ios::app);
        if (out.tellp() == 0)
            out << "op,type,M,N,n,phase,solver,variant,median_us,spread_percent,floor_us,error,device,"
                   "commit\n";
        out << line;
        if (!out.flush()) throw std::runtime_error("cannot write " + request_.file);
    }

  private:
    const request& request_;
    std::string solver_;
    std::string device_;
};

}  // namespace shoal_bench
