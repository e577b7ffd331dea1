#include "recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "paths.hpp"

namespace faults {

namespace {

const char* folder() {
  static const char* const value =
      std::getenv("SFG_FAULT_RECORD") != nullptr ? std::getenv("SFG_FAULT_FOLDER") : nullptr;
  return value;
}

std::string record_path(std::string_view name) {
  static const std::string above = std::getenv("SFG_FAULT_RECORD");
  return above + "/" + std::string(name);
}

int open_past_all(const std::string& path, int flags) {
  constexpr int kMode = 0644;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, kMode));
}

void append(const std::string& path, std::string_view text) {
  const int file = open_past_all(path, O_CREAT | O_WRONLY | O_APPEND);
  if (file < 0 || syscall(SYS_write, file, text.data(), text.size()) < 0) std::abort();
  syscall(SYS_close, file);
}

std::string contents(const std::string& path) {
  std::string all;
  const int file = open_past_all(path, O_RDONLY);
  if (file < 0) return all;
  char buffer[1U << 16U];
  for (long n = 0; (n = syscall(SYS_read, file, buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(n));
  }
  syscall(SYS_close, file);
  return all;
}

/// The name within the folder; the folder itself is ".".
std::string name_of(const std::string& path) {
  const std::string_view above = folder();
  return path.size() <= above.size() + 1 ? "." : path.substr(above.size() + 1);
}

/// `held` is the path by which what the inode holds can be read.
void event(const char* what, const std::string& held, const std::string& names) {
  static std::mutex one_at_a_time;
  static long number = 0;
  const std::lock_guard lock(one_at_a_time);
  struct stat status {};
  const bool there = stat(held.c_str(), &status) == 0;
  append(record_path("events"),
         std::string(what) + "\t" + std::to_string(status.st_ino) + "\t" + names + "\n");
  if (there && S_ISREG(status.st_mode)) {
    append(record_path(std::to_string(number)), contents(held));
  }
  ++number;
}

void event(const char* what, int file) {
  if (is_below(file, folder())) {
    event(what, "/proc/self/fd/" + std::to_string(file), name_of(path_of(file)));
  }
}

void event(const char* what, const char* from, const char* to) {
  if (is_below(to, folder())) {
    event(what, to, name_of(absolute(from)) + "\t" + name_of(absolute(to)));
  }
}

}  // namespace

bool would_be_new(const char* path) {
  return is_below(path, folder()) && access(path, F_OK) != 0;
}

void record_opened(const char* path, bool is_new) {
  if (is_below(path, folder())) event(is_new ? "make" : "write", path, name_of(absolute(path)));
}

void record_written(int file) {
  event("write", file);
}

void record_flushed(int file) {
  event("flush", file);
}

void record_renamed(const char* from, const char* to) {
  event("rename", from, to);
}

void record_linked(const char* from, const char* to) {
  event("link", from, to);
}

void record_removed(const char* path) {
  if (is_below(path, folder())) event("remove", path, name_of(absolute(path)));
}

}  // namespace faults
