// Tables of numbers, written in any dialect of CSV that the options can name, are read back as they
// were: names to the byte, numbers to the bit.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "drawn_options.hpp"
#include "table_target.hpp"

namespace {

using sfg::Index;

/// How a table is written.
struct Dialect {
  char separator = ',';
  char decimal = '.';
  const char* line_end = "\n";
  bool has_header = true;
  bool has_mark = false;  ///< of UTF-8
  bool has_comments = false;
  bool ends_with_line = true;
};

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

Dialect drawn_dialect(FuzzedDataProvider& draws) {
  Dialect dialect;
  dialect.separator = draws.PickValueInArray({',', ';', '\t', '|', ' '});
  dialect.decimal = dialect.separator != ',' && draws.ConsumeBool() ? ',' : '.';
  dialect.line_end = draws.ConsumeBool() ? "\n" : "\r\n";
  dialect.has_header = draws.ConsumeBool();
  dialect.has_mark = draws.ConsumeBool();
  dialect.has_comments = draws.ConsumeBool();
  dialect.ends_with_line = draws.ConsumeBool();
  return dialect;
}

/// A letter and anything that quotes can hold.
std::string drawn_name(FuzzedDataProvider& draws, int number) {
  std::string name = fmt::format("x{}", number);
  for (int left = draws.ConsumeIntegralInRange(0, 4); left > 0; --left) {
    name += draws.PickValueInArray({'a', ' ', ',', ';', '"', '\t', '|', '\'', '\n', '#', '.'});
  }
  return name + "z";
}

double drawn_number(FuzzedDataProvider& draws) {
  switch (draws.ConsumeIntegralInRange(0, 3)) {
    case 0:
      return draws.ConsumeIntegralInRange(-1000, 1000);
    case 1:
      return draws.ConsumeIntegralInRange(-100000, 100000) / 1000.0;
    case 2:
      return static_cast<double>(draws.ConsumeIntegral<std::int64_t>());
    default: {
      const double any = draws.ConsumeFloatingPoint<double>();
      return std::isfinite(any) ? any : 0.5;
    }
  }
}

Table drawn_table(FuzzedDataProvider& draws) {
  Table table;
  const int n_columns = draws.ConsumeIntegralInRange(2, 6);
  const int n_rows = draws.ConsumeIntegralInRange(2, 8);
  for (int j = 0; j < n_columns; ++j) table.names.push_back(drawn_name(draws, j));
  for (int i = 0; i < n_rows; ++i) {
    table.rows.emplace_back();
    for (int j = 0; j < n_columns; ++j) {
      // A column has a number at least.
      const bool is_missing = i > 0 && draws.ConsumeIntegralInRange(0, 7) == 1;
      table.rows.back().push_back(is_missing ? NAN : drawn_number(draws));
    }
  }
  return table;
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string cell(double value, const Dialect& dialect, FuzzedDataProvider& draws) {
  std::string text = std::isnan(value) ? "NA" : fmt::format("{}", value);
  for (char& c : text) c = c == '.' ? dialect.decimal : c;
  return draws.ConsumeIntegralInRange(0, 3) == 1 ? in_quotes(text) : text;
}

std::string written(const Table& table, const Dialect& dialect, FuzzedDataProvider& draws) {
  std::string text = dialect.has_mark ? "\xef\xbb\xbf" : "";
  const auto add_row = [&](const std::vector<std::string>& cells) {
    if (!text.empty() && text.back() == '\n' && dialect.has_comments && draws.ConsumeBool()) {
      text += std::string("# \"left, out") + dialect.line_end;
    }
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j > 0) text += dialect.separator;
      text += cells[j];
    }
    text += dialect.line_end;
  };
  std::vector<std::string> cells;
  for (const std::string& name : table.names) cells.push_back(in_quotes(name));
  if (dialect.has_header) add_row(cells);
  for (const auto& row : table.rows) {
    cells.clear();
    for (const double value : row) cells.push_back(cell(value, dialect, draws));
    add_row(cells);
  }
  if (!dialect.ends_with_line) text.resize(text.size() - std::string_view(dialect.line_end).size());
  return text;
}

/// What says all of the dialect.
sfg::ReadOptions options_of(const Dialect& dialect) {
  sfg::ReadOptions options;
  options.input_format = sfg::Format::csv;
  options.header = dialect.has_header;
  options.sep = dialect.separator == '\t'  ? "tab"
                : dialect.separator == ' ' ? "space"
                                           : std::string(1, dialect.separator);
  options.decimal = std::string(1, dialect.decimal);
  if (dialect.has_comments) options.comment = "#";
  return options;
}

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void compare(const sfg::Dataset& dataset, const Table& table, const Dialect& dialect) {
  const auto& matrix = std::get<sfg::DenseMatrix>(dataset.matrix);
  bool sound = matrix.n_samples() == static_cast<Index>(table.rows.size()) &&
               matrix.n_features() == static_cast<Index>(table.names.size());
  if (!sound) std::abort();
  if (dialect.has_header && dataset.feature_names != table.names) std::abort();
  for (Index i = 0; i < matrix.n_samples(); ++i) {
    for (Index j = 0; j < matrix.n_features(); ++j) {
      if (!is_same(matrix(i, j), table.rows[i][j])) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("table");
  const sfg::fuzz::OneSecond limit;
  FuzzedDataProvider draws(bytes, size);
  const Dialect dialect = drawn_dialect(draws);
  const Table table = drawn_table(draws);
  const std::string text = written(table, dialect, draws);
  file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  sfg::RunContext run;
  run.threads = 1;
  try {
    compare(sfg::read_dataset(file.path(), options_of(dialect), run), table, dialect);
  } catch (const sfg::Error& error) {
    fmt::print(stderr, "{}\n{}\n", error.what(), text);
    std::abort();
  }
  return 0;
}
