#include "stages.hpp"
#include "errors.hpp"

#include <pybind11/stl.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "background.hpp"
#include "convert.hpp"
#include "option_dict.hpp"
#include "results.hpp"
#include "sfg/sfg.hpp"

namespace sfg::python {

namespace {

SelectOptions select_options(const py::dict& options) {
  OptionDict given(options);
  const bool paper = given.get<bool>("paper");
  const SelectOptions read = given.read(paper ? paper_selection({}) : SelectOptions{});
  check(read);
  return read;
}

ClusterOptions cluster_options(const py::dict& options) {
  OptionDict given(options);
  ClusterOptions usual;
  if (given.get<bool>("paper")) usual.spectral = paper_spectral_options(1);
  const ClusterOptions read = given.read(usual);
  check(read);
  return read;
}

template <typename Value, typename Row, typename Member>
py::list column_of(const std::vector<Row>& rows, Member member) {
  py::list column;
  for (const Row& row : rows) column.append(py::cast(Value(std::invoke(member, row))));
  return column;
}

py::dict rows_of(const CompareResult& result) {
  using Row = CompareRow;
  using Figure = std::optional<double>;
  const auto& rows = result.rows;
  const auto if_reached = [](double Row::*figure) {
    return [figure](const Row& row) { return row.reached ? Figure(row.*figure) : std::nullopt; };
  };
  py::dict table;
  table["competitor"] =
      column_of<std::string>(rows, [](const Row& row) { return choice_name(row.competitor); });
  table["share"] = column_of<double>(rows, &Row::share);
  table["n_kept"] = column_of<Index>(rows, &Row::n_kept);
  table["reached"] = column_of<bool>(rows, &Row::reached);
  table["rank"] = column_of<int>(rows, &Row::rank);
  table["score"] = column_of<Figure>(rows, if_reached(&Row::score));
  table["accuracy"] = column_of<Figure>(rows, &Row::accuracy);
  table["accuracy_1nn"] = column_of<Figure>(rows, &Row::accuracy_1nn);
  table["accuracy_5nn"] = column_of<Figure>(rows, &Row::accuracy_5nn);
  table["accuracy_linear"] = column_of<Figure>(rows, &Row::accuracy_linear);
  table["nmi_mean"] = column_of<Figure>(rows, &Row::nmi_mean);
  table["nmi"] = column_of<Figure>(rows, &Row::nmi);
  table["nmi_std"] = column_of<Figure>(rows, &Row::nmi_std);
  table["acc"] = column_of<Figure>(rows, &Row::acc);
  table["acc_std"] = column_of<Figure>(rows, &Row::acc_std);
  table["nmi_kmeans"] = column_of<Figure>(rows, &Row::nmi_kmeans);
  table["acc_kmeans"] = column_of<Figure>(rows, &Row::acc_kmeans);
  table["neighbour_overlap"] = column_of<Figure>(rows, if_reached(&Row::neighbour_overlap));
  table["mean_best_r2"] = column_of<Figure>(rows, if_reached(&Row::mean_best_r2));
  table["redundancy"] = column_of<Figure>(rows, if_reached(&Row::redundancy));
  table["r2cv_mean"] = column_of<Figure>(rows, if_reached(&Row::r2cv_mean));
  table["r2cv_q10"] = column_of<Figure>(rows, if_reached(&Row::r2cv_q10));
  table["reason"] = column_of<std::string>(rows, &Row::reason);
  return table;
}

py::dict differences_of(const std::vector<PairedDifference>& rows) {
  using Row = PairedDifference;
  py::dict table;
  table["first"] =
      column_of<std::string>(rows, [](const Row& row) { return choice_name(row.first); });
  table["second"] =
      column_of<std::string>(rows, [](const Row& row) { return choice_name(row.second); });
  table["measure"] = column_of<std::string>(rows, &Row::measure);
  table["n_pairs"] = column_of<Index>(rows, &Row::n_pairs);
  table["mean"] = column_of<double>(rows, &Row::mean);
  table["error"] = column_of<double>(rows, &Row::error);
  table["n_higher"] = column_of<Index>(rows, &Row::n_higher);
  table["n_lower"] = column_of<Index>(rows, &Row::n_lower);
  return table;
}

py::dict agreement_of(const SetAgreement& agreement) {
  py::dict result;
  result["jaccard"] = agreement.jaccard;
  result["jaccard_apart"] = agreement.jaccard_apart;
  result["index"] = agreement.index;
  result["low"] = agreement.low;
  result["high"] = agreement.high;
  return result;
}

py::dict features_of(const std::vector<FeatureStability>& features) {
  using F = FeatureStability;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  py::dict table;
  table["index"] = array_of_each<Index>(features, [](const F& one) { return one.feature; });
  table["kept"] = column_of<bool>(features, &F::is_kept);
  table["stable"] = column_of<bool>(features, &F::is_stable);
  table["kept_share"] =
      array_of_each<double>(features, [](const F& one) { return one.kept_share; });
  table["family_share"] =
      array_of_each<double>(features, [](const F& one) { return one.family_share; });
  table["family_chance"] =
      array_of_each<double>(features, [](const F& one) { return one.family_chance; });
  table["representative"] =
      array_of_each<Index>(features, [](const F& one) { return one.representative; });
  table["group_size"] = array_of_each<Index>(features, [](const F& one) { return one.group_size; });
  table["group_stability"] = array_of_each<double>(
      features, [](const F& one) { return one.representative >= 0 ? one.group_stability : kNone; });
  table["pairs_together"] = array_of_each<double>(
      features, [](const F& one) { return one.group_size > 1 ? one.pairs_together : kNone; });
  return table;
}

}  // namespace

py::dict sweep_data(const py::object& data, std::vector<std::string> names, const py::object& batch,
                    const std::vector<double>& thetas, const py::dict& given, const py::dict& run,
                    const py::object& progress) {
  const MethodOptions options = method_options(given);
  check_fields(SweepOptions{thetas});
  const Dataset dataset = borrow_dataset(data, std::move(names), batch);
  const auto levels = compute(run, progress, [&](const RunContext& how) {
    const MethodResult made = make_graph(dataset, options, how);
    return sweep(made.graph, thetas, &dataset, options, how);
  });
  py::dict table;
  table["theta"] = column_of<double>(levels, &SweepLevel::theta);
  table["threshold"] = column_of<double>(levels, &SweepLevel::threshold);
  table["n_kept"] = column_of<Index>(levels, &SweepLevel::n_kept);
  table["largest_group"] = column_of<Index>(levels, &SweepLevel::largest_group);
  table["mean_r2"] = column_of<std::optional<double>>(levels, &SweepLevel::mean_r2);
  return table;
}

py::dict sweep_levels_data(const py::object& data, std::vector<std::string> names,
                           const py::object& batch, const py::dict& given, const py::dict& run,
                           const py::object& progress) {
  const MethodOptions options = method_options(given);
  const Dataset dataset = borrow_dataset(data, std::move(names), batch);
  return levels_tried(compute(
      run, progress, [&](const RunContext& how) { return sweep_levels(dataset, options, how); }));
}

py::dict predict_data(const py::object& data, const py::object& batch, const py::dict& run,
                      const py::object& progress) {
  const Index d = n_features(borrow_matrix(data));
  const Dataset dataset = borrow_dataset(data, generated_names(d), batch);
  Predictability found = compute(run, progress, [&](const RunContext& how) {
    return predictability(comparable_features(dataset, {}, how), how);
  });
  py::dict result;
  result["r2"] = array_of(std::move(found.r2));
  result["ridge"] = found.ridge;
  return result;
}

py::dict select_data(const py::object& data, const py::object& labels, const py::dict& given,
                     const py::dict& run, const py::object& progress) {
  const SelectOptions options = select_options(given);
  const Matrix matrix = borrow_matrix(data);
  std::optional<Target> target;
  if (!labels.is_none()) {
    target = read_target({"y", labels.cast<std::vector<std::string>>()}, n_samples(matrix));
  }
  SelectResult found = compute(run, progress, [&](const RunContext& how) {
    RunContext run_with_data = how;
    run_with_data.memory_held += memory_of(matrix);
    const UnitFeatures features = normalise(matrix, {}, how);
    return target ? select_best(features, *target, options, run_with_data)
                  : select_best(features, options, run_with_data);
  });
  py::dict result;
  result["status"] = choice_name(found.status);
  result["largest_first"] = found.order == ScoreOrder::largest_first;
  result["scores"] = array_of(std::move(found.scores));
  auto& selection = found.selections.front();
  result["features"] =
      selection ? py::object(array_of(std::move(selection->features))) : py::none();
  result["n_neighbors"] = found.n_neighbors;
  result["n_responses"] = found.n_responses;
  result["objective"] = array_of(std::move(found.objective));
  result["labels_note"] = found.labels_note;
  py::dict removed;
  removed["feature"] = column_of<Index>(found.removed, &Superseded::feature);
  removed["by"] = column_of<Index>(found.removed, &Superseded::by);
  removed["between"] = column_of<double>(found.removed, &Superseded::between);
  removed["relevance"] = column_of<double>(found.removed, &Superseded::relevance);
  result["removed"] = removed;
  return result;
}

py::dict cluster_data(const py::object& data, const py::dict& dict, const py::dict& run,
                      const py::object& progress) {
  const ClusterOptions options = cluster_options(dict);
  const Matrix matrix = borrow_matrix(data);
  SpectralResult found = compute(run, progress, [&](const RunContext& how) {
    // Only what is scaled is copied.
    if (options.scale == SampleScale::none) {
      return spectral_clustering(matrix, options.spectral, how);
    }
    return spectral_clustering(scaled(matrix, options.scale, how), options.spectral, how);
  });
  py::dict result;
  result["labels"] = array_of(std::move(found.labels));
  result["n_clusters"] = found.clusters.n_clusters;
  result["objective"] = found.clusters.objective;
  result["n_iter"] = found.clusters.n_iterations;
  result["kmeans_converged"] = found.clusters.converged;
  result["embedding"] = array_of(std::move(found.embedding.points));
  result["eigenvalues"] = array_of(std::move(found.embedding.eigenvalues));
  result["eigen_converged"] = found.embedding.status == EigenStatus::converged;
  result["eigen_residual"] = found.embedding.residual;
  result["sigma"] = found.embedding.sigma;
  result["n_components"] = found.embedding.n_components;
  result["n_isolated"] = found.embedding.n_isolated;
  result["seconds"] = seconds_of(found.seconds);
  return result;
}

py::dict compare_data(const py::object& data, const py::object& labels, const py::dict& given,
                      const py::dict& run, const py::object& progress) {
  const auto options = OptionDict(given).read<CompareOptions>();
  check(options);
  const Matrix matrix = borrow_matrix(data);
  Dataset dataset = borrow_dataset(data, generated_names(n_features(matrix)));
  if (!labels.is_none()) {
    dataset.labels = Labels{"y", labels.cast<std::vector<std::string>>()};
  }
  const CompareResult found =
      compute(run, progress, [&](const RunContext& how) { return compare(dataset, options, how); });
  py::dict result;
  result["nmi_all"] = found.nmi_all;
  result["acc_all"] = found.acc_all;
  result["verdict"] = verdict({found});
  result["rows"] = rows_of(found);
  result["differences"] = differences_of(paired_differences({found}));
  return result;
}

py::dict stability_data(const py::object& data, std::vector<std::string> names,
                        const py::object& target, const py::dict& method, const py::dict& given,
                        const py::dict& run, const py::object& progress) {
  const MethodOptions how = method_options(method);
  const auto options = OptionDict(given).read<StabilityOptions>();
  check(options, how);
  Dataset dataset = borrow_dataset(data, std::move(names));
  if (!target.is_none()) {
    dataset.labels = Labels{"y", target.cast<std::vector<std::string>>()};
  }
  StabilityResult found = compute(run, progress, [&](const RunContext& context) {
    return stability(dataset, options, how, context);
  });
  py::dict result;
  result["verdict"] = verdict(options, found);
  result["n_seen"] = found.n_seen;
  result["stable_share"] = options.stable.value_or(kUsualStable);
  result["agreement"] = agreement_of(found.kept);
  result["family_agreement"] = agreement_of(found.families);
  py::list notes;
  for (const Note& note : found.notes) notes.append(message(note, spell_parameter));
  result["notes"] = notes;
  result["features"] = features_of(found.features);
  result["n_kept"] = array_of(std::move(found.n_kept));
  result["stable"] = array_of(std::move(found.stable));
  result["kept"] = array_of(std::move(found.method.reduction.kept));
  return result;
}

py::dict classify_data(const py::object& data, const std::vector<std::string>& labels, int n_folds,
                       const py::dict& run) {
  const Matrix matrix = borrow_matrix(data);
  ClassifyOptions options;
  options.n_folds = n_folds;
  std::optional<ClassFolds> folds;
  const Classification found = compute(run, py::none(), [&](const RunContext& how) {
    folds = class_folds(labels, options, how);
    if (!folds) throw Error(ErrorCode::degenerate_data, "there are no two classes of two samples");
    const UnitFeatures centred = normalise(matrix, {Centering::mean}, how);
    return classify(centred, regular_features(centred), *folds, how);
  });
  py::dict result;
  result["names"] = folds->names;
  result["samples"] = folds->samples;
  result["classes"] = folds->classes;
  result["folds"] = folds->folds;
  result["nearest_1"] = found.nearest_1;
  result["nearest_5"] = found.nearest_5;
  result["linear"] = found.linear;
  return result;
}

void write_report(const py::object& data, std::vector<std::string> names, const py::object& labels,
                  const py::dict& method, const py::dict& page, const py::dict& run,
                  const py::object& progress, const std::string& path) {
  OptionDict given(page);
  auto options = given.read<ReportOptions>();
  options.method = method_options(method);
  options.other =
      std::visit([&](auto other) { return GroupingOptions(OptionDict(method).read(other)); },
                 other_grouping(options.method.grouping));
  options.created = given.get<std::string>("created");
  Dataset dataset = borrow_dataset(data, std::move(names));
  if (!labels.is_none()) {
    dataset.labels = Labels{"y", labels.cast<std::vector<std::string>>()};
  }
  check(options);
  OutputFiles files(Existing::replace);
  const Report report = compute(
      run, progress, [&](const RunContext& how) { return make_report(dataset, options, how); });
  files.add_text(path, report.html);
  files.commit();
}

std::pair<double, double> score_data(const std::vector<Index>& a, const std::vector<Index>& b) {
  const LabelScores scores = score_labels(std::span<const Index>(a), std::span<const Index>(b));
  return {scores.nmi, scores.acc};
}

py::dict read_data(const std::string& path, const py::dict& given, const py::dict& run) {
  const auto options = OptionDict(given).read<ReadOptions>();
  Dataset dataset = compute(
      run, py::none(), [&](const RunContext& how) { return read_dataset(path, options, how); });
  py::dict result;
  if (auto* dense = std::get_if<DenseMatrix>(&dataset.matrix)) {
    result["data"] = array_of(std::move(*dense));
  } else {
    result["data"] = csc_of(std::move(std::get<SparseMatrix>(dataset.matrix)));
  }
  result["feature_names"] = py::cast(dataset.feature_names);
  result["sample_names"] = py::cast(dataset.sample_names);
  result["labels"] = dataset.labels ? py::cast(dataset.labels->values) : py::none();
  py::dict texts;
  for (const TextColumn& column : dataset.texts) texts[py::str(column.name)] = column.values;
  result["texts"] = texts;
  py::list notes;
  for (const Note& note : dataset.notes) notes.append(message(note, spell_parameter));
  result["notes"] = notes;
  return result;
}

}  // namespace sfg::python
