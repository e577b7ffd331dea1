# The options of a call as the library takes them. What options there are, and their ranges, the library knows.

options_from <- function(...) {
  given <- list(...)
  if (length(given) > 0 && (is.null(names(given)) || any(names(given) == ""))) {
    refuse("invalid_option", "options are given by name, as in sfg_reduce(x, n_features = 20)", sys.call(-1))
  }
  given <- given[!vapply(given, is.null, logical(1))]
  for (name in names(given)) given[[name]] <- checked_option(given[[name]], name)
  repeated <- names(given)[duplicated(names(given))]
  if (length(repeated) > 0) refuse("invalid_option", paste(repeated[1], "is given twice"), sys.call(-1))
  given
}

checked_option <- function(value, name) {
  if (is.factor(value)) value <- as.character(value)
  if (is.list(value) || is.data.frame(value)) return(value)
  if (!is.numeric(value) && !is.character(value) && !is.logical(value)) {
    refuse("invalid_option", paste0(name, " must be numbers, texts or TRUE and FALSE, not ", class(value)[1]), NULL)
  }
  if (anyNA(value) && is.null(names(value)) && name != "cost") {
    refuse("invalid_option", paste0(name, " is NA: leave it out or give NULL"), NULL)
  }
  value
}

# Options of the method: the grouping that others are for, who chooses the kept members, and features by name.
method_options <- function(table, target, preset, ...) {
  options <- options_from(...)
  options <- choose_grouping(options, preset)
  options <- choose_representative(options, target, preset)
  names <- if (is.null(table$names)) table$generated else table$names
  for (name in intersect(c("keep", "priority", "avoid"), names(options))) {
    options[[name]] <- feature_names(options[[name]], names, name)
  }
  if (!is.null(options$cost)) options$cost <- feature_numbers(options$cost, names, "cost")
  if (!is.null(options$positions)) options$positions <- feature_positions(options$positions, names)
  options
}

# Some options alone say which grouping is meant, as on the command line.
choose_grouping <- function(options, preset) {
  is_paper <- is_paper_preset(preset)
  cuts <- !is.null(options$theta) || !is.null(options$weight_threshold)
  prunes <- !is.null(options$max_r2)
  if (is.null(options$grouping)) {
    if (cuts && prunes) {
      refuse("invalid_option", "max_r2 and theta or weight_threshold are of different groupings: give one", NULL)
    }
    options$grouping <- if (cuts || is_paper) "components" else if (prunes) "pairwise" else "compact"
  }
  if (is_paper && !identical(options$grouping, "components")) {
    refuse("invalid_option", paste0(
      "preset = \"paper\" is about the paper's groups: leave out grouping = \"", options$grouping, "\""
    ), NULL)
  }
  options
}

is_paper_preset <- function(preset) {
  if (is.null(preset)) return(FALSE)
  if (!identical(preset, "paper")) refuse("invalid_option", "preset must be \"paper\" or NULL", NULL)
  TRUE
}

choose_representative <- function(options, target, preset) {
  sources <- c(
    priority = !is.null(options$priority), target = !is.null(target), cost = !is.null(options$cost)
  )
  rule <- options$representative
  meant <- names(sources)[sources]
  if (length(meant) > 1) {
    refuse("invalid_option", paste(meant[1], "and", meant[2], "both choose the representatives: give one of them"), NULL)
  }
  if (length(meant) == 1 && !is.null(rule) && !identical(rule, meant)) {
    refuse("invalid_option", paste0(meant, " chooses the representatives itself: leave out representative"), NULL)
  }
  if (length(meant) == 0 && isTRUE(rule %in% names(sources))) {
    refuse("invalid_option", paste0("representative = \"", rule, "\" needs ", rule), NULL)
  }
  # Pairwise groups pick by the list itself.
  picks <- identical(meant, "priority") && identical(options$grouping, "pairwise")
  if (length(meant) == 1 && !picks) options$representative <- meant
  if (length(meant) == 0 && is.null(rule) && is_paper_preset(preset)) options$representative <- "out-degree"
  options
}
