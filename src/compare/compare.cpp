#include "sfg/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/competitors.hpp"
#include "compare/judge.hpp"
#include "compare/measures.hpp"
#include "core/stopwatch.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// Scores this close are equal: one rank for both.
constexpr double kSameScore = 1e-9;

/// So many features, and the share that this was asked for by.
struct Size {
  Index count;
  double share;
};

/// Falling, each number once.
std::vector<Size> sizes_of(const CompareOptions& options, std::size_t n_regular) {
  const auto d = static_cast<double>(n_regular);
  std::vector<double> shares = options.shares;
  if (shares.empty() && options.n_features.empty()) {
    shares.assign(kUsualShares.begin(), kUsualShares.end());
  }
  std::vector<Size> sizes;
  for (const double share : shares) {
    sizes.push_back({std::max<Index>(1, static_cast<Index>(std::lround(share * d))), share});
  }
  for (const Index count : options.n_features) sizes.push_back({count, count / d});
  std::ranges::stable_sort(sizes, std::greater{}, &Size::count);
  const auto same = [](const Size& a, const Size& b) { return a.count == b.count; };
  sizes.erase(std::unique(sizes.begin(), sizes.end(), same), sizes.end());
  return sizes;
}

/// The methods asked for that keep as many features as they are told to.
std::vector<Competitor> methods_of(const CompareOptions& options) {
  std::vector<Competitor> methods;
  for (const auto& choice : kChoices<Competitor>) {
    const bool is_asked = options.methods.empty() ||
                          std::ranges::find(options.methods, choice.value) != options.methods.end();
    if (is_asked && !detail::has_own_number(choice.value)) methods.push_back(choice.value);
  }
  return methods;
}

bool asks_for_default(const CompareOptions& options) {
  return options.methods.empty() ||
         std::ranges::find(options.methods, Competitor::default_answer) != options.methods.end();
}

/// What a row is about, and the sets it is judged by.
struct Entry {
  CompareRow row;
  std::vector<std::vector<Index>> sets;
};

Entry entry_of(Competitor competitor, Size size, detail::KeptSets kept) {
  Entry entry;
  entry.row.competitor = competitor;
  entry.row.share = size.share;
  entry.row.n_kept = size.count;
  entry.row.reason = std::move(kept.reason);
  entry.sets = std::move(kept.sets);
  return entry;
}

/// Tells how far the two halves of the work are: choosing features, then judging them.
class Progress {
 public:
  Progress(const RunContext& run, std::size_t total)
      : run_(run), total_(static_cast<double>(total)) {}
  void step() {
    detail::check_stop(run_);
    if (run_.progress) run_.progress("compare", ++done_, total_);
  }

 private:
  const RunContext& run_;
  double total_;
  double done_ = 0;
};

/// The answers that have a number of features of their own.
std::vector<Entry> reference_entries(const Dataset& dataset, const UnitFeatures& centred,
                                     const std::vector<Index>& regular,
                                     const CompareOptions& options, const RunContext& run) {
  std::vector<Entry> entries;
  const Size every{static_cast<Index>(regular.size()), 1.0};
  entries.push_back(entry_of(Competitor::all, every, {{regular}, {}}));
  if (!asks_for_default(options)) return entries;
  detail::KeptSets kept = detail::kept_by_default(dataset, centred, run);
  Size size{0, 0};
  if (!kept.sets.empty()) {
    size.count = static_cast<Index>(kept.sets.front().size());
    size.share = size.count / static_cast<double>(every.count);
  }
  entries.push_back(entry_of(Competitor::default_answer, size, std::move(kept)));
  return entries;
}

/// What every method keeps at every size, by size, then by method.
std::vector<Entry> method_entries(const detail::Contest& contest, const std::vector<Size>& sizes,
                                  const std::vector<Competitor>& methods, Progress& progress,
                                  StageSeconds& seconds) {
  detail::PairCorrelations pairs(contest.centred, contest.regular);
  std::vector<std::vector<detail::KeptSets>> kept;
  detail::Stopwatch watch(seconds);
  for (const Competitor method : methods) {
    kept.push_back(contest.counts.empty() ? std::vector<detail::KeptSets>{}
                                          : kept_sets(method, contest, pairs));
    watch.stage_done(choice_name(method));
    progress.step();
  }
  std::vector<Entry> entries;
  const std::size_t n_too_many = sizes.size() - contest.counts.size();
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      detail::KeptSets none{{}, fmt::format("only {} features vary", contest.regular.size())};
      entries.push_back(entry_of(methods[m], sizes[s],
                                 s < n_too_many ? none : std::move(kept[m][s - n_too_many])));
    }
  }
  return entries;
}

/// Ranks among the methods that keep as many features.
void rank_rows(std::vector<CompareRow>& rows) {
  const auto is_ranked = [](const CompareRow& row) {
    return row.reached && !detail::has_own_number(row.competitor);
  };
  for (CompareRow& row : rows) {
    if (!is_ranked(row)) continue;
    row.rank = 1;
    for (const CompareRow& other : rows) {
      const bool is_better =
          is_ranked(other) && other.n_kept == row.n_kept && other.score > row.score + kSameScore;
      row.rank += is_better ? 1 : 0;
    }
  }
}

}  // namespace

void check(const CompareOptions& options) {
  check_fields(options);
}

CompareResult compare(const Dataset& dataset, const CompareOptions& options,
                      const RunContext& run) {
  check(options);
  require_comparable(dataset);
  const UnitFeatures centred = normalise(dataset.matrix, {Centering::mean}, run);
  const std::vector<Index> regular = regular_features(centred);
  const std::vector<Size> sizes = sizes_of(options, regular.size());
  const std::vector<Competitor> methods = methods_of(options);
  std::vector<Index> counts;
  for (const Size& size : sizes) {
    if (size.count <= static_cast<Index>(regular.size())) counts.push_back(size.count);
  }
  RunContext quiet =
      detail::while_holding(centred.matrix, detail::while_holding(dataset.matrix, run));
  quiet.progress = nullptr;

  const std::size_t n_judged = 2 + methods.size() * sizes.size();
  Progress progress(run, methods.size() + n_judged);
  const detail::Judge judge(dataset, centred, regular, options, quiet);
  std::vector<Entry> entries = reference_entries(dataset, centred, regular, options, quiet);
  const detail::Contest contest{dataset, centred, regular, counts, options.n_random, quiet};
  CompareResult result;
  for (Entry& entry : method_entries(contest, sizes, methods, progress, result.selection_seconds)) {
    entries.push_back(std::move(entry));
  }

  result.source = dataset.source;
  result.n_samples = n_samples(dataset.matrix);
  result.n_features = n_features(dataset.matrix);
  result.n_regular = static_cast<Index>(regular.size());
  result.labels_note = judge.labels_note();
  if (judge.has_classes()) {
    result.n_classes = static_cast<Index>(judge.classes().names.size());
    result.n_classified = static_cast<Index>(judge.classes().samples.size());
  }
  for (Entry& entry : entries) {
    if (!entry.sets.empty()) judge.measure(entry.sets, entry.row);
    result.rows.push_back(std::move(entry.row));
    progress.step();
  }
  result.nmi_all = result.rows.front().nmi;
  result.acc_all = result.rows.front().acc;
  rank_rows(result.rows);
  return result;
}

}  // namespace sfg
