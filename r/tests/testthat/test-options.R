test_that("the page of options is current", {
  pages <- tools::Rd_db("sfg")
  installed <- pages[["sfg_options.Rd"]]
  made <- tempfile(fileext = ".Rd")
  writeLines(sfg:::options_page(), made)
  text_of <- function(page) capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE)))
  expect_identical(text_of(installed), text_of(tools::parse_Rd(made)), info = "run 'make r-options-page'")
})

test_that("every option has a type and a sentence", {
  for (stage in c("method", "missing", "sweep", "compare", "stability", "read")) {
    options <- sfg_options(stage)
    expect_gt(nrow(options), 0)
    expect_true(all(nzchar(options$type)), info = stage)
    expect_true(all(grepl("\\.$", options$help)), info = stage)
  }
  expect_error(sfg_options("other"), "one of method", class = "sfg_invalid_option_error")
})

test_that("defaults are as R writes them", {
  default <- function(name) sfg_options()$default[sfg_options()$name == name]
  expect_equal(default("grouping"), "\"compact\"")
  expect_equal(default("rescue"), "TRUE")
  expect_equal(default("theta"), "NULL")
  expect_match(default("representative"), "\"medoid\" (compact), \"in-degree\" (components)", fixed = TRUE)
})

test_that("every argument of sfg_stability about repeats is an option of the library", {
  expect_true(all(sfg_options("stability")$name %in% names(formals(sfg_stability))))
})
