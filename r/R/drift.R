sfg_check_drift <- function(object, newdata, features_in_rows = FALSE, assay = 1L) {
  call <- match.call()
  if (!inherits(object, "sfg_reduction")) {
    refuse("inconsistent_input", "object must come from sfg_reduce() or sfg_load()", call)
  }
  table <- new_table(object, newdata, features_in_rows, assay)
  found <- call_library(C_drift, object$file, table, running(), call = call)
  for (part in c("broken", "suspects", "shifted")) found[[part]] <- as.data.frame(found[[part]])
  structure(found, class = "sfg_drift")
}

print.sfg_drift <- function(x, ...) {
  writeLines(x$text)
  invisible(x)
}
