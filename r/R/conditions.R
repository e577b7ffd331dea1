# Errors of the library become conditions of the classes sfg_<code>_error, sfg_error and error.

call_library <- function(routine, ..., call = sys.call(-1)) {
  found <- .Call(routine, ...)
  if (inherits(found, "sfg_failure")) refuse(found$code, found$message, call)
  found
}

refuse <- function(code, message, call = sys.call(-1)) {
  stop(structure(
    class = c(paste0("sfg_", code, "_error"), "sfg_error", "error", "condition"),
    list(message = message, call = call)
  ))
}

# What was assumed or done, for the user to agree or object.
note <- function(...) message("sfg: ", ...)

counted <- function(n, noun) {
  paste0(format(n, big.mark = ","), " ", noun, if (n == 1) "" else "s")
}
