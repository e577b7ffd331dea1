#include "sfg/synth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::Random;

constexpr double kSmallestFactor = 0.1;
constexpr double kLargestFactor = 10;
constexpr std::uint64_t kFewestParts = 2;
constexpr std::uint64_t kMostParts = 5;

/// How many features of each kind, in the order of the enum; independent ones take the rest.
std::vector<Index> count_kinds(const SynthOptions& options) {
  const std::vector<double> shares{0,
                                   options.copies,
                                   options.scaled,
                                   options.negated,
                                   options.noisy,
                                   options.combinations,
                                   options.irrelevant,
                                   options.density < 1 ? 0 : options.constant,
                                   options.empty};
  std::vector<Index> counts;
  for (const double share : shares) {
    if (!(share >= 0 && share <= 1)) {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("a share of planted features must be between 0 and 1, not {}", share));
    }
    counts.push_back(static_cast<Index>(std::lround(share * options.n_features)));
  }
  counts[0] = options.n_features - std::accumulate(counts.begin(), counts.end(), Index{0});
  if (counts[0] < static_cast<Index>(kMostParts)) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("the shares of planted features leave {} independent ones of {}, but at "
                    "least {} are needed as sources",
                    counts[0], options.n_features, kMostParts),
        "", {"features", "lower a share or raise {features}"});
  }
  return counts;
}

void check_options(const SynthOptions& options) {
  if (options.n_samples < 2) {
    throw Error(ErrorCode::invalid_option, "planted data need at least 2 samples");
  }
  if (!(options.noise >= 0) || !std::isfinite(options.noise)) {
    throw Error(ErrorCode::invalid_option, "the noise of noisy copies must not be negative");
  }
  if (!(options.density > 0 && options.density <= 1)) {
    throw Error(ErrorCode::invalid_option, "the density must be above 0 and at most 1");
  }
}

/// A column under construction: values at rows (all rows if dense).
struct Column {
  std::vector<Index> rows;
  std::vector<double> values;
};

/// Makes columns of one table; rows are listed whether it is dense or not.
class ColumnMaker {
 public:
  ColumnMaker(const SynthOptions& options, Random& random)
      : options_(options),
        random_(random),
        sum_(static_cast<std::size_t>(options.n_samples), 0.0) {}

  /// Independent of everything else: normal values, at random rows if sparse.
  [[nodiscard]] Column fresh() {
    Column column;
    for (Index row = 0; row < options_.n_samples; ++row) {
      if (options_.density < 1 && random_.uniform() >= options_.density) continue;
      column.rows.push_back(row);
      column.values.push_back(random_.normal());
    }
    if (column.rows.empty()) {
      column.rows.push_back(
          static_cast<Index>(random_.below(static_cast<std::uint64_t>(options_.n_samples))));
      column.values.push_back(random_.normal());
    }
    return column;
  }

  /// Noise sits where the copied feature is not zero, so that a sparse table stays sparse.
  void add_noise(Column& column) {
    for (double& value : column.values) value += options_.noise * random_.normal();
  }

  [[nodiscard]] Column constant() {
    Column column;
    const double value = random_.uniform(1, kLargestFactor);
    for (Index row = 0; row < options_.n_samples; ++row) {
      column.rows.push_back(row);
      column.values.push_back(value);
    }
    return column;
  }

  [[nodiscard]] Column weighted_sum(const std::vector<Term>& sources,
                                    const std::vector<Column>& columns) {
    Column result;
    for (const Term& source : sources) {
      const Column& column = columns[source.feature];
      for (std::size_t k = 0; k < column.rows.size(); ++k) {
        sum_[column.rows[k]] += source.coefficient * column.values[k];
        result.rows.push_back(column.rows[k]);
      }
    }
    std::ranges::sort(result.rows);
    result.rows.erase(std::unique(result.rows.begin(), result.rows.end()), result.rows.end());
    for (const Index row : result.rows) {
      result.values.push_back(sum_[row]);
      sum_[row] = 0;
    }
    return result;
  }

