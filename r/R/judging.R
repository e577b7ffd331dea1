# What judges a table, a level, or other ways to reduce it.

sfg_predictability <- function(x, missing = "mean", batch = NULL, features_in_rows = FALSE, assay = 1L,
                               threads = NULL, memory_limit = NULL, seed = 1, verbose = FALSE) {
  table <- table_of(x, features_in_rows, assay)
  table$batch <- known_batches(batch, table)
  note_beside(table)
  how <- running(threads, memory_limit, seed, verbose)
  found <- call_library(C_predictability, table, missing, how, call = match.call())
  note_missing(found$missing, missing)
  setNames(found$r2, found$names)
}

sfg_sweep <- function(x, thetas = NULL, ..., grouping = "components", batch = NULL, missing = "mean",
                      preset = NULL, features_in_rows = FALSE, assay = 1L, threads = NULL,
                      memory_limit = NULL, seed = 1, verbose = FALSE) {
  table <- table_of(x, features_in_rows, assay)
  options <- method_options(table, NULL, preset, grouping = grouping, ...)
  if (!is.null(thetas) && !identical(grouping, "components")) {
    refuse("invalid_option", paste0("thetas are of the paper's groups: leave them out with \"", grouping, "\""))
  }
  table$batch <- known_batches(batch, table)
  note_beside(table)
  how <- running(threads, memory_limit, seed, verbose)
  as.data.frame(call_library(C_sweep, table, options, missing, thetas, how, call = match.call()))
}

sfg_compare <- function(x, labels = NULL, ..., missing = "mean", features_in_rows = FALSE, assay = 1L,
                        threads = NULL, memory_limit = NULL, seed = 1, verbose = FALSE) {
  table <- table_of(x, features_in_rows, assay)
  table$target <- per_sample(labels, table, "labels")
  note_beside(table)
  how <- running(threads, memory_limit, seed, verbose)
  found <- call_library(C_compare, table, options_from(...), missing, how, call = match.call())
  note_missing(found$missing, missing)
  structure(
    class = "sfg_comparison",
    list(
      verdict = found$verdict,
      rows = as.data.frame(found$rows),
      differences = as.data.frame(found$differences)
    )
  )
}

print.sfg_comparison <- function(x, ...) {
  writeLines(c(strwrap(x$verdict, 90), ""))
  measures <- c("competitor", "n_kept", "rank", "accuracy", "nmi_mean", "neighbour_overlap", "r2cv_mean")
  shown <- x$rows[measures]
  some <- vapply(shown, function(column) !all(is.na(column)), logical(1))
  print(shown[some], digits = 3, row.names = FALSE)
  invisible(x)
}

sfg_stability <- function(x, ..., resample = "halves", repeats = 50, same_number = FALSE, stable = NULL,
                          target = NULL, batch = NULL, missing = "mean", preset = NULL,
                          features_in_rows = FALSE, assay = 1L, threads = NULL, memory_limit = NULL,
                          seed = 1, verbose = FALSE) {
  table <- table_of(x, features_in_rows, assay)
  options <- method_options(table, target, preset, ...)
  how_often <- options_from(resample = resample, repeats = repeats, same_number = same_number, stable = stable)
  table$target <- per_sample(target, table, "target")
  table$batch <- known_batches(batch, table)
  note_beside(table)
  how <- running(threads, memory_limit, seed, verbose)
  found <- call_library(C_stability, table, options, how_often, missing, how, call = match.call())
  found$features <- as.data.frame(found$features)
  for (text in found$notes) note(text)
  structure(found, class = "sfg_stability")
}

print.sfg_stability <- function(x, ...) {
  writeLines(strwrap(x$verdict, 90))
  invisible(x)
}
