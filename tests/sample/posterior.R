# Compares taut's diagnostics with those of the R package posterior, on files that `taut export --cmdstan` wrote.
#   Rscript tests/sample/posterior.R TABLE.csv draws-1.csv draws-2.csv …
suppressPackageStartupMessages(library(posterior))
arguments <- commandArgs(trailingOnly = TRUE)
expected <- read.csv(arguments[1])  # name,mean,sd,mcse,rhat,ess_bulk,ess_tail
chains <- lapply(arguments[-1], function(path) read.csv(path, comment.char = "#", check.names = FALSE))
worst <- 0
for (k in seq_len(nrow(expected))) {
  name <- expected$name[k]
  x <- sapply(chains, function(chain) chain[[name]])
  found <- c(mean = mean(x), sd = sd(x), mcse = mcse_mean(x), rhat = rhat(x), ess_bulk = ess_bulk(x), ess_tail = ess_tail(x))
  for (what in names(found)) {
    scale <- if (what == "mean") sd(x) else abs(found[[what]])
    difference <- abs(found[[what]] - expected[[what]][k]) / scale
    worst <- max(worst, difference)
    if (!(difference < 5e-4)) {
      cat(sprintf("%s of %s: posterior %.8g, taut %.8g\n", what, name, found[[what]], expected[[what]][k]))
      quit(status = 1)
    }
  }
}
cat(sprintf("%d columns agree; largest relative difference %.2g\n", nrow(expected), worst))
if (requireNamespace("rstan", quietly = TRUE)) {  # it reads the files whole, with their heads
  fit <- rstan::read_stan_csv(arguments[-1])
  draws <- as.array(fit)
  for (k in seq_len(nrow(expected))) {
    x <- draws[, , expected$name[k]]
    found <- c(rhat = rstan::Rhat(x), ess_bulk = rstan::ess_bulk(x), ess_tail = rstan::ess_tail(x))
    for (what in names(found))
      if (!(abs(found[[what]] / expected[[what]][k] - 1) < 5e-4)) {
        cat(sprintf("%s of %s: rstan %.8g, taut %.8g\n", what, expected$name[k], found[[what]], expected[[what]][k]))
        quit(status = 1)
      }
  }
  cat(sprintf("rstan %s reads them, and agrees\n", packageVersion("rstan")))
} else cat("rstan is not installed: not asked\n")
