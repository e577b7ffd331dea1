drawn <- function(expression) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(expression)
  length(grDevices::recordPlot()[[1]])
}

test_that("every picture is drawn", {
  found <- sfg_reduce(read.csv(system.file("extdata", "sensors.csv", package = "sfg"))[-1])
  expect_gt(drawn(plot(found)), 0)
  expect_gt(drawn(plot(found, "groups", n_groups = 1)), 0)
  expect_gt(drawn(plot(found, "predictability", col.axis = "red")), 0)
  expect_identical(drawn(expect_identical(plot(found, "groups"), found)), drawn(plot(found, "groups")))
})

test_that("pictures of what is not known are errors that say why", {
  found <- sfg_reduce(made_table(), n_features = 2)
  expect_error(plot(found, "levels"), "no levels were judged")
  expect_error(plot(sfg_reduce(made_table(), theta = 0.5), "predictability"), "sfg_predictability()")
  expect_error(plot(found, "groups", n_groups = 0), "n_groups must be at least 1")
  path <- tempfile(fileext = ".model.json")
  sfg_save(found, path)
  expect_error(plot(sfg_load(path)), "not in a model file")
})
