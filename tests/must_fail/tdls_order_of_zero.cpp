// expect: TiledLUppSolverStatic: N must be at least 1
#include <shoal/compat/tdls.hpp>

constexpr int tiles = tdls::TiledLUppSolverStatic<double, 0>::num_tiles;
