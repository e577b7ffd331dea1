// Makes one call to the operating system go wrong, on purpose: loaded before the program by
// LD_PRELOAD, it counts the calls that touch files below a folder, and the k-th one fails, or the
// process is killed there. Which, where and how is told by the environment:
//   SFG_FAULT_FOLDER  only files below this folder count
//   SFG_FAULT_AT      number of the call that goes wrong, from 1
//   SFG_FAULT_KIND    one of the names in kKinds
//   SFG_FAULT_MARK    a file that appears when that has happened
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class Kind {
  disk_full,   ///< writing fails from this call on
  bad_write,   ///< one writing call fails
  kill,        ///< the process ends before the call
  torn_write,  ///< half of the bytes are written, then the process ends
  bad_read,    ///< one reading call fails
  shrink,      ///< the file is cut to half of its size behind the reader's back
};

struct KindName {
  const char* name;
  Kind kind;
};
constexpr KindName kKinds[] = {{"disk-full", Kind::disk_full}, {"bad-write", Kind::bad_write},
                               {"kill", Kind::kill},           {"torn-write", Kind::torn_write},
                               {"bad-read", Kind::bad_read},   {"shrink", Kind::shrink}};

struct Settings {
  const char* folder = std::getenv("SFG_FAULT_FOLDER");
  const char* mark = std::getenv("SFG_FAULT_MARK");
  long at = 0;
  Kind kind = Kind::bad_write;
  bool on = false;

  Settings() {
    const char* number = std::getenv("SFG_FAULT_AT");
    const char* name = std::getenv("SFG_FAULT_KIND");
    if (folder == nullptr || number == nullptr || name == nullptr) return;
    at = std::atol(number);
    for (const KindName& one : kKinds) {
      if (std::strcmp(one.name, name) == 0) {
        kind = one.kind;
        on = true;
      }
    }
  }
};

const Settings& settings() {
  static const Settings made;
  return made;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool below_folder(const char* path) {
  if (!settings().on || path == nullptr) return false;
  char absolute[4096];
  if (path[0] != '/') {
    if (getcwd(absolute, sizeof absolute) == nullptr) return false;
    const std::size_t length = std::strlen(absolute);
    std::snprintf(absolute + length, sizeof absolute - length, "/%s", path);
    path = absolute;
  }
  return std::strncmp(path, settings().folder, std::strlen(settings().folder)) == 0;
}

bool below_folder(int file) {
  if (!settings().on || file < 0) return false;
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return false;
  path[n] = '\0';
  return below_folder(path);
}

void leave_mark() {
  const auto file = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, settings().mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  if (file >= 0) syscall(SYS_close, file);
}

[[noreturn]] void die() {
  leave_mark();
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/// Counts a call; true if it is the one, or one after it while the disk is full.
bool is_the_one() {
  static std::atomic<long> count = 0;
  const long number = ++count;
  if (number == settings().at) {
    leave_mark();
    return true;
  }
  return settings().kind == Kind::disk_full && number > settings().at;
}

bool concerns_writing() {
  const Kind kind = settings().kind;
  return kind != Kind::bad_read && kind != Kind::shrink;
}

/// What to do about a call that writes: true if it must fail, with errno set.
bool fails_to_write(bool touches) {
  if (!touches || !concerns_writing() || !is_the_one()) return false;
  if (settings().kind == Kind::kill || settings().kind == Kind::torn_write) die();
  errno = settings().kind == Kind::disk_full ? ENOSPC : EIO;
  return true;
}

bool fails_to_read(bool touches) {
  if (!touches || settings().kind != Kind::bad_read || !is_the_one()) return false;
  errno = EIO;
  return true;
}

bool opens_to_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  const bool touches = below_folder(path);
  if (opens_to_write(flags) ? fails_to_write(touches) : fails_to_read(touches)) return -1;
  return next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

FILE* fopen_with(const char* name, const char* path, const char* mode) {
  const bool touches = below_folder(path);
  const bool writes = std::strpbrk(mode, "wa+") != nullptr;
  if (writes ? fails_to_write(touches) : fails_to_read(touches)) return nullptr;
  return next<FILE* (*)(const char*, const char*)>(name)(path, mode);
}

/// The first half of a write that is torn.
void tear(int file, const void* bytes, std::size_t n) {
  if (settings().kind != Kind::torn_write || !below_folder(file) || !is_the_one()) return;
  syscall(SYS_write, file, bytes, n / 2);
  die();
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, unsigned));
  va_end(more);
  return open_with("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, unsigned));
  va_end(more);
  return open_with("open64", path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  return fopen_with("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return fopen_with("fopen64", path, mode);
}

ssize_t write(int file, const void* bytes, size_t n) {
  tear(file, bytes, n);
  if (settings().kind != Kind::torn_write && fails_to_write(below_folder(file))) return -1;
  return next<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, n);
}

ssize_t writev(int file, const iovec* parts, int n) {
  if (fails_to_write(below_folder(file))) return -1;
  return next<ssize_t (*)(int, const iovec*, int)>("writev")(file, parts, n);
}

ssize_t pwrite64(int file, const void* bytes, size_t n, off64_t offset) {
  if (fails_to_write(below_folder(file))) return -1;
  return next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes, n, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t n, off_t offset) {
  return pwrite64(file, bytes, n, offset);
}

/// Where the last bytes of a buffer are written.
int fclose(FILE* file) {
  const bool fails = fails_to_write(below_folder(fileno(file)) &&
                                    (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY);
  const int error_number = errno;
  const int status = next<int (*)(FILE*)>("fclose")(file);
  if (!fails) return status;
  errno = error_number;
  return EOF;
}

int fsync(int file) {
  if (fails_to_write(below_folder(file))) return -1;
  return next<int (*)(int)>("fsync")(file);
}

int ftruncate64(int file, off64_t size) {
  if (fails_to_write(below_folder(file))) return -1;
  return next<int (*)(int, off64_t)>("ftruncate64")(file, size);
}

int ftruncate(int file, off_t size) {
  return ftruncate64(file, size);
}

int rename(const char* from, const char* to) {
  if (fails_to_write(below_folder(to))) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

ssize_t read(int file, void* bytes, size_t n) {
  if (fails_to_read(below_folder(file))) return -1;
  return next<ssize_t (*)(int, void*, size_t)>("read")(file, bytes, n);
}

size_t fread(void* bytes, size_t size, size_t n, FILE* file) {
  if (fails_to_read(below_folder(fileno(file)))) return 0;
  return next<size_t (*)(void*, size_t, size_t, FILE*)>("fread")(bytes, size, n, file);
}

void* mmap64(void* place, size_t size, int protection, int flags, int file, off64_t offset) {
  const bool touches = file >= 0 && below_folder(file);
  if (fails_to_read(touches)) return MAP_FAILED;
  void* mapped = next<void* (*)(void*, size_t, int, int, int, off64_t)>("mmap64")(
      place, size, protection, flags, file, offset);
  if (touches && settings().kind == Kind::shrink && is_the_one()) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (truncate(link, static_cast<off_t>(size / 2)) != 0) std::abort();
  }
  return mapped;
}

void* mmap(void* place, size_t size, int protection, int flags, int file, off_t offset) {
  return mmap64(place, size, protection, flags, file, offset);
}

}  // extern "C"
