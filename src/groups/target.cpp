#include "sfg/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/threads.hpp"
#include "sfg/error.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// A sum of squares about the mean that is this small beside the one about zero is rounding.
constexpr double kNoSpread = 1e-14;

struct KnownTexts {
  std::vector<Index> samples;
  std::vector<std::string> texts;
};

KnownTexts known_texts(const Labels& labels) {
  KnownTexts known;
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    if (is_missing_label(labels.values[i])) continue;
    known.samples.push_back(static_cast<Index>(i));
    known.texts.push_back(labels.values[i]);
  }
  return known;
}

/// All texts as finite numbers, or nothing.
std::optional<std::vector<double>> as_numbers(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    const auto number = parse_number(text);
    if (!number || !std::isfinite(*number)) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

bool number_classes(const std::vector<double>& numbers) {
  const auto is_whole = [](double number) { return std::trunc(number) == number; };
  return std::ranges::all_of(numbers, is_whole) &&
         static_cast<Index>(std::set<double>(numbers.begin(), numbers.end()).size()) <=
             kMostClassNumbers;
}

/// Numbers of the classes in their order.
template <typename Value>
std::vector<double> numbered(const std::vector<Value>& values, Index& n_classes) {
  std::map<Value, double> number_of;
  for (const Value& value : values) number_of.emplace(value, 0.0);
  n_classes = 0;
  for (auto& [value, number] : number_of) number = n_classes++;
  std::vector<double> numbers;
  for (const Value& value : values) numbers.push_back(number_of[value]);
  return numbers;
}

/// Numbers on a scale on which their squares neither overflow nor vanish: differences of the
/// largest size are 1.
void bring_to_unit_range(std::vector<double>& numbers) {
  const auto [lowest, highest] = std::ranges::minmax(numbers);
  const double half_range = highest / 2 - lowest / 2;
  for (double& number : numbers) number = (number / 2 - lowest / 2) / half_range;
}

/// Values of one feature in the known samples, without the shift, which changes no score.
void gather(const UnitFeatures& features, Index feature, const Target& target,
            const std::vector<Index>& place, std::vector<double>& values) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    const auto column = dense->column(feature);
    for (std::size_t k = 0; k < target.samples.size(); ++k) values[k] = column[target.samples[k]];
    return;
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  std::ranges::fill(values, 0.0);
  const auto rows = sparse.column_rows(feature);
  const auto stored = sparse.column_values(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (place[rows[k]] >= 0) values[place[rows[k]]] = stored[k];
  }
}

/// Takes the mean off and returns the sum of squares that is left; 0 for rounding.
double centre(std::vector<double>& values) {
  double sum = 0;
  double about_zero = 0;
  for (const double value : values) {
    sum += value;
    about_zero += value * value;
  }
  const double mean = sum / static_cast<double>(values.size());
  double about_mean = 0;
  for (double& value : values) {
    value -= mean;
    about_mean += value * value;
  }
  return about_mean <= kNoSpread * about_zero ? 0 : about_mean;
}

double share_between_classes(const std::vector<double>& centred, const Target& target,
                             std::vector<double>& sums, std::vector<double>& sizes) {
  sums.assign(static_cast<std::size_t>(target.n_classes), 0.0);
  sizes.assign(sums.size(), 0.0);
  for (std::size_t k = 0; k < centred.size(); ++k) {
    const auto one = static_cast<std::size_t>(target.values[k]);
    sums[one] += centred[k];
    sizes[one] += 1;
  }
  double between = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (sizes[c] > 0) between += sums[c] * sums[c] / sizes[c];
  }
  return between;
}

/// The target over the samples in which the feature has a value too.
Target observed_part(const Target& target, std::span<const Index> gaps) {
  Target part{target.name, target.kind, {}, {}, target.n_classes};
  for (std::size_t k = 0; k < target.samples.size(); ++k) {
    if (std::ranges::binary_search(gaps, target.samples[k])) continue;
    part.samples.push_back(target.samples[k]);
    part.values.push_back(target.values[k]);
  }
  return part;
}

