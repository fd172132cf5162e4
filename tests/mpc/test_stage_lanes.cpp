// The passes over a block by 16 lanes, as a kernel runs them, against one thread: the same bits.
#include "dense_program.hpp"
#include "emu/fiber.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <shoal/mpc/ipm_steps.hpp>
#include <shoal/mpc/linear_system.hpp>
#include <shoal/mpc/linearise.hpp>

using namespace shoal::mpc;

namespace {

/// Everything that the passes write, with the same random numbers at first.
struct workspace {
    explicit workspace(qp_shape shape)
        : data(mpc_test::random_program(shape, 3)),
          point(shape),
          work(shape),
          matrix({shape.scenarios, shape.stages}),
          rhs(std::size_t(shape.blocks()) * stage_size),
          dz(rhs.size()),
          residual(rhs.size()) {
        std::mt19937 engine(5);
        std::uniform_real_distribution<double> draw(0.1, 1);
        for (auto* v : {&point.z, &point.y, &point.t, &point.lambda, &point.s, &point.nu, &work.gradient,
                        &work.defect, &dz, &rhs, &residual})
            for (double& x : *v) x = draw(engine);
    }

    [[nodiscard]] std::vector<std::vector<double>> all() const {
        const qp_point& d = work.direction;
        return {data.e,
                data.c,
                data.hessian,
                data.gradient,
                data.limit,
                data.normal,
                point.z,
                point.y,
                point.t,
                point.lambda,
                point.s,
                point.nu,
                work.grams,
                work.weight,
                work.shift,
                work.push,
                work.gap,
                work.change_t,
                work.change_s,
                work.gradient,
                work.base,
                work.defect,
                d.z,
                d.y,
                d.t,
                d.lambda,
                d.s,
                d.nu,
                rhs,
                residual,
                matrix.diagonal,
                matrix.lower,
                matrix.coupling};
    }

    qp_data data;
    qp_point point;
    ipm_work work;
    arrow_storage matrix;
    std::vector<double> rhs, dz, residual;
};

struct sums {
    tail_summary evaluated, directed;
    double largest;
};

/// All passes over block (i, k), as the kernels order them.
template <class G>
void pass_over(const G& g, workspace& s, const linearisation& how, const quadrotor& q, const double* target,
               const double* trajectory, int i, int k, sums& out) {
    using namespace shoal::mpc::detail;
    const qp_arrays<double> data = s.data.view();
    const point_view point = s.point.view();
    const work_view work = s.work.view();
    const penalty w{50, 5};
    const std::int64_t b = data.shape.block(i, k);
    const double delta = 1e-2, rho = 1e-3;
    tail_summary evaluated{}, directed{};
    directed.step = longest_step_considered;
    double largest = 0;

    linearise_stage(g, how, q, target, trajectory, i, k, data);
    g.sync();
    gram(g, data.step(b), work.grams + b * block_entries);
    evaluate_stage(g, qp_view(data), point, w, i, k, work, evaluated);
    reduce_block(g, qp_view(data), point, w, delta, 0.0, newton_kind::predictor, b, work);
    base_block(g, delta, b, work);
    g.sync();
    rhs_block(g, qp_view(data), b, work, s.rhs.data());
    assemble_stage(g, qp_view(data), work.grams, work.weight, rho, 1 / delta, i, k, s.matrix.blocks());
    assemble_links(g, qp_view(data), 1 / delta, i, k, s.matrix.blocks());
    g.sync();
    subtract_block(g, s.matrix.view(), s.matrix.shape, s.matrix.lower_block(i, k - 1), stage_size,
                   s.dz.data(), i, k - 1, s.residual.data(), largest);
    direction_stage(g, qp_view(data), point, w, delta, s.dz.data(), i, k, work, directed);
    reduce_block(g, qp_view(data), point, w, delta, 0.1, newton_kind::corrector, b, work);
    g.sync();
    rhs_block(g, qp_view(data), b, work, s.rhs.data());
    advance_block(g, data.shape, 0.5, b, point, work.direction);
    if (g.rank() == 0) out = {evaluated, directed, largest};
}

}  // namespace

TEST(StageLanes, GiveTheBitsOfOneThread) {
    const qp_shape shape{2, 3, 2};
    flight_problem problem;
    problem.vehicle.rotor_x[0] = problem.vehicle.rotor_y[1] = 0.1;
    problem.vehicle.rotor_yaw[2] = 0.02;
    problem.obstacles = {{{0.5, 0.1, 0}, 0.2}, {{0.1, -0.5, 0}, 0.2}, {{0.2, 0.3, 0.4}, 0.1}};
    const double hover[input_size] = {0.2, 0.3, 0.4, 0.5};
    const linearisation how = make_linearisation(problem, 0.1, 0.05, hover);
    std::vector<reference_point> reference(std::size_t(shape.stages) + 1);
    std::vector<double> trajectory(std::size_t(shape.blocks()) * stage_size);
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> draw(-0.5, 0.5);
    for (double& x : trajectory) x = draw(engine);
    for (reference_point& r : reference)
        for (std::size_t a = 0; a < 3; ++a) r.position[a] = draw(engine);

    for (const auto order :
         {shoal::emu::order::forward, shoal::emu::order::reverse, shoal::emu::order::random}) {
        workspace one(shape), many(shape);
        const shoal::emu::fiber_tile<stage_size> tile(order);
        for (int i = 0; i < shape.scenarios; ++i)
            for (int k = 1; k <= shape.stages; ++k) {
                sums alone{}, lane{};
                pass_over(shoal::thread_group{}, one, how, problem.vehicle, target_of(reference, k),
                          trajectory.data(), i, k, alone);
                tile.run([&](const auto& g) {
                    pass_over(g, many, how, problem.vehicle, target_of(reference, k), trajectory.data(), i, k,
                              lane);
                });
                // Lane 0 has the rows 0, 16, ... alone: its share of the sums is no more than theirs.
                EXPECT_LE(lane.evaluated.primal, alone.evaluated.primal);
                EXPECT_LE(lane.evaluated.complement, alone.evaluated.complement);
                EXPECT_GE(lane.directed.step, alone.directed.step);
                EXPECT_LE(lane.largest, alone.largest);
            }
        const auto a = one.all(), b = many.all();
        for (std::size_t j = 0; j < a.size(); ++j) EXPECT_TRUE(a[j] == b[j]) << "array " << j;
    }
}
