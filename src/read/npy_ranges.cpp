#include "read/npy_ranges.hpp"

#include <algorithm>

#include "core/fingerprint.hpp"
#include "io/size_check.hpp"
#include "read/npy_table.hpp"

namespace sfg::detail {

namespace {

/// Where a fingerprint looks, and how many bytes it takes there: 64 KB in all.
constexpr std::size_t kSampledPlaces = 4096;
constexpr std::size_t kBytesOfSample = 16;

bool takes_all_columns(const ReadOptions& options) {
  return options.labels.empty() && options.batch.empty() && options.sample_ids.empty() &&
         options.columns.empty() && options.drop.empty() && options.encode == Encoding::none &&
         options.variable.empty() && options.layer.empty();
}

}  // namespace

bool NpyRanges::can_read(const std::filesystem::path& path, const ReadOptions& options) {
  const Format format =
      options.input_format == Format::automatic ? format_from_path(path) : options.input_format;
  std::error_code ignored;
  return format == Format::npy && takes_all_columns(options) && path.extension() != ".gz" &&
         std::filesystem::is_regular_file(path, ignored);
}

NpyRanges::NpyRanges(const std::filesystem::path& path, const ReadOptions& options,
                     const RunContext& run)
    : input_(path, run), header_(parse_npy_header(input_.name(), input_.bytes())) {
  const NpyShape shape = npy_table_shape(input_.name(), header_);
  by_feature_ = is_by_column(header_, shape) != options.features_in_rows;
  n_samples_ = options.features_in_rows ? shape.columns : shape.rows;
  n_features_ = options.features_in_rows ? shape.rows : shape.columns;
}

std::uint64_t NpyRanges::fingerprint() const {
  const std::string_view bytes = input_.bytes();
  const std::string_view numbers = bytes.substr(header_.data_start);
  Fingerprint fingerprint;
  fingerprint.add(bytes.substr(0, header_.data_start));
  fingerprint.add_number(bytes.size());
  const std::size_t n_places = std::min(kSampledPlaces, numbers.size() / kBytesOfSample + 1);
  const std::size_t last = numbers.size() - std::min(numbers.size(), kBytesOfSample);
  for (std::size_t k = 0; k < n_places; ++k) {
    fingerprint.add(
        numbers.substr(last * k / std::max<std::size_t>(1, n_places - 1), kBytesOfSample));
  }
  return fingerprint.value();
}

DenseMatrix NpyRanges::read(Index first, Index count, const RunContext& run) const {
  check_size(input_.name(), n_samples_, count, static_cast<double>(n_samples_) * count,
             sizeof(double), run);
  return use_unchanged(input_, [&] {
    DenseMatrix matrix(n_samples_, count);
    const NpyTable table{header_, input_.bytes(), n_features_};
    if (by_feature_) {
      fill_from_columns(table, first, run, matrix);
    } else {
      fill_from_rows(table, first, run, matrix);
    }
    return matrix;
  });
}

}  // namespace sfg::detail
