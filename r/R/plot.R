# Pictures of a reduction in base graphics. Blue is what is kept or good, grey what is not, orange what was chosen.

plot_colours <- c(good = "#2f6fab", rest = "#b8bec5", mark = "#d9822b")

plot.sfg_reduction <- function(x, which = c("levels", "groups", "predictability"), n_groups = 20, ...) {
  switch(match.arg(which),
    levels = plot_levels(x, ...),
    groups = plot_groups(x, n_groups, ...),
    predictability = plot_predictability(x, ...)
  )
  invisible(x)
}

plot_levels <- function(x, ...) {
  levels <- x$levels
  if (is.null(levels) || nrow(levels) == 0) {
    refuse("invalid_option", if (is.null(levels)) {
      "levels are not in a model file: plot what sfg_reduce() returned"
    } else {
      "no levels were judged, as one was asked for: sfg_sweep() judges all"
    }, NULL)
  }
  plot(levels$n_kept, levels$overlap, type = "l", log = "x", ylim = c(0, 1), col = plot_colours[["good"]],
       xlab = "features kept", ylab = "", main = "What each level would keep (dots: good enough)", ...)
  points(levels$n_kept[levels$good], levels$overlap[levels$good], pch = 19, cex = 0.7, col = plot_colours[["good"]])
  lines(levels$n_kept, pmin(pmax(levels$r2loo_mean, 0), 1), type = "o", pch = 15, cex = 0.7, col = plot_colours[["rest"]])
  abline(v = length(x$kept), lty = 2, col = plot_colours[["mark"]])
  legend("bottomright", bty = "n", cex = 0.8, lty = c(1, 1, 2), col = plot_colours,
         legend = c("neighbours of samples that stay", "R2 of removed features, left-out samples",
                    paste(format(length(x$kept), big.mark = ","), "kept")))
}

plot_groups <- function(x, n_groups, ...) {
  if (!is_number(n_groups) || n_groups < 1) refuse("invalid_option", "n_groups must be at least 1", NULL)
  groups <- largest_groups(x)
  if (nrow(groups) == 0) refuse("degenerate_data", "there is no group of two or more features to plot", NULL)
  shown <- groups[rev(seq_len(min(n_groups, nrow(groups)))), ]
  # The kept feature counts as 1.
  explained <- 1 + (shown$n_features - 1) * shown$mean_r2
  before <- par(mar = c(4, 8, 3, 1))
  on.exit(par(before))
  barplot(rbind(explained, shown$n_features - explained), names.arg = shown$kept, horiz = TRUE, las = 1,
          border = NA, col = plot_colours[c("good", "rest")], cex.names = 0.8,
          xlab = "features in the group; blue: the share that the kept one explains (r2)",
          main = paste("The largest of", counted(nrow(groups), "group")), ...)
}

plot_predictability <- function(x, ...) {
  known <- x$features$predictability
  if (is.null(known)) {
    refuse("invalid_option", paste(
      "nothing says here what the others know of each feature: reduce by compact or cover groups,",
      "or call sfg_predictability()"
    ), NULL)
  }
  varies <- is.finite(known)
  unshared <- x$features$unshared & varies
  breaks <- seq(-0.2, 1, length.out = 49)
  within <- pmin(pmax(known, -0.2), 1)
  hist(within[varies], breaks = breaks, col = plot_colours[["good"]], border = NA,
       xlab = "R2 of a feature from all others, on samples left out", ylab = "features",
       main = paste(format(sum(unshared), big.mark = ","), "of", counted(sum(varies), "feature"),
                    "share nothing with the others"), ...)
  if (any(unshared)) {
    hist(within[unshared], breaks = breaks, col = plot_colours[["rest"]], border = NA, add = TRUE)
  }
  legend("topleft", bty = "n", fill = plot_colours[c("good", "rest")], legend = c("shared", "unshared"), border = NA)
}
