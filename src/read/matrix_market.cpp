// Matrix Market: coordinate files stay sparse, array files are dense.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/text_source.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kMatrixMarketPieceBytes = std::size_t{1} << 20;

enum class Layout { coordinate, array };
enum class Field { number, pattern };
enum class Symmetry { general, symmetric, skew_symmetric };

/// What the first line and the size line say, and the text after them.
struct Header {
  Layout layout = Layout::coordinate;
  Field field = Field::number;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;  ///< coordinate files only
  std::string_view data;
};

bool is_entry_line(std::string_view line) {
  const auto text = trimmed(line);
  return !text.empty() && text.front() != '%';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

void parse_banner(const TextSource& source, std::string_view line, Header& header) {
  auto rest = line;
  const auto banner = lower(next_word(rest));
  const auto object = lower(next_word(rest));
  const auto layout = lower(next_word(rest));
  const auto field = lower(next_word(rest));
  const auto symmetry = lower(next_word(rest));
  const auto refuse = [&](const std::string& word, std::string_view known) {
    source.refuse(line.data(), fmt::format("{} in the Matrix Market header; sfg reads {}",
                                           in_quotes(word), known));
  };
  if (banner != "%%matrixmarket") refuse(banner, "files that start with %%MatrixMarket");
  if (object != "matrix") refuse(object, "\"matrix\" there");
  if (layout != "coordinate" && layout != "array") refuse(layout, "coordinate and array files");
  header.layout = layout == "array" ? Layout::array : Layout::coordinate;
  const bool is_number =
      field == "real" || field == "double" || field == "integer" || field == "unsigned-integer";
  if (!is_number && (field != "pattern" || header.layout == Layout::array)) {
    refuse(field, "real, integer and (coordinate only) pattern files");
  }
  header.field = is_number ? Field::number : Field::pattern;
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    refuse(symmetry, "general, symmetric and skew-symmetric files");
  }
  if (symmetry == "symmetric") header.symmetry = Symmetry::symmetric;
  if (symmetry == "skew-symmetric") header.symmetry = Symmetry::skew_symmetric;
}

void parse_size_line(const TextSource& source, std::string_view line, Header& header) {
  const bool is_array = header.layout == Layout::array;
  std::vector<std::int64_t> counts;
  auto rest = line;
  for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
    std::int64_t count = -1;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc{} || stop != word.data() + word.size() || count < 0) {
      source.refuse(line.data(), fmt::format("{} in the size line is not a usable count; it must "
                                             "be a whole number, not negative and not above 2^63",
                                             in_quotes(word)));
    }
    counts.push_back(count);
  }
  const std::size_t n_expected = is_array ? 2 : 3;
  if (counts.size() != n_expected) {
    source.refuse(
        line.data(),
        fmt::format("the size line has {} numbers where {} were expected: {}", counts.size(),
                    n_expected, is_array ? "rows columns" : "rows columns entries"));
  }
  header.rows = counts[0];
  header.columns = counts[1];
  if (!is_array) header.entries = counts[2];
  if (header.symmetry != Symmetry::general && header.rows != header.columns) {
    source.refuse(line.data(), fmt::format("a symmetric matrix must be square, not {} x {}",
                                           header.rows, header.columns));
  }
}

Header parse_header(const TextSource& source) {
  Header header;
  auto rest = source.text;
  parse_banner(source, next_line(rest), header);
  while (!rest.empty()) {
    const auto line = next_line(rest);
    if (!is_entry_line(line)) continue;
    parse_size_line(source, line, header);
    header.data = rest;
    return header;
  }
  source.refuse(source.text.data() + source.text.size(), "the file ends before its size line");
}

/// Parses the lines of coordinate files.
class EntryParser {
 public:
  EntryParser(const TextSource& source, const Header& header) : source_(source), header_(header) {}

  [[nodiscard]] Triplet parse(std::string_view line) const {
    auto rest = line;
    const Index row = parse_index(rest, header_.rows, "row");
    const Index column = parse_index(rest, header_.columns, "column");
    double value = 1;
    if (header_.field == Field::number) {
      const auto word = next_word(rest);
      const auto number = parse_number(word);
      if (!number) {
        source_.refuse(line.data(), fmt::format("{} is not a number; each line needs row, column "
                                                "and value",
                                                in_quotes(word)));
      }
      value = *number;
    }
    if (!trimmed(rest).empty()) {
      source_.refuse(line.data(),
                     fmt::format("{} follows after the entry", in_quotes(trimmed(rest))));
    }
    if (header_.symmetry == Symmetry::skew_symmetric && row == column && value != 0) {
      source_.refuse(line.data(), "a skew-symmetric matrix has zeros on its diagonal");
    }
    return {row, column, value};
  }

 private:
  Index parse_index(std::string_view& rest, std::int64_t largest, std::string_view what) const {
    const auto word = next_word(rest);
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || stop != word.data() + word.size() || number < 1 ||
        number > largest) {
      source_.refuse(word.data(),
                     fmt::format("{} is not a {} of the matrix; {}s count from 1 to {}",
                                 in_quotes(word), what, what, largest));
    }
    return static_cast<Index>(number - 1);
  }

  const TextSource& source_;
  const Header& header_;
};

