sfg_reduce <- function(x, ..., target = NULL, batch = NULL, missing = "mean", preset = NULL,
                       features_in_rows = FALSE, assay = 1L, threads = NULL, memory_limit = NULL,
                       seed = 1, verbose = FALSE) {
  call <- match.call()
  # Whether the user says what becomes of gaps: then the model does the same to new data.
  is_asked <- !base::missing(missing)
  table <- table_of(x, features_in_rows, assay)
  options <- method_options(table, target, preset, ...)
  table$target <- per_sample(target, table, "target")
  table$batch <- known_batches(batch, table)
  how <- running(threads, memory_limit, seed, verbose)
  note_beside(table)
  found <- call_library(C_reduce, table, options, missing, is_asked, how, call = call)
  note_missing(found$missing, missing)
  new_reduction(found$model, found$run, n_samples = nrow(table$values), call = call)
}

# A reduction out of what the library says of a model, and of a run where there was one.
new_reduction <- function(model, run = NULL, n_samples = NULL, call = NULL) {
  names <- model$names
  removed <- removed_frame(model)
  structure(
    class = "sfg_reduction",
    list(
      call = call,
      verdict = run$verdict,
      kept = names[model$kept],
      features = feature_frame(model, run, removed),
      removed = removed,
      equations = equations_of(removed),
      levels = if (is.null(run)) NULL else as.data.frame(run$levels),
      n_samples = n_samples,
      mean_r2 = model$mean_r2,
      r2_q10 = run$r2_q10,
      mean_best_r2 = run$mean_best_r2,
      neighbour_overlap = run$neighbour_overlap,
      certificate = run$certificate,
      n_rescued = run$n_rescued,
      kept_though_avoided = names[run$kept_though_avoided],
      grouping = run$grouping,
      threshold = run$threshold,
      description = model$description,
      transformation = model$transformation,
      missing = model$missing,
      engine = run$engine,
      seconds = run$seconds,
      has_names = model$has_names,
      file = model$file
    )
  )
}

removed_frame <- function(model) {
  removed <- as.data.frame(model$removed)
  for (column in c("feature", "representative", "best_kept")) {
    removed[[column]] <- model$names[removed[[column]]]
  }
  removed
}

equations_of <- function(removed) {
  exact <- removed[removed$reason == "exact", ]
  setNames(exact$combination, exact$feature)
}

feature_frame <- function(model, run, removed) {
  names <- model$names
  frame <- data.frame(
    feature = names,
    kept = seq_along(names) %in% model$kept,
    group = model$group,
    representative = names,
    r2 = 1,
    weight = 0
  )
  frame$weight[model$kept] <- model$weights
  place <- match(removed$feature, names)
  frame$representative[place] <- removed$representative
  frame$r2[place] <- removed$r2
  if (is.null(run)) return(frame)
  frame$kind <- run$kind
  if (!is.null(run$shared)) {
    frame$predictability <- run$shared$predictability
    frame$unshared <- run$shared$unshared
  }
  frame
}
