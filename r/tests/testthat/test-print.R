test_that("print says the verdict and what is kept", {
  found <- sfg_reduce(made_table())
  expect_identical(paste(format(found)[1:2], collapse = " "), found$verdict)
  expect_identical(tail(format(found), 4), c(
    "",
    "  kept            3  43 %",
    "  removed         4  57 %",
    "  groups          3  of two or more features, the largest of 2"
  ))
  expect_output(print(found), "57 %", fixed = TRUE)
  expect_invisible(print(found))
})

test_that("summary adds how sure it is, sums and the largest groups", {
  lines <- capture.output(summary(sfg_reduce(made_table())))
  expect_true("What was removed, and how sure that is" %in% lines)
  expect_true("          2  copies of a kept feature" %in% lines)
  expect_true("  sum = wind + heat" %in% lines)
  expect_match(lines, "^ heat +2 +", all = FALSE)
})

test_that("few samples are told to be too few", {
  lines <- capture.output(summary(sfg_reduce(head(made_table(), 15), n_features = 3)))
  expect_true("  there are too few samples to test predictions" %in% lines)
})

test_that("a loaded model prints how it was made", {
  path <- tempfile(fileext = ".model.json")
  sfg_save(sfg_reduce(made_table()), path)
  expect_match(format(sfg_load(path))[1], "^A model: pursuit omp")
  expect_output(print(summary(sfg_load(path))), "copies of a kept feature")
})

test_that("an R2 that is not 1 is not printed as 1", {
  expect_identical(sfg:::format_r2(c(0.5, 0.9999, 1)), c("0.500", "above 0.999", "1.000"))
})
