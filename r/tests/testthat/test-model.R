test_that("a model file holds what is known of features", {
  found <- sfg_reduce(made_table())
  path <- tempfile(fileext = ".model.json")
  expect_identical(sfg_save(found, path), found)
  loaded <- sfg_load(path)
  same <- c("kept", "removed", "equations", "mean_r2", "description", "missing", "file")
  expect_identical(loaded[same], found[same])
  expect_identical(predict(loaded, made_table()), predict(found, made_table()))
  expect_identical(sfg_explain(loaded, "sum"), sfg_explain(found, "sum"))
  for (unknown in c("verdict", "r2_q10", "certificate", "levels")) expect_null(loaded[[unknown]])
})

test_that("saveRDS keeps a reduction whole", {
  found <- sfg_reduce(made_table())
  path <- tempfile(fileext = ".rds")
  saveRDS(found, path)
  expect_identical(readRDS(path), found)
  expect_identical(predict(readRDS(path), made_table()), predict(found, made_table()))
})

test_that("a file that is no model is refused with its path, as one that is not there", {
  path <- written_csv(made_table())
  expect_error(sfg_load(path), basename(path), class = "sfg_malformed_input_error")
  expect_error(sfg_load(tempfile()), class = "sfg_file_error")
  expect_error(sfg_save(sfg_reduce(made_table()), file.path(tempfile(), "m.json")), class = "sfg_file_error")
})
