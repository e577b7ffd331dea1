#include "run_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>

namespace sfg::cli {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

RunLog::RunLog(const CLI::App& command, const RunContext& run) {
  std::error_code ignored;
  add(fmt::format("sfg {} {}", version(), command.get_name()));
  add(fmt::format("date: {:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  add("host: " + host_name());
  add("folder: " + std::filesystem::current_path(ignored).string());
  add(fmt::format("threads: {}", run.threads));
  add(fmt::format("memory limit: {} bytes", run.memory_limit));
  add(fmt::format("seed: {}", run.seed));
  add("options:");
  std::string options = command.config_to_str(true);
  for (std::size_t start = 0; start < options.size();) {
    const auto end = std::min(options.find('\n', start), options.size());
    if (end > start) add("  " + options.substr(start, end - start));
    start = end + 1;
  }
}

void RunLog::add_input(const Dataset& dataset) {
  add(fmt::format("input: {} ({}), {} samples x {} features, {}", dataset.source,
                  choice_name(dataset.format), n_samples(dataset.matrix),
                  n_features(dataset.matrix),
                  std::holds_alternative<SparseMatrix>(dataset.matrix) ? "sparse" : "dense"));
  if (dataset.source != "-") {
    const auto fingerprint = fingerprint_of_file(dataset.source);
    add("input checksum: " + (fingerprint ? "fnv1a " + *fingerprint : "not available"));
  }
}

void RunLog::add_notes(const Console& console) {
  for (const std::string& note : console.notes()) add("note: " + note);
}

double RunLog::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

nlohmann::ordered_json RunLog::seconds_json(const StageSeconds& stages, double total) {
  nlohmann::ordered_json document;
  for (const auto& [stage, seconds] : stages) document[stage] = seconds;
  document["total"] = total;
  return document;
}

std::string RunLog::text() const {
  return lines_ +
         fmt::format("time: {:.3f} s\npeak memory: {} bytes\n", seconds(), peak_resident_bytes());
}

}  // namespace sfg::cli
