# The library's own list of options, and the page that is made of it.

sfg_options <- function(stage = "method") {
  fields <- call_library(C_fields, as.character(stage)[1], call = match.call())
  text <- function(part) vapply(fields, function(field) field[[part]], character(1))
  data.frame(
    name = text("name"),
    type = vapply(fields, type_text, character(1)),
    default = vapply(fields, default_text, character(1)),
    help = vapply(fields, help_text, character(1))
  )
}

sfg_version <- function() call_library(C_version)

type_text <- function(field) {
  if (length(field$choices) > 0) {
    words <- paste0("\"", names(field$choices), "\"", collapse = ", ")
    return(if (field$type == "texts") paste("some of", words) else words)
  }
  if (field$form != "") return(paste(field$type, "as", field$form))
  zero <- if (field$zero != "") paste0(" or \"", field$zero, "\"") else ""
  limits <- if (field$limits != "") paste0(" ", field$limits) else ""
  paste0(field$type, limits, zero)
}

default_text <- function(field) {
  if (length(unique(field$groupings)) > 1) {
    return(paste0(r_value(field$groupings, field), " (", names(field$groupings), ")", collapse = ", "))
  }
  r_value(field$default, field)
}

r_value <- function(texts, field) {
  shown <- if (field$type == "TRUE or FALSE") {
    toupper(texts)
  } else if (field$type %in% c("text", "texts")) {
    paste0("\"", texts, "\"")
  } else {
    texts
  }
  ifelse(texts == "", "NULL", shown)
}

help_text <- function(field) {
  text <- if (grepl("\\.$", field$help)) field$help else paste0(field$help, ".")
  meanings <- field$choices[field$choices != ""]
  if (length(meanings) > 0) text <- paste(c(text, paste0(names(meanings), ": ", meanings, ".")), collapse = " ")
  owners <- names(field$groupings)
  all_groupings <- 4
  if (length(owners) > 0 && length(owners) < all_groupings) {
    text <- paste0("For ", paste(owners, collapse = " and "), " groups. ", text)
  }
  text
}

# The page of help about the options of all stages: man/sfg_options.Rd.
options_page <- function() {
  stages <- c(
    method = "Options of the method: sfg_reduce(), sfg_sweep(), sfg_stability()",
    read = "Options of sfg_read_table()",
    compare = "Options of sfg_compare()",
    stability = "How sfg_stability() repeats",
    missing = "Missing values"
  )
  sections <- lapply(names(stages), function(stage) options_section(stages[[stage]], sfg_options(stage)))
  c(
    "% Made of the library's list by tools/options-page.R; 'make r-options-page' writes it anew.",
    "\\name{sfg_options}",
    "\\alias{sfg_options}",
    "\\title{All Options}",
    "\\description{",
    "What can be chosen, as the library lists it: an option has the same name in R, in Python, in C++ and on the",
    "command line. The library checks names, ranges and words.",
    "}",
    "\\usage{sfg_options(stage = \"method\")}",
    "\\arguments{",
    "\\item{stage}{\"method\", \"missing\", \"sweep\", \"compare\", \"stability\" or \"read\".}",
    "}",
    "\\value{A data frame with \\code{name}, \\code{type}, \\code{default} and \\code{help}.}",
    unlist(sections),
    "\\examples{",
    "head(sfg_options())",
    "}"
  )
}

options_section <- function(title, options) {
  c(
    paste0("\\section{", title, "}{"),
    "\\describe{",
    sprintf("\\item{\\code{%s}}{%s Given as: %s. Default: %s.}", options$name, rd_text(options$help),
            rd_text(options$type), rd_text(options$default)),
    "}",
    "}"
  )
}

rd_text <- function(text) gsub("([%\\\\{}])", "\\\\\\1", text)
