// The graph as a file that scipy reads.
#include <fmt/format.h>

#include <array>

#include "core/text.hpp"
#include "io/file_memory.hpp"
#include "io/input_bytes.hpp"
#include "io/npy.hpp"
#include "io/unpack.hpp"
#include "io/zip.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"
#include "sfg/graph.hpp"

namespace sfg {

namespace {

using namespace detail;

/// The arrays of an npz archive by name.
class NpzArrays {
 public:
  NpzArrays(const InputBytes& input, const RunContext& run)
      : name_(input.name()),
        run_(run),
        members_(read_zip(input.name(), input.bytes(), run.memory_limit)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool has(const std::string& array) const {
    return members_.contains(array + ".npy");
  }

  [[nodiscard]] std::vector<double> numbers(const std::string& array) const {
    const std::string& bytes = bytes_of(array);
    const std::string where = name_ + ":" + array;
    const NpyHeader header = parse_npy_header(where, bytes);
    check_length(where, header, sizeof(double));
    return npy_numbers(where, header, bytes);
  }

  [[nodiscard]] std::vector<std::string> texts(const std::string& array) const {
    const std::string& bytes = bytes_of(array);
    const std::string where = name_ + ":" + array;
    const NpyHeader header = parse_npy_header(where, bytes);
    check_length(where, header, sizeof(std::string));
    return npy_text_values(where, header, bytes);
  }

 private:
  [[nodiscard]] const std::string& bytes_of(const std::string& array) const {
    const auto found = members_.find(array + ".npy");
    if (found == members_.end()) {
      throw Error(
          ErrorCode::malformed_input,
          fmt::format("{}: has no array '{}', so it is not a graph that sfg wrote", name_, array));
    }
    return found->second;
  }

  void check_length(const std::string& where, const NpyHeader& header, double item_bytes) const {
    check_size(where, 1, 1, static_cast<double>(npy_size(header)), item_bytes, run_);
  }

  std::string name_;
  const RunContext& run_;
  std::map<std::string, std::string> members_;
};

[[noreturn]] void refuse(const NpzArrays& arrays, const std::string& reason) {
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: {}; make the graph again", arrays.name(), reason));
}

/// A number that must be a whole one in [low, high].
std::int64_t whole(const NpzArrays& arrays, double value, double low, double high) {
  if (!(value >= low && value <= high) ||
      value != static_cast<double>(static_cast<Offset>(value))) {
    refuse(arrays, fmt::format("{} is not a whole number from {} to {}", value, low, high));
  }
  return static_cast<std::int64_t>(value);
}

void load_rows(const NpzArrays& arrays, FeatureGraph& graph) {
  const auto starts = arrays.numbers("indptr");
  const auto neighbours = arrays.numbers("indices");
  graph.weights = arrays.numbers("data");
  const auto n_edges = static_cast<double>(neighbours.size());
  if (neighbours.size() != graph.weights.size() || starts.empty() || starts.front() != 0 ||
      starts.back() != n_edges) {
    refuse(arrays, "indptr, indices and data do not fit each other");
  }
  const auto d = static_cast<double>(starts.size() - 1);
  graph.starts.clear();
  for (const double start : starts) {
    const double low = graph.starts.empty() ? 0 : static_cast<double>(graph.starts.back());
    graph.starts.push_back(whole(arrays, start, low, n_edges));
  }
  for (const double neighbour : neighbours) {
    graph.neighbours.push_back(static_cast<Index>(whole(arrays, neighbour, 0, d - 1)));
  }
}

}  // namespace

std::string graph_to_npz(const FeatureGraph& graph) {
  const std::array<std::int64_t, 2> shape{graph.n_features(), graph.n_features()};
  std::vector<std::int32_t> status;
  for (const PursuitStatus one : graph.status) status.push_back(static_cast<std::int32_t>(one));
  const std::vector<std::int32_t> failed(graph.failed.begin(), graph.failed.end());
  const std::array<std::string, 1> format{"csr"};
  const std::array<std::string, 1> description{graph.description};
  std::vector<std::string> status_names;
  for (int k = 0; k <= static_cast<int>(PursuitStatus::no_direction); ++k) {
    status_names.push_back(choice_name(static_cast<PursuitStatus>(k)));
  }
  return write_zip({{"indices.npy", npy_vector(std::span(graph.neighbours))},
                    {"indptr.npy", npy_vector(std::span(graph.starts))},
                    {"format.npy", npy_texts(format)},
                    {"shape.npy", npy_vector(std::span<const std::int64_t>(shape))},
                    {"data.npy", npy_vector(std::span(graph.weights))},
                    {"angle.npy", npy_vector(std::span(graph.angle))},
                    {"status.npy", npy_vector(std::span<const std::int32_t>(status))},
                    {"status_names.npy", npy_texts(status_names)},
                    {"failed.npy", npy_vector(std::span<const std::int32_t>(failed))},
                    {"feature_names.npy", npy_texts(graph.feature_names)},
                    {"description.npy", npy_texts(description)}});
}

namespace {

/// A few bytes of zeros are no graph.
void check_ratio(const InputBytes& input, const RunContext& run) {
  double unpacked = 0;
  double packed = 0;
  for (const ZipMember& member : zip_members(input.name(), input.bytes())) {
    unpacked += static_cast<double>(member.size);
    packed += static_cast<double>(member.packed_size);
  }
  check_unpacked_ratio(input.name(), "zip", unpacked, packed, run);
}

FeatureGraph graph_from_npz(const InputBytes& input, const RunContext& run) {
  const NpzArrays arrays(input, run);
  FeatureGraph graph;
  load_rows(arrays, graph);
  graph.angle = arrays.numbers("angle");
  const auto d = graph.starts.size() - 1;
  const auto status = arrays.numbers("status");
  const auto failed = arrays.numbers("failed");
  if (graph.angle.size() != d || status.size() != d || failed.size() != d) {
    refuse(arrays, "angle, status or failed do not have one entry per feature");
  }
  for (std::size_t i = 0; i < d; ++i) {
    graph.status.push_back(static_cast<PursuitStatus>(
        whole(arrays, status[i], 0, static_cast<double>(PursuitStatus::no_direction))));
    graph.failed.push_back(static_cast<std::uint8_t>(whole(arrays, failed[i], 0, 1)));
  }
  graph.feature_names = arrays.texts("feature_names");
  if (graph.feature_names.size() != d)
    refuse(arrays, "feature_names does not have one name per feature");
  if (arrays.has("description")) {
    const auto description = arrays.texts("description");
    if (description.size() != 1) refuse(arrays, "description is not one text");
    graph.description = description[0];
  }
  return graph;
}

}  // namespace

FeatureGraph load_graph(const std::filesystem::path& path, const RunContext& run) {
  const InputBytes input(path, run);
  return use_unchanged(input, [&] {
    check_ratio(input, run);
    return use_with_file_limit(run, input.given_size(), [&](const RunContext& limited) {
      return graph_from_npz(input, limited);
    });
  });
}

}  // namespace sfg
