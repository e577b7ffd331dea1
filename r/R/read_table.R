sfg_read_table <- function(path, ..., memory_limit = NULL) {
  options <- options_from(...)
  if (!is.null(options$na_values)) options$na_values <- as.character(options$na_values)
  how <- running(memory_limit = memory_limit)
  found <- call_library(C_read_table, path_of(path), options, how, call = match.call())
  if (!found$has_names) dimnames(found$data)[2] <- list(NULL)
  structure(found[c("data", "labels", "texts", "notes")], class = "sfg_table")
}

print.sfg_table <- function(x, ...) {
  sparse <- if (is(x$data, "sparseMatrix")) ", sparse" else ""
  writeLines(c(
    paste0(counted(nrow(x$data), "sample"), " x ", counted(ncol(x$data), "feature"), sparse),
    if (length(x$texts) > 0) paste("not numbers:", paste(names(x$texts), collapse = ", ")),
    x$notes
  ))
  invisible(x)
}
