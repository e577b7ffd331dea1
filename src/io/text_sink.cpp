#include "io/text_sink.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sfg::detail {

namespace {

/// Rows copied from the columns at once: a cache line of each column is used up.
constexpr Index kRowsAtOnce = 8;

using RowBody = std::function<void(Index sample, std::span<const double> values)>;

void for_each_dense_row(const DenseMatrix& matrix, const RowBody& body) {
  const auto n_features = static_cast<std::size_t>(matrix.n_features());
  std::vector<double> rows(n_features * kRowsAtOnce);
  for (Index first = 0; first < matrix.n_samples(); first += kRowsAtOnce) {
    const Index n_rows = std::min(kRowsAtOnce, matrix.n_samples() - first);
    for (Index feature = 0; feature < matrix.n_features(); ++feature) {
      const double* column = matrix.column(feature).data() + first;
      for (Index i = 0; i < n_rows; ++i) {
        rows[static_cast<std::size_t>(i) * n_features + static_cast<std::size_t>(feature)] =
            column[i];
      }
    }
    for (Index i = 0; i < n_rows; ++i) {
      body(first + i,
           std::span(rows).subspan(static_cast<std::size_t>(i) * n_features, n_features));
    }
  }
}

void for_each_sparse_row(const SparseMatrix& matrix, const RowBody& body) {
  const auto by_rows = std::get<SparseMatrix>(transpose(Matrix(matrix)));
  std::vector<double> row(static_cast<std::size_t>(matrix.n_features), 0.0);
  for (Index sample = 0; sample < matrix.n_samples; ++sample) {
    const auto features = by_rows.column_rows(sample);
    const auto values = by_rows.column_values(sample);
    for (std::size_t k = 0; k < features.size(); ++k) {
      row[features[k]] = values[k];
    }
    body(sample, row);
    for (const Index feature : features) row[feature] = 0;
  }
}

}  // namespace

void TextSink::make_room(std::size_t n_bytes) {
  if (buffer_.size() - used_ < n_bytes) flush();
}

void TextSink::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
  used_ = 0;
}

void TextSink::add(char c) {
  make_room(1);
  buffer_[used_++] = c;
}

void TextSink::add(std::string_view text) {
  while (!text.empty()) {
    make_room(std::min(text.size(), buffer_.size()));
    const auto piece = text.substr(0, buffer_.size() - used_);
    std::ranges::copy(piece, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += piece.size();
    text.remove_prefix(piece.size());
  }
}

void TextSink::add_number(double value) {
  if (std::isnan(value)) return add("NaN");
  if (std::isinf(value)) return add(value > 0 ? "Inf" : "-Inf");
  make_room(kNumberBytes);
  char* start = buffer_.data() + used_;
  used_ += static_cast<std::size_t>(std::to_chars(start, start + kNumberBytes, value).ptr - start);
}

void TextSink::add_integer(Offset value) {
  make_room(kNumberBytes);
  char* start = buffer_.data() + used_;
  used_ += static_cast<std::size_t>(std::to_chars(start, start + kNumberBytes, value).ptr - start);
}

void for_each_row(const Matrix& matrix, const RowBody& body) {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    for_each_dense_row(*dense, body);
  } else {
    for_each_sparse_row(std::get<SparseMatrix>(matrix), body);
  }
}

}  // namespace sfg::detail
