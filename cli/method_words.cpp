// Words about the method: graph, groups, level, certificate.
#include <fmt/format.h>

#include "options.hpp"

namespace sfg::cli {

namespace {

const std::vector<std::string> kRules{"in-degree", "out-degree", "weighted-in-degree", "medoid",
                                      "priority"};

bool is_given(const CLI::Option* option) {
  return option != nullptr && option->count() > 0;
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_option, message);
}

}  // namespace

void GraphWords::add_to(CLI::App& command) {
  const auto group = "Graph";
  auto* center_flag = command.add_flag("--center", center,
                                       "Centre features first: cosine becomes Pearson correlation");
  center_flag->group(group);
  command.add_flag("--no-center", no_center, "Do not centre features")
      ->excludes(center_flag)
      ->group(group);
  command.add_option("--pursuit", pursuit, "omp (the paper's results) or ols (its Algorithm 1)")
      ->check(CLI::IsMember({"omp", "ols"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--epsilon", epsilon, "Stop when an atom gains less than this")
      ->capture_default_str()
      ->group(group);
  command.add_option("--max-atoms", max_atoms, "Most atoms of one representation")
      ->capture_default_str()
      ->group(group);
  max_angle_option_ =
      command.add_option("--max-angle", max_angle,
                         "The paper's filter: a representation fails above this many degrees");
  max_angle_option_->capture_default_str()->group(group);
  command
      .add_option("--permutations", permutations,
                  "Features with permuted samples to try that filter on (0: none)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  command.add_option("--engine", engine, "auto, gram, stream or sparse: same answer, other speed")
      ->check(CLI::IsMember({"auto", "gram", "stream", "sparse"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--screen", screen,
                  "Precision of the stream engine's first look: auto, int8, bf16 or f32")
      ->check(CLI::IsMember({"auto", "int8", "bf16", "f32"}))
      ->capture_default_str()
      ->group(group);
}

void GraphWords::apply_to(MethodOptions& options) const {
  if (center) options.centering = Centering::mean;
  if (no_center) options.centering = Centering::none;
  options.pursuit.method = pursuit == "ols" ? PursuitMethod::ols : PursuitMethod::omp;
  options.pursuit.epsilon = epsilon;
  options.pursuit.max_atoms = max_atoms;
  options.pursuit.engine = choice_from_name<Engine>(engine, "engine");
  options.pursuit.screen = choice_from_name<Screen>(screen, "screen");
  options.graph.max_angle = max_angle;
  options.n_permuted = permutations;
}

void GraphWords::check_fit(const MethodOptions& options) const {
  if (options.grouping != GroupingKind::components && is_given(max_angle_option_)) {
    refuse(
        "--max-angle filters the graph of the paper's groups: give --theta as well, or leave it "
        "out");
  }
}

void GroupWords::add_to(CLI::App& command) {
  const auto group = "Groups";
  command
      .add_option("--grouping", grouping,
                  "compact (default), cover (removed features can be recovered) or lcs (the "
                  "paper's, with --theta)")
      ->check(CLI::IsMember({"compact", "cover", "lcs"}))
      ->group(group);
  command
      .add_option("--graph", edges,
                  "Edges of compact groups: omp (default), ols, or knn (10 largest |r|: cheaper)")
      ->check(CLI::IsMember({"omp", "ols", "knn"}))
      ->group(group);
  theta_option_ = command.add_option(
      "--theta", theta, "The paper's groups, cut at this place of the weight range, in (0,1)");
  theta_option_->group(group);
  threshold_option_ = command.add_option("--weight-threshold", weight_threshold,
                                         "The paper's groups, cut at this weight itself");
  threshold_option_->check(CLI::NonNegativeNumber)->excludes(theta_option_)->group(group);
  mean_r2_option_ = command.add_option(
      "--min-mean-r2", min_mean_r2,
      "Reduce as far as the mean r2 of removed features with their substitutes stays above this");
  mean_r2_option_->capture_default_str()->group(group);
  n_features_option_ = command.add_option("--n-features", n_features, "Reduce to so many features");
  n_features_option_->excludes(mean_r2_option_)->group(group);
  keep_share_option_ =
      command.add_option("--keep-share", keep_share, "Reduce to this share of the features");
  keep_share_option_->excludes(mean_r2_option_)->excludes(n_features_option_)->group(group);
  command
      .add_option("--level", level,
                  "knn: reduce as far as 85 % of the samples' 10 nearest neighbours stay")
      ->check(CLI::IsMember({"knn"}))
      ->excludes(mean_r2_option_)
      ->excludes(n_features_option_)
      ->excludes(keep_share_option_)
      ->group(group);
  command
      .add_flag("--no-rescue", no_rescue,
                "Also remove features that nothing explains (r2 and held-out R2 below 0.5), as the "
                "mean alone allows")
      ->group(group);
  add_representative_to(command);
}

void GroupWords::add_representative_to(CLI::App& command) {
  const auto group = "Groups";
  command
      .add_option("--representative", representative,
                  "Who stands for a group (default: medoid; in-degree with --theta)")
      ->check(CLI::IsMember(kRules))
      ->group(group);
  command
      .add_option("--priority", priority_file, "Feature names, best first: preferred in a group")
      ->option_text("FILE")
      ->group(group);
  command.add_option("--keep", keep_file, "Feature names that must be kept")
      ->option_text("FILE")
      ->group(group);
  auto* drop = command.add_flag("--drop-empty", drop_empty,
                                "Leave out features that are all zero (or constant, if centred); "
                                "compact and cover do");
  drop->group(group);
  command.add_flag("--keep-empty", keep_empty, "Keep them; the paper's groups do")
      ->excludes(drop)
      ->group(group);
  command.add_option("--preset", preset, "paper: every convention of the paper's published tables")
      ->check(CLI::IsMember({"paper"}))
      ->group(group);
}

GroupingKind GroupWords::chosen_grouping(GroupingKind usual) const {
  const bool paper = is_given(theta_option_) || is_given(threshold_option_) || preset == "paper";
  if (grouping.empty()) return paper ? GroupingKind::components : usual;
  const GroupingKind method = grouping_from_name(grouping);
  if (paper && method != GroupingKind::components) {
    refuse(
        fmt::format("--theta, --weight-threshold and --preset paper are about the paper's "
                    "groups: leave them out with --grouping {}",
                    grouping));
  }
  return method;
}

void GroupWords::apply_level_to(MethodOptions& options) const {
  const bool some_level = is_given(mean_r2_option_) || is_given(n_features_option_) ||
                          is_given(keep_share_option_) || !level.empty();
  if (some_level && options.grouping == GroupingKind::components) {
    refuse(
        "the paper's groups are cut at --theta: leave out --min-mean-r2, --n-features, "
        "--keep-share and --level, or use compact groups");
  }
  options.level.min_mean_r2 = min_mean_r2;
  if (no_rescue) options.level.rescue_below = 0;
  if (is_given(n_features_option_)) {
    options.level.rule = LevelRule::n_features;
    options.level.n_features = n_features;
  } else if (is_given(keep_share_option_)) {
    options.level.rule = LevelRule::keep_share;
    options.level.keep_share = keep_share;
  } else if (level == "knn") {
    options.level.rule = LevelRule::overlap;
  }
}

void GroupWords::apply_representative_to(MethodOptions& options) const {
  std::string rule = representative;
  if (rule.empty() && preset == "paper") rule = "out-degree";
  if (!priority_file.empty()) {
    if (!representative.empty() && representative != "priority") {
      refuse("--priority chooses the representatives itself: leave out --representative");
    }
    rule = "priority";
  } else if (rule == "priority") {
    refuse("--representative priority needs --priority FILE");
  }
  if (!rule.empty()) options.representative = choice_from_name<RepresentativeRule>(rule, "representative");
}

void GroupWords::apply_to(MethodOptions& options, GroupingKind usual) const {
  options.grouping = chosen_grouping(usual);
  if (edges == "knn") options.edges = EdgeSource::knn;
  if (edges == "ols") options.pursuit.method = PursuitMethod::ols;
  options.theta = theta;
  if (is_given(threshold_option_)) options.threshold = weight_threshold;
  apply_level_to(options);
  apply_representative_to(options);
  if (drop_empty) options.empty_features = EmptyFeatures::drop;
  if (keep_empty) options.empty_features = EmptyFeatures::keep;
}

void GroupWords::apply_lists_to(MethodOptions& options,
                                const std::vector<std::string>& feature_names) const {
  if (!priority_file.empty()) options.priority = read_feature_list(priority_file, feature_names);
  if (!keep_file.empty()) options.keep = read_feature_list(keep_file, feature_names);
}

void CertificateWords::add_to(CLI::App& command) {
  const auto group = "Certificate";
  certify_option_ = command.add_option(
      "--certify", certify,
      "Keep features after all whose held-out R2 is below this, until none is left");
  certify_option_->group(group);
  command
      .add_option(
          "--certify-sample", sample,
          "Removed features to certify: a number, all, or auto (all, unless that takes long)")
      ->capture_default_str()
      ->group(group);
}

void CertificateWords::apply_to(MethodOptions& options) const {
  if (is_given(certify_option_)) options.reduce.certify_at = certify;
  if (sample == "auto") return;
  options.reduce.certificate.most_features = 0;
  if (sample == "all") return;
  int count = 0;
  if (!CLI::detail::lexical_cast(sample, count) || count < 1) {
    refuse(fmt::format("--certify-sample is a number above 0, all or auto, not '{}'", sample));
  }
  options.reduce.certificate.most_features = count;
}

}  // namespace sfg::cli
