test_that("copies and sums go, and each has a reason", {
  found <- sfg_reduce(made_table())
  expect_s3_class(found, "sfg_reduction")
  expect_equal(found$kept, setdiff(names(made_table()), found$removed$feature))
  expect_true(all(c("heat_f", "knots") %in% found$removed$feature))
  copy <- found$removed[found$removed$feature == "knots", ]
  expect_equal(copy$representative, "wind")
  expect_equal(copy$r2, 1)
  expect_equal(copy$certificate, "copy")
  expect_equal(found$features$kept, found$features$feature %in% found$kept)
})

test_that("an exact sum is named with its parts", {
  found <- sfg_reduce(made_table())
  expect_equal(unname(found$equations["sum"]), "wind + heat")
  expect_true(is.na(found$removed$representative[found$removed$feature == "sum"]))
})

test_that("groups hold their members, and the kept one stands for them", {
  features <- sfg_reduce(made_table())$features
  together <- features$group[features$feature %in% c("wind", "knots")]
  expect_equal(together[1], together[2])
  expect_equal(features$representative[features$feature == "knots"], "wind")
  expect_equal(features$weight[features$feature == "wind"], sqrt(2))
})

test_that("n_features keeps exactly so many", {
  expect_length(sfg_reduce(made_table(), n_features = 2)$kept, 2)
})

test_that("max_r2 alone chooses pairwise groups, theta those of the paper", {
  pruned <- sfg_reduce(made_table(), max_r2 = 0.8)
  expect_equal(pruned$grouping, "pairwise")
  r2 <- cor(made_table()[pruned$kept])^2
  expect_lte(max(r2[upper.tri(r2)]), 0.8)
  expect_equal(sfg_reduce(made_table(), theta = 0.5)$grouping, "components")
})

test_that("keep, avoid, priority and cost are given by name, number, mask or names of numbers", {
  table <- made_table()
  expect_true("knots" %in% sfg_reduce(table, keep = "knots")$kept)
  expect_true("knots" %in% sfg_reduce(table, keep = 4)$kept)
  expect_true("knots" %in% sfg_reduce(table, keep = names(table) == "knots")$kept)
  expect_false("wind" %in% sfg_reduce(table, avoid = "wind")$kept)
  expect_true("heat_f" %in% sfg_reduce(table, priority = c("heat_f", "heat"))$kept)
  expect_true("knots" %in% sfg_reduce(table, cost = c(wind = 10, knots = 1))$kept)
})

test_that("a target chooses the member that goes best with it", {
  table <- made_table()[c("pressure", "glass", "wind")]
  expect_true("glass" %in% sfg_reduce(table, target = table$glass)$kept)
  expect_true("pressure" %in% sfg_reduce(table, target = table$pressure)$kept)
})

test_that("a window lets near features only stand for each other", {
  table <- made_table()[c("wind", "heat", "pressure", "knots")]
  expect_equal(sfg_reduce(table, window = 1)$kept, names(table))
  places <- c(knots = 2, wind = 1, heat = 100, pressure = 200)
  expect_false("knots" %in% sfg_reduce(table, positions = places, window = 5)$kept)
  apart <- data.frame(feature = names(places), chromosome = c("a", "b", "a", "a"), position = places)
  expect_true("knots" %in% sfg_reduce(table, positions = apart, window = 5)$kept)
})

test_that("features are compared within batches", {
  set.seed(1)
  batch <- rep(c("a", "b"), each = 100)
  shift <- ifelse(batch == "a", 0, 50)
  table <- cbind(x = rnorm(200) + shift, y = rnorm(200) + shift, z = rnorm(200))
  expect_length(sfg_reduce(table, max_r2 = 0.9)$kept, 2)
  expect_equal(sfg_reduce(table, max_r2 = 0.9, batch = batch)$kept, c("x", "y", "z"))
})

test_that("a preset takes the conventions of the paper", {
  found <- sfg_reduce(made_table(), preset = "paper")
  expect_equal(found$grouping, "components")
  expect_error(sfg_reduce(made_table(), preset = "other"), class = "sfg_invalid_option_error")
  expect_error(sfg_reduce(made_table(), preset = "paper", grouping = "cover"), "leave out grouping")
})

test_that("R's own random numbers stay as they were", {
  set.seed(3)
  before <- .Random.seed
  sfg_reduce(as.matrix(mtcars))
  expect_identical(.Random.seed, before)
})
