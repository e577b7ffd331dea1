#include "read/table_stream.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "read/compressed.hpp"

namespace sfg::detail {

namespace {

/// Sent and received at once: small against any limit, large against the cost of a call.
constexpr std::size_t kTransferBytes = std::size_t{1} << 20U;

template <typename Value>
void send_value(Value value, const ByteSink& send) {
  send(&value, sizeof value);
}

template <typename Value>
Value receive_value(const ByteSource& receive) {
  Value value{};
  receive(&value, sizeof value);
  return value;
}

/// Gives the whole pages of a range back to the system; what they held is lost.
void drop_pages(const char* begin, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + size) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

template <typename Value>
void send_values(std::span<Value> values, const ByteSink& send) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  for (std::size_t done = 0; done < values.size_bytes(); done += kTransferBytes) {
    const std::size_t size = std::min(kTransferBytes, values.size_bytes() - done);
    send(bytes + done, size);
    drop_pages(bytes + done, size);
  }
}

/// Grows in room that was reserved: a page is in memory here when it has left the sender.
template <typename Value>
std::vector<Value> receive_values(std::size_t count, const ByteSource& receive) {
  constexpr std::size_t kBlock = kTransferBytes / sizeof(Value);
  std::vector<Value> values;
  values.reserve(count);
  while (values.size() < count) {
    const std::size_t size = std::min(kBlock, count - values.size());
    values.resize(values.size() + size);
    receive(values.data() + values.size() - size, size * sizeof(Value));
  }
  return values;
}

void send_texts(const std::vector<std::string>& texts, const ByteSink& send) {
  send_value<std::uint64_t>(texts.size(), send);
  for (const std::string& text : texts) send_text(text, send);
}

/// Grows with what arrives: the number alone takes no memory.
std::vector<std::string> receive_texts(const ByteSource& receive) {
  std::vector<std::string> texts;
  for (auto left = receive_value<std::uint64_t>(receive); left > 0; --left) {
    texts.push_back(receive_text(receive));
  }
  return texts;
}

void send_matrix(Matrix& matrix, const ByteSink& send) {
  const bool is_dense = std::holds_alternative<DenseMatrix>(matrix);
  send_value<std::uint8_t>(is_dense ? 1 : 0, send);
  send_value(n_samples(matrix), send);
  send_value(n_features(matrix), send);
  if (is_dense) {
    auto& dense = std::get<DenseMatrix>(matrix);
    return send_values(std::span(dense.data(), static_cast<std::size_t>(n_stored(matrix))), send);
  }
  auto& sparse = std::get<SparseMatrix>(matrix);
  send_value(sparse.n_stored(), send);
  send_values(std::span(sparse.starts), send);
  send_values(std::span(sparse.rows), send);
  send_values(std::span(sparse.values), send);
}

Matrix receive_matrix(const std::string& name, const RunContext& run, const ByteSource& receive) {
  const bool is_dense = receive_value<std::uint8_t>(receive) == 1;
  const auto rows = receive_value<Index>(receive);
  const auto columns = receive_value<Index>(receive);
  if (is_dense) {
    check_size(name, rows, columns, static_cast<double>(rows) * columns, sizeof(double), run);
    const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    return DenseMatrix(rows, columns, receive_values<double>(count, receive));
  }
  const auto n_stored = receive_value<Offset>(receive);
  check_size(name, rows, columns, static_cast<double>(n_stored), sizeof(Index) + sizeof(double),
             run);
  check_size(name, rows, columns, columns, sizeof(Offset), run);
  SparseMatrix sparse;
  sparse.n_samples = rows;
  sparse.n_features = columns;
  const auto n_values = static_cast<std::size_t>(n_stored);
  sparse.starts = receive_values<Offset>(static_cast<std::size_t>(columns) + 1, receive);
  sparse.rows = receive_values<Index>(n_values, receive);
  sparse.values = receive_values<double>(n_values, receive);
  return checked_sparse(name, std::move(sparse), Compressed::by_columns);
}

}  // namespace

void send_text(const std::string& text, const ByteSink& send) {
  send_value<std::uint64_t>(text.size(), send);
  send(text.data(), text.size());
}

std::string receive_text(const ByteSource& receive) {
  std::string text;
  for (auto left = receive_value<std::uint64_t>(receive); left > 0;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kTransferBytes));
    text.resize(text.size() + size);
    receive(text.data() + text.size() - size, size);
    left -= size;
  }
  return text;
}

void send_table(RawTable& table, const ByteSink& send) {
  send_matrix(table.matrix, send);
  send_texts(table.row_names, send);
  send_texts(table.column_names, send);
  send_text(table.row_heading, send);
  for (const auto& labels : {table.labels, table.batch}) {
    send_value<std::uint8_t>(labels ? 1 : 0, send);
    if (!labels) continue;
    send_text(labels->name, send);
    send_texts(labels->values, send);
  }
}

RawTable receive_table(const std::string& name, const RunContext& run, const ByteSource& receive) {
  RawTable table;
  table.matrix = receive_matrix(name, run, receive);
  table.row_names = receive_texts(receive);
  table.column_names = receive_texts(receive);
  table.row_heading = receive_text(receive);
  for (auto* labels : {&table.labels, &table.batch}) {
    if (receive_value<std::uint8_t>(receive) == 0) continue;
    labels->emplace();
    (*labels)->name = receive_text(receive);
    (*labels)->values = receive_texts(receive);
  }
  return table;
}

}  // namespace sfg::detail
