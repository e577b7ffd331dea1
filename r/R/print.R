# What a reduction says of itself.

format.sfg_reduction <- function(x, ...) {
  n <- nrow(x$features)
  n_kept <- length(x$kept)
  sizes <- group_sizes(x)
  head <- if (is.null(x$verdict)) paste("A model:", x$description) else x$verdict
  share <- function(part) sprintf("%8s  %.0f %%", format(part, big.mark = ","), 100 * part / n)
  c(
    strwrap(head, 90),
    "",
    paste0("  kept     ", share(n_kept)),
    paste0("  removed  ", share(n - n_kept)),
    paste0("  groups   ", sprintf("%8s", format(sum(sizes > 1), big.mark = ",")),
           "  of two or more features, the largest of ", format(max(sizes), big.mark = ","))
  )
}

print.sfg_reduction <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}

group_sizes <- function(reduction) tabulate(reduction$features$group)

certificate_words <- c(
  copy = "copies of a kept feature",
  exact = "exact: sums of kept features, or without variation",
  predicted = "predicted by the kept features on held-out samples",
  shared = "predicted about as well as by all features together",
  unshared = "shared nothing with any other feature",
  lost = "lost in part: the other features knew more of them",
  untried = "not tested"
)

summary.sfg_reduction <- function(object, n_groups = 5, ...) {
  kinds <- table(factor(object$removed$certificate, names(certificate_words)))
  structure(
    class = "summary.sfg_reduction",
    list(reduction = object, certificates = kinds[kinds > 0], groups = head(largest_groups(object), n_groups))
  )
}

# Groups of two or more, the largest first: kept feature, size, mean r2 of the others with it, their names.
largest_groups <- function(reduction) {
  features <- reduction$features
  sizes <- group_sizes(reduction)
  order <- order(-sizes, seq_along(sizes))
  chosen <- order[sizes[order] > 1]
  members <- split(seq_len(nrow(features)), features$group)[chosen]
  rows <- lapply(members, function(group) {
    stands <- group[match(TRUE, features$kept[group], nomatch = 1)]
    others <- setdiff(group, stands)
    data.frame(
      kept = features$feature[stands],
      n_features = length(group),
      mean_r2 = mean(features$r2[others], na.rm = TRUE),
      with_it = paste(c(head(features$feature[others], 3), if (length(others) > 3) "..."), collapse = ", ")
    )
  })
  if (length(rows) == 0) {
    return(data.frame(kept = character(0), n_features = integer(0), mean_r2 = numeric(0), with_it = character(0)))
  }
  groups <- do.call(rbind, rows)
  rownames(groups) <- NULL
  groups
}

print.summary.sfg_reduction <- function(x, ...) {
  reduction <- x$reduction
  lines <- format(reduction)
  if (length(x$certificates) > 0) {
    words <- certificate_words[names(x$certificates)]
    lines <- c(lines, "", "What was removed, and how sure that is",
               sprintf("%11s  %s", format(as.vector(x$certificates), big.mark = ",", trim = TRUE), words),
               held_out_lines(reduction$certificate))
  }
  if (length(reduction$equations) > 0) {
    lines <- c(lines, "", "Exact sums", paste0("  ", names(reduction$equations), " = ", reduction$equations))
  }
  writeLines(lines)
  if (nrow(x$groups) > 0) {
    writeLines(c("", "Largest groups"))
    shown <- x$groups
    shown$mean_r2 <- format_r2(shown$mean_r2)
    print(shown, row.names = FALSE, right = FALSE)
  }
  invisible(x)
}

held_out_lines <- function(certificate) {
  if (is.null(certificate)) return(NULL)
  if (!certificate$possible) return("  there are too few samples to test predictions")
  if (certificate$removed$n == 0) return(NULL)
  sprintf("  R2 on held-out samples: median %s, 10 %% quantile %s; chance level %.3f",
          format_r2(certificate$removed$median), format_r2(certificate$removed$q10), certificate$permuted$q95)
}

# Three decimals, which would make 1 of much that is not.
format_r2 <- function(r2) ifelse(r2 >= 0.9995 & r2 < 1, "above 0.999", sprintf("%.3f", r2))
