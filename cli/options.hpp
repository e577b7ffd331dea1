#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "console.hpp"
#include "sfg/sfg.hpp"

// Options that several commands share. Each struct holds the words of the command line and knows
// how to turn them into options of the library.
namespace sfg::cli {

/// A command notes here what to do; main() does it when all words are parsed.
using Action = std::function<void()>;

/// What a run may use if no option says so; 0: by what the machine allows.
struct UsualResources {
  int threads = 0;
  std::size_t memory = 0;
};

/// --threads, --memory, --seed, --json, --quiet, -v.
struct CommonOptions {
  int threads = 0;
  std::string memory;
  std::uint64_t seed = 1;
  bool json = false;
  bool quiet = false;
  int verbose = 0;

  void add_to(CLI::App& command);
  /// Threads and memory as given, by OMP_NUM_THREADS, or as usual.
  [[nodiscard]] RunContext run(Console& console, const UsualResources& usual = {}) const;
  /// The run for reading files. Only a limit that was given vouches for what a small file claims;
  /// else read_dataset() goes by the file's size.
  [[nodiscard]] RunContext reading(RunContext run) const;
};

/// -o and --force.
struct OutputOptions {
  std::string path;
  bool force = false;

  void add_to(CLI::App& command, const std::string& what);
  [[nodiscard]] Existing existing() const { return force ? Existing::replace : Existing::refuse; }
};

/// INPUT and how to read it.
struct InputOptions {
  std::string path;
  std::string format = "auto";
  bool header = false;
  bool no_header = false;
  bool features_in_rows = false;
  std::string labels;
  std::string sample_column;
  std::string variable;
  bool suffix_duplicates = false;
  std::string missing = "refuse";

  void add_to(CLI::App& command, const std::string& what);
  void add_reading_options_to(CLI::App& command);
  /// Reads, makes every cell finite, and tells the user what was done about missing values.
  [[nodiscard]] Dataset read(const RunContext& run, Console& console) const;
  [[nodiscard]] ReadOptions read_options() const;
  [[nodiscard]] Missing missing_policy() const;
};

/// How the graph is made.
struct GraphWords {
  bool center = false;
  bool no_center = false;
  std::string pursuit = "omp";
  double epsilon = 0.01;
  int max_atoms = 100;
  double max_angle = 15;
  int permutations = 100;
  std::string engine = "auto";
  std::string screen = "auto";

  void add_to(CLI::App& command);
  void apply_to(MethodOptions& options) const;
  /// Refuses words that have no meaning for the grouping.
  void check_fit(const MethodOptions& options) const;

 private:
  CLI::Option* max_angle_option_ = nullptr;
};

/// Which groups, how far, and who represents a group.
struct GroupWords {
  std::string grouping;
  std::string edges;
  double theta = 0.5;
  double weight_threshold = -1;
  double min_mean_r2 = 0.8;
  int n_features = 0;
  double keep_share = 0;
  std::string level;
  bool no_rescue = false;
  std::string representative;
  std::string priority_file;
  std::string keep_file;
  std::string preset;
  bool drop_empty = false;
  bool keep_empty = false;

  void add_to(CLI::App& command);
  void add_representative_to(CLI::App& command);
  /// Without any word of a grouping: `usual`.
  void apply_to(MethodOptions& options, GroupingKind usual = GroupingKind::compact) const;
  /// The feature lists; names in the files are looked up among `feature_names`.
  void apply_lists_to(MethodOptions& options, const std::vector<std::string>& feature_names) const;

 private:
  [[nodiscard]] GroupingKind chosen_grouping(GroupingKind usual) const;
  void apply_level_to(MethodOptions& options) const;
  void apply_representative_to(MethodOptions& options) const;

  CLI::Option* theta_option_ = nullptr;
  CLI::Option* threshold_option_ = nullptr;
  CLI::Option* mean_r2_option_ = nullptr;
  CLI::Option* n_features_option_ = nullptr;
  CLI::Option* keep_share_option_ = nullptr;
};

/// Certificate of removed features.
struct CertificateWords {
  double certify = 0;
  std::string sample = "auto";

  void add_to(CLI::App& command);
  void apply_to(MethodOptions& options) const;

 private:
  CLI::Option* certify_option_ = nullptr;
};

/// "8G", "500M", "1.5GiB", "1000000": bytes. Throws invalid_option.
[[nodiscard]] std::size_t parse_bytes(const std::string& text);

/// Features named in a file, one per line, by number. Throws inconsistent_input for unknown names.
[[nodiscard]] std::vector<Index> read_feature_list(const std::string& path,
                                                   const std::vector<std::string>& feature_names);

}  // namespace sfg::cli