/// What one feature and the target share; `values` are the feature's in the target's samples,
/// centred, `own` their sum of squares.
double shared_with(const Target& target, const std::vector<double>& values, double own,
                   std::vector<double>& sums, std::vector<double>& sizes) {
  if (target.kind == TargetKind::classes) {
    return std::min(1.0, share_between_classes(values, target, sums, sizes) / own);
  }
  std::vector<double> numbers = target.values;
  const auto [lowest, highest] = std::ranges::minmax(numbers);
  if (lowest == highest) return 0;
  bring_to_unit_range(numbers);
  const double spread = centre(numbers);
  double product = 0;
  for (std::size_t k = 0; k < values.size(); ++k) product += values[k] * numbers[k];
  return std::min(1.0, product * product / (spread * own));
}

}  // namespace

Target read_target(const Labels& labels, Index n_samples) {
  if (static_cast<Index>(labels.values.size()) != n_samples) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("the target '{}' has {} values for {} samples: give one per sample",
                            escaped(labels.name), labels.values.size(), n_samples));
  }
  KnownTexts known = known_texts(labels);
  if (known.texts.empty()) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("the target '{}' is missing in every sample: nothing to choose by",
                            escaped(labels.name)));
  }
  Target target{labels.name, TargetKind::numbers, {}, std::move(known.samples), 0};
  const auto numbers = as_numbers(known.texts);
  if (!numbers) {
    target.values = numbered(known.texts, target.n_classes);
  } else if (number_classes(*numbers)) {
    target.values = numbered(*numbers, target.n_classes);
  } else {
    target.values = *numbers;
  }
  target.kind = target.n_classes > 0 ? TargetKind::classes : TargetKind::numbers;
  if (std::ranges::min(target.values) == std::ranges::max(target.values)) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("the target '{}' has one value throughout, '{}': nothing to choose by",
                            escaped(labels.name), escaped(known.texts.front())));
  }
  return target;
}

std::vector<double> target_scores(const UnitFeatures& features, const Target& target,
                                  const RunContext& run) {
  const std::size_t n = target.samples.size();
  std::vector<Index> place(static_cast<std::size_t>(features.n_samples()), -1);
  for (std::size_t k = 0; k < n; ++k) place[target.samples[k]] = static_cast<Index>(k);
  std::vector<double> numbers = target.values;
  double spread = 0;
  if (target.kind == TargetKind::numbers) {
    bring_to_unit_range(numbers);
    spread = centre(numbers);
  }
  std::vector<double> scores(static_cast<std::size_t>(features.n_features()), 0.0);
  struct Workspace {
    std::vector<double> values, sums, sizes;
  };
  std::vector<Workspace> workspace(static_cast<std::size_t>(detail::worker_count(run)));
  detail::parallel_for_workers(run, {}, features.n_features(), [&](std::int64_t item, int worker) {
    auto& [values, sums, sizes] = workspace[worker];
    if (features.gaps != nullptr && !features.gaps->of(static_cast<Index>(item)).empty()) {
      const Target part = observed_part(target, features.gaps->of(static_cast<Index>(item)));
      if (static_cast<Index>(part.samples.size()) < kFewestCommon) return;
      std::vector<Index> own_place(place.size(), -1);
      for (std::size_t k = 0; k < part.samples.size(); ++k) {
        own_place[part.samples[k]] = static_cast<Index>(k);
      }
      values.resize(part.samples.size());
      gather(features, static_cast<Index>(item), part, own_place, values);
      const double own = centre(values);
      if (own > 0) scores[item] = shared_with(part, values, own, sums, sizes);
      return;
    }
    values.resize(n);
    gather(features, static_cast<Index>(item), target, place, values);
    const double own = centre(values);
    if (own <= 0) return;
    double shared = 0;
    if (target.kind == TargetKind::classes) {
      shared = share_between_classes(values, target, sums, sizes);
    } else {
      double product = 0;
      for (std::size_t k = 0; k < n; ++k) product += values[k] * numbers[k];
      shared = product * product / spread;
    }
    scores[item] = std::min(1.0, shared / own);
  });
  return scores;
}

}  // namespace sfg
