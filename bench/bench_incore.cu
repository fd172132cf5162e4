// Cycles of one call inside a kernel, operands in shared memory, at warp scope and in a block of 128 threads, beside a
// plain implementation of the same (incore/plain.cuh) and, for gemm in a block, cuBLASDx where its headers are.
//   bench_incore_gpu [--csv FILE] [--commit NAME] [--n ORDER]
// A row: the median of 20 calls from clock to clock, the barrier at the end included.

#include "incore/harness.cuh"
#include "incore/tables.hpp"

#include <string_view>

int main(int count, char** words) {
    using namespace shoal_bench;
    incore::table t;
    t.csv = stdout;
    t.commit = "unknown";
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string_view option = words[i];
        if (option == "--commit") t.commit = words[i + 1];
        if (option == "--n") t.only_n = std::atoi(words[i + 1]);
        if (option == "--csv") t.csv = std::fopen(words[i + 1], "w");
    }
    if (t.csv == nullptr) {
        std::fprintf(stderr, "the file cannot be written\n");
        return 2;
    }
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "device");
    t.device = properties.name;
    std::fprintf(t.csv,
                 "op,type,n,nu,scope,threads,solver,variant,cycles,spread_percent,error,device,commit\n");
    incore::cholesky_rows(t);
    incore::lu_rows(t);
    incore::symmetric_rows(t);
    incore::product_rows(t);
    incore::cublasdx_rows(t);
}
