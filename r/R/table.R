# Tables on their way into the library: columns are features, numbers are copied only where they must be.

# `values` is a double matrix or a dgCMatrix without stored zeros, `names` is NULL where x has none, `generated` are
# names for that case. `beside` are the columns of a data frame that are not numbers.
table_of <- function(x, features_in_rows = FALSE, assay = 1L) {
  if (inherits(x, "sfg_table")) x <- x$data
  if (is(x, "SummarizedExperiment")) {
    x <- assay_of(x, assay)
    features_in_rows <- TRUE
  }
  table <- if (is.data.frame(x)) of_data_frame(x) else list(values = x, beside = character(0))
  values <- as_numbers(table$values)
  if (features_in_rows) values <- t(values)
  table$names <- checked_names(colnames(values))
  table$generated <- paste0("V", seq_len(ncol(values)))
  table$samples <- row_names_of(x, values)
  table$values <- values
  table
}

assay_of <- function(x, assay) {
  if (!requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    refuse("invalid_option", "install the package SummarizedExperiment to use such data")
  }
  SummarizedExperiment::assay(x, assay)
}

is_of_numbers <- function(column) {
  (is.numeric(column) || is.logical(column)) && is.null(dim(column)) &&
    !inherits(column, c("Date", "POSIXt", "difftime", "factor"))
}

of_data_frame <- function(x) {
  usable <- vapply(x, is_of_numbers, logical(1))
  columns <- lapply(.subset(x, which(usable)), as.double)
  numbers <- as.double(unlist(columns, use.names = FALSE))
  values <- matrix(numbers, nrow(x), length(columns), dimnames = list(NULL, names(columns)))
  list(values = values, beside = names(x)[!usable])
}

as_numbers <- function(x) {
  if (is(x, "sparseMatrix")) {
    return(drop0(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"), tol = 0))
  }
  if (is(x, "Matrix")) x <- as.matrix(x)
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    kind <- if (is.matrix(x)) paste("a matrix of type", typeof(x)) else class(x)[1]
    refuse("inconsistent_input", paste0(
      "x must be a data frame, a matrix of numbers, a sparse Matrix or a SummarizedExperiment, not ", kind
    ), NULL)
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

checked_names <- function(names) {
  if (is.null(names)) return(NULL)
  nameless <- which(is.na(names) | names == "")
  if (length(nameless) > 0) {
    refuse("inconsistent_input", paste0("feature ", nameless[1], " of x has no name: give it one"), NULL)
  }
  repeated <- names[duplicated(names)]
  if (length(repeated) > 0) {
    refuse("inconsistent_input", paste0(
      "x has several features called '", repeated[1], "': rename them, for example by make.unique()"
    ), NULL)
  }
  enc2utf8(names)
}

# Of rows that are not just counted.
row_names_of <- function(x, values) {
  if (!is.data.frame(x)) return(rownames(values))
  if (is.character(attr(x, "row.names"))) attr(x, "row.names") else NULL
}

# One text per sample, or NULL.
per_sample <- function(values, table, argument) {
  if (is.null(values)) return(NULL)
  n <- nrow(table$values)
  if (length(values) != n) {
    refuse("inconsistent_input", paste0(argument, " has ", length(values), " values for ", counted(n, "sample")), NULL)
  }
  if (is.numeric(values)) values <- ifelse(is.na(values), NA, format(values, digits = 17, trim = TRUE))
  as.character(values)
}

known_batches <- function(batch, table) {
  batch <- per_sample(batch, table, "batch")
  unknown <- which(is.na(batch))
  if (length(unknown) > 0) {
    refuse("malformed_input", paste0(
      "batch has no value for ", counted(length(unknown), "sample"), " (the first is number ", unknown[1],
      "): name their batch, or leave them out"
    ), NULL)
  }
  batch
}

note_beside <- function(table) {
  n <- length(table$beside)
  if (n == 0) return(invisible())
  shown <- paste(c(head(table$beside, 5), if (n > 5) "..."), collapse = ", ")
  note(n, " of ", n + ncol(table$values), " columns ", if (n == 1) "is" else "are",
       " not numbers and no feature", if (n == 1) "" else "s", ": ", shown)
}

# What the library did about missing values.
note_missing <- function(report, missing) {
  cells <- format(report$n_cells, big.mark = ",")
  n_filled <- length(report$filled)
  if (n_filled > 0) note(cells, " missing values in ", counted(n_filled, "feature"), " were replaced by the feature's ", missing)
  n_gaps <- length(report$with_gaps)
  if (n_gaps > 0) note(cells, " missing values in ", counted(n_gaps, "feature"), ": each two are compared by the samples that both have")
  n_dropped <- length(report$dropped)
  if (n_dropped > 0) note(counted(n_dropped, "feature"), " with missing values were left out")
  if (report$n_dropped_samples > 0) note(counted(report$n_dropped_samples, "sample"), " with missing values were left out")
}
