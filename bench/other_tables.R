# Writes tables of genes, cells, molecules and spectra that the paper does not have, as CSV files with a column
# "class", into a folder:
#
#     Rscript bench/other_tables.R folder
#     python3 bench/default_answer.py build/sfg folder/*.csv
#
# They come with packages of R that Debian has: r-bioc-all r-bioc-bladderbatch r-bioc-hsmmsinglecell
# r-bioc-impute r-bioc-multtest r-cran-caret r-cran-kernlab r-cran-mclust r-cran-mlbench r-cran-modeldata
# r-cran-pls (apt-get install --no-install-recommends r-base-core and these). Those that are not installed are
# left out, and named.
suppressMessages(if (requireNamespace("Biobase", quietly = TRUE)) library(Biobase))
folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("name a folder to write to")
dir.create(folder, showWarnings = FALSE)

# The data set `name` of `package`, or with `object` what it has under another name.
data_of <- function(name, package, object = name) {
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  found[[object]]
}
numbers <- function(table) table[, sapply(table, is.numeric), drop = FALSE]
halves <- function(values) ifelse(values > median(values), "high", "low")

write_table <- function(name, features, class) {
  features <- as.data.frame(as.matrix(features))
  colnames(features) <- make.unique(colnames(features))
  table <- data.frame(class = as.character(class), features, check.names = FALSE)
  write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = 1)
  message(name, ": ", nrow(table), " x ", ncol(table) - 1)
}

tables <- list(
  leukaemia = function(name) {  # B or T cells
    set <- data_of("ALL", "ALL")
    write_table(name, t(exprs(set)), substr(as.character(pData(set)$BT), 1, 1))
  },
  leukaemia_b = function(name) {  # B cells: BCR/ABL or none
    set <- data_of("ALL", "ALL")
    kind <- as.character(pData(set)$mol.biol)
    rows <- substr(as.character(pData(set)$BT), 1, 1) == "B" & kind %in% c("BCR/ABL", "NEG")
    write_table(name, t(exprs(set))[rows, ], kind[rows])
  },
  bladder = function(name) {
    set <- data_of("bladderdata", "bladderbatch", "bladderEset")
    write_table(name, t(exprs(set)), pData(set)$cancer)
  },
  golub = function(name) {
    genes <- t(data_of("golub", "multtest"))
    colnames(genes) <- paste0("gene", seq_len(ncol(genes)))
    write_table(name, genes, data_of("golub", "multtest", "golub.cl"))
  },
  myoblasts = function(name) {  # single cells, by hours; genes that a tenth of the cells express
    genes <- t(data_of("HSMM_expr_matrix", "HSMMSingleCell"))
    genes <- genes[, colMeans(genes > 1) > 0.1]
    write_table(name, log2(1 + genes), data_of("HSMM_sample_sheet", "HSMMSingleCell")$Hours)
  },
  khan = function(name) {  # gaps filled by the mean
    set <- data_of("khanmiss", "impute")
    genes <- t(apply(as.matrix(set[-1, -(1:2)]), 2, as.numeric))
    colnames(genes) <- paste0("gene", seq_len(ncol(genes)))
    for (j in seq_len(ncol(genes))) genes[is.na(genes[, j]), j] <- mean(genes[, j], na.rm = TRUE)
    write_table(name, genes, unlist(set[1, -(1:2)]))
  },
  mdrr = function(name) write_table(name, data_of("mdrr", "caret", "mdrrDescr"), data_of("mdrr", "caret", "mdrrClass")),
  cox2 = function(name) write_table(name, data_of("cox2", "caret", "cox2Descr"), data_of("cox2", "caret", "cox2Class")),
  dhfr = function(name) {
    set <- data_of("dhfr", "caret")
    write_table(name, numbers(set), set[, 1])
  },
  segmentation = function(name) {
    set <- data_of("segmentationData", "caret")
    write_table(name, numbers(set)[, -1], set$Class)
  },
  tecator = function(name) {  # spectra, by fat
    spectra <- data_of("tecator", "caret", "absorp")
    colnames(spectra) <- paste0("w", seq_len(ncol(spectra)))
    write_table(name, spectra, halves(data_of("tecator", "caret", "endpoints")[, 2]))
  },
  gasoline = function(name) {  # spectra, by octane
    set <- data_of("gasoline", "pls")
    write_table(name, unclass(set$NIR), halves(set$octane))
  },
  speech = function(name) {
    set <- data_of("pd_speech", "modeldata")
    write_table(name, numbers(set), set$class)
  },
  sonar = function(name) {
    set <- data_of("Sonar", "mlbench")
    write_table(name, numbers(set), set$Class)
  },
  ionosphere = function(name) {
    set <- data_of("Ionosphere", "mlbench")
    write_table(name, numbers(set), set$Class)
  },
  vehicle = function(name) {
    set <- data_of("Vehicle", "mlbench")
    write_table(name, numbers(set), set$Class)
  },
  musk = function(name) {
    set <- data_of("musk", "kernlab")
    write_table(name, numbers(set), set$Class)
  },
  wdbc = function(name) {
    set <- data_of("wdbc", "mclust")
    write_table(name, numbers(set)[, -1], set$Diagnosis)
  }
)
for (name in names(tables)) {
  tryCatch(suppressWarnings(tables[[name]](name)), error = function(e) message(name, " is left out: ", conditionMessage(e)))
}
