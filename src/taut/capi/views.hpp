// Fills in views of arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taut.h"

namespace taut::capi {

inline void set_view(taut_view& view, double* data, std::size_t count) {
  view = {data, 1, {static_cast<std::int64_t>(count), 1, 1}, {sizeof(double), 0, 0}};
}

inline void set_view(taut_view& view, double* data, std::size_t rows, std::size_t columns) {
  view = {data,
          2,
          {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), 1},
          {static_cast<std::int64_t>(columns * sizeof(double)), sizeof(double), 0}};
}

inline void set_view(taut_view& view, double* data, std::size_t blocks, std::size_t rows,
                     std::size_t columns) {
  view = {data,
          3,
          {static_cast<std::int64_t>(blocks), static_cast<std::int64_t>(rows),
           static_cast<std::int64_t>(columns)},
          {static_cast<std::int64_t>(rows * columns * sizeof(double)),
           static_cast<std::int64_t>(columns * sizeof(double)), sizeof(double)}};
}

// Shows one column of a table.
inline void set_column(taut_view& view, double* table, std::size_t rows, std::size_t columns,
                       std::size_t column) {
  view = {table + column,
          1,
          {static_cast<std::int64_t>(rows), 1, 1},
          {static_cast<std::int64_t>(columns * sizeof(double)), 0, 0}};
}

}  // namespace taut::capi
