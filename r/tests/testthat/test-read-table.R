test_that("a file is read as the command line reads it", {
  table <- made_table()
  table$wind[2] <- NA
  read <- sfg_read_table(written_csv(cbind(table, kind = "a")))
  expect_equal(read$data, as.matrix(table), ignore_attr = "dimnames")
  expect_identical(colnames(read$data), names(table))
  expect_named(read$texts, "kind")
  expect_output(print(read), "240 samples x 7 features")
  expect_identical(quietly(sfg_reduce(read))$kept, quietly(sfg_reduce(table))$kept)
})

test_that("options of reading are passed on, lists of texts with commas in them too", {
  path <- tempfile(fileext = ".csv")
  writeLines(c("\"a,b\";c;class", "1;-9;x", "2;3;y", "4;5;x"), path)
  read <- sfg_read_table(path, labels = "class", drop = "a,b", na_values = -9)
  expect_identical(colnames(read$data), "c")
  expect_equal(unname(read$data[, 1]), c(NA, 3, 5))
  expect_identical(read$labels, c("x", "y", "x"))
  expect_error(sfg_read_table(path, separator = ";"), "no option separator")
})

test_that("sparse files stay sparse", {
  path <- tempfile(fileext = ".mtx")
  writeLines(c("%%MatrixMarket matrix coordinate real general", "3 2 3", "1 1 5", "3 1 2", "2 2 7"), path)
  read <- sfg_read_table(path)
  expect_s4_class(read$data, "dgCMatrix")
  expect_equal(unname(as.matrix(read$data)), rbind(c(5, 0), c(0, 7), c(2, 0)))
  expect_null(colnames(read$data))
})

test_that("a broken file is refused with its name and line", {
  path <- tempfile(fileext = ".csv")
  writeLines(c("a,b", "1,2", "3"), path)
  expect_error(sfg_read_table(path), basename(path), class = "sfg_malformed_input_error")
  expect_error(sfg_read_table("nowhere.csv"), "nowhere.csv", class = "sfg_file_error")
  expect_error(sfg_read_table(NA), "path must be one text")
})
