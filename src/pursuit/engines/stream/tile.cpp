#include "pursuit/engines/stream/tile.hpp"

#include <algorithm>

#include "sfg/error.hpp"

namespace sfg::detail {

std::vector<TileKernel> available_tile_kernels() {
  std::vector<TileKernel> all;
  for (const auto& part :
       {avx512_tile_kernels(), avx2_tile_kernels(), neon_tile_kernels(), portable_tile_kernels()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TileKernel fastest_tile_kernel(Screen screen) {
  const auto all = available_tile_kernels();
  const auto found = std::ranges::find(all, screen, &TileKernel::screen);
  if (found == all.end()) throw Error(ErrorCode::internal, "a precision without a kernel");
  return *found;
}

}  // namespace sfg::detail
