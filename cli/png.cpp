#include "png.hpp"

#include <fmt/format.h>

#include <memory>

#include "sfg/error.hpp"

#ifdef SFG_WITH_PNG
#include <cairo.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
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

}  // namespace

// The program for other machines takes the library that it finds there, or none.
bool can_make_png() {
#ifdef __linux__
  static const bool is_there = dlopen("librsvg-2.so.2", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return is_there;
#else
  return true;
#endif
}

std::string svg_to_png(const std::string& svg) {
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

#else

bool can_make_png() {
  return false;
}

std::string svg_to_png(const std::string&) {
  throw Error(ErrorCode::cannot_write, "built without PNG support: install librsvg2-dev");
}

#endif

}  // namespace sfg::cli
