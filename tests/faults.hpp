#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "program.hpp"

namespace sfg::testing {

/// A folder with inputs in in/ and outputs in out/, and the program with faults injected into what
/// it does there (see faults/injector.cpp).
class FaultyPlace {
 public:
  FaultyPlace() {
    std::filesystem::create_directory(folder_ / "in");
    std::filesystem::create_directory(folder_ / "out");
  }

  struct Outcome {
    ProgramRun run;
    bool happened = false;  ///< the run got as far as the call that goes wrong
  };

  /// Words as in a shell, and the call that goes wrong, counted from 1.
  [[nodiscard]] Outcome with_fault(const std::vector<std::string>& words, const std::string& kind,
                                   int at) {
    const auto mark = folder_ / ".mark";
    std::filesystem::remove(mark);
    const bool writes = kind != "bad-read" && kind != "shrink";
    sfg_.set_environment(injected(writes ? "out" : "in") + " SFG_FAULT_KIND=" + kind +
                         " SFG_FAULT_AT=" + std::to_string(at) + " SFG_FAULT_MARK='" +
                         mark.string() + "'");
    Outcome outcome;
    outcome.run = sfg_(words);
    outcome.happened = std::filesystem::exists(mark);
    return outcome;
  }

  /// Nothing goes wrong, and what happens to the files in out/ is recorded in this folder, which
  /// must be empty (see faults/recorder.hpp).
  [[nodiscard]] ProgramRun recorded(const std::vector<std::string>& words,
                                    const std::filesystem::path& record) {
    sfg_.set_environment(injected("out") + " SFG_FAULT_RECORD='" + record.string() + "'");
    return sfg_(words);
  }

  [[nodiscard]] ProgramRun without_fault(const std::vector<std::string>& words) {
    sfg_.set_environment("SOURCE_DATE_EPOCH=0");
    return sfg_(words);
  }

  /// Everything in out/ by name; of logs and pages, which have the time in them, only whether they
  /// are whole.
  [[nodiscard]] std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out")) {
      const std::string name = entry.path().filename().string();
      all[name] = read_file(entry.path());
      if (name.ends_with(".log")) all[name] = all[name].ends_with("\n") ? "whole" : "cut off";
      if (name.ends_with(".html")) {
        all[name] = all[name].find("</html>") != std::string::npos ? "whole" : "cut off";
      }
    }
    return all;
  }

  void clear_outputs() const {
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directory(folder_ / "out");
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] Program& program() { return sfg_; }

 private:
  [[nodiscard]] std::string injected(std::string_view watched) const {
    return "SOURCE_DATE_EPOCH=0 ASAN_OPTIONS=\"$ASAN_OPTIONS:verify_asan_link_order=0\" "
           "LD_PRELOAD='" SFG_INJECTOR "' SFG_FAULT_FOLDER='" +
           (folder_ / watched).string() + "'";
  }

  TemporaryFolder folder_{fast_place()};
  Program sfg_{folder_};
};

/// `words` and then `more`.
inline std::vector<std::string> and_also(std::vector<std::string> words,
                                         const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace sfg::testing
