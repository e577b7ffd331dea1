test_that("the same features of new data are kept, in any order, and further ones left out", {
  table <- made_table()
  found <- sfg_reduce(table[1:160, ])
  new <- cbind(more = "text", rev(table[161:240, ]), other = 1)
  kept <- predict(found, new)
  expect_identical(kept[found$kept], table[161:240, found$kept])
  expect_identical(names(kept), c(found$kept, "more"))
  expect_identical(rownames(kept), rownames(new))
})

test_that("columns keep their types, and a data frame its class", {
  table <- made_table()
  table$wind <- as.integer(10 * table$wind)
  table$knots <- 2L * table$wind
  class(table) <- c("tbl_df", "tbl", "data.frame")
  kept <- predict(sfg_reduce(table), table)
  expect_type(kept$wind, "integer")
  expect_s3_class(kept, "tbl_df")
})

test_that("a matrix gives a matrix with its names", {
  table <- as.matrix(made_table())
  rownames(table) <- paste0("s", 1:240)
  found <- sfg_reduce(table)
  expect_identical(predict(found, table), table[, found$kept])
  expect_identical(sfg_apply(found, t(table), features_in_rows = TRUE), t(table[, found$kept]))
  expect_identical(unname(predict(found, unname(table))), unname(table[, found$kept]))
})

test_that("missing features are named", {
  table <- made_table()
  found <- sfg_reduce(table)
  expect_error(predict(found, table[-1]), "'heat'", class = "sfg_inconsistent_input_error")
  expect_error(predict(found, unname(as.matrix(table))[, 1:3]), "7", class = "sfg_inconsistent_input_error")
})

test_that("a kept feature that is text now is named with its text", {
  table <- made_table()
  found <- sfg_reduce(table)
  table$wind <- as.character(table$wind)
  table$wind[5] <- "gale"
  expect_error(predict(found, table), "gale", class = "sfg_error")
})

test_that("gaps of new data are filled with what the model knows, or stay", {
  table <- made_table()[c("heat", "wind", "pressure")]
  with_gaps <- table
  with_gaps$wind[1] <- NA
  filled <- quietly(predict(quietly(sfg_reduce(with_gaps)), with_gaps))
  expect_equal(filled$wind[1], mean(table$wind[-1]))
  expect_true(is.na(predict(sfg_reduce(table), with_gaps)$wind[1]))
  asked <- sfg_reduce(table, missing = "median")
  expect_equal(quietly(predict(asked, with_gaps))$wind[1], median(table$wind))
  refused <- sfg_reduce(table, missing = "refuse")
  expect_true(is.na(predict(refused, with_gaps)$wind[1]))
  expect_equal(quietly(predict(refused, with_gaps, missing = "median"))$wind[1], median(table$wind))
  expect_error(predict(refused, with_gaps, missing = "refuse"), class = "sfg_malformed_input_error")
})

test_that("data without names match by place where the model has none", {
  values <- unname(as.matrix(made_table()))
  found <- sfg_reduce(values)
  expect_equal(unname(predict(found, values)), values[, found$features$kept])
  frame <- as.data.frame(values)
  expect_identical(names(predict(found, frame)), found$kept)
})

test_that("broken relations of new data are told", {
  table <- made_table()
  found <- sfg_reduce(table[1:160, ])
  new <- table[161:240, ]
  expect_equal(nrow(sfg_check_drift(found, new)$broken), 0)
  new$knots <- new$knots + 5
  drift <- sfg_check_drift(found, new)
  expect_equal(drift$broken$feature, "knots")
  expect_equal(drift$broken$n_broken, 80)
  expect_output(print(drift), "knots = 2*wind holds no longer in 80 of 80 rows", fixed = TRUE)
})

test_that("only reductions can be applied", {
  expect_error(sfg_apply(1, made_table()), "sfg_reduce", class = "sfg_inconsistent_input_error")
})
