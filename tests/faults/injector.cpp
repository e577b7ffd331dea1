// Makes calls to the operating system go wrong, on purpose: loaded before the program by
// LD_PRELOAD, it counts the calls that touch files below a folder, and the k-th one fails, or the
// process is killed there. Which, where and how is told by the environment:
//   SFG_FAULT_FOLDER  only files below this folder count
//   SFG_FAULT_AT      number of the call that goes wrong, from 1
//   SFG_FAULT_KIND    one of the names in kKinds (fault.cpp)
//   SFG_FAULT_SIGNAL  number of the signal, for the kind "signal"
//   SFG_FAULT_MARK    a file that appears when that has happened
//   SFG_FAULT_COUNT   a file for the number of calls that could have gone wrong
//   SFG_FAULT_RECORD  a folder for the record of what happened (recorder.hpp)
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "fault.hpp"
#include "recorder.hpp"

namespace {

using faults::Call;
using faults::fails;

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool opens_to_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  if (fails(opens_to_write(flags) ? Call::writes : Call::reads, path)) return -1;
  const bool is_new = (flags & O_CREAT) != 0 && faults::would_be_new(path);
  const int file = next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
  if (file >= 0 && opens_to_write(flags)) faults::record_opened(path, is_new);
  return file;
}

FILE* fopen_with(const char* name, const char* path, const char* mode) {
  const bool writes = std::strpbrk(mode, "wa+") != nullptr;
  if (fails(writes ? Call::writes : Call::reads, path)) return nullptr;
  const bool is_new = writes && faults::would_be_new(path);
  FILE* file = next<FILE* (*)(const char*, const char*)>(name)(path, mode);
  if (file != nullptr && writes) faults::record_opened(path, is_new);
  return file;
}

/// A call that moves up to `n` bytes, done by `move` for as many as it may.
template <typename Move>
ssize_t moved(Call call, int file, std::size_t n, const Move& move) {
  if (fails(call, file)) return -1;
  const long allowed = faults::bytes_to_move(file, n);
  if (allowed < 0) return -1;
  const ssize_t done = move(static_cast<std::size_t>(allowed));
  if (call == Call::writes && done > 0) {
    const int error_number = errno;
    faults::record_written(file);
    errno = error_number;
  }
  return done;
}

int flush_with(const char* name, int file) {
  if (fails(Call::writes, file)) return -1;
  const int status = next<int (*)(int)>(name)(file);
  if (status == 0) faults::record_flushed(file);
  return status;
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
  faults::tear(file, bytes, n);
  return moved(Call::writes, file, n, [&](std::size_t m) {
    return next<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, m);
  });
}

ssize_t writev(int file, const iovec* parts, int n) {
  if (fails(Call::writes, file)) return -1;
  const ssize_t done = next<ssize_t (*)(int, const iovec*, int)>("writev")(file, parts, n);
  if (done > 0) faults::record_written(file);
  return done;
}

ssize_t pwrite64(int file, const void* bytes, size_t n, off64_t offset) {
  return moved(Call::writes, file, n, [&](std::size_t m) {
    return next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes, m, offset);
  });
}

ssize_t pwrite(int file, const void* bytes, size_t n, off_t offset) {
  return pwrite64(file, bytes, n, offset);
}

