#include "fault.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "paths.hpp"

namespace faults {

namespace {

enum class Kind {
  none,
  disk_full,    ///< writing fails from this call on
  bad_write,    ///< one writing call fails
  kill,         ///< the process ends before the call
  torn_write,   ///< half of the bytes are written, then the process ends
  bad_read,     ///< one reading call fails
  shrink,       ///< the file is cut to half of its size behind the reader's back
  bad_start,    ///< one thread, process or pipe is refused
  signal,       ///< a signal arrives before a call that reads or writes
  short_call,   ///< one call moves half of its bytes, as it may
  interrupted,  ///< one call ends in EINTR, as it may
  clock,        ///< every look at a clock sees another time
};

struct KindName {
  const char* name;
  Kind kind;
};
constexpr KindName kKinds[] = {{"disk-full", Kind::disk_full},
                               {"bad-write", Kind::bad_write},
                               {"kill", Kind::kill},
                               {"torn-write", Kind::torn_write},
                               {"bad-read", Kind::bad_read},
                               {"shrink", Kind::shrink},
                               {"bad-start", Kind::bad_start},
                               {"signal", Kind::signal},
                               {"short-call", Kind::short_call},
                               {"interrupted", Kind::interrupted},
                               {"clock", Kind::clock}};

struct Settings {
  const char* folder = std::getenv("SFG_FAULT_FOLDER");
  const char* mark = std::getenv("SFG_FAULT_MARK");
  const char* count = std::getenv("SFG_FAULT_COUNT");
  long at = 0;
  int signal = 0;
  Kind kind = Kind::none;

  Settings() {
    const char* number = std::getenv("SFG_FAULT_AT");
    const char* name = std::getenv("SFG_FAULT_KIND");
    const char* which = std::getenv("SFG_FAULT_SIGNAL");
    if (folder == nullptr || number == nullptr || name == nullptr) return;
    at = std::atol(number);
    if (which != nullptr) signal = std::atoi(which);
    for (const KindName& one : kKinds) {
      if (std::strcmp(one.name, name) == 0) kind = one.kind;
    }
  }
};

const Settings& settings() {
  static const Settings made;
  return made;
}

std::atomic<long> counted = 0;

/// Writes past the calls that are watched.
void write_file(const char* path, const char* text) {
  if (path == nullptr) return;
  const auto file =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  if (file < 0) return;
  syscall(SYS_write, file, text, std::strlen(text));
  syscall(SYS_close, file);
}

/// How many calls there were, for who wants to choose one of them.
__attribute__((destructor)) void tell_count() {
  char text[32];
  std::snprintf(text, sizeof text, "%ld\n", counted.load());
  write_file(settings().count, text);
}

[[noreturn]] void die() {
  write_file(settings().mark, "");
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/// Counts a call; true if it is the one, or one after it while the disk is full.
bool is_the_one() {
  const long number = ++counted;
  if (number == settings().at) {
    write_file(settings().mark, "");
    return true;
  }
  return settings().kind == Kind::disk_full && number > settings().at;
}

/// What errno is when a call fails for the fault of this run; 0 if such calls do not.
int error_of(Call call) {
  const Kind kind = settings().kind;
  if (call == Call::writes && kind == Kind::disk_full) return ENOSPC;
  if (call == Call::writes && kind == Kind::bad_write) return EIO;
  if (call == Call::reads && kind == Kind::bad_read) return EIO;
  if (call == Call::starts && kind == Kind::bad_start) return EAGAIN;
  return 0;
}

/// Well mixed bits of a number (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

std::uint64_t draw() {
  write_file(settings().mark, "");
  return mixed(static_cast<std::uint64_t>(settings().at) * 1'000'003U +
               static_cast<std::uint64_t>(++counted));
}

}  // namespace

bool fails(Call call, bool touches) {
  if (!touches) return false;
  const Kind kind = settings().kind;
  if (call == Call::writes && (kind == Kind::kill || kind == Kind::torn_write)) {
    if (is_the_one()) die();
    return false;
  }
  if (call != Call::starts && kind == Kind::signal) {
    if (is_the_one()) syscall(SYS_kill, getpid(), settings().signal);
    return false;
  }
  const int error_number = error_of(call);
  if (error_number == 0 || !is_the_one()) return false;
  errno = error_number;
  return true;
}

bool fails(Call call, const char* path) {
  return fails(call, is_below(path, settings().folder));
}

bool fails(Call call, int file) {
  return fails(call, is_below(file, settings().folder));
}

long bytes_to_move(int file, std::size_t n) {
  const Kind kind = settings().kind;
  const auto all = static_cast<long>(n);
  const bool concerned = kind == Kind::short_call || kind == Kind::interrupted;
  if (!concerned || n < 2 || !is_below(file, settings().folder) || !is_the_one()) return all;
  if (kind == Kind::short_call) return all / 2;
  errno = EINTR;
  return -1;
}

void tear(int file, const void* bytes, std::size_t n) {
  if (settings().kind != Kind::torn_write || !is_below(file, settings().folder)) return;
  if (!is_the_one()) return;
  syscall(SYS_write, file, bytes, n / 2);
  die();
}

void shrink(int file, std::size_t size) {
  if (settings().kind != Kind::shrink || !is_below(file, settings().folder)) return;
  if (!is_the_one()) return;
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (truncate(link, static_cast<off_t>(size / 2)) != 0) std::abort();
}

long wall_clock_error() {
  if (settings().kind != Kind::clock) return 0;
  constexpr long kFortyYears = 40L * 365 * 24 * 3600;
  return static_cast<long>(draw() % (2 * kFortyYears)) - kFortyYears;
}

long steady_clock_error() {
  if (settings().kind != Kind::clock) return 0;
  static std::atomic<long> leapt = 0;
  const std::uint64_t drawn = draw();
  constexpr std::uint64_t kOneIn = 8;
  constexpr std::uint64_t kDay = 24 * 3600;
  if (drawn % kOneIn == 0) leapt += static_cast<long>(drawn / kOneIn % kDay);
  return leapt;
}

}  // namespace faults
