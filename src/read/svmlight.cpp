// svmlight and libsvm: "label index:value index:value # comment", one sample per line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/text_source.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kSvmlightPieceBytes = std::size_t{1} << 20;

/// The samples of one piece of the file; indices are kept as the file has them.
struct Piece {
  std::vector<Triplet> entries;
  std::vector<std::string> labels;
  Index smallest = std::numeric_limits<Index>::max();
  Index largest = 0;
};

class PieceParser {
 public:
  explicit PieceParser(const TextSource& source) : source_(source) {}

  [[nodiscard]] Piece parse(std::string_view rest) const {
    Piece piece;
    while (!rest.empty()) {
      auto line = next_line(rest);
      line = line.substr(0, line.find('#'));
      auto words = line;
      const auto label = next_word(words);
      if (!label.empty()) parse_sample(label, words, piece);
    }
    return piece;
  }

 private:
  void parse_sample(std::string_view label, std::string_view words, Piece& piece) const {
    if (label.find(':') != std::string_view::npos) {
      source_.refuse(label.data(), fmt::format("{} stands where the label should be; put a label "
                                               "(0 if there is none) in front",
                                               in_quotes(label)));
    }
    const auto first = piece.entries.size();
    const auto row = static_cast<Index>(piece.labels.size());
    bool is_ascending = true;
    for (auto word = next_word(words); !word.empty(); word = next_word(words)) {
      if (word.starts_with("qid:")) continue;
      const Triplet entry = parse_entry(word, row);
      if (piece.entries.size() > first && entry.column <= piece.entries.back().column) {
        is_ascending = false;
      }
      piece.entries.push_back(entry);
      piece.smallest = std::min(piece.smallest, entry.column);
      piece.largest = std::max(piece.largest, entry.column);
    }
    if (!is_ascending) sort_sample(label, first, piece);
    piece.labels.emplace_back(label);
  }

  [[nodiscard]] Triplet parse_entry(std::string_view word, Index row) const {
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) {
      source_.refuse(word.data(),
                     fmt::format("{} is not an entry; entries are index:value", in_quotes(word)));
    }
    Index index = -1;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + colon, index);
    if (error != std::errc{} || stop != word.data() + colon || index < 0) {
      source_.refuse(word.data(), fmt::format("the index of {} is not a whole number from 0 to {}",
                                              in_quotes(word), std::numeric_limits<Index>::max()));
    }
    const auto value = parse_number(word.substr(colon + 1));
    if (!value) {
      source_.refuse(word.data(), fmt::format("the value of {} is not a number", in_quotes(word)));
    }
    return {row, index, *value};
  }

  void sort_sample(std::string_view label, std::size_t first, Piece& piece) const {
    const auto begin = piece.entries.begin() + static_cast<std::ptrdiff_t>(first);
    std::ranges::sort(begin, piece.entries.end(), {}, &Triplet::column);
    const auto same = std::ranges::adjacent_find(begin, piece.entries.end(), {}, &Triplet::column);
    if (same == piece.entries.end()) return;
    source_.refuse(label.data(), fmt::format("index {} is given twice in one sample; remove one of "
                                             "them",
                                             same->column));
  }

  const TextSource& source_;
};

/// All pieces one after the other, indices counted from 0; pieces are emptied.
std::vector<Triplet> join(std::vector<Piece>& pieces, Index first_index,
                          std::vector<std::string>& labels) {
  std::size_t n_entries = 0;
  for (const auto& piece : pieces) n_entries += piece.entries.size();
  std::vector<Triplet> entries;
  entries.reserve(n_entries);
  for (auto& piece : pieces) {
    const auto first_row = static_cast<Index>(labels.size());
    for (const Triplet& entry : piece.entries) {
      entries.push_back({entry.row + first_row, entry.column - first_index, entry.value});
    }
    std::ranges::move(piece.labels, std::back_inserter(labels));
    piece = {};
  }
  return entries;
}

}  // namespace

RawTable read_svmlight(const InputBytes& input, const RunContext& run) {
  const auto source = text_source(input);
  const auto texts = split_at_lines(source.text, kSvmlightPieceBytes);
  // Each entry has a colon, each sample a line: enough to refuse what memory cannot hold.
  const auto most_entries = static_cast<double>(std::ranges::count(source.text, ':'));
  check_sparse_size(source.name, 0, 0, most_entries, run);

  std::vector<Piece> pieces(texts.size());
  const PieceParser parser(source);
  parallel_for(run, "read", static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
    const auto piece = static_cast<std::size_t>(i);
    pieces[piece] = parser.parse(texts[piece]);
  });

  double n_rows = 0;
  Index largest = 0;
  bool has_zero = false;
  bool has_entries = false;
  for (const auto& piece : pieces) {
    n_rows += static_cast<double>(piece.labels.size());
    largest = std::max(largest, piece.largest);
    has_zero = has_zero || piece.smallest == 0;
    has_entries = has_entries || !piece.entries.empty();
  }
  if (!has_entries) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: no line has an entry index:value; there are no features", source.name));
  }
  const Index first_index = has_zero ? 0 : 1;
  const double n_columns = static_cast<double>(largest) + (has_zero ? 1 : 0);
  check_sparse_size(source.name, n_rows, n_columns, most_entries, run);
  RawTable table;
  table.labels = Labels{"label", {}};
  table.labels->values.reserve(static_cast<std::size_t>(n_rows));
  const auto entries = join(pieces, first_index, table.labels->values);
  table.matrix = assemble_table(source.name, static_cast<Index>(n_rows),
                                static_cast<Index>(n_columns), entries);
  return table;
}

}  // namespace sfg::detail
