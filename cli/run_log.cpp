#include "run_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>

#include "core/fingerprint.hpp"

namespace sfg::cli {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// FNV-1a over the file's bytes: enough to tell whether an input is the same one.
std::string checksum(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "not available";
  detail::Fingerprint fingerprint;
  std::vector<unsigned char> buffer(std::size_t{1} << 16U);
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
    fingerprint.add_bytes(buffer.data(), n);
  }
  std::fclose(file);
  return fmt::format("fnv1a {:016x}", fingerprint.value());
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
  if (dataset.source != "-") add("input checksum: " + checksum(dataset.source));
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
