#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sfg/baseline.hpp"
#include "sfg/dataset.hpp"
#include "sfg/error.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/reduce.hpp"
#include "sfg/transform.hpp"

namespace sfg {

/// A reduction that can be saved, looked into and applied to new data.
struct Model {
  std::vector<std::string> feature_names;  ///< of the data that it was made from
  NameSource name_source = NameSource::generated;
  Reduction reduction;
  std::string description;  ///< how it was made, for people
  /// What was done about missing values of those data.
  Missing missing = Missing::refuse;
  /// What missing values of new data are filled with, one per kept feature. Models of earlier
  /// versions have none.
  FillValues fill = {};
  /// The scale that its combinations are of. Columns are copied as they are.
  Transform transform = Transform::none;
  /// What was normal in those data, for check_drift(). Models of version 1 have none.
  Baseline baseline = {};
  /// What its combinations hold within the batches of, each with a constant of its own; "": they
  /// hold for all samples.
  std::string batch = {};
};

/// Version of the model file; files of a later version are refused, those of every earlier one
/// read. 2: baseline.
inline constexpr int kModelSchemaVersion = 2;

/// The model as a JSON document, numbers with every digit.
[[nodiscard]] std::string model_to_json(const Model& model);
/// Reads a model file. Throws cannot_read, malformed_input, inconsistent_input (a later version).
[[nodiscard]] Model load_model(const std::filesystem::path& path, const RunContext& run = {});

/// The same from the contents of such a file; errors speak of `name`.
[[nodiscard]] Model model_from_text(std::string_view text, const std::string& name);

/// The kept features of new data, in the model's order. Features are matched by name, in whatever
/// order they come, further ones are left out; data without names must have as many features as the
/// model, in its order. Missing values stay as they are. Throws inconsistent_input with the names
/// that are missing.
[[nodiscard]] Dataset apply_model(const Model& model, const Dataset& dataset);

/// Treats missing values of what apply_model() gave. mean and median are those of the data that the
/// model was made from. Throws as resolve_missing() does, invalid_option for drop_feature, which
/// would take away what the model keeps, and inconsistent_input where the model has no such values.
MissingReport resolve_missing(const Model& model, Dataset& applied, Missing policy);

/// What became of one feature.
struct Explanation {
  enum class Role { kept, representative, removed, empty };
  Index feature = -1;
  Role role = Role::kept;
  Index representative = -1;                               ///< -1: no group stands for it
  std::vector<Index> group;                                ///< all members
  double r2 = 1;                                           ///< with the representative
  std::optional<double> held_out_r2;                       ///< removed features that were certified
  Combination combination;                                 ///< removed features only
  Transform transform = Transform::none;                   ///< the scale of the combination
  RemovalReason reason = RemovalReason::redundant;         ///< removed features only
  CertificateKind certificate = CertificateKind::untried;  ///< removed features only
  Index best_kept = -1;                                    ///< removed features only; -1: none
  double best_kept_r2 = 0;
  std::optional<StandIn> stand_in;  ///< kept features that stand for others only
};

template <>
inline constexpr auto kChoices<Explanation::Role> = std::array{
    Choice{Explanation::Role::kept, "kept", "alone in its group"},
    Choice{Explanation::Role::representative, "representative"},
    Choice{Explanation::Role::removed, "removed"}, Choice{Explanation::Role::empty, "empty"}};

/// By name, or by number ("#17", counted from 0). Throws inconsistent_input for an unknown feature,
/// with the nearest names.
[[nodiscard]] Explanation explain(const Model& model, const std::string& feature);

/// The same as lines for people, with options as the caller's users write them.
[[nodiscard]] std::string explanation_text(const Model& model, const Explanation& explanation,
                                           const FieldSpelling& spelling);

}  // namespace sfg
