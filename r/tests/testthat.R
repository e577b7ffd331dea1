library(testthat)
library(sfg)

test_check("sfg")
