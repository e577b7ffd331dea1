sfg_explain <- function(object, feature) {
  call <- match.call()
  if (!inherits(object, "sfg_reduction")) {
    refuse("inconsistent_input", "object must come from sfg_reduce() or sfg_load()", call)
  }
  if (length(feature) != 1 || is.na(feature)) {
    refuse("invalid_option", "feature must be one name or number", call)
  }
  if (is.numeric(feature)) feature <- feature_names(feature, object$features$feature, "feature")
  found <- call_library(C_explain, object$file, enc2utf8(as.character(feature)), call = call)
  structure(found, class = "sfg_explanation")
}

format.sfg_explanation <- function(x, ...) strsplit(x$text, "\n", fixed = TRUE)[[1]]

print.sfg_explanation <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}
