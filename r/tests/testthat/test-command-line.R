# The same numbers as the command line.

expect_same_answer <- function(path, ..., given = list(), table = sfg_read_table(path)) {
  prefix <- tempfile()
  document <- document_of("reduce", path, "-o", prefix, ...)
  found <- quietly(do.call(sfg_reduce, c(list(table), given)))
  expect_identical(found$kept, document$kept_names)
  expect_identical(found$verdict, document$verdict)
  groups <- split(found$features$feature, found$features$group)
  expect_identical(unname(groups), document$groups$member_names)
  # The table has six digits, the model and the document all of them.
  table <- read.delim(paste0(prefix, ".removed.tsv"), na.strings = "", quote = "")
  for (column in c("feature", "representative", "reason", "certificate", "best_kept", "combination")) {
    expect_identical(as.character(found$removed[[column]]), as.character(table[[column]]), info = column)
  }
  expect_equal(found$removed$r2, as.numeric(table$r2), tolerance = 1e-5)
  model <- readLines(paste0(prefix, ".model.json"), warn = FALSE)
  expect_equal(jsonlite::fromJSON(found$file), jsonlite::fromJSON(model), tolerance = 1e-9)
  expect_equal(found$removed, sfg_load(paste0(prefix, ".model.json"))$removed, tolerance = 1e-12)
  held_out <- setNames(found$removed$held_out_r2, found$removed$feature)
  tried <- found$features$feature[as.integer(document$certificate$features) + 1L]
  expect_equal(unname(held_out[tried]), as.double(document$certificate$held_out_r2), tolerance = 1e-12)
  expect_equal(found$mean_r2, document$mean_r2, tolerance = 1e-12)
  invisible(found)
}

test_that("a table gives the answer of the command line", {
  path <- written_csv(made_table())
  expect_same_answer(path)
  expect_same_answer(path, table = read.csv(path))
})

test_that("options mean what they mean there", {
  path <- written_csv(made_table())
  expect_same_answer(path, "--n-features", "2", given = list(n_features = 2))
  expect_same_answer(path, "--theta", "0.3", given = list(theta = 0.3))
  expect_same_answer(path, "--preset", "paper", given = list(preset = "paper"))
  expect_same_answer(path, "--max-r2", "0.8", given = list(max_r2 = 0.8))
  expect_same_answer(path, "--certify", "0.5", "--grouping", "cover", given = list(certify = 0.5, grouping = "cover"))
  expect_same_answer(path, "--transform", "rank", "--seed", "5", given = list(transformation = "rank", seed = 5))
})

test_that("gaps and texts are treated as there", {
  table <- made_table()
  table$wind[c(4, 9)] <- NA
  table$kind <- rep(c("a", "b"), 120)
  path <- written_csv(table)
  expect_same_answer(path)
  expect_same_answer(path, table = read.csv(path))
  expect_same_answer(path, "--missing", "pairwise", given = list(missing = "pairwise"))
})

test_that("ORL gives the answer of the command line", {
  file <- file.path(Sys.getenv("SFG_TEST_DATA_FOLDER"), "ORL.mat")
  if (!file.exists(file)) skip("SFG_TEST_DATA_FOLDER has no ORL.mat")
  path <- tempfile(fileext = ".csv")
  command_line("convert", file, "-o", path)
  found <- expect_same_answer(path)
  expect_equal(nrow(found$features), 1024)
  expect_same_answer(path, "--theta", "0.5", given = list(theta = 0.5))
})

test_that("a model of R is applied and explained by the command line", {
  table <- made_table()
  found <- sfg_reduce(table[1:160, ])
  model <- tempfile(fileext = ".model.json")
  sfg_save(found, model)
  new <- written_csv(rev(table[161:240, ]))
  reduced <- tempfile(fileext = ".csv")
  command_line("apply", model, new, "-o", reduced)
  expect_equal(read.csv(reduced), predict(found, read.csv(new)))
  for (name in names(table)) {
    expect_identical(command_line("explain", model, name), format(sfg_explain(found, name)))
  }
})

test_that("a model of the command line is applied by R", {
  table <- made_table()
  table$wind[5] <- NA
  prefix <- tempfile()
  command_line("reduce", written_csv(table), "-o", prefix)
  model <- sfg_load(paste0(prefix, ".model.json"))
  expect_identical(model$kept, readLines(paste0(prefix, ".kept.txt")))
  expect_equal(quietly(predict(model, table)), read.csv(paste0(prefix, ".reduced.csv")))
})

test_that("both compare, sweep and predict alike", {
  path <- written_csv(made_table())
  document <- document_of("sweep", path, "--thetas", "0.7,0.2")
  expect_equal(sfg_sweep(made_table(), c(0.7, 0.2))$n_kept, document$levels$n_kept)
  document <- document_of("compare", path, "--shares", "0.5", "--methods", "compact,variance")
  found <- sfg_compare(made_table(), shares = 0.5, methods = c("compact", "variance"))
  expect_identical(found$verdict, document$verdict)
  expect_equal(found$rows$r2cv_mean, document$rows$r2cv_mean, tolerance = 1e-12)
  prefix <- tempfile(fileext = ".tsv")
  command_line("predict", path, "-o", prefix)
  expect_equal(unname(sfg_predictability(made_table())), read.delim(prefix)$r2, tolerance = 1e-5)
})
