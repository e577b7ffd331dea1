// The truth about planted data, as a file and against a reduction.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"
#include "sfg/synth.hpp"

namespace sfg {

namespace {

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto end = line.find(separator);
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

bool is_copy(PlantedKind kind) {
  return kind == PlantedKind::copy || kind == PlantedKind::scaled || kind == PlantedKind::negated ||
         kind == PlantedKind::noisy;
}

/// The independent feature that a feature is or copies; itself for everything else.
std::vector<Index> family_of(const std::vector<Planted>& truth) {
  std::vector<Index> family;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    family.push_back(is_copy(truth[i].kind) ? truth[i].sources.front().feature
                                            : static_cast<Index>(i));
  }
  return family;
}

}  // namespace

std::string truth_to_tsv(const SynthResult& result) {
  std::string text = "feature\tkind\tsources\tweights\n";
  const auto& names = result.dataset.feature_names;
  for (std::size_t i = 0; i < result.truth.size(); ++i) {
    text += fmt::format("{}\t{}\t", names[i], choice_name(result.truth[i].kind));
    std::string weights;
    for (const Term& source : result.truth[i].sources) {
      const char* comma = weights.empty() ? "" : ",";
      text += comma + names[source.feature];
      weights += fmt::format("{}{}", comma, format_number(source.coefficient));
    }
    text += fmt::format("\t{}\n", weights);
  }
  return text;
}

std::vector<Planted> load_truth(const std::filesystem::path& path, const Dataset& dataset) {
  const auto lines = read_lines(path);
  std::vector<std::string> feature_names = dataset.feature_names;
  if (dataset.name_source == NameSource::generated) {
    // Line k + 1 is about feature k.
    feature_names.clear();
    for (std::size_t line = 1; line < lines.size(); ++line) {
      feature_names.emplace_back(split(lines[line], '\t').front());
    }
  }
  const auto n_features = dataset.feature_names.size();
  const auto fault = [&](std::size_t line, const std::string& reason) {
    return Error(
        ErrorCode::malformed_input,
        fmt::format("{}, line {}: {}; give the .truth.tsv file that was written with the data",
                    path.string(), line + 1, reason));
  };
  std::unordered_map<std::string_view, Index> numbers;
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    numbers.emplace(feature_names[i], static_cast<Index>(i));
  }
  const auto number_of = [&](std::string_view name) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("{}: feature '{}' is not in the data", path.string(), name));
    }
    return found->second;
  };
  std::vector<Planted> truth(n_features);
  if (lines.size() != n_features + 1) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{}: {} features, but the data have {}", path.string(),
                            lines.empty() ? 0 : lines.size() - 1, n_features));
  }
  for (std::size_t line = 1; line < lines.size(); ++line) {
    auto cells = split(lines[line], '\t');
    if (cells.size() != 2 && cells.size() != 4) throw fault(line, "not two or four cells");
    cells.resize(4);
    Planted& one = truth[number_of(cells[0])];
    one.kind = choice_from_name<PlantedKind>(cells[1], "kind of planted feature");
    if (cells[2].empty()) continue;
    const auto sources = split(cells[2], ',');
    const auto weights = split(cells[3], ',');
    if (sources.size() != weights.size()) throw fault(line, "not one weight per source");
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const auto weight = parse_number(weights[k]);
      if (!weight) throw fault(line, fmt::format("'{}' is not a number", weights[k]));
      one.sources.push_back({number_of(sources[k]), *weight});
    }
  }
  return truth;
}

TruthReport compare_with_truth(const std::vector<Planted>& truth, const Reduction& reduction) {
  const auto family = family_of(truth);
  const auto d = truth.size();
  std::vector<Index> kept_in_family(d, 0);
  std::vector<Index> family_size(d, 0);
  for (const Index feature : reduction.kept) {
    ++kept_in_family[family[feature]];
  }
  for (const Index one : family) ++family_size[one];

  const auto family_is_kept = [&](Index feature) { return kept_in_family[family[feature]] > 0; };
  const auto parts_are_kept = [&](const Planted& one) {
    return std::ranges::all_of(one.sources,
                               [&](const Term& part) { return family_is_kept(part.feature); });
  };
  // Nothing is lost with a copy of something kept, a combination of kept parts, or a column without
  // information.
  const auto is_lost = [&](Index feature) {
    const Planted& one = truth[feature];
    if (one.kind == PlantedKind::constant || one.kind == PlantedKind::empty) return false;
    if (one.kind == PlantedKind::combination) return !parts_are_kept(one);
    return !family_is_kept(feature);
  };

  constexpr auto& kinds = kChoices<PlantedKind>;
  std::array<PlantedOutcome, kinds.size()> outcomes;
  for (std::size_t k = 0; k < kinds.size(); ++k) outcomes[k].kind = kinds[k].value;
  for (const Planted& one : truth) ++outcomes[static_cast<std::size_t>(one.kind)].planted;
  for (const Index feature : reduction.kept) {
    ++outcomes[static_cast<std::size_t>(truth[feature].kind)].kept;
  }
  for (const RemovedFeature& removed : reduction.removed) {
    const auto i = static_cast<std::size_t>(removed.feature);
    auto& outcome = outcomes[static_cast<std::size_t>(truth[i].kind)];
    ++outcome.removed;
    if (removed.representative >= 0) outcome.lowest_r2 = std::min(outcome.lowest_r2, removed.r2);
    if (is_lost(removed.feature)) ++outcome.lost;
  }

  TruthReport report;
  for (const auto& outcome : outcomes) {
    if (outcome.planted > 0) report.outcomes.push_back(outcome);
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (family_size[i] >= 2) {
      ++report.families;
      if (kept_in_family[i] == 1) ++report.families_with_one_kept;
      if (kept_in_family[i] == 0) ++report.families_merged;
    }
    if (truth[i].kind == PlantedKind::combination && parts_are_kept(truth[i])) {
      ++report.combinations_with_all_parts;
    }
  }
  return report;
}

}  // namespace sfg
