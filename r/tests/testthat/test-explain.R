test_that("a removed feature is explained by fields and by text", {
  found <- sfg_explain(sfg_reduce(made_table()), "knots")
  expect_equal(found$role, "removed")
  expect_equal(found$representative, "wind")
  expect_equal(found$terms, c(wind = 2))
  expect_equal(found$group, c("wind", "knots"))
  expect_identical(format(found), c(
    "knots: removed, wind is kept instead (r2 1.0000)",
    "  the kept features predict 100.0 % of it on samples held out",
    "  2*wind explains 100.0 % of it (in sample)",
    "  group of 2: wind, knots"
  ))
})

test_that("a kept feature has a stand-in, and is found by number", {
  reduction <- sfg_reduce(made_table())
  found <- sfg_explain(reduction, 3)
  expect_equal(found$feature, "wind")
  expect_equal(found$role, "representative")
  expect_equal(found$stand_in, "knots")
  expect_true(is.na(found$reason))
})

test_that("options are spelt as arguments of R", {
  set.seed(5)
  noise <- matrix(rnorm(200 * 6), 200, dimnames = list(NULL, letters[1:6]))
  found <- sfg_reduce(cbind(noise, copy = noise[, 1]), unshared = "drop")
  gone <- found$removed$feature[found$removed$reason == "unshared"][1]
  expect_match(sfg_explain(found, gone)$text, "(unshared = \"keep\" keeps such features)", fixed = TRUE)
})

test_that("an unknown feature is an error with the nearest names", {
  reduction <- sfg_reduce(made_table())
  expect_error(sfg_explain(reduction, "knot"), "knots", class = "sfg_inconsistent_input_error")
  expect_error(sfg_explain(reduction, 8), "there is no feature 8", class = "sfg_invalid_option_error")
  expect_error(sfg_explain(reduction, c("wind", "knots")), "one name or number")
})
