test_that("predictability is near 1 for what the others say and near 0 for noise", {
  set.seed(1)
  x <- matrix(rnorm(600), 200, dimnames = list(NULL, c("a", "b", "c")))
  known <- sfg_predictability(cbind(x, d = x[, 1] + x[, 2]))
  expect_named(known, c("a", "b", "c", "d"))
  expect_gt(min(known[c("a", "b", "d")]), 0.99)
  expect_lt(known[["c"]], 0.1)
})

test_that("a sweep has a row for each theta, and one level of the others is chosen", {
  table <- sfg_sweep(made_table(), c(0.9, 0.1))
  expect_equal(table$theta, c(0.9, 0.1))
  expect_gte(table$n_kept[1], table$n_kept[2])
  expect_equal(sum(sfg_sweep(made_table(), grouping = "compact")$chosen), 1)
  expect_error(sfg_sweep(made_table(), 2), "thetas must be")
})

test_that("labels let classifiers judge", {
  found <- sfg_compare(iris[1:4], iris$Species, shares = 0.5, methods = c("compact", "variance"), n_seeds = 1)
  expect_equal(found$rows$competitor[1], "all")
  expect_gt(found$rows$accuracy[1], 0.9)
  expect_output(print(found), "accuracy")
  expect_true(all(is.na(sfg_compare(iris[1:4], shares = 0.5, methods = "compact")$rows$accuracy)))
})

test_that("stability tells how often each kept feature is kept again", {
  found <- sfg_stability(made_table(), repeats = 6)
  expect_length(found$n_kept, 6)
  expect_true(all(sfg_reduce(made_table())$kept %in% found$features$feature))
  expect_output(print(found), "stable")
  expect_error(sfg_stability(made_table(), repeats = 5), "repeats", class = "sfg_invalid_option_error")
})
