// Model files: JSON, versioned, checked entry by entry when read.
#include "sfg/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/file_memory.hpp"
#include "io/input_bytes.hpp"
#include "io/whole_number.hpp"
#include "read/readers.hpp"
#include "reduce/model_baseline.hpp"
#include "sfg/error.hpp"
#include "sfg/version.hpp"

namespace sfg {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "sfg-model";
/// Values of a JSON document take 16 bytes each, of at least two in the text, and lists may have
/// room for twice as many.
constexpr double kMemoryPerByte = 16;

json terms_to_json(const Combination& combination) {
  json terms = json::array();
  for (const Term& term : combination.terms) terms.push_back({term.feature, term.coefficient});
  return terms;
}

/// Reads values of a model file with checks; every fault names the file.
class ModelReader {
 public:
  ModelReader(std::string name, std::size_t n_features)
      : name_(std::move(name)), n_features_(n_features) {}

  [[nodiscard]] Index feature(const json& value) const {
    const auto number = detail::whole_number(value);
    check(number >= 0 && number < static_cast<std::int64_t>(n_features_),
          fmt::format("feature number {} is out of range", number));
    return static_cast<Index>(number);
  }

  [[nodiscard]] std::vector<Index> features(const json& values) const {
    std::vector<Index> result;
    for (const json& value : values) result.push_back(feature(value));
    return result;
  }

  [[nodiscard]] RemovedFeature removed(const json& value) const {
    RemovedFeature removed;
    removed.feature = feature(value.at("feature"));
    if (!value.at("representative").is_null()) {
      removed.representative = feature(value.at("representative"));
      removed.r2 = value.at("r2").get<double>();
    }
    if (const auto held_out = value.find("held_out_r2");
        held_out != value.end() && !held_out->is_null()) {
      removed.held_out_r2 = held_out->get<double>();
    }
    // Files of earlier versions do not say why: without a substitute there was no variation.
    removed.reason =
        removed.representative < 0 ? RemovalReason::no_variation : RemovalReason::redundant;
    if (const auto reason = value.find("reason"); reason != value.end()) {
      removed.reason = choice_from_name<RemovalReason>(reason->get<std::string>(), "reason");
    }
    if (const auto kind = value.find("certificate"); kind != value.end()) {
      removed.certificate =
          choice_from_name<CertificateKind>(kind->get<std::string>(), "certificate");
    }
    if (const auto best = value.find("best_kept"); best != value.end() && !best->is_null()) {
      removed.best_kept = feature(*best);
      removed.best_kept_r2 = value.at("best_kept_r2").get<double>();
    }
    const json& combination = value.at("combination");
    removed.combination.intercept = combination.at("intercept").get<double>();
    removed.combination.r2 = combination.at("r2").get<double>();
    for (const json& term : combination.at("terms")) {
      removed.combination.terms.push_back({feature(term.at(0)), term.at(1).get<double>()});
    }
    return removed;
  }

  [[nodiscard]] StandIn stand_in(const json& value) const {
    return {feature(value.at("kept")), feature(value.at("feature")), value.at("r2").get<double>(),
            value.at("mean_r2").get<double>(), value.at("mean_r2_instead").get<double>()};
  }

  /// Every feature is a member of exactly one group.
  [[nodiscard]] Groups groups(const json& values) const {
    Groups groups;
    groups.group_of.assign(n_features_, -1);
    for (const json& members : values) {
      check(!members.empty(), "a group has no members");
      for (const Index member : features(members)) {
        check(groups.group_of[member] < 0,
              fmt::format("feature number {} is in two groups", member));
        groups.group_of[member] = groups.n_groups();
        groups.members.push_back(member);
      }
      groups.starts.push_back(static_cast<Offset>(groups.members.size()));
    }
    check(groups.members.size() == n_features_, "some features are in no group");
    return groups;
  }

  void check(bool good, const std::string& fault) const {
    if (!good) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{}: {}; make the model again", name_, fault));
    }
  }

 private:
  std::string name_;
  std::size_t n_features_;
};

void check_version(const std::string& name, const json& document) {
  if (!document.is_object() || document.value("format", "") != kFormat) {
    throw Error(ErrorCode::malformed_input,
                name + ": not a model of sfg; give a .model.json file that sfg wrote");
  }
  const std::int64_t version = detail::whole_number(document.at("schema_version"));
  if (version > kModelSchemaVersion) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{}: model version {} is newer than this sfg knows ({}); use a "
                            "newer sfg",
                            name, version, kModelSchemaVersion));
  }
}

/// Models of earlier versions have none of it.
void read_missing(const ModelReader& reader, const json& document, Model& model) {
  const auto found = document.find("fill_values");
  if (found == document.end()) return;
  model.missing = choice_from_name<Missing>(document.at("missing").get<std::string>(), "missing");
  model.fill.mean = found->at("mean").get<std::vector<double>>();
  model.fill.median = found->at("median").get<std::vector<double>>();
  const std::size_t n_kept = model.reduction.kept.size();
  reader.check(model.fill.mean.size() == n_kept && model.fill.median.size() == n_kept,
               "there is not one value to fill in per kept feature");
}

