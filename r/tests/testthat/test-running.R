test_that("the answer does not depend on threads, and threads are checked", {
  one <- sfg_reduce(made_table(), threads = 1)
  three <- sfg_reduce(made_table(), threads = 3)
  same <- setdiff(names(one), c("call", "seconds"))
  expect_identical(one[same], three[same])
  expect_error(sfg_reduce(made_table(), threads = 0), "threads must be")
  expect_error(sfg_reduce(made_table(), threads = 1.5), "threads must be")
})

test_that("a memory limit that is too small is an error that names the argument", {
  expect_error(sfg_reduce(made_table(), memory_limit = "1k"), "raise memory_limit", class = "sfg_memory_limit_error")
  expect_identical(sfg_reduce(made_table(), memory_limit = "1.5GiB")$kept, sfg_reduce(made_table())$kept)
})

test_that("amounts of memory are read with their units", {
  expect_equal(sfg:::n_bytes(2e9), 2e9)
  expect_equal(sfg:::n_bytes("8G"), 8e9)
  expect_equal(sfg:::n_bytes("500MB"), 5e8)
  expect_equal(sfg:::n_bytes("1.5GiB"), 1.5 * 2^30)
  expect_equal(sfg:::n_bytes(NULL), 0)
  for (wrong in list("much", "-1", 0, "8X", "1.2.3G", NA)) {
    expect_error(sfg:::n_bytes(wrong), class = "sfg_invalid_option_error")
  }
})

test_that("a seed is checked", {
  expect_error(sfg_reduce(made_table(), seed = -1), "seed must be")
  expect_error(sfg_reduce(made_table(), seed = NULL), "seed must be")
})

test_that("progress is passed on, and what the function throws ends the work", {
  stages <- character(0)
  sfg_reduce(made_table(), verbose = function(stage, done, total) {
    expect_lte(done, total)
    stages <<- c(stages, stage)
  })
  expect_gt(length(unique(stages)), 1)
  expect_error(sfg_reduce(made_table(), verbose = function(...) stop("enough")), "enough")
  expect_message(sfg_reduce(made_table(), verbose = TRUE), "sfg: .* %")
})

test_that("an interrupt ends the work", {
  skip_on_os("windows")
  set.seed(1)
  large <- matrix(rnorm(400 * 3000), 400)
  interrupting <- function(...) tools::pskill(Sys.getpid(), tools::SIGINT)
  ended <- tryCatch(
    {
      sfg_reduce(large, verbose = interrupting)
      "finished"
    },
    interrupt = function(condition) "interrupted"
  )
  expect_equal(ended, "interrupted")
  # Nothing is left behind.
  expect_s3_class(sfg_reduce(made_table()), "sfg_reduction")
})
