# How to run: threads, memory, random numbers, progress.

running <- function(threads = NULL, memory_limit = NULL, seed = 1, verbose = FALSE) {
  list(
    threads = n_threads(threads),
    memory_limit = n_bytes(memory_limit),
    seed = checked_seed(seed),
    progress = progress_of(verbose)
  )
}

# NULL is OMP_NUM_THREADS if that is set, as workers of parallel packages have it; 0 is every core.
n_threads <- function(threads) {
  if (is.null(threads)) {
    told <- Sys.getenv("OMP_NUM_THREADS")
    return(if (grepl("^[0-9]+$", told)) as.integer(told) else 0L)
  }
  if (!is_number(threads) || threads < 1 || threads != round(threads)) {
    refuse("invalid_option", "threads must be a whole number of at least 1, or NULL for all")
  }
  as.integer(threads)
}

# Bytes out of a number or "8G", "500MB", "1.5GiB"; 0 is a safe share of what is free.
n_bytes <- function(memory_limit) {
  if (is.null(memory_limit)) return(0)
  text <- tolower(format(memory_limit, scientific = FALSE, digits = 15, trim = TRUE))
  parts <- regmatches(text, regexec("^\\s*([0-9.]+)\\s*([kmgt]?)(i?)b?\\s*$", text))[[1]]
  size <- NA
  if (length(parts) == 4) {
    power <- match(parts[3], c("", "k", "m", "g", "t")) - 1
    size <- suppressWarnings(as.numeric(parts[2])) * (if (parts[4] == "i") 1024 else 1000)^power
  }
  if (is.na(size) || size < 1) {
    refuse("invalid_option", paste0(
      "memory_limit = ", encodeString(as.character(memory_limit)[1], quote = "\""),
      " is no amount of memory: write bytes, \"8G\" or \"1.5GiB\""
    ))
  }
  size
}

checked_seed <- function(seed) {
  if (!is_number(seed) || seed < 0 || seed != round(seed)) {
    refuse("invalid_option", "seed must be a whole number that is not negative")
  }
  seed
}

# What the library calls: nothing, a printer, or the user's own function.
progress_of <- function(verbose) {
  if (is.function(verbose)) return(verbose)
  if (!isTRUE(verbose)) return(NULL)
  shown <- ""
  function(stage, done, total) {
    now <- paste0(stage, " ", if (total > 0) 10 * floor(10 * done / total) else 100, " %")
    if (now != shown) note(now)
    shown <<- now
  }
}

is_number <- function(value) is.numeric(value) && length(value) == 1 && is.finite(value)