Model model_from_json(const std::string& name, const json& document) {
  check_version(name, document);
  Model model;
  model.feature_names = document.at("feature_names").get<std::vector<std::string>>();
  model.name_source =
      document.at("names_from_file").get<bool>() ? NameSource::file : NameSource::generated;
  model.description = document.at("description").get<std::string>();
  const ModelReader reader(name, model.feature_names.size());
  auto& reduction = model.reduction;
  reduction.groups = reader.groups(document.at("groups"));
  reduction.representatives = reader.features(document.at("representatives"));
  reader.check(static_cast<Index>(reduction.representatives.size()) == reduction.groups.n_groups(),
               "there is not one representative per group");
  reduction.kept = reader.features(document.at("kept"));
  for (const json& value : document.at("removed"))
    reduction.removed.push_back(reader.removed(value));
  reader.check(reduction.kept.size() + reduction.removed.size() == model.feature_names.size(),
               "kept and removed features do not add up to all");
  reader.check(std::ranges::is_sorted(reduction.kept), "kept features are not in order");
  // Models of earlier versions have none.
  for (const json& value : document.value("stand_ins", json::array())) {
    reduction.stand_ins.push_back(reader.stand_in(value));
  }
  reader.check(std::ranges::is_sorted(reduction.stand_ins, {}, &StandIn::kept),
               "stand-ins are not in order");
  reduction.mean_r2 = document.at("mean_r2").get<double>();
  read_missing(reader, document, model);
  model.batch = document.value("batch", "");
  // Combinations were of the values as they are before there was a choice, and are without one.
  if (const auto scale = document.find(kTransformText.name); scale != document.end()) {
    model.transform = choice_from_name<Transform>(scale->get<std::string>(), kTransformText.name);
  }
  // Since version 2.
  if (const auto baseline = document.find("baseline"); baseline != document.end()) {
    const auto check = [&](bool good, const std::string& fault) { reader.check(good, fault); };
    detail::read_baseline(*baseline, check, model);
  }
  return model;
}

}  // namespace

std::string model_to_json(const Model& model) {
  const Reduction& reduction = model.reduction;
  json groups = json::array();
  for (Index g = 0; g < reduction.groups.n_groups(); ++g) {
    const auto members = reduction.groups.members_of(g);
    groups.push_back(std::vector<Index>(members.begin(), members.end()));
  }
  json removed = json::array();
  for (const RemovedFeature& one : reduction.removed) {
    const bool replaced = one.representative >= 0;
    removed.push_back({{"feature", one.feature},
                       {"representative", replaced ? json(one.representative) : json()},
                       {"r2", replaced ? json(one.r2) : json()},
                       {"held_out_r2", one.held_out_r2 ? json(*one.held_out_r2) : json()},
                       {"reason", choice_name(one.reason)},
                       {"certificate", choice_name(one.certificate)},
                       {"best_kept", one.best_kept >= 0 ? json(one.best_kept) : json()},
                       {"best_kept_r2", one.best_kept >= 0 ? json(one.best_kept_r2) : json()},
                       {"combination",
                        {{"terms", terms_to_json(one.combination)},
                         {"intercept", one.combination.intercept},
                         {"r2", one.combination.r2}}}});
  }
  json stand_ins = json::array();
  for (const StandIn& one : reduction.stand_ins) {
    stand_ins.push_back({{"kept", one.kept},
                         {"feature", one.feature},
                         {"r2", one.r2},
                         {"mean_r2", one.mean_r2},
                         {"mean_r2_instead", one.mean_r2_instead}});
  }
  json document{{"format", kFormat},
                {"schema_version", kModelSchemaVersion},
                {"sfg_version", version()},
                {"description", model.description},
                {"names_from_file", model.name_source == NameSource::file},
                {"feature_names", model.feature_names},
                {"kept", reduction.kept},
                {"representatives", reduction.representatives},
                {"groups", groups},
                {"removed", removed},
                {"stand_ins", stand_ins},
                {"mean_r2", reduction.mean_r2}};
  if (!model.fill.mean.empty()) {
    document["missing"] = choice_name(model.missing);
    document["fill_values"] = {{"mean", model.fill.mean}, {"median", model.fill.median}};
  }
  if (!model.batch.empty()) document["batch"] = model.batch;
  if (model.transform != Transform::none) {
    document[kTransformText.name] = choice_name(model.transform);
  }
  if (model.baseline.n_samples > 0) {
    document["baseline"] = detail::baseline_to_json(model.baseline);
  }
  // Names that are not UTF-8 must not lose the run: their bad bytes are replaced.
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Model model_from_text(std::string_view text, const std::string& name) {
  try {
    return model_from_json(name, json::parse(text));
  } catch (const json::exception& fault) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: not a whole model file ({}); make the model again", name, fault.what()));
  }
}

Model load_model(const std::filesystem::path& path, const RunContext& run) {
  const detail::InputBytes input(path, run);
  const auto parse = [&](const RunContext& limited) {
    detail::check_size(input.name(), 1, 1, static_cast<double>(input.bytes().size()),
                       kMemoryPerByte, limited);
    return model_from_text(input.bytes(), input.name());
  };
  return detail::use_unchanged(
      input, [&] { return detail::use_with_file_limit(run, input.given_size(), parse); });
}

}  // namespace sfg