/// Where the entries of each piece of the text start; throws if there are not as many as promised.
std::vector<std::int64_t> count_entries(const TextSource& source, const Header& header,
                                        const std::vector<std::string_view>& pieces,
                                        const RunContext& run) {
  std::vector<std::int64_t> starts(pieces.size() + 1, 0);
  parallel_for(run, "", static_cast<std::int64_t>(pieces.size()), [&](std::int64_t piece) {
    auto rest = pieces[piece];
    std::int64_t count = 0;
    while (!rest.empty()) count += is_entry_line(next_line(rest)) ? 1 : 0;
    starts[piece + 1] = count;
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  if (starts.back() != header.entries) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the size line promises {} entries, but the file holds {}; it is "
                            "truncated or its size line is wrong",
                            source.name, header.entries, starts.back()));
  }
  return starts;
}

void add_mirrored(const Header& header, std::vector<Triplet>& entries) {
  const double sign = header.symmetry == Symmetry::skew_symmetric ? -1 : 1;
  const std::size_t n_given = entries.size();
  for (std::size_t i = 0; i < n_given; ++i) {
    const Triplet entry = entries[i];
    if (entry.row != entry.column) entries.push_back({entry.column, entry.row, sign * entry.value});
  }
}

SparseMatrix read_coordinate(const TextSource& source, const Header& header,
                             const RunContext& run) {
  const auto pieces = split_at_lines(header.data, kMatrixMarketPieceBytes);
  const auto starts = count_entries(source, header, pieces, run);
  const bool is_mirrored = header.symmetry != Symmetry::general;
  const auto n_entries = static_cast<std::size_t>(header.entries) * (is_mirrored ? 2 : 1);
  check_sparse_size(source.name, static_cast<double>(header.rows),
                    static_cast<double>(header.columns), static_cast<double>(n_entries), run);
  std::vector<Triplet> entries;
  entries.reserve(n_entries);
  entries.resize(static_cast<std::size_t>(header.entries));
  const EntryParser parser(source, header);
  parallel_for(run, "read", static_cast<std::int64_t>(pieces.size()), [&](std::int64_t piece) {
    auto rest = pieces[piece];
    auto next = static_cast<std::size_t>(starts[piece]);
    while (!rest.empty()) {
      const auto line = next_line(rest);
      if (is_entry_line(line)) entries[next++] = parser.parse(line);
    }
  });
  if (is_mirrored) add_mirrored(header, entries);
  return assemble_table(source.name, static_cast<Index>(header.rows),
                        static_cast<Index>(header.columns), entries);
}

/// Puts the values of an array file, which go down the columns, into their places.
class ArrayFiller {
 public:
  explicit ArrayFiller(const Header& header)
      : symmetry_(header.symmetry),
        matrix_(static_cast<Index>(header.rows), static_cast<Index>(header.columns)) {
    start_column();
  }

  void add(double value) {
    matrix_(row_, column_) = value;
    if (symmetry_ == Symmetry::symmetric) matrix_(column_, row_) = value;
    if (symmetry_ == Symmetry::skew_symmetric) matrix_(column_, row_) = -value;
    if (++row_ == matrix_.n_samples()) {
      ++column_;
      start_column();
    }
  }
  DenseMatrix take() && { return std::move(matrix_); }

 private:
  void start_column() {
    row_ = symmetry_ == Symmetry::general ? 0 : column_;
    if (symmetry_ == Symmetry::skew_symmetric) ++row_;
  }

  Symmetry symmetry_;
  DenseMatrix matrix_;
  Index row_ = 0;
  Index column_ = 0;
};

DenseMatrix read_array(const TextSource& source, const Header& header, const RunContext& run) {
  const auto rows = static_cast<double>(header.rows);
  double n_expected = rows * static_cast<double>(header.columns);
  check_size(source.name, rows, static_cast<double>(header.columns), n_expected, sizeof(double),
             run);
  if (header.symmetry == Symmetry::symmetric) n_expected = rows * (rows + 1) / 2;
  if (header.symmetry == Symmetry::skew_symmetric) n_expected = rows * (rows - 1) / 2;
  const auto refuse_count = [&](std::string_view found) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: the size line promises {:.0f} values, but the file holds {}; it is "
                    "truncated or its size line is wrong",
                    source.name, n_expected, found));
  };
  // A value takes two bytes or more: this is checked before room is made for all of them.
  if (n_expected > (static_cast<double>(header.data.size()) + 1) / 2) refuse_count("fewer");
  ArrayFiller filler(header);
  std::int64_t n_found = 0;
  for (auto rest = header.data; !rest.empty();) {
    auto line = next_line(rest);
    if (!is_entry_line(line)) continue;
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
      const auto value = parse_number(word);
      if (!value) source.refuse(word.data(), fmt::format("{} is not a number", in_quotes(word)));
      if (static_cast<double>(n_found++) >= n_expected) refuse_count("more");
      filler.add(*value);
    }
    check_stop(run);
  }
  if (static_cast<double>(n_found) < n_expected) refuse_count(fmt::format("{}", n_found));
  return std::move(filler).take();
}

}  // namespace

RawTable read_matrix_market(const InputBytes& input, const RunContext& run) {
  const auto source = text_source(input);
  const auto header = parse_header(source);
  RawTable table;
  if (header.layout == Layout::array) {
    table.matrix = read_array(source, header, run);
  } else {
    table.matrix = read_coordinate(source, header, run);
  }
  return table;
}

}  // namespace sfg::detail
