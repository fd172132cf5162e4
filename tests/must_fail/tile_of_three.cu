// expect: a tile has 2, 4, 8, 16 or 32 lanes
#include <shoal/shoal.cuh>

__global__ void kernel() {
    shoal::tile<3>().sync();
}