 private:
  const SynthOptions& options_;
  Random& random_;
  std::vector<double> sum_;
};

/// Which independent features a planted one is made from, and with what weights.
std::vector<Term> draw_sources(PlantedKind kind, Index n_independent, Random& random) {
  const auto any = [&] {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(n_independent)));
  };
  // Factors spread evenly over the orders of magnitude.
  const auto factor = [&] {
    return std::exp(random.uniform(std::log(kSmallestFactor), std::log(kLargestFactor)));
  };
  switch (kind) {
    case PlantedKind::copy:
    case PlantedKind::noisy:
      return {{any(), 1.0}};
    case PlantedKind::scaled:
      return {{any(), factor()}};
    case PlantedKind::negated:
      return {{any(), -factor()}};
    case PlantedKind::combination: {
      std::vector<Term> sources;
      const auto n_parts = kFewestParts + random.below(kMostParts - kFewestParts + 1);
      while (sources.size() < n_parts) {
        const Index part = any();
        if (std::ranges::find(sources, part, &Term::feature) != sources.end()) continue;
        const double sign = random.uniform() < 0.5 ? -1 : 1;
        sources.push_back({part, sign * random.uniform(0.5, 1.5)});
      }
      return sources;
    }
    default:
      return {};
  }
}

Matrix to_matrix(const std::vector<Column>& columns, const std::vector<Index>& order,
                 const SynthOptions& options) {
  if (options.density >= 1) {
    DenseMatrix dense(options.n_samples, options.n_features);
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Column& column = columns[order[place]];
      for (std::size_t k = 0; k < column.rows.size(); ++k) {
        dense(column.rows[k], static_cast<Index>(place)) = column.values[k];
      }
    }
    return dense;
  }
  SparseMatrix sparse;
  sparse.n_samples = options.n_samples;
  sparse.n_features = options.n_features;
  for (const Index from : order) {
    const Column& column = columns[from];
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      if (column.values[k] == 0) continue;
      sparse.rows.push_back(column.rows[k]);
      sparse.values.push_back(column.values[k]);
    }
    sparse.starts.push_back(static_cast<Offset>(sparse.rows.size()));
  }
  return sparse;
}

}  // namespace

SynthResult synthesise(const SynthOptions& options, std::uint64_t seed) {
  check_options(options);
  const std::vector<Index> counts = count_kinds(options);
  Random random(seed);
  ColumnMaker maker(options, random);
  std::vector<Column> columns;
  std::vector<Planted> planted;
  for (std::size_t kind_number = 0; kind_number < counts.size(); ++kind_number) {
    const auto kind = static_cast<PlantedKind>(kind_number);
    for (Index k = 0; k < counts[kind_number]; ++k) {
      Planted one{kind, draw_sources(kind, counts[0], random)};
      if (kind == PlantedKind::independent || kind == PlantedKind::irrelevant) {
        columns.push_back(maker.fresh());
      } else if (kind == PlantedKind::constant) {
        columns.push_back(maker.constant());
      } else {
        columns.push_back(maker.weighted_sum(one.sources, columns));
        if (kind == PlantedKind::noisy) maker.add_noise(columns.back());
      }
      planted.push_back(std::move(one));
    }
  }

  // Random order: a feature's place must not tell what it is.
  std::vector<Index> order(columns.size());
  std::iota(order.begin(), order.end(), Index{0});
  detail::shuffle(order, random);
  std::vector<Index> place_of(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    place_of[order[place]] = static_cast<Index>(place);
  }

  SynthResult result;
  result.dataset.matrix = to_matrix(columns, order, options);
  result.dataset.name_source = NameSource::file;
  result.dataset.source = "planted data";
  const auto width = std::to_string(options.n_features).size();
  for (Index place = 0; place < options.n_features; ++place) {
    result.dataset.feature_names.push_back(fmt::format("x{:0{}}", place + 1, width));
    Planted one = planted[order[place]];
    for (Term& source : one.sources) {
      source.feature = place_of[source.feature];
    }
    result.truth.push_back(std::move(one));
  }
  return result;
}

}  // namespace sfg
