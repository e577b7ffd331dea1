#include "read/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "core/threads.hpp"
#include "read/system_calls.hpp"
#include "read/table_stream.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// What a child sends first.
enum class Outcome : std::uint8_t { table, error, no_memory };

/// A large pipe: fewer changes between the two processes. The most that any user may ask for.
constexpr int kPipeBytes = 1 << 20;
/// Bytes gathered before they are sent.
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;
/// Address space that the libraries and malloc take beside a table. malloc reserves 128 MB at once
/// in threads other than the first.
constexpr double kLibraryMemory = 256.0 * (1U << 20U);
/// Seconds of computing after which reading runs in circles; a gigabyte takes less than one.
constexpr double kLeastSeconds = 30;
constexpr double kSecondsPerByte = 1e-8;

/// The address sanitizer reserves terabytes of address space, on which no limit can be put.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kHasAddressSanitizer = false;
#endif

// --- in the child --------------------------------------------------------------------------------

/// The child's end of the pipe. Small pieces are gathered.
class ChildOutput {
 public:
  explicit ChildOutput(int number) : number_(number) {}

  void add(const void* bytes, std::size_t size) {
    if (buffer_.size() + size > kBufferBytes) flush();
    if (size >= kBufferBytes) return write_all(static_cast<const char*>(bytes), size);
    buffer_.append(static_cast<const char*>(bytes), size);
  }
  void flush() {
    write_all(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

 private:
  void write_all(const char* bytes, std::size_t size) const {
    while (size > 0) {
      const ssize_t n = write(number_, bytes, size);
      if (n < 0 && errno == EINTR) continue;
      // Nobody listens any more.
      if (n < 0) _exit(1);
      bytes += n;
      size -= static_cast<std::size_t>(n);
    }
  }

  int number_;
  std::string buffer_;
};

void lower_limit(decltype(RLIMIT_AS) what, double value) {
  rlimit limit{};
  if (getrlimit(what, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(value));
  setrlimit(what, &limit);
}

/// Address space that the process has already; 0 where the system does not tell.
double address_space() {
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Nothing that goes wrong in the child reaches further than its end.
void confine(int pipe_end, const RunContext& run) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE}) {
    std::signal(number, SIG_DFL);
  }
  // A terminal sends these to both: the parent stops, and ends the child. A child that went first
  // would look like a crash.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  lower_limit(RLIMIT_CORE, 0);
  const auto memory =
      static_cast<double>(run.memory_limit > 0 ? run.memory_limit : available_memory());
  lower_limit(RLIMIT_CPU, kLeastSeconds + kSecondsPerByte * memory);
  const double held = address_space();
  // matio's copy of a table stands beside ours for a moment.
  if (!kHasAddressSanitizer && held > 0) lower_limit(RLIMIT_AS, held + 2 * memory + kLibraryMemory);
  // Last words of the C library ("free(): invalid pointer") would reach the user without us.
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  allow_only_reading(pipe_end);
}

/// Where the disk failed, the library that reads may have taken what it did not get for damage, or
/// for something that the file does not have. It leaves what the system said.
Error with_its_cause(const Error& error, const std::string& file) {
  if (error.code() != ErrorCode::malformed_input || errno != EIO) return error;
  return {ErrorCode::cannot_read,
          "reading failed: " + std::generic_category().message(EIO),
          file,
          {"", "check the disk"}};
}

void send_error(const Error& error, const ByteSink& send) {
  const ErrorCode code = error.code();
  send(&code, sizeof code);
  for (const std::string& text :
       {error.fault(), error.where(), error.hint().field, error.hint().advice}) {
    send_text(text, send);
  }
}

[[noreturn]] void run_child(int pipe_end, const std::string& file, const RunContext& run,
                            const std::function<RawTable(const RunContext& run)>& reader) {
  confine(pipe_end, run);
  ChildOutput output(pipe_end);
  const ByteSink send = [&](const void* bytes, std::size_t size) { output.add(bytes, size); };
  const auto begin = [&](Outcome outcome) { send(&outcome, sizeof outcome); };
  try {
    RunContext child_run = run;
    child_run.progress = {};
    child_run.stop = nullptr;
    errno = 0;
    RawTable table = reader(child_run);
    begin(Outcome::table);
    send_table(table, send);
  } catch (const Error& error) {
    const Error cause = with_its_cause(error, file);
    begin(Outcome::error);
    send_error(cause, send);
  } catch (const std::bad_alloc&) {
    begin(Outcome::no_memory);
  } catch (const std::exception& error) {
    begin(Outcome::error);
    send_error(Error(ErrorCode::internal, error.what()), send);
  }
  output.flush();
  // No destructors, no exit handlers: they belong to the process that this is a copy of.
  _exit(0);
}

// --- in the parent -------------------------------------------------------------------------------

/// The child as long as it is needed, and the parent's end of the pipe.
class Child {
 public:
  Child(const std::string& name, const RunContext& run,
        const std::function<RawTable(const RunContext& run)>& reader)
      : name_(name), run_(run) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) cannot_start();
    fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      run_child(ends[1], name, run, reader);
    }
    const int error_number = errno;
    close(ends[1]);
    pipe_end_ = ends[0];
    if (process_ < 0) {
      close(pipe_end_);
      errno = error_number;
      cannot_start();
    }
  }
  ~Child() {
    close(pipe_end_);
    if (process_ > 0) {
      kill(process_, SIGKILL);
      static_cast<void>(wait_for_end());
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Fills `size` bytes with what the child sends; throws where it ended instead.
  void receive(void* target, std::size_t size) {
    auto* bytes = static_cast<char*>(target);
    while (size > 0) {
      wait_for_bytes();
      const ssize_t n = read(pipe_end_, bytes, size);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse();
      bytes += n;
      size -= static_cast<std::size_t>(n);
    }
  }

 private:
  void wait_for_bytes() const {
    /// Milliseconds after which a wish to stop is seen.
    constexpr int kPatience = 50;
    pollfd wanted{pipe_end_, POLLIN, 0};
    while (poll(&wanted, 1, kPatience) <= 0) check_stop(run_);
    check_stop(run_);
  }

  int wait_for_end() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

  [[noreturn]] void cannot_start() const {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: no process can be started to read it: {}; end other programs or "
                            "raise the limit on processes",
                            name_, std::generic_category().message(errno)));
  }

  /// The child ended before it had sent everything.
  [[noreturn]] void refuse() {
    const int status = wait_for_end();
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGKILL) {
      throw Error(ErrorCode::over_memory,
                  fmt::format("{}: the process that read it was killed, most likely for want of "
                              "memory; use a larger machine or a sparse file",
                              name_));
    }
    if (number == SIGXCPU) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{}: reading it never ends, so the file is damaged; copy or save it "
                              "again",
                              name_));
    }
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the library that reads this format crashed on it ({}), so the "
                            "file is damaged; copy or save it again",
                            name_, number != 0 ? strsignal(number) : "it ended early"));
  }

  const std::string& name_;
  const RunContext& run_;
  pid_t process_ = 0;
  int pipe_end_ = -1;
};

Error receive_error(const ByteSource& receive) {
  ErrorCode code{};
  receive(&code, sizeof code);
  std::string fault = receive_text(receive);
  std::string where = receive_text(receive);
  Hint hint;
  hint.field = receive_text(receive);
  hint.advice = receive_text(receive);
  return {code, std::move(fault), std::move(where), std::move(hint)};
}

}  // namespace

RawTable read_in_child(const std::string& name, const RunContext& run,
                       const std::function<RawTable(const RunContext& run)>& reader) {
  Child child(name, run, reader);
  const ByteSource receive = [&](void* bytes, std::size_t size) { child.receive(bytes, size); };
  Outcome outcome{};
  receive(&outcome, sizeof outcome);
  if (outcome == Outcome::table) return receive_table(name, run, receive);
  if (outcome == Outcome::no_memory) throw std::bad_alloc();
  throw receive_error(receive);
}

}  // namespace sfg::detail
