#include "png.hpp"

#include <fmt/format.h>

#include <memory>

#include "sfg/error.hpp"

#ifdef SFG_WITH_PNG
#include <cairo.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <librsvg/rsvg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#endif

namespace sfg::cli {

#ifdef SFG_WITH_PNG

namespace {

constexpr double kScale = 2;

template <typename T, void (*release)(T*)>
struct Releaser {
  void operator()(T* object) const { release(object); }
};
void unref_handle(RsvgHandle* handle) {
  g_object_unref(handle);
}
using Handle = std::unique_ptr<RsvgHandle, Releaser<RsvgHandle, unref_handle>>;
using Surface = std::unique_ptr<cairo_surface_t, Releaser<cairo_surface_t, cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Releaser<cairo_t, cairo_destroy>>;

[[noreturn]] void refuse_figure(const std::string& reason) {
  throw Error(
      ErrorCode::cannot_write,
      fmt::format("a figure cannot be drawn as PNG: {}; --no-png leaves these files out", reason));
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int n) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), n);
  return CAIRO_STATUS_SUCCESS;
}

[[noreturn]] void refuse_figure(GError* error) {
  const std::string message = error != nullptr ? error->message : "no reason was given";
  if (error != nullptr) g_error_free(error);
  refuse_figure(message);
}

std::string drawn(const std::string& svg) {
  GError* error = nullptr;
  const Handle handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle) refuse_figure(error);
  double width = 0;
  double height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0) {
    refuse_figure("it has no size");
  }
  const Surface surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(width * kScale), static_cast<int>(height * kScale)));
  const Context context(cairo_create(surface.get()));
  const RsvgRectangle area{0, 0, width * kScale, height * kScale};
  if (rsvg_handle_render_document(handle.get(), context.get(), &area, &error) == 0)
    refuse_figure(error);
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) refuse_figure(cairo_status_to_string(status));
  return png;
}

/// What a child sends first: this and then the picture, or the code of the error and its message.
constexpr char kPicture = 'P';

/// A journal stays locked as long as anybody has it open: a child that outlives its parent by a
/// moment must not be who.
void let_go_of_all_but(int file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifdef SYS_close_range
  syscall(SYS_close_range, STDERR_FILENO + 1, file - 1, 0);
  syscall(SYS_close_range, file + 1, ~0U, 0);
#endif
}

[[noreturn]] void run_child(int pipe_end, const std::string& svg) {
  let_go_of_all_but(pipe_end);
  // The parent decides when to stop; last words of the library would reach the user without us.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  std::string answer;
  try {
    answer = kPicture + drawn(svg);
  } catch (const Error& error) {
    answer = static_cast<char>(error.code()) + std::string(error.what());
  } catch (const std::exception&) {
    _exit(1);
  }
  for (std::size_t done = 0; done < answer.size();) {
    const ssize_t n = write(pipe_end, answer.data() + done, answer.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  _exit(0);
}

std::string last_error() {
  return std::generic_category().message(errno);
}

/// All that comes out of the pipe.
std::string received(int pipe_end) {
  std::string all;
  char buffer[1U << 16U];
  for (;;) {
    const ssize_t n = read(pipe_end, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

// The program for other machines takes the library that it finds there, or none.
bool can_make_png() {
#ifdef __linux__
  static const bool is_missing = [] {
    if (dlopen("librsvg-2.so.2", RTLD_LAZY | RTLD_LOCAL) != nullptr) return false;
    // One for which there is no memory is there: who wants figures is told so when they are drawn.
    return std::string_view(dlerror()).find("No such file") != std::string_view::npos;
  }();
  return !is_missing;
#else
  return true;
#endif
}

// GLib, on which librsvg stands, ends the process where it gets no memory or no thread: it does so
// in a child.
std::string svg_to_png(const std::string& svg) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) refuse_figure(last_error());
  const pid_t process = fork();
  if (process == 0) run_child(ends[1], svg);
  const std::string fault = process < 0 ? last_error() : "";
  close(ends[1]);
  std::string answer = process < 0 ? "" : received(ends[0]);
  close(ends[0]);
  if (process < 0) refuse_figure(fault);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty()) {
    const char* signal = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended early";
    refuse_figure(fmt::format(
        "the library that draws it failed ({}), most likely for want of memory or threads",
        signal));
  }
  if (answer[0] != kPicture) throw Error(static_cast<ErrorCode>(answer[0]), answer.substr(1));
  return answer.substr(1);
}

#else

bool can_make_png() {
  return false;
}

std::string svg_to_png(const std::string&) {
  throw Error(ErrorCode::cannot_write, "built without PNG support: install librsvg2-dev");
}

#endif

}  // namespace sfg::cli
