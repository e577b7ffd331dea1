#include "stages.hpp"

#include <pybind11/stl.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "background.hpp"
#include "convert.hpp"
#include "method_words.hpp"
#include "results.hpp"
#include "sfg/sfg.hpp"

namespace sfg::python {

namespace {

SelectOptions select_options(const Words& words) {
  SelectOptions options;
  if (words.get<bool>("paper")) options = paper_selection({});
  options.method = choice_from_name<SelectMethod>(words.get<std::string>("method"), "method");
  options.sizes = {words.get<Index>("n_features")};
  words.set("n_neighbors", options.n_neighbors);
  words.set("n_responses", options.n_responses);
  words.set("ridge", options.ridge);
  words.set("alpha", options.fsasl.alpha);
  words.set("beta", options.fsasl.beta);
  words.set("gamma", options.fsasl.gamma);
  words.set("max_iter", options.fsasl.max_iter);
  words.set("tol", options.fsasl.tol);
  check(options);
  return options;
}

SpectralOptions spectral_options(const Words& words) {
  const auto n_clusters = words.get<Index>("n_clusters");
  SpectralOptions options =
      words.get<bool>("paper") ? paper_spectral_options(n_clusters) : SpectralOptions{};
  options.n_clusters = n_clusters;
  if (words.has("affinity")) {
    options.affinity.kind = choice_from_name<AffinityKind>(words.get<std::string>("affinity"), "affinity");
  }
  words.set("n_neighbors", options.affinity.n_neighbors);
  words.set("n_init", options.kmeans.n_init);
  words.set("max_iter", options.kmeans.max_iter);
  check(options);
  return options;
}

/// Data as the clustering takes them. Only here is the caller's matrix copied, as `scale` says.
Matrix prepared(const Matrix& data, const std::string& scale, const RunContext& run) {
  if (scale == "tfidf") return tfidf(data, run);
  if (scale == "unit") return normalise(data, {}, run).matrix;
  throw Error(ErrorCode::invalid_option,
              "scale must be 'unit', 'tfidf' or None, not '" + scale + "'");
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
  table["r2cv_mean"] = column_of<Figure>(rows, if_reached(&Row::r2cv_mean));
  table["r2cv_q10"] = column_of<Figure>(rows, if_reached(&Row::r2cv_q10));
  table["mean_r2"] = column_of<Figure>(rows, if_reached(&Row::mean_r2));
  table["neighbour_overlap"] = column_of<Figure>(rows, if_reached(&Row::neighbour_overlap));
  table["nmi"] = column_of<Figure>(rows, &Row::nmi);
  table["nmi_sd"] = column_of<Figure>(rows, &Row::nmi_sd);
  table["acc"] = column_of<Figure>(rows, &Row::acc);
  table["acc_sd"] = column_of<Figure>(rows, &Row::acc_sd);
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

}  // namespace

py::dict sweep_data(const py::object& data, std::vector<std::string> names,
                    const std::vector<double>& thetas, const py::dict& words, const py::dict& run,
                    const py::object& progress) {
  const MethodOptions options = method_options(Words(words));
  for (const double theta : thetas) check_theta(theta);
  const Dataset dataset = borrow_dataset(data, std::move(names));
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

py::dict select_data(const py::object& data, const py::dict& words, const py::dict& run,
                     const py::object& progress) {
  const SelectOptions options = select_options(Words(words));
  const Matrix matrix = borrow_matrix(data);
  SelectResult found = compute(run, progress, [&](const RunContext& how) {
    RunContext run_with_data = how;
    run_with_data.memory_held += memory_of(matrix);
    return select_best(normalise(matrix, {}, how), options, run_with_data);
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
  return result;
}

py::dict cluster_data(const py::object& data, const py::dict& words, const py::dict& run,
                      const py::object& progress) {
  const Words given(words);
  const SpectralOptions options = spectral_options(given);
  const bool as_it_is = !given.has("scale");
  const std::string scale = as_it_is ? "" : given.get<std::string>("scale");
  const Matrix matrix = borrow_matrix(data);
  SpectralResult found = compute(run, progress, [&](const RunContext& how) {
    if (as_it_is) return spectral_clustering(matrix, options, how);
    return spectral_clustering(prepared(matrix, scale, how), options, how);
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

py::dict compare_data(const py::object& data, const py::object& labels, const py::dict& words,
                      const py::dict& run, const py::object& progress) {
  const Words given(words);
  CompareOptions options;
  given.set("shares", options.shares);
  given.set("n_random", options.n_random);
  given.set("n_seeds", options.n_seeds);
  given.set("n_certified", options.n_certified);
  given.set("text", options.text);
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
  result["rows"] = rows_of(found);
  result["differences"] = differences_of(paired_differences({found}));
  return result;
}

void write_report(const py::object& data, std::vector<std::string> names, const py::object& labels,
                  const py::dict& words, const py::dict& page, const py::dict& run,
                  const py::object& progress, const std::string& path) {
  const Words given(page);
  ReportOptions options;
  options.method = method_options(Words(words));
  given.set("title", options.title);
  given.set("created", options.created);
  if (given.has("image")) {
    const auto [height, width] = given.get<std::pair<Index, Index>>("image");
    options.image = ImageShape{height, width, PixelOrder::rows};
  }
  Dataset dataset = borrow_dataset(data, std::move(names));
  if (!labels.is_none()) {
    dataset.labels = Labels{"y", labels.cast<std::vector<std::string>>()};
    options.scores = usual_scores(options.method);
    given.set("n_seeds", options.scores->n_seeds);
    if (given.get<bool>("text")) use_text_weighting(*options.scores);
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

py::dict read_data(const std::string& path, const py::dict& words, const py::dict& run) {
  const Words given(words);
  ReadOptions options;
  if (given.has("format")) options.format = choice_from_name<Format>(given.get<std::string>("format"), "format");
  given.set("features_in_rows", options.features_in_rows);
  given.set("labels", options.labels);
  given.set("variable", options.variable);
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
  return result;
}

}  // namespace sfg::python
