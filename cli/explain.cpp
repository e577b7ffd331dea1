#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kExplainDescription =
    "Why was a feature removed or kept?\n\n"
    "Examples:\n"
    "  sfg explain out.model.json GENE7\n"
    "  sfg explain out.model.json '#17' --json   by number, counted from 0\n"
    "  sfg explain data.csv GENE7 --theta 0.3    reduces first, as 'sfg reduce' would";

struct ExplainCommand {
  CommonOptions common;
  InputOptions input;
  MethodArguments method;
  std::string feature;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] Model model(const RunContext& run, Console& console) const;
};

Model ExplainCommand::model(const RunContext& run, Console& console) const {
  if (std::filesystem::path(input.path).extension() == ".json")
    return load_model(input.path, common.reading(run));
  method.note_old_spellings(console);
  MethodOptions options = method.options();
  const Dataset dataset =
      input.read(method.reading(input.read_options()), common.reading(run), console);
  method.read_lists(options, dataset.feature_names, common.reading(run));
  MethodResult result = reduce(dataset, options, run);
  Model made{dataset.feature_names, dataset.name_source, std::move(result.reduction),
             result.graph.description};
  made.transform = options.transform;
  if (dataset.batch) made.batch = dataset.batch->name;
  return made;
}

/// At most a dozen members by name.
std::string members_text(const Explanation& explanation, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, explanation.group.size()); ++k) {
    text += (k == 0 ? "" : ", ") + escaped(names[explanation.group[k]]);
  }
  if (explanation.group.size() > kShown) text += ", ...";
  return text;
}

std::string why_removed(const Explanation& explanation, const std::vector<std::string>& names) {
  const auto name = [&](Index feature) { return escaped(names[feature]); };
  switch (explanation.reason) {
    case RemovalReason::exact:
      return "removed, it is an exact sum of other features\n";
    case RemovalReason::unshared:
      return "removed, it shares nothing with the other features: noise, or unique\n"
             "  (--unshared keep keeps such features)\n";
    default:
      break;
  }
  std::string text = fmt::format("removed, {} is kept instead (r2 {:.4f})\n",
                                 name(explanation.representative), explanation.r2);
  if (explanation.best_kept >= 0 && explanation.best_kept != explanation.representative) {
    text += fmt::format("  the nearest kept feature is {} (r2 {:.4f})\n",
                        name(explanation.best_kept), explanation.best_kept_r2);
  }
  return text;
}

std::string stand_in_text(const Explanation& explanation, const std::vector<std::string>& names) {
  const StandIn& one = *explanation.stand_in;
  std::string text = fmt::format("  if you cannot measure {}, take {}: r2 {:.3f}\n",
                                 escaped(names[one.kept]), escaped(names[one.feature]), one.r2);
  if (explanation.group.size() > 2) {
    text += fmt::format("  (mean r2 of the rest of the group: {:.3f} with it, {:.3f} with {})\n",
                        one.mean_r2_instead, one.mean_r2, escaped(names[one.kept]));
  }
  return text;
}

std::string summary(const Explanation& explanation, const std::vector<std::string>& names) {
  const auto name = [&](Index feature) { return escaped(names[feature]); };
  std::string text = name(explanation.feature) + ": ";
  switch (explanation.role) {
    case Explanation::Role::removed:
      text += why_removed(explanation, names);
      if (explanation.held_out_r2) {
        text += fmt::format("  the kept features predict {:.1f} % of it on samples held out\n",
                            100 * std::max(0.0, *explanation.held_out_r2));
      }
      if (explanation.reason != RemovalReason::unshared) {
        const auto terms = on_scale(names, explanation.transform);
        text += explanation.certificate == CertificateKind::exact
                    ? fmt::format("  {} = {}\n", escaped(terms[explanation.feature]),
                                  exact_text(explanation.combination, terms))
                    : fmt::format("  {} explains {:.1f} % of it (in sample)\n",
                                  combination_text(explanation.combination, terms),
                                  100 * explanation.combination.r2);
      }
      break;
    case Explanation::Role::empty:
      text += "removed, it has no direction (all zero, or constant in centred data)\n";
      break;
    case Explanation::Role::representative:
      text += fmt::format(
          "kept, it stands for {}\n",
          counted(static_cast<std::int64_t>(explanation.group.size()) - 1, "other feature"));
      if (explanation.stand_in) text += stand_in_text(explanation, names);
      break;
    case Explanation::Role::kept:
      text += "kept, no other feature stands for it, and it stands for no other\n";
      break;
  }
  if (explanation.group.size() > 1) {
    text += fmt::format("  group of {}: {}\n", explanation.group.size(),
                        members_text(explanation, names));
  }
  return text;
}

void ExplainCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const Model known = model(run, console);
  const Explanation explanation = sfg::explain(known, feature);
  std::string text = summary(explanation, known.feature_names);
  if (!known.batch.empty()) {
    text += fmt::format("  (within batches of '{}': a constant differs from one to the other)\n",
                        escaped(known.batch));
  }
  console.print(text);
  nlohmann::ordered_json document = document_head("explain");
  document.update(explanation_json(explanation, known.feature_names));
  console.print_json(document);
}

void ExplainCommand::add_arguments(CLI::App& command) {
  command.add_option("input", input.path, "Model (.model.json) or data file")
      ->required()
      ->option_text("INPUT|MODEL");
  command.add_option("feature", feature, "Name of the feature, or #NUMBER counted from 0")
      ->required()
      ->option_text("FEATURE");
  input.add_reading_options_to(command);
  input.add_method_input_to(command);
  method.add_to(command, MethodPart::groups);
  method.add_batches_to(command);
  method.add_target_to(command);
}

}  // namespace

void add_explain(Program& program) {
  add_command<ExplainCommand>(program, "explain", kExplainDescription);
}

}  // namespace sfg::cli
