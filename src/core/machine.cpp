// What the machine allows this process: cores, memory. Reads /proc and the cgroup files (v2, then
// v1); a figure that cannot be read puts no limit.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "sfg/run_context.hpp"

namespace sfg {

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// First whitespace-separated word of a file; "max" and unreadable files give nothing.
std::optional<double> first_number(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  if (!(in >> word) || word == "max") return std::nullopt;
  try {
    return std::stod(word);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The cgroup (v2) folder of this process, empty if there is none.
std::string cgroup_folder() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("0::", 0) == 0) return "/sys/fs/cgroup" + line.substr(3);
  }
  return {};
}

/// Cores by the cgroup's quota: "quota period" in cpu.max, rounded up.
std::optional<int> cgroup_cores(const std::string& folder) {
  std::ifstream in(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(std::stod(quota) / period)));
}

std::size_t memory_left_in_cgroup() {
  const std::string v2 = cgroup_folder();
  const std::string v1 = "/sys/fs/cgroup/memory";
  for (const auto& [limit_file, used_file] :
       {std::pair{v2 + "/memory.max", v2 + "/memory.current"},
        std::pair{v1 + "/memory.limit_in_bytes", v1 + "/memory.usage_in_bytes"}}) {
    const auto limit = first_number(limit_file);
    if (!limit) continue;
    const double left = *limit - first_number(used_file).value_or(0);
    if (left < static_cast<double>(kNoLimit)) {
      return static_cast<std::size_t>(std::max(0.0, left));
    }
  }
  return kNoLimit;
}

std::size_t memory_free_on_machine() {
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::size_t kilobytes = 0;
  std::string unit;
  while (in >> key >> kilobytes >> unit) {
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return kNoLimit;
}

}  // namespace

int available_threads() {
  int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) cores = std::max(1, CPU_COUNT(&mask));
  return std::min(cores, cgroup_cores(cgroup_folder()).value_or(cores));
}

std::size_t available_memory() {
  return std::min(memory_free_on_machine(), memory_left_in_cgroup());
}

std::size_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace sfg
