// h5ad files that libhdf5 made and that are whole, but hold anything: groups, shapes, types and
// numbers are drawn. fuzz_h5ad damages the bytes of files; this one looks behind them. It reads in
// its own process, which is faster: what is whole does not crash libhdf5.
#include "../tests/hdf5_maker.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include "read/readers.hpp"
#include "table_target.hpp"

namespace {

using sfg::testing::Extents;
using sfg::testing::Hdf5Maker;

std::vector<std::int64_t> drawn_numbers(FuzzedDataProvider& draws, std::size_t n) {
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_wild = draws.ConsumeIntegralInRange(0, 15) == 1;
    numbers.push_back(is_wild ? draws.ConsumeIntegral<std::int64_t>()
                              : draws.ConsumeIntegralInRange(-1, 9));
  }
  return numbers;
}

/// Numbers of any type of the file.
void add_numbers(Hdf5Maker& file, FuzzedDataProvider& draws, const std::string& path,
                 const Extents& extents) {
  std::size_t n = 1;
  for (const hsize_t extent : extents) n *= extent;
  const Extents chunk = draws.ConsumeBool() && n > 0 ? extents : Extents{};
  const std::vector<std::int64_t> wide = drawn_numbers(draws, n);
  switch (draws.ConsumeIntegralInRange(0, 4)) {
    case 0:
      file.numbers(path, H5T_NATIVE_DOUBLE, extents, std::vector<double>(wide.begin(), wide.end()),
                   chunk);
      break;
    case 1:
      file.numbers(path, H5T_NATIVE_FLOAT, extents, std::vector<float>(wide.begin(), wide.end()),
                   chunk);
      break;
    case 2:
      file.numbers(path, H5T_NATIVE_INT8, extents,
                   std::vector<std::int8_t>(wide.begin(), wide.end()), chunk);
      break;
    case 3:
      file.numbers(path, H5T_NATIVE_UINT16, extents,
                   std::vector<std::uint16_t>(wide.begin(), wide.end()), chunk);
      break;
    default:
      file.numbers(path, H5T_NATIVE_INT64, extents, wide, chunk);
  }
}

Extents drawn_extents(FuzzedDataProvider& draws) {
  Extents extents(draws.ConsumeIntegralInRange(0, 7) == 1 ? 1 + draws.ConsumeIntegralInRange(0, 2)
                                                          : 2);
  for (hsize_t& extent : extents) extent = draws.ConsumeIntegralInRange(0, 5);
  return extents;
}

void add_sparse(Hdf5Maker& file, FuzzedDataProvider& draws, const std::string& path) {
  const auto size = [&] { return static_cast<hsize_t>(draws.ConsumeIntegralInRange(0, 6)); };
  file.group(path);
  if (draws.ConsumeIntegralInRange(0, 7) != 1) {
    const char* kind = draws.PickValueInArray({"csr_matrix", "csc_matrix", "array", ""});
    file.text_attribute(path, "encoding-type", kind);
  }
  const auto shape = drawn_numbers(draws, 2);
  file.shape_attribute(path, draws.ConsumeBool() ? "shape" : "h5sparse_shape", shape[0], shape[1]);
  for (const char* part : {"/data", "/indices", "/indptr"}) {
    if (draws.ConsumeIntegralInRange(0, 15) != 1) add_numbers(file, draws, path + part, {size()});
  }
}

std::vector<std::string> drawn_texts(FuzzedDataProvider& draws) {
  std::vector<std::string> texts(draws.ConsumeIntegralInRange<std::size_t>(0, 5));
  for (std::string& text : texts) {
    text = draws.PickValueInArray({"a", "b", "s1", "", "a", "\xff", "x y", "\xce\xb1"});
    if (draws.ConsumeBool()) text += std::to_string(draws.ConsumeIntegralInRange(0, 9));
  }
  return texts;
}

/// One column of obs or var.
void add_column(Hdf5Maker& file, FuzzedDataProvider& draws, const std::string& path) {
  switch (draws.ConsumeIntegralInRange(0, 4)) {
    case 0:
      add_numbers(file, draws, path, drawn_extents(draws));
      break;
    case 1:
    case 2:
      file.texts(path, drawn_texts(draws));
      break;
    case 3:
      file.group(path);
      break;
    default:
      file.group(path);
      add_numbers(file, draws, path + "/codes",
                  {static_cast<hsize_t>(draws.ConsumeIntegralInRange(0, 5))});
      file.texts(path + "/categories", drawn_texts(draws));
  }
}

void make(const std::filesystem::path& path, FuzzedDataProvider& draws) {
  Hdf5Maker file(path);
  for (const char* matrix : {"X", "raw", "layers"}) {
    std::string place = matrix;
    if (place != "X") {
      if (draws.ConsumeBool()) continue;
      file.group(place);
      place += place == "raw" ? "/X" : "/counts";
    }
    draws.ConsumeBool() ? add_sparse(file, draws, place)
                        : add_numbers(file, draws, place, drawn_extents(draws));
  }
  for (const char* table : {"obs", "var"}) {
    if (draws.ConsumeIntegralInRange(0, 7) == 1) continue;
    file.group(table);
    if (draws.ConsumeBool()) {
      file.text_attribute(table, "_index", draws.ConsumeBool() ? "_index" : "class");
    }
    for (const char* column : {"/_index", "/class"}) {
      if (draws.ConsumeBool()) add_column(file, draws, table + std::string(column));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = "/dev/shm/sfg-fuzz-" + std::to_string(getpid()) + ".h5ad";
  static const bool quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  if (!quiet) std::abort();
  const sfg::fuzz::OneSecond limit;
  FuzzedDataProvider draws(bytes, size);
  make(path, draws);
  sfg::ReadOptions options = sfg::fuzz::options_for(sfg::Format::h5ad, size);
  if (draws.ConsumeBool()) options.layer = draws.ConsumeBool() ? "raw" : "counts";
  sfg::RunContext run;
  run.threads = 1;
  run.memory_limit = std::size_t{64} << 20U;
  try {
    static_cast<void>(sfg::detail::read_h5ad(path, options, run));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  std::filesystem::remove(path);
  return 0;
}