/// Where the last bytes of a buffer are written.
int fclose(FILE* file) {
  const bool writes = (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY;
  const bool failing = writes && fails(Call::writes, fileno(file));
  const int error_number = errno;
  const int status = next<int (*)(FILE*)>("fclose")(file);
  if (!failing) return status;
  errno = error_number;
  return EOF;
}

int fsync(int file) {
  return flush_with("fsync", file);
}

int fdatasync(int file) {
  return flush_with("fdatasync", file);
}

int ftruncate64(int file, off64_t size) {
  if (fails(Call::writes, file)) return -1;
  const int status = next<int (*)(int, off64_t)>("ftruncate64")(file, size);
  if (status == 0) faults::record_written(file);
  return status;
}

int ftruncate(int file, off_t size) {
  return ftruncate64(file, size);
}

int rename(const char* from, const char* to) {
  if (fails(Call::writes, to)) return -1;
  const int status = next<int (*)(const char*, const char*)>("rename")(from, to);
  if (status == 0) faults::record_renamed(from, to);
  return status;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (fails(Call::writes, to)) return -1;
  const int status = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(
      from_folder, from, to_folder, to, flags);
  const int error_number = errno;
  if (status == 0) faults::record_renamed(from, to);
  errno = error_number;
  return status;
}

int link(const char* from, const char* to) {
  if (fails(Call::writes, to)) return -1;
  const int status = next<int (*)(const char*, const char*)>("link")(from, to);
  if (status == 0) faults::record_linked(from, to);
  return status;
}

// A file that cannot be removed does no harm: these do not fail.

int unlink(const char* path) {
  const int status = next<int (*)(const char*)>("unlink")(path);
  if (status == 0) faults::record_removed(path);
  return status;
}

int remove(const char* path) {
  const int status = next<int (*)(const char*)>("remove")(path);
  if (status == 0) faults::record_removed(path);
  return status;
}

ssize_t read(int file, void* bytes, size_t n) {
  return moved(Call::reads, file, n, [&](std::size_t m) {
    return next<ssize_t (*)(int, void*, size_t)>("read")(file, bytes, m);
  });
}

ssize_t pread64(int file, void* bytes, size_t n, off64_t offset) {
  return moved(Call::reads, file, n, [&](std::size_t m) {
    return next<ssize_t (*)(int, void*, size_t, off64_t)>("pread64")(file, bytes, m, offset);
  });
}

ssize_t pread(int file, void* bytes, size_t n, off_t offset) {
  return pread64(file, bytes, n, offset);
}

size_t fread(void* bytes, size_t size, size_t n, FILE* file) {
  if (fails(Call::reads, fileno(file))) return 0;
  return next<size_t (*)(void*, size_t, size_t, FILE*)>("fread")(bytes, size, n, file);
}

void* mmap64(void* place, size_t size, int protection, int flags, int file, off64_t offset) {
  if (file >= 0 && fails(Call::reads, file)) return MAP_FAILED;
  void* mapped = next<void* (*)(void*, size_t, int, int, int, off64_t)>("mmap64")(
      place, size, protection, flags, file, offset);
  if (file >= 0) faults::shrink(file, size);
  return mapped;
}

void* mmap(void* place, size_t size, int protection, int flags, int file, off_t offset) {
  return mmap64(place, size, protection, flags, file, offset);
}

pid_t fork() {
  if (fails(Call::starts, true)) return -1;
  return next<pid_t (*)()>("fork")();
}

int pipe2(int* ends, int flags) {
  if (fails(Call::starts, true)) return -1;
  return next<int (*)(int*, int)>("pipe2")(ends, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  if (fails(Call::starts, true)) return EAGAIN;
  return next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
      "pthread_create")(thread, attributes, work, argument);
}

int clock_gettime(clockid_t clock, timespec* now) {
  const int status = next<int (*)(clockid_t, timespec*)>("clock_gettime")(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += faults::wall_clock_error();
  if (clock == CLOCK_MONOTONIC) now->tv_sec += faults::steady_clock_error();
  return status;
}

time_t time(time_t* there) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (there != nullptr) *there = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* now, void* zone) {
  const int status = next<int (*)(timeval*, void*)>("gettimeofday")(now, zone);
  now->tv_sec += faults::wall_clock_error();
  return status;
}

}  // extern "C"

/// A process that may only read could not tell that its fault has happened: here it is not
/// confined.
extern "C" int prctl(int option, ...) noexcept {
  if (option == PR_SET_SECCOMP) {
    errno = EPERM;
    return -1;
  }
  va_list rest;
  va_start(rest, option);
  const auto second = va_arg(rest, unsigned long);
  const auto third = va_arg(rest, unsigned long);
  const auto fourth = va_arg(rest, unsigned long);
  const auto fifth = va_arg(rest, unsigned long);
  va_end(rest);
  return static_cast<int>(syscall(SYS_prctl, option, second, third, fourth, fifth));
}
