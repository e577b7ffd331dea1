test_that("columns that are not numbers stay beside, with a message", {
  table <- cbind(made_table(), kind = factor("a"), day = as.Date("2026-01-01"), word = "w")
  expect_message(found <- sfg_reduce(table), "3 of 10 columns are not numbers and no features: kind, day, word")
  expect_identical(found$kept, sfg_reduce(made_table())$kept)
})

test_that("logical and integer columns are features", {
  table <- made_table()
  table$flag <- table$heat > 20
  table$number <- as.integer(table$flag) * 3L
  found <- sfg_reduce(table)
  expect_equal(found$removed$representative[found$removed$feature == "number"], "flag")
})

test_that("a matrix without names has V1, V2, ...", {
  found <- sfg_reduce(unname(as.matrix(made_table())))
  expect_equal(found$features$feature, paste0("V", 1:7))
  expect_equal(found$features$kept, sfg_reduce(made_table())$features$kept)
})

test_that("rows can be features", {
  turned <- sfg_reduce(t(as.matrix(made_table())), features_in_rows = TRUE)
  expect_identical(turned$kept, sfg_reduce(made_table())$kept)
})

test_that("names keep letters of other languages", {
  table <- setNames(made_table(), c("\u00e4", "\u03b2", "c c", "d", "e,f", "g", "h"))
  found <- sfg_reduce(table)
  expect_identical(found$features$feature, names(table))
})

test_that("sparse data stay sparse, stored zeros or not, and say what dense ones say", {
  set.seed(2)
  dense <- matrix(rbinom(200 * 30, 3, 0.4), 200, dimnames = list(NULL, paste0("w", 1:30)))
  dense[, 30] <- 2 * dense[, 1]
  sparse <- Matrix::Matrix(dense, sparse = TRUE)
  found <- sfg_reduce(sparse)
  expect_equal(found$kept, sfg_reduce(dense)$kept)
  expect_false("w30" %in% found$kept && "w1" %in% found$kept)
  with_zeros <- sparse
  with_zeros@x[1] <- 0
  dense_too <- as.matrix(with_zeros)
  expect_equal(sfg_reduce(with_zeros)$features, sfg_reduce(Matrix::drop0(with_zeros))$features)
  for (class in c("RsparseMatrix", "TsparseMatrix")) {
    expect_equal(sfg_reduce(as(sparse, class))$features, found$features)
  }
  reduced <- predict(found, sparse)
  expect_s4_class(reduced, "dgCMatrix")
  expect_identical(as.matrix(reduced), dense[, found$kept] * 1)
})

test_that("missing values are filled in with a message, refused, left out or compared in pairs", {
  table <- made_table()
  table$wind[3:5] <- NA
  expect_message(sfg_reduce(table), "3 missing values in 1 feature were replaced by the feature's mean")
  expect_error(sfg_reduce(table, missing = "refuse"), class = "sfg_malformed_input_error")
  expect_message(sfg_reduce(table, missing = "pairwise"), "each two are compared by the samples that both have")
  expect_message(left <- sfg_reduce(table, missing = "drop-feature"), "1 feature with missing values")
  expect_false("wind" %in% left$features$feature)
  expect_message(sfg_reduce(table, missing = "drop-sample"), "3 samples with missing values were left out")
  expect_error(sfg_reduce(table, missing = "guess"), "missing must be one of refuse, mean")
})

test_that("the data of the caller are not changed", {
  table <- as.matrix(made_table())
  table[2, 3] <- NA
  copy <- table + 0
  quietly(sfg_reduce(table))
  expect_identical(table, copy)
})

test_that("what is no table is refused with its class", {
  expect_error(sfg_reduce("a"), "not character", class = "sfg_inconsistent_input_error")
  expect_error(sfg_reduce(matrix("1", 3, 3)), "a matrix of type character")
  expect_error(sfg_reduce(list(1, 2)), "not list")
  expect_error(quietly(sfg_reduce(data.frame(a = letters, b = letters))), class = "sfg_degenerate_data_error")
})

test_that("names that occur twice or are empty are refused", {
  table <- as.matrix(made_table())
  colnames(table)[2] <- "heat"
  expect_error(sfg_reduce(table), "several features called 'heat'", class = "sfg_inconsistent_input_error")
  colnames(table)[2] <- ""
  expect_error(sfg_reduce(table), "feature 2 of x has no name")
})

test_that("a table of one feature or all constant has no answer", {
  expect_error(sfg_reduce(matrix(rnorm(9), 9)), class = "sfg_degenerate_data_error")
  expect_error(sfg_reduce(matrix(1, 9, 3)), class = "sfg_degenerate_data_error")
})

test_that("a batch or target of another length is refused, and a batch with gaps", {
  expect_error(sfg_reduce(made_table(), batch = 1:3), "batch has 3 values for 240 samples")
  expect_error(sfg_reduce(made_table(), target = 1:3), "target has 3 values")
  expect_error(sfg_reduce(made_table(), batch = c(NA, rep(1, 239))), "batch has no value for 1 sample ")
})

test_that("genes are the rows of a SummarizedExperiment", {
  skip_if_not_installed("SummarizedExperiment")
  counts <- t(as.matrix(made_table()))
  experiment <- SummarizedExperiment::SummarizedExperiment(list(counts = counts, other = counts * 0))
  found <- sfg_reduce(experiment)
  expect_identical(found$kept, sfg_reduce(made_table())$kept)
  expect_identical(rownames(predict(found, experiment)), found$kept)
  expect_equal(dim(predict(found, experiment)), c(length(found$kept), 240))
  expect_error(sfg_reduce(experiment, assay = "other"), class = "sfg_degenerate_data_error")
})
