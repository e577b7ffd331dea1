test_that("an error is a condition with the library's message and the user's call", {
  error <- tryCatch(sfg_reduce(made_table(), theta = 3), error = identity)
  expect_s3_class(error, c("sfg_invalid_option_error", "sfg_error", "error"))
  expect_identical(conditionMessage(error), "theta must be above 0 and below 1, not 3")
  expect_identical(conditionCall(error)[[1]], quote(sfg_reduce))
})

test_that("an unknown option is refused with the nearest one", {
  expect_error(sfg_reduce(made_table(), n_feature = 3), "no option n_feature; did you mean n_features?", fixed = TRUE)
  expect_error(sfg_reduce(made_table(), 3), "given by name")
  expect_error(sfg_compare(made_table(), nseeds = 3), "no option nseeds")
})

test_that("ranges, words and types are checked by the library", {
  table <- made_table()
  expect_error(sfg_reduce(table, grouping = "tight"), "grouping must be one of compact, cover")
  expect_error(sfg_reduce(table, n_features = 2.5), "n_features must be a whole number")
  expect_error(sfg_reduce(table, keep_share = "many"), "keep_share must be a number")
  expect_error(sfg_reduce(table, equations = "maybe"), "equations must be true or false")
  expect_error(sfg_reduce(table, n_features = NA), "n_features is NA")
  expect_error(sfg_reduce(table, n_features = mean), "not function")
})

test_that("options of another grouping, and two ways to choose, are refused", {
  table <- made_table()
  expect_error(sfg_reduce(table, grouping = "cover", theta = 0.5), "theta is for components groups")
  expect_error(sfg_reduce(table, theta = 0.5, max_r2 = 0.5), "of different groupings")
  expect_error(sfg_reduce(table, cost = 1:7, priority = 1), "both choose the representatives")
  expect_error(sfg_reduce(table, cost = 1:7, representative = "medoid"), "leave out representative")
  expect_error(sfg_reduce(table, representative = "target"), "needs target")
  expect_error(sfg_sweep(table, 0.5, grouping = "cover"), "thetas are of the paper's groups")
})

test_that("features that are not there are refused by name, number and mask", {
  table <- made_table()
  expect_error(sfg_reduce(table, keep = "wnd"), "there is no feature 'wnd'")
  expect_error(sfg_reduce(table, keep = 8), "there is no feature 8")
  expect_error(sfg_reduce(table, keep = 0), "there is no feature 0")
  expect_error(sfg_reduce(table, keep = TRUE), "mask of 1 for 7 features")
  expect_error(sfg_reduce(table, cost = 1:3), "cost has 3 numbers for 7 features")
  expect_error(sfg_reduce(table, window = 2, positions = 1:3), "positions are 3 for 7 features")
  expect_error(sfg_reduce(table, window = 2, positions = c(heat = 1)), "none is given of 'heat_f'")
})
