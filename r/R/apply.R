sfg_apply <- function(object, newdata, missing = NULL, features_in_rows = FALSE, assay = 1L) {
  call <- match.call()
  if (!inherits(object, "sfg_reduction")) {
    refuse("inconsistent_input", "object must come from sfg_reduce() or sfg_load()", call)
  }
  if (is(newdata, "SummarizedExperiment")) return(apply_to_experiment(object, newdata, assay, missing, call))
  table <- new_table(object, newdata, features_in_rows)
  found <- call_library(C_apply, object$file, table, missing, running(), call = call)
  policy <- if (is.null(missing)) object$missing else missing
  note_missing(found$missing, paste(policy, "in the data that the model was made from"))
  if (is.data.frame(newdata)) return(apply_to_frame(found, newdata, table))
  if (features_in_rows) t(found$values) else found$values
}

predict.sfg_reduction <- function(object, newdata, ...) sfg_apply(object, newdata, ...)

# New data with what the model knows; columns that are not numbers go along, for messages about them.
new_table <- function(object, newdata, features_in_rows = FALSE, assay = 1L) {
  if (is.data.frame(newdata) && object$has_names) {
    checked_names(names(newdata))
    known <- names(newdata) %in% object$features$feature
    table <- table_of(as_plain_frame(newdata, known))
    table$texts <- lapply(.subset(newdata, table$beside), as.character)
    table$beside <- names(newdata)[!vapply(newdata, is_of_numbers, logical(1))]
    return(table)
  }
  table_of(newdata, features_in_rows, assay)
}

as_plain_frame <- function(x, columns) {
  structure(.subset(x, which(columns)), class = "data.frame", row.names = attr(x, "row.names"))
}

# Kept features as they were, unless gaps were filled in; then the columns that are not numbers.
apply_to_frame <- function(found, newdata, table) {
  kept <- colnames(found$values)
  filled <- found$missing$n_cells > 0
  own <- if (is.null(table$names)) table$generated else table$names
  columns <- if (filled) {
    setNames(lapply(seq_along(kept), function(place) found$values[, place]), kept)
  } else if (all(kept %in% names(newdata))) {
    .subset(newdata, kept)
  } else {
    .subset(newdata, match(kept, own))
  }
  names(columns) <- kept
  columns <- c(columns, .subset(newdata, table$beside))
  structure(columns, class = class(newdata), row.names = attr(newdata, "row.names"))
}

apply_to_experiment <- function(object, newdata, assay, missing, call) {
  if (!is.null(missing)) {
    refuse("invalid_option", "missing is for tables: fill in the assay of a SummarizedExperiment before", call)
  }
  table <- table_of(newdata, assay = assay)
  # Says what is wrong with the features, if something is.
  found <- call_library(C_apply, object$file, table, "pairwise", running(), call = call)
  own <- if (is.null(table$names)) table$generated else table$names
  newdata[match(colnames(found$values), own), ]
}
