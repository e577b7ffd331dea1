#pragma once

#include <string>
#include <vector>

#include "listed_options.hpp"
#include "sfg/sfg.hpp"

namespace sfg::cli {

/// Which options of the method a command has.
enum class MethodPart {
  whole,       ///< everything that 'reduce' can be told
  groups,      ///< graph, groups and level, without certificate and combinations
  levels,      ///< graph and groups, without what chooses one level
  components,  ///< the same of the paper's groups alone
  graph,       ///< the paper's graph alone
  scale,       ///< on what scale features are compared
};

/// The method on the command line: grouping, graph, level, certificate.
class MethodArguments {
 public:
  void add_to(CLI::App& command, MethodPart part);
  /// --target, for commands that read the data and tell who is kept.
  void add_target_to(CLI::App& command);

  /// How batches are taken off, for commands whose input has them.
  void add_batches_to(CLI::App& command);

  /// As given; without a word about the grouping `usual`. Throws invalid_option.
  [[nodiscard]] MethodOptions options(GroupingKind usual = GroupingKind::compact) const;
  /// Another grouping with what it has in common with the words given.
  [[nodiscard]] GroupingOptions shared_with(GroupingOptions other) const;
  /// Fills in the lists of features; names in the files are looked up among `feature_names`.
  void read_lists(MethodOptions& options, const std::vector<std::string>& feature_names,
                  const RunContext& run) const;
  /// How to read the data: the target is a label column, and no feature.
  [[nodiscard]] ReadOptions reading(ReadOptions options) const;
  void note_old_spellings(Console& console) const { listed_.note_old_spellings(console); }

  [[nodiscard]] bool is_paper() const noexcept { return preset_ == "paper"; }

 private:
  [[nodiscard]] GivenTexts texts(GroupingKind usual) const;

  void choose_rule(GivenTexts& texts) const;

  ListedOptions listed_;
  MethodPart part_ = MethodPart::whole;
  std::string preset_;
  std::string target_;
};

/// Features named in a file, one per line, by number. Throws inconsistent_input for unknown names.
[[nodiscard]] FeatureList read_feature_list(const std::string& path,
                                            const std::vector<std::string>& feature_names,
                                            const RunContext& run);

/// Numbers of the features named in a file of lines "name<TAB>number"; NaN for the others. Throws
/// inconsistent_input for unknown names, malformed_input for lines that are not so.
[[nodiscard]] FeatureNumbers read_feature_numbers(const std::string& path,
                                                  const std::vector<std::string>& feature_names,
                                                  const RunContext& run);

}  // namespace sfg::cli
