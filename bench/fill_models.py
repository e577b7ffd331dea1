#!/usr/bin/env python3
"""Two models to fill gaps with, in numpy: low rank, and ridge regression on the nearest features.

Usage: bench/fill_models.py ORL.mat

Prints the mean squared error of cells that were taken out at random, in units of the feature's variance,
for the table and for one of independent features of which 200 in 500 are near-copies or sums.
"""

import sys

import numpy as np
import scipy.io


def with_means(X, gaps):
    Y = np.where(gaps, np.nan, X)
    return np.where(gaps, np.nanmean(Y, axis=0), X)


def low_rank(X, gaps, rank, rounds=15):
    Y = with_means(X, gaps)
    scale = np.where(Y.std(0) > 0, Y.std(0), 1)
    for _ in range(rounds):
        mean = Y.mean(0)
        U, s, V = np.linalg.svd((Y - mean) / scale, full_matrices=False)
        noise = (s[rank:] ** 2).mean()
        shrunk = np.maximum(0, (s[:rank] ** 2 - noise) / s[:rank])
        Y = np.where(gaps, ((U[:, :rank] * shrunk) @ V[:rank]) * scale + mean, X)
    return Y


def by_neighbours(X, gaps, count, ridge, rounds=3):
    Y = with_means(X, gaps)
    for _ in range(rounds):
        Z = Y - Y.mean(0)
        Z /= np.where(np.linalg.norm(Z, axis=0) > 0, np.linalg.norm(Z, axis=0), 1)
        R = np.abs(Z.T @ Z)
        np.fill_diagonal(R, -1)
        nearest = np.argpartition(-R, count, axis=1)[:, :count]
        filled = Y.copy()
        for j in range(X.shape[1]):
            known = ~gaps[:, j]
            A = Z[:, nearest[j]] - Z[known][:, nearest[j]].mean(0)
            mean = Y[known, j].mean()
            G = A[known].T @ A[known] + ridge * np.eye(count)
            weights = np.linalg.solve(G, A[known].T @ (Y[known, j] - mean))
            filled[~known, j] = mean + A[~known] @ weights
        Y = filled
    return Y


def error(X, Y, gaps):
    scale = X.std(0)
    varies = scale > 0
    return (((Y - X)[:, varies] / scale[varies])[gaps[:, varies]] ** 2).mean()


def main():
    random = np.random.RandomState(0)
    Z = random.normal(size=(200, 300))
    noise = 0.1 * random.normal(size=(200, 150))
    copies = np.hstack([Z, Z[:, :150] + noise, Z[:, :50] + Z[:, 50:100]])
    tables = {"copies": copies, "ORL": scipy.io.loadmat(sys.argv[1])["X"].astype(float)}
    for name, X in tables.items():
        for share in (0.05, 0.3):
            gaps = random.uniform(size=X.shape) < share
            ranks = [f"rank {r} {error(X, low_rank(X, gaps, r), gaps):.3f}" for r in (5, 20, 60)]
            few = [f"{k} nearest {error(X, by_neighbours(X, gaps, k, 0.1), gaps):.3f}" for k in (5, 10, 20)]
            print(f"{name}, {share:.0%}: means {error(X, with_means(X, gaps), gaps):.3f}", *ranks, *few, sep=", ")


if __name__ == "__main__":
    main()
