#include <fmt/format.h>

#include "reduce_output.hpp"

namespace sfg::cli {

namespace {

const char* what_it_is(PlantedKind kind) {
  switch (kind) {
    case PlantedKind::independent:
      return "independent features";
    case PlantedKind::copy:
      return "exact copies";
    case PlantedKind::scaled:
      return "scaled copies";
    case PlantedKind::negated:
      return "negated copies";
    case PlantedKind::noisy:
      return "noisy copies";
    case PlantedKind::combination:
      return "sums of 2 to 5 others";
    case PlantedKind::irrelevant:
      return "irrelevant noise";
    case PlantedKind::constant:
      return "constant columns";
    case PlantedKind::empty:
      return "empty columns";
  }
  return "";
}

const PlantedOutcome* outcome_of(const TruthReport& report, PlantedKind kind) {
  for (const auto& outcome : report.outcomes) {
    if (outcome.kind == kind) return &outcome;
  }
  return nullptr;
}

}  // namespace

std::string truth_summary(const TruthReport& report) {
  Table table({"planted", "number", "kept", "removed", "lowest r2 with its substitute"});
  for (const PlantedOutcome& outcome : report.outcomes) {
    table.add({what_it_is(outcome.kind), with_commas(outcome.planted), with_commas(outcome.kept),
               with_commas(outcome.removed),
               outcome.removed > 0 && outcome.kind != PlantedKind::empty
                   ? fmt::format("{:.4f}", outcome.lowest_r2)
                   : ""});
  }
  std::string text = "Planted and found\n" + table.text("  ") + "\n";
  text += fmt::format(
      "  Of a feature and its copies one stays, whichever goes best with the others: of {} such\n"
      "  families {} keep exactly one member, {} keep none.\n",
      with_commas(report.families), with_commas(report.families_with_one_kept),
      with_commas(report.families_merged));
  Index lost = 0;
  for (const auto& outcome : report.outcomes) lost += outcome.lost;
  const auto* combinations = outcome_of(report, PlantedKind::combination);
  if (combinations != nullptr) {
    text += fmt::format(
        "  {} sums of others: {} removed, {} kept; for {} of them all parts are still there.\n",
        with_commas(combinations->planted), with_commas(combinations->removed),
        with_commas(combinations->kept), with_commas(report.combinations_with_all_parts));
  }
  if (lost > 0) {
    text += fmt::format(
        "  {} removed features are lost: neither a copy of them nor all their parts are kept.\n"
        "  --unshared keep keeps what shares nothing with the others, --certify 0.8 what cannot "
        "be\n"
        "  predicted.\n",
        with_commas(lost));
  } else {
    text += "  Nothing is lost: of each removed feature a copy, or all parts, are kept.\n";
  }
  return text + "\n";
}

}  // namespace sfg::cli
