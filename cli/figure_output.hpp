#pragma once

#include <string>

#include "command_run.hpp"

namespace sfg::cli {

/// --plot: a figure beside the other outputs of a command; all of them appear or none.
struct FigureOutput {
  std::string path;

  /// `what` the figure shows.
  void add_to(CLI::App& command, const std::string& what);
  [[nodiscard]] bool is_asked() const noexcept { return !path.empty(); }
  /// Before the work: throws invalid_option for an ending that names no kind of figure, for PNG
  /// where nothing can draw it, and where something else wants standard output too. Announces the
  /// file, which must not be in the way.
  void stage(CommandRun& frame) const;
  /// Draws it, or prints it.
  void write(const std::string& svg, CommandRun& frame) const;
};

/// What figures call the data: the name of their file without folder and endings.
[[nodiscard]] std::string figure_name(const std::string& source);

}  // namespace sfg::cli
