#include "read/mat4_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "io/size_check.hpp"
#include "io/text_source.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// The kinds of a variable by their numbers in the file.
enum class Mat4Kind : std::uint8_t { numeric, text, sparse };

/// The head of a variable.
struct Mat4Head {
  int number_type = 0;
  Mat4Kind kind = Mat4Kind::numeric;
  bool is_swapped = false;
  bool is_complex = false;
  std::uint64_t n_rows = 0;
  std::uint64_t n_columns = 0;
  std::size_t name_size = 0;  ///< with the NUL at its end
};

constexpr std::size_t kHeadBytes = 5 * sizeof(std::int32_t);
/// Bytes of a number by its type: double, single, int32, int16, uint16, uint8.
constexpr std::array<std::size_t, 6> kNumberBytes{8, 4, 4, 2, 2, 1};
/// Columns of a sparse matrix as it is stored: row, column, value, and the imaginary part.
constexpr std::size_t kSparseColumns = 3;
constexpr std::size_t kLongestName = 4096;

/// Nothing where the bytes are no head. Its first number is made of digits: byte order, 0, type of
/// numbers, kind.
std::optional<Mat4Head> head_at(std::string_view bytes) {
  std::array<std::int32_t, 5> numbers{};
  if (bytes.size() < sizeof numbers) return std::nullopt;
  std::memcpy(numbers.data(), bytes.data(), sizeof numbers);
  constexpr std::int32_t kBigEndian = 1000;
  Mat4Head head;
  head.is_swapped = numbers[0] < 0 || numbers[0] >= 2 * kBigEndian;
  for (std::int32_t& number : numbers) {
    if (head.is_swapped) number = static_cast<std::int32_t>(__builtin_bswap32(number));
  }
  const auto [type, n_rows, n_columns, imaginary, name_size] = numbers;
  const bool is_big = type / kBigEndian == 1;
  const bool is_type = type >= 0 && type < 2 * kBigEndian && type / 100 % 10 == 0 &&
                       type / 10 % 10 < static_cast<int>(kNumberBytes.size()) && type % 10 <= 2;
  // Little endian files of 0 say the same in either order; others say which one they are in.
  if (!is_type || n_rows < 0 || n_columns < 0 || imaginary < 0 || imaginary > 1)
    return std::nullopt;
  if (name_size < 1 || static_cast<std::size_t>(name_size) > kLongestName) return std::nullopt;
  if (is_big != head.is_swapped && type != 0) return std::nullopt;
  head.number_type = type / 10 % 10;
  head.kind = static_cast<Mat4Kind>(type % 10);
  head.is_complex = imaginary == 1;
  head.n_rows = static_cast<std::uint64_t>(n_rows);
  head.n_columns = static_cast<std::uint64_t>(n_columns);
  head.name_size = static_cast<std::size_t>(name_size);
  return head;
}

template <typename Item>
double item_at(const char* bytes, bool is_swapped) {
  std::array<char, sizeof(Item)> raw;
  std::memcpy(raw.data(), bytes, raw.size());
  if (is_swapped) std::ranges::reverse(raw);
  return static_cast<double>(std::bit_cast<Item>(raw));
}

}  // namespace

bool looks_like_mat4(std::string_view bytes) {
  const auto head = head_at(bytes);
  if (!head) return false;
  const std::string_view name = bytes.substr(kHeadBytes);
  return head->name_size > 1 && name.find('\0') == head->name_size - 1;
}

Mat4File::Mat4File(const std::string& name, std::string_view bytes) : MatFile(name), bytes_(bytes) {
  std::size_t place = 0;
  while (place < bytes.size()) {
    const auto head = head_at(bytes.substr(place));
    if (!head) fail(fmt::format("at byte {} there is no variable", place + 1));
    const double n_numbers = static_cast<double>(head->n_rows) *
                             static_cast<double>(head->n_columns) * (head->is_complex ? 2 : 1);
    const double wanted = static_cast<double>(kHeadBytes + head->name_size) +
                          n_numbers * static_cast<double>(kNumberBytes[head->number_type]);
    if (wanted > static_cast<double>(bytes.size() - place)) {
      fail(fmt::format("the variable at byte {} promises {:.0f} bytes, there are {}", place + 1,
                       wanted, bytes.size() - place));
    }
    const std::string_view stored_name = bytes.substr(place + kHeadBytes, head->name_size);
    MatVariable variable;
    variable.name = stored_name.substr(0, stored_name.find('\0'));
    variable.extents = {head->n_rows, head->n_columns};
    variable.is_complex = head->is_complex;
    variable.kind = head->kind == Mat4Kind::text ? MatClass::character : MatClass::float64;
    const Place where{place + kHeadBytes + head->name_size, head->n_rows, head->n_columns,
                      head->number_type, head->is_swapped};
    if (head->kind == Mat4Kind::sparse) set_sparse(where, variable);
    places_.push_back(where);
    add(std::move(variable));
    place += static_cast<std::size_t>(wanted);
  }
}

