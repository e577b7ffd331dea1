# Model files: those of the command line and of Python.

sfg_save <- function(object, path) {
  if (!inherits(object, "sfg_reduction")) {
    refuse("inconsistent_input", "object must come from sfg_reduce() or sfg_load()", match.call())
  }
  call_library(C_save, object$file, path_of(path), call = match.call())
  invisible(object)
}

sfg_load <- function(path, memory_limit = NULL) {
  how <- running(memory_limit = memory_limit)
  new_reduction(call_library(C_load, path_of(path), how, call = match.call()), call = match.call())
}

path_of <- function(path) {
  if (!is.character(path) || length(path) != 1 || is.na(path)) {
    refuse("invalid_option", "path must be one text", NULL)
  }
  enc2native(path.expand(path))
}
