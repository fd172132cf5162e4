// Storage is a view: sizes, layouts, transposition, triangles and parts are types, and no operation has a flag for them.
#include <cstdio>
#include <vector>

#include <shoal/shoal.hpp>

int main() {
    using shoal::dynamic;
    const auto me = shoal::this_thread();

    // The same six numbers as a 2 x 3 matrix by columns and a 3 x 2 matrix by rows: one is the other transposed.
    double numbers[] = {1, 4, 2, 5, 3, 6};
    auto A = shoal::matrix<double, 2, 3>{numbers};
    auto At = shoal::matrix<double, 3, 2, shoal::row>{numbers};
    bool right = A(0, 2) == 3 && At(2, 0) == 3 && transposed(A)(2, 1) == 6;

    // G = A A', its lower triangle only: the other one is never touched.
    double g[] = {0, 0, -1, 0};
    auto G = shoal::matrix<double, 2, 2>{g};
    shoal::syrk(me, 1.0, A, 0.0, symmetric_lower(G));
    right = right && G(0, 0) == 14 && G(1, 0) == 32 && G(1, 1) == 77 && G(0, 1) == -1;

    // A part of a larger array keeps its leading dimension; a size known at run time only is the same code.
    double wide[] = {2, 0, 9, 9,  //
                     1, 4, 9, 9};
    auto L = shoal::matrix<double, 2, 2, shoal::row_ld<4>>{wide};
    auto Ldynamic = shoal::matrix<double, dynamic, dynamic, shoal::row_ld<dynamic>>{wide, 2, 2, 4};
    double x[] = {2, 9};
    double y[] = {2, 9};
    shoal::trsv(me, lower(L), shoal::vector<double, 2>{x});
    shoal::trsv(me, lower(Ldynamic), shoal::vector(y, 2));
    right = right && x[0] == 1 && x[1] == 2 && y[0] == 1 && y[1] == 2;

    // System 1 of an interleaved batch of three: element e of every system lies together.
    double batch[12];
    for (int e = 0; e < 12; ++e) batch[e] = e;
    auto S = shoal::matrix<double, 2, 2, shoal::strided_column<3>>{batch + 1};
    right = right && S(0, 0) == 1 && S(1, 0) == 4 && S(0, 1) == 7 && S(1, 1) == 10;

    // Objects of other libraries are taken by their structure.
    std::vector<double> v{3, 4};
    right = right && shoal::nrm2(me, shoal::adapt(v)) == 5;

    std::printf("%s\n", right ? "views agree" : "views disagree");
    return right ? 0 : 1;
}
