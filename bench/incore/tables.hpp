#pragma once

/// \file
/// The parts of the table, each in a file of its own.

namespace shoal_bench::incore {

struct table;

void cholesky_rows(const table& t);
void lu_rows(const table& t);
void symmetric_rows(const table& t);
void product_rows(const table& t);
void cublasdx_rows(const table& t);

}  // namespace shoal_bench::incore
