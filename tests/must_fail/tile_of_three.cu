// expect: a tile has 2, 4, 8, 16 or 32 lanes
#include <shoal/group/device.cuh>

__global__ void f() {
    shoal::tile<3>().sync();
}