/// The size of a sparse matrix stands in its last line.
void Mat4File::set_sparse(const Place& place, MatVariable& variable) const {
  const bool has_lines = place.n_rows > 0 && (place.n_columns == kSparseColumns ||
                                              place.n_columns == kSparseColumns + 1);
  if (!has_lines || variable.is_complex) fail("a sparse matrix is no list of entries");
  variable.kind = MatClass::sparse;
  variable.is_complex = place.n_columns > kSparseColumns;
  for (const std::size_t axis : {0U, 1U}) {
    const double extent = number_at(place, place.n_rows - 1, axis);
    if (!(extent >= 0 && extent <= std::numeric_limits<Index>::max()) ||
        extent != std::floor(extent)) {
      fail(fmt::format("the size {} of a sparse matrix is not possible", extent));
    }
    variable.extents[axis] = static_cast<std::size_t>(extent);
  }
}

double Mat4File::number_at(const Place& place, std::size_t row, std::size_t column) const {
  const std::size_t number = column * place.n_rows + row;
  const char* at = bytes_.data() + place.start + number * kNumberBytes[place.number_type];
  switch (place.number_type) {
    case 0:
      return item_at<double>(at, place.is_swapped);
    case 1:
      return item_at<float>(at, place.is_swapped);
    case 2:
      return item_at<std::int32_t>(at, place.is_swapped);
    case 3:
      return item_at<std::int16_t>(at, place.is_swapped);
    case 4:
      return item_at<std::uint16_t>(at, place.is_swapped);
    default:
      return item_at<std::uint8_t>(at, place.is_swapped);
  }
}

DenseMatrix Mat4File::load_dense(const MatVariable& variable, const RunContext& run) const {
  const Place& place = places_[variable.number];
  check_size(what(variable), static_cast<double>(place.n_rows),
             static_cast<double>(place.n_columns), variable.n_items(), sizeof(double), run);
  DenseMatrix matrix(static_cast<Index>(place.n_rows), static_cast<Index>(place.n_columns));
  for (std::size_t column = 0; column < place.n_columns; ++column) {
    const auto values = matrix.column(static_cast<Index>(column));
    for (std::size_t row = 0; row < place.n_rows; ++row) {
      values[row] = number_at(place, row, column);
    }
  }
  return matrix;
}

SparseMatrix Mat4File::load_sparse(const MatVariable& variable, const RunContext& run) const {
  const Place& place = places_[variable.number];
  const std::size_t n_entries = place.n_rows - 1;
  const auto n_rows = static_cast<double>(variable.extents[0]);
  const auto n_columns = static_cast<double>(variable.extents[1]);
  check_sparse_size(what(variable), n_rows, n_columns, static_cast<double>(n_entries), run);
  const auto index = [&](double number, double most) {
    if (!(number >= 1 && number <= most) || number != std::floor(number)) {
      fail(fmt::format("an entry of a sparse matrix is at {}, of {}", number, most));
    }
    return static_cast<Index>(number - 1);
  };
  std::vector<Triplet> entries;
  entries.reserve(n_entries);
  for (std::size_t k = 0; k < n_entries; ++k) {
    entries.push_back({index(number_at(place, k, 0), n_rows),
                       index(number_at(place, k, 1), n_columns), number_at(place, k, 2)});
  }
  return assemble_table(what(variable), static_cast<Index>(n_rows), static_cast<Index>(n_columns),
                        entries);
}

std::optional<std::vector<std::string>> Mat4File::load_texts(const MatVariable& variable,
                                                             const RunContext& run) const {
  const Place& place = places_[variable.number];
  constexpr double kMemoryPerCharacter = 8;
  const double n_texts = std::min(static_cast<double>(place.n_rows), variable.n_items());
  check_size(what(variable), 1, 1,
             n_texts * sizeof(std::string) + variable.n_items() * kMemoryPerCharacter, 1, run);
  constexpr double kLargestCharacter = 0x10FFFF;
  MatCharacters characters;
  for (std::size_t column = 0; column < place.n_columns; ++column) {
    for (std::size_t row = 0; row < place.n_rows; ++row) {
      const double number = number_at(place, row, column);
      const bool is_possible = number >= 0 && number <= kLargestCharacter;
      characters.units += is_possible ? static_cast<char32_t>(number) : U'?';
    }
  }
  return mat_text_rows(characters, variable.extents);
}

void Mat4File::fail(const std::string& reason) const {
  throw Error(ErrorCode::malformed_input,
              fmt::format("broken MAT file of version 4: {}; copy or save the file again", reason),
              name());
}

}  // namespace sfg::detail
