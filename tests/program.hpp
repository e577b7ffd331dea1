#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "helpers.hpp"

namespace sfg::testing {

/// What a run of the command line gave.
struct ProgramRun {
  int status = -1;
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs a built program with these words, in a folder of the test's own.
class Program {
 public:
  explicit Program(const TemporaryFolder& folder, std::string program = SFG_PROGRAM)
      : folder_(folder), program_(std::move(program)) {}

  ProgramRun operator()(const std::vector<std::string>& words,
                        const std::string& input = "") const {
    const auto out = folder_ / ".stdout";
    const auto err = folder_ / ".stderr";
    const auto in = folder_.write(".stdin", input);
    std::string line =
        "cd " + quoted(folder_.path().string()) + " && " + environment_ + " " + quoted(program_);
    for (const std::string& word : words) line += " " + quoted(word);
    line += " <" + quoted(in.string()) + " >" + quoted(out.string()) + " 2>" + quoted(err.string());
    const int status = std::system(line.c_str());
    ProgramRun run;
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.out = read_file(out);
    run.err = read_file(err);
    return run;
  }

  /// Names of the files in the folder, hidden ones aside, sorted.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const auto name = entry.path().filename().string();
      if (!name.starts_with('.')) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// "NAME=value" words in front of the program.
  void set_environment(std::string words) { environment_ = std::move(words); }

 private:
  static std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  }

  const TemporaryFolder& folder_;
  std::string program_;
  std::string environment_;
};

}  // namespace sfg::testing
