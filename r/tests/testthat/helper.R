# Two thermometers, other units, a sum and noise, with values that a CSV file holds exactly.
made_table <- function(n = 240) {
  set.seed(7)
  heat <- round(20 + 5 * rnorm(n), 1)
  wind <- round(runif(n, 0, 20), 2)
  pressure <- round(rnorm(n, 1013, 8), 1)
  data.frame(
    heat = heat, heat_f = round(1.8 * heat + 32, 2), wind = wind, knots = 2 * wind,
    sum = round(heat + wind, 2), pressure = pressure, glass = round(2 * pressure + rnorm(n), 2)
  )
}

# The program `sfg` of the same version, which SFG_PROGRAM names.
command_line <- function(...) {
  program <- Sys.getenv("SFG_PROGRAM")
  if (!file.exists(program)) skip("SFG_PROGRAM names no program sfg")
  output <- suppressWarnings(system2(program, shQuote(c(...)), stdout = TRUE, stderr = FALSE))
  if (!is.null(attr(output, "status"))) stop("sfg ended with ", attr(output, "status"))
  output
}

document_of <- function(...) {
  skip_if_not_installed("jsonlite")
  jsonlite::fromJSON(paste(command_line(..., "--json"), collapse = "\n"))
}

written_csv <- function(table) {
  path <- tempfile(fileext = ".csv")
  write.csv(table, path, row.names = FALSE)
  path
}

quietly <- function(expression) suppressMessages(expression)
