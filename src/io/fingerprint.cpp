#include "sfg/fingerprint.hpp"

#include <fstream>
#include <span>
#include <vector>

#include "core/fingerprint.hpp"

namespace sfg {

std::string fingerprint_of(const Dataset& dataset) {
  detail::Fingerprint fingerprint;
  fingerprint.add_number(static_cast<std::uint64_t>(n_samples(dataset.matrix)));
  fingerprint.add_number(static_cast<std::uint64_t>(n_features(dataset.matrix)));
  if (const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix)) {
    for (Index j = 0; j < dense->n_features(); ++j) fingerprint.add(dense->column(j));
  } else {
    const auto& sparse = std::get<SparseMatrix>(dataset.matrix);
    fingerprint.add(std::span<const Offset>(sparse.starts));
    fingerprint.add(std::span<const Index>(sparse.rows));
    fingerprint.add(std::span<const double>(sparse.values));
  }
  if (dataset.labels) {
    for (const std::string& label : dataset.labels->values) {
      fingerprint.add(std::string_view(label));
    }
  }
  return detail::hexadecimal(fingerprint.value());
}

std::optional<std::string> fingerprint_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  detail::Fingerprint fingerprint;
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    fingerprint.add_bytes(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  return detail::hexadecimal(fingerprint.value());
}

}  // namespace sfg
