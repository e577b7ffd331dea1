// What a comparison says, in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compare/measures.hpp"
#include "sfg/compare.hpp"
#include "sfg/statistics.hpp"

namespace sfg {

namespace {

/// Differences below this say nothing, however many samples there are (docs/RESULTS.md: seeds alone
/// move scores by as much).
constexpr double kNoise = 0.01;
/// Samples that chance may move from right to wrong.
constexpr double kNoisySamples = 2;

struct Subject {
  const char* name;
  std::optional<double> (*value)(const CompareRow&);
};

constexpr std::array kSubjects{
    Subject{"classification", [](const CompareRow& row) { return row.accuracy; }},
    Subject{"clustering", [](const CompareRow& row) { return row.nmi_mean; }},
    Subject{"neighbours",
            [](const CompareRow& row) { return std::optional(row.neighbour_overlap); }},
    Subject{"held-out R2", [](const CompareRow& row) { return std::optional(row.r2cv_mean); }},
};

constexpr Subject kScore{"score", [](const CompareRow& row) { return std::optional(row.score); }};

/// "12,345"
std::string with_thousands(Index number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

/// Sizes that compact reaches (all methods, if it takes no part), by input.
std::vector<std::set<Index>> sizes_reached(const std::vector<CompareResult>& results) {
  const auto takes_part = [&](const CompareRow& row) {
    return row.competitor == Competitor::compact;
  };
  std::vector<std::set<Index>> sizes;
  for (const CompareResult& result : results) {
    const bool has_compact = std::ranges::any_of(result.rows, takes_part);
    auto& own = sizes.emplace_back();
    for (const CompareRow& row : result.rows) {
      if (!row.reached || detail::has_own_number(row.competitor)) continue;
      if (!has_compact || takes_part(row)) own.insert(row.n_kept);
    }
  }
  return sizes;
}

/// The mean of a method over all sizes of all inputs; nothing unless it reaches all of them.
std::optional<double> mean_of(const std::vector<CompareResult>& results,
                              const std::vector<std::set<Index>>& sizes, Competitor competitor,
                              const Subject& subject) {
  std::vector<double> means;
  for (std::size_t k = 0; k < results.size(); ++k) {
    std::vector<double> values;
    for (const CompareRow& row : results[k].rows) {
      if (row.competitor != competitor || !row.reached || !sizes[k].contains(row.n_kept)) continue;
      if (const auto value = subject.value(row)) values.push_back(*value);
    }
    // Without labels an input has no such score for any method.
    const bool is_scored = subject.value(results[k].rows.front()).has_value();
    if (!is_scored) continue;
    if (values.size() < sizes[k].size()) return std::nullopt;
    if (!values.empty()) means.push_back(mean(values));
  }
  return means.empty() ? std::nullopt : std::optional(mean(means));
}

struct NamedMean {
  Competitor competitor;
  double mean;
};

/// The methods that reach all sizes, highest first; ties in the order of Competitor.
std::vector<NamedMean> best_first(const std::vector<CompareResult>& results,
                                  const std::vector<std::set<Index>>& sizes,
                                  const Subject& subject) {
  std::vector<NamedMean> means;
  for (const auto& choice : kChoices<Competitor>) {
    if (detail::has_own_number(choice.value)) continue;
    const auto value = mean_of(results, sizes, choice.value, subject);
    if (value) means.push_back({choice.value, *value});
  }
  std::ranges::stable_sort(means, std::greater{}, &NamedMean::mean);
  return means;
}

/// "cover is best in clustering (0.612, +0.021 over compact)"
std::string clause_of(const std::vector<CompareResult>& results,
                      const std::vector<std::set<Index>>& sizes, const Subject& subject,
                      double noise) {
  const std::vector<NamedMean> means = best_first(results, sizes, subject);
  if (means.empty()) return {};
  const auto [best, highest] = means.front();
  const auto compact = mean_of(results, sizes, Competitor::compact, subject);
  const std::string name = choice_name(best);
  if (!compact || best == Competitor::compact) {
    if (means.size() == 1 || highest - means[1].mean >= noise) {
      return fmt::format("{} is best in {} ({:.3f})", name, subject.name, highest);
    }
    return fmt::format("{} is as good as any in {} ({:.3f}; {} {:.3f})", name, subject.name,
                       highest, choice_name(means[1].competitor), means[1].mean);
  }
  const double gain = highest - *compact;
  if (gain < noise) {
    return fmt::format("compact is as good as the best in {} ({:.3f}; {} {:.3f})", subject.name,
                       *compact, name, highest);
  }
  return fmt::format("{} is best in {} ({:.3f}, {:+.3f} over compact)", name, subject.name, highest,
                     gain);
}

/// "At 200 features", "On average over 5 sizes (1,024 to 41 features)", "... over 6 tables".
std::string place_of(const std::vector<CompareResult>& results,
                     const std::vector<std::set<Index>>& sizes) {
  if (results.size() > 1) return fmt::format("On average over {} tables", results.size());
  const auto& own = sizes.front();
  if (own.size() == 1) return fmt::format("At {} features", with_thousands(*own.begin()));
  return fmt::format("On average over {} sizes ({} to {} features)", own.size(),
                     with_thousands(*own.rbegin()), with_thousands(*own.begin()));
}

/// What the default answer keeps, and what it reaches beside all features.
std::string default_sentence(const std::vector<CompareResult>& results) {
  std::vector<double> shares;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> scores;
  for (const CompareResult& result : results) {
    for (const CompareRow& row : result.rows) {
      if (row.competitor != Competitor::default_answer || !row.reached) continue;
      shares.push_back(row.share);
      for (const Subject& subject : kSubjects) {
        const auto own = subject.value(row);
        const auto all = subject.value(result.rows.front());
        if (!own || !all) continue;
        scores[subject.name].first.push_back(*own);
        scores[subject.name].second.push_back(*all);
      }
    }
  }
  if (shares.empty()) return {};
  std::string text = "The default answer keeps ";
  if (results.size() == 1) {
    const Index n_kept = static_cast<Index>(
        std::ranges::find(results.front().rows, Competitor::default_answer, &CompareRow::competitor)
            ->n_kept);
    text += fmt::format("{} of {} features", with_thousands(n_kept),
                        with_thousands(results.front().n_regular));
  } else {
    text += fmt::format("{:.0f} % of the features", 100 * mean(shares));
  }
  std::string separator = ": ";
  for (const Subject& subject : kSubjects) {
    const auto found = scores.find(subject.name);
    if (found == scores.end()) continue;
    const auto& [own, all] = found->second;
    text += fmt::format("{}{} {:.3f}", separator, subject.name, mean(own));
    const bool has_labels = results.front().n_classes > 0;
    if (has_labels) text += fmt::format(" (all features {:.3f})", mean(all));
    separator = ", ";
    // Against all features these two are 1.
    if (has_labels && subject.name == kSubjects[1].name) break;
  }
  return text + ".";
}

/// " mrmr and fast chose by the labels that judge them, and see the test samples too."
std::string labels_sentence(const std::vector<CompareResult>& results) {
  std::set<Competitor> seen;
  for (const CompareResult& result : results) {
    if (result.n_classes == 0) continue;
    for (const CompareRow& row : result.rows) {
      if (row.reached && chooses_by_labels(row.competitor)) seen.insert(row.competitor);
    }
  }
  std::string names;
  for (const Competitor one : seen) {
    const bool is_last = one == *seen.rbegin();
    names += (names.empty() ? "" : is_last ? " and " : ", ") + choice_name(one);
  }
  if (names.empty()) return {};
  return fmt::format(
      " {} chose by the labels that judge {} here, those of the samples held out too.", names,
      seen.size() == 1 ? "it" : "them");
}

}  // namespace

double noise_of(const CompareResult& result) {
  return std::max(kNoise, kNoisySamples / std::max<Index>(1, result.n_samples));
}

std::vector<CompareMean> ranking(const std::vector<CompareResult>& results) {
  const auto sizes = sizes_reached(results);
  std::vector<CompareMean> means;
  for (const NamedMean& one : best_first(results, sizes, kScore)) {
    std::array<std::optional<double>, kSubjects.size()> of;
    for (std::size_t k = 0; k < of.size(); ++k) {
      of[k] = mean_of(results, sizes, one.competitor, kSubjects[k]);
    }
    means.push_back({one.competitor, one.mean, of[0], of[1], of[2].value_or(0), of[3].value_or(0)});
  }
  return means;
}

std::string verdict(const std::vector<CompareResult>& results) {
  if (results.empty()) return {};
  const auto sizes = sizes_reached(results);
  double noise = 0;
  for (const CompareResult& result : results) {
    noise += noise_of(result) / static_cast<double>(results.size());
  }
  std::string text;
  for (const Subject& subject : kSubjects) {
    const std::string clause = clause_of(results, sizes, subject, noise);
    if (!clause.empty()) text += (text.empty() ? "" : "; ") + clause;
  }
  if (!text.empty()) {
    text = fmt::format("{}: {}. Differences below {:.3f} are noise.", place_of(results, sizes),
                       text, noise);
    text += labels_sentence(results);
  }
  const std::string answer = default_sentence(results);
  if (!answer.empty()) text += (text.empty() ? "" : " ") + answer;
  return text;
}

}  // namespace sfg
