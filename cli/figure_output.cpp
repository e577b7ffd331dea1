#include "figure_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "png.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kPlot = "plot";

bool is_png(const std::filesystem::path& path) {
  return path.extension() == ".png";
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_option, message);
}

}  // namespace

void FigureOutput::add_to(CLI::App& command, const std::string& what) {
  command.add_option("--plot", path, "Figure to write: " + what)
      ->option_text("FILE.svg|FILE.png|-")
      ->group("Output");
}

void FigureOutput::stage(CommandRun& frame) const {
  if (!is_asked()) return;
  if (path == "-") {
    if (frame.to_stdout()) refuse("-o - and --plot - both want standard output: name a file");
    if (frame.console().wants_json()) {
      refuse("--plot - prints the figure itself, so that --json has no place there: leave one out");
    }
    return frame.console().reserve_stdout();
  }
  if (!is_png(path) && std::filesystem::path(path).extension() != ".svg") {
    refuse(fmt::format(
        "'{}' does not say what kind of figure it is: --plot takes FILE.svg, FILE.png, or - for "
        "SVG on standard output",
        path));
  }
  if (is_png(path) && !can_make_png()) {
    refuse("this program cannot make PNG here: give --plot FILE.svg");
  }
  frame.files().stage(kPlot, path);
}

void FigureOutput::write(const std::string& svg, CommandRun& frame) const {
  if (path == "-") return frame.console().print_result(svg);
  frame.files().write_text(kPlot, is_png(path) ? svg_to_png(svg) : svg);
}

std::string figure_name(const std::string& source) {
  if (source == "-") return shown_name(source);
  const std::filesystem::path file = std::filesystem::path(source).filename();
  return (compression_from_path(file) == Compression::none ? file : file.stem()).stem().string();
}

}  // namespace sfg::cli
