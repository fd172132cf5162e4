#include "read_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ios>
#include <vector>

#include <nlohmann/json.hpp>

namespace shoal_fly {

input_error::input_error(std::string what)
    : std::runtime_error((std::replace_if(
                              what.begin(), what.end(),
                              [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' '),
                          what)) {}

namespace {

using nlohmann::json;
using shoal::mpc::flight_problem;

[[noreturn]] void fail(const std::string& what) {
    throw input_error(what);
}

/// One JSON object and its place in the file. Every key must be asked for: `finish` refuses the others.
class section {
  public:
    section(const json& value, std::string where) : value_(value), where_(std::move(where)) {
        if (!value_.is_object()) fail((where_.empty() ? "the file" : where_) + " must be an object");
    }

    const json& get(const char* key) {
        known_.emplace_back(key);
        const auto it = value_.find(key);
        if (it == value_.end()) fail(name(key) + " is missing");
        return *it;
    }

    double number(const char* key) { return as_number(get(key), name(key)); }

    long long integer(const char* key, long long low, long long high) {
        const json& v = get(key);
        if (!v.is_number_integer() ||
            (v.is_number_unsigned() && v.get<unsigned long long>() > (1ull << 62)) ||
            v.get<long long>() < low || v.get<long long>() > high)
            fail(name(key) + " must be an integer from " + std::to_string(low) + " to " +
                 std::to_string(high));
        return v.get<long long>();
    }

    std::string text(const char* key) {
        const json& v = get(key);
        if (!v.is_string()) fail(name(key) + " must be a string");
        return v.get<std::string>();
    }

    void triple(const char* key, double* out) {
        const json& v = get(key);
        if (!v.is_array() || v.size() != 3) fail(name(key) + " must be an array of three numbers");
        for (std::size_t i = 0; i < 3; ++i) out[i] = as_number(v[i], name(key));
    }

    const json& array(const char* key) {
        const json& v = get(key);
        if (!v.is_array()) fail(name(key) + " must be an array");
        return v;
    }

    section object(const char* key) { return {get(key), name(key)}; }

    void finish() const {
        for (const auto& item : value_.items())
            if (std::find(known_.begin(), known_.end(), item.key()) == known_.end())
                fail("unknown key " + name(item.key()));
    }

  private:
    [[nodiscard]] std::string name(const std::string& key) const {
        return where_.empty() ? key : where_ + "." + key;
    }

    static double as_number(const json& v, const std::string& where) {
        if (!v.is_number()) fail(where + " must be a number");
        const double x = v.get<double>();
        if (!std::isfinite(x)) fail(where + " must be finite");
        return x;
    }

    const json& value_;
    std::string where_;
    std::vector<std::string> known_;
};

void read_vehicle(section s, flight_problem& p) {
    shoal::mpc::quadrotor& q = p.vehicle;
    q.mass = s.number("mass");
    s.triple("inertia", q.inertia);
    const double torque_to_thrust = s.number("torque_to_thrust");
    q.linear_drag = s.number("linear_drag");
    q.angular_drag = s.number("angular_drag");
    p.thrust_min = s.number("rotor_thrust_min");
    p.thrust_max = s.number("rotor_thrust_max");
    p.radius = s.number("radius");
    const json& rotors = s.array("rotors");
    if (rotors.size() != shoal::mpc::input_size) fail("vehicle.rotors must hold four rotors");
    for (std::size_t i = 0; i < rotors.size(); ++i) {
        section r(rotors[i], "vehicle.rotors[" + std::to_string(i) + "]");
        q.rotor_x[i] = r.number("x");
        q.rotor_y[i] = r.number("y");
        const double spin = r.number("spin");
        if (spin != 1 && spin != -1) fail("vehicle.rotors[" + std::to_string(i) + "].spin must be 1 or -1");
        q.rotor_yaw[i] = spin * torque_to_thrust;
        r.finish();
    }
    s.finish();
}

flight_problem convert(const json& file) {
    flight_problem p;
    section root(file, "");
    p.name = root.text("name");
    read_vehicle(root.object("vehicle"), p);
    p.vehicle.gravity = root.number("gravity");

    section uncertainty = root.object("uncertainty");
    p.mass_relative_std = uncertainty.number("mass_relative_std");
    p.wind_acceleration_std = uncertainty.number("wind_acceleration_std");
    p.seed = std::uint64_t(uncertainty.integer("seed", 0, 1ll << 53));
    uncertainty.finish();

    p.horizon_seconds = root.number("horizon_seconds");
    section defaults = root.object("defaults");
    p.default_scenarios = int(defaults.integer("scenarios", 1, 100000));
    p.default_stages = int(defaults.integer("stages", 1, 100000));
    defaults.finish();

    section start = root.object("start");
    start.triple("position", p.start);
    start.finish();
    section goal = root.object("goal");
    goal.triple("position", p.goal);
    goal.finish();

    const json& obstacles = root.array("obstacles");
    for (std::size_t j = 0; j < obstacles.size(); ++j) {
        section s(obstacles[j], "obstacles[" + std::to_string(j) + "]");
        shoal::mpc::obstacle o;
        s.triple("centre", o.centre);
        o.radius = s.number("radius");
        s.finish();
        p.obstacles.push_back(o);
    }

    section weights = root.object("weights");
    p.weights = {weights.number("position"), weights.number("velocity"), weights.number("attitude"),
                 weights.number("rate"),     weights.number("thrust"),   weights.number("terminal_factor")};
    weights.finish();
    p.attitude_limit = root.number("attitude_limit");
    section success = root.object("success");
    p.success = {success.number("position_tolerance"), success.number("speed_tolerance"),
                 success.number("hold_seconds"), success.number("time_limit")};
    success.finish();
    root.finish();
    return p;
}

/// nlohmann::json keeps the last of two equal keys; a problem that says two things is refused instead.
json parse_unique(std::istream& in) {
    std::vector<std::vector<std::string>> seen;
    auto check = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) seen.emplace_back();
        if (event == json::parse_event_t::object_end) seen.pop_back();
        if (event == json::parse_event_t::key) {
            const auto key = parsed.get<std::string>();
            if (std::find(seen.back().begin(), seen.back().end(), key) != seen.back().end())
                fail("key " + key + " appears twice in one object");
            seen.back().push_back(key);
        }
        return true;
    };
    return json::parse(in, check);
}

}  // namespace

flight_problem read_problem(const std::string& path) {
    std::ifstream in(path);
    if (!in) fail("cannot open " + path);
    json file;
    try {
        file = parse_unique(in);
    } catch (const input_error& e) {
        fail(path + ": " + e.what());
    } catch (const std::ios_base::failure&) {
        fail("cannot read " + path);
    } catch (const json::exception& e) {
        fail(path + " is not valid JSON: " + e.what());
    }
    flight_problem p;
    try {
        p = convert(file);
    } catch (const input_error& e) {
        fail(path + ": " + e.what());
    }
    const std::string fault = shoal::mpc::find_fault(p);
    if (!fault.empty()) fail(path + ": " + fault);
    return p;
}

}  // namespace shoal_fly
