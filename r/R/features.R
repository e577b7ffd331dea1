# Features of the user's choice: by name, by number, or as a mask.

feature_names <- function(given, names, argument) {
  if (is.logical(given)) {
    if (length(given) != length(names)) {
      refuse("invalid_option", paste0(argument, " is a mask of ", length(given), " for ", counted(length(names), "feature")), NULL)
    }
    return(names[given])
  }
  if (is.numeric(given)) {
    wrong <- given[given < 1 | given > length(names) | given != round(given)]
    if (length(wrong) > 0) {
      refuse("invalid_option", paste0(argument, ": there is no feature ", wrong[1], ", x has ", length(names)), NULL)
    }
    return(names[given])
  }
  given <- enc2utf8(as.character(given))
  unknown <- setdiff(given, names)
  if (length(unknown) > 0) {
    refuse("invalid_option", paste0(argument, ": there is no feature '", unknown[1], "' in x"), NULL)
  }
  given
}

# One number per feature, in their order or by name; features that are not named have none.
feature_numbers <- function(given, names, argument) {
  values <- unlist(given)
  if (!is.numeric(values)) refuse("invalid_option", paste(argument, "must be numbers"), NULL)
  if (!is.null(names(values))) {
    return(list(names = feature_names(names(values), names, argument), values = as.double(values)))
  }
  if (length(values) != length(names)) {
    refuse("invalid_option", paste0(argument, " has ", counted(length(values), "number"), " for ", counted(length(names), "feature")), NULL)
  }
  list(names = names, values = as.double(values))
}

# A file, positions in the order of the features or by name, or a data frame with the columns position, and
# chromosome and feature where there are such.
feature_positions <- function(given, names) {
  if (is.character(given)) return(path.expand(given))
  if (is.data.frame(given)) {
    if (is.null(given$position)) refuse("invalid_option", "positions has no column 'position'", NULL)
    of <- if (is.null(given$feature)) names else as.character(given$feature)
    chromosomes <- if (is.null(given$chromosome)) rep(1L, nrow(given)) else given$chromosome
    places <- given$position
  } else {
    places <- unlist(given)
    of <- if (is.null(names(places))) names else names(places)
    chromosomes <- rep(1L, length(places))
  }
  if (!is.numeric(places) || anyNA(places)) refuse("invalid_option", "positions must be numbers", NULL)
  if (length(of) != length(places)) {
    refuse("invalid_option", paste0("positions are ", length(places), " for ", counted(length(of), "feature")), NULL)
  }
  missing <- setdiff(names, of)
  if (length(missing) > 0) {
    refuse("invalid_option", paste0("positions: none is given of '", missing[1], "'"), NULL)
  }
  list(names = of, chromosomes = match(chromosomes, unique(chromosomes)), positions = as.double(places))
}
