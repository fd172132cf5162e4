// gemm of cuBLASDx, which works on blocks alone. A file of its own: its headers take minutes.

#include "gemm_operands.cuh"
#include "tables.hpp"

#ifdef SHOAL_BENCH_CUBLASDX
#  include <cublasdx.hpp>
#endif

namespace shoal_bench::incore {

#ifdef SHOAL_BENCH_CUBLASDX

namespace {

template <class T, int N>
struct cublasdx_call {
    template <class G>
    __device__ static void run(const G& g, T* s) {
        using product = decltype(::cublasdx::Size<N, N, N>() + ::cublasdx::Precision<T>() +
                                 ::cublasdx::Type<::cublasdx::type::real>() +
                                 ::cublasdx::Function<::cublasdx::function::MM>() +
                                 ::cublasdx::Arrangement<::cublasdx::col_major, ::cublasdx::col_major,
                                                         ::cublasdx::col_major>() +
                                 ::cublasdx::SM<900>() + ::cublasdx::Block() +
                                 ::cublasdx::BlockDim<shoal::group_size<G>>());
        product().execute(T(1), s, s + N * N, T(0), s + 2 * N * N);
        g.sync();
    }
};

}  // namespace

void cublasdx_rows(const table& t) {
    for_each_size([&]<class T, int N>() {
        peer_rows<gemm_operands<T, N>, cublasdx_call<T, N>>(t, "gemm", N, "cublasdx");
    });
}

#else

void cublasdx_rows(const table&) {}

#endif

}  // namespace shoal_bench::incore
