#include "feature_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <utility>

#include "pursuit/checkpoint/blocks.hpp"
#include "pursuit/engines/engine_form.hpp"
#include "read/npy_ranges.hpp"
#include "sfg/error.hpp"

namespace sfg::mpi {

namespace {

enum class Outcome : int { done, other_table, no_file, has_gaps, failed };

/// What a rank has to say about its part.
struct Report {
  Outcome outcome = Outcome::failed;
  bool varies = false;
  Offset n_entries = 0;
  char host[MPI_MAX_PROCESSOR_NAME] = {};
};

bool is_finite(const DenseMatrix& matrix) {
  const auto n = static_cast<std::size_t>(n_stored(matrix));
  return std::all_of(matrix.data(), matrix.data() + n, [](double v) { return std::isfinite(v); });
}

bool varies(const DenseMatrix& matrix) {
  for (Index feature = 0; feature < matrix.n_features(); ++feature) {
    const auto column = matrix.column(feature);
    if (std::ranges::any_of(column, [&](double value) { return value != column.front(); })) {
      return true;
    }
  }
  return false;
}

void read_own(const Team& team, const PartOrder& order, const std::string& path,
              const RunContext& run, FeatureParts& parts, Report& report) {
  ReadOptions options;
  options.input_format = Format::npy;
  options.features_in_rows = order.features_in_rows;
  const detail::NpyRanges table(path, options, run);
  if (!table.is_as_it_lies() || table.n_samples() != order.n_samples ||
      table.n_features() != order.n_features || table.fingerprint() != order.fingerprint) {
    report.outcome = Outcome::other_table;
    return;
  }
  const Index first = first_of_part(team.rank(), team.size(), order.n_features);
  const Index end = first_of_part(team.rank() + 1, team.size(), order.n_features);
  DenseMatrix part = table.read(first, end - first, run);
  if (!is_finite(part)) {
    report.outcome = Outcome::has_gaps;
    return;
  }
  report.varies = varies(part);
  Dataset dataset;
  dataset.matrix = std::move(part);
  transform(dataset, order.transform, order.centering, run);
  parts.own = normalise(std::move(dataset.matrix), {order.centering}, run);
  report.n_entries = detail::n_sparse_entries(parts.own, order.fewest_dense_entries);
  report.outcome = Outcome::done;
}

Report try_to_read(Team& team, const PartOrder& order, const std::string& path,
                   const std::atomic<bool>* stop, FeatureParts& parts) {
  Report report;
  int length = 0;
  MPI_Get_processor_name(report.host, &length);
  RunContext run;
  run.threads = team.threads_allowed() ? order.threads : 1;
  run.memory_limit = order.memory_limit;
  run.stop = stop;
  try {
    read_own(team, order, path, run, parts, report);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    if (error.code() == ErrorCode::cannot_read) report.outcome = Outcome::no_file;
  } catch (const std::bad_alloc&) {
    report.outcome = Outcome::failed;
  }
  return report;
}

/// Why the first rank has to read the table itself; nothing if it need not.
std::string trouble(std::span<const Report> reports, const PartOrder& order) {
  Offset n_entries = 0;
  bool any_varies = false;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const Report& report = reports[rank];
    if (report.outcome == Outcome::no_file) {
      return fmt::format("rank {} on {} cannot read it", rank, report.host);
    }
    if (report.outcome == Outcome::has_gaps) return "it has gaps";
    if (report.outcome != Outcome::done) return "a part of it has to be looked at";
    n_entries += report.n_entries;
    any_varies = any_varies || report.varies;
  }
  if (n_entries < order.fewest_dense_entries) return "most of it is zero";
  return any_varies ? "" : "every feature is constant";
}

/// Parts of different tables would make a graph of none: the first rank throws, the others learn
/// that it is over.
bool there_are_other_tables(const Team& team, std::span<const Report> reports,
                            const std::string& path) {
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].outcome != Outcome::other_table) continue;
    if (!team.is_first()) return true;
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("rank {} on {} finds another table there than the first rank on {}; give all "
                    "of them the same file",
                    rank, reports[rank].host, reports[0].host),
        path);
  }
  return false;
}

}  // namespace

Index first_of_part(int rank, int n_ranks, Index n_features) {
  return static_cast<Index>(static_cast<std::int64_t>(n_features) * rank / n_ranks);
}

UnitFeatures shape_of(Index n_samples, Index n_features) {
  UnitFeatures features;
  features.matrix = DenseMatrix(n_samples, n_features, Buffer<double>());
  return features;
}

UnitFeatures FeatureParts::without_values() const {
  UnitFeatures features = shape_of(n_samples, n_features);
  features.kind = kinds;
  return features;
}

template <typename Value>
std::vector<Value> gather_parts(Team& team, const std::vector<Value>& own) {
  const auto size = static_cast<int>(own.size());
  std::vector<int> sizes(static_cast<std::size_t>(team.size()));
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, team.world());
  std::vector<int> places(sizes.size(), 0);
  for (std::size_t rank = 1; rank < sizes.size(); ++rank) {
    places[rank] = places[rank - 1] + sizes[rank - 1];
  }
  std::vector<Value> all(team.is_first() ? static_cast<std::size_t>(places.back() + sizes.back())
                                         : 0);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(Value), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Gatherv(own.data(), size, type, all.data(), sizes.data(), places.data(), type, 0,
              team.world());
  MPI_Type_free(&type);
  const auto own_bytes = static_cast<std::int64_t>(own.size() * sizeof(Value));
  if (team.is_first()) {
    team.traffic().received_bytes +=
        static_cast<std::int64_t>(all.size() * sizeof(Value)) - own_bytes;
  } else {
    team.traffic().sent_bytes += own_bytes;
  }
  return all;
}

template std::vector<FeatureKind> gather_parts(Team&, const std::vector<FeatureKind>&);
template std::vector<std::uint64_t> gather_parts(Team&, const std::vector<std::uint64_t>&);

std::optional<FeatureParts> read_parts(Team& team, PartOrder order, std::string path,
                                       const std::atomic<bool>* stop, std::string& why_not) {
  static_assert(std::is_trivially_copyable_v<PartOrder> && std::is_trivially_copyable_v<Report>);
  MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, team.world());
  auto path_size = static_cast<std::int64_t>(path.size());
  MPI_Bcast(&path_size, 1, MPI_INT64_T, 0, team.world());
  path.resize(static_cast<std::size_t>(path_size));
  MPI_Bcast(path.data(), static_cast<int>(path_size), MPI_BYTE, 0, team.world());

  FeatureParts parts;
  parts.n_samples = order.n_samples;
  parts.n_features = order.n_features;
  const Report own = try_to_read(team, order, path, stop, parts);
  std::vector<Report> reports(static_cast<std::size_t>(team.size()));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, reports.data(), sizeof own, MPI_BYTE, team.world());
  if (there_are_other_tables(team, reports, path)) return std::nullopt;
  why_not = trouble(reports, order);
  if (!why_not.empty()) return std::nullopt;
  RunContext run;
  run.threads = team.threads_allowed() ? order.threads : 1;
  parts.kinds = gather_parts(team, parts.own.kind);
  parts.hashes = gather_parts(team, detail::hashes_of(parts.own, run));
  return parts;
}

}  // namespace sfg::mpi
