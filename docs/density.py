"""Draws how dense a plane of active particles is: `python docs/density.py PLOT.svg`, with pyflockwork, NumPy and
Matplotlib. At a Péclet number of 100 places are thin or dense, at 20 most are in between."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pyflockwork as fw

COUNT, SIZE, SEEDS, SETTLE, SAMPLES, PLACES = 4200, np.array([1280, 720]), 4, 12000, 20, 1000
SPEED, DIAMETER, RADIUS = 0.28, 14.0, 42.0

# The number of discs within the radius is whole: three numbers a bin.
disc = (DIAMETER / (2 * RADIUS)) ** 2
edges = (np.arange(0, 60, 3) - 0.5) * disc
middles = (edges[1:] + edges[:-1]) / 2
figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for peclet, colour in ((20, "#D55E00"), (100, "#0072B2")):
    shares = []
    for seed in range(1, SEEDS + 1):
        keys = {"disc.rules.push.parameters.diffusion.value": 3 * SPEED / (DIAMETER * peclet)}
        flock = fw.Flock("active-particles", count=COUNT, seed=seed, engine="cpu", **keys)
        flock.step(SETTLE)
        places = np.random.default_rng(seed).random((PLACES, 1, 2)) * SIZE
        covered = []
        for _ in range(SAMPLES):
            flock.step(100)
            way = np.abs(flock.positions[:, :2] - places)
            way = np.minimum(way, SIZE - way)
            covered.extend((np.hypot(way[..., 0], way[..., 1]) < RADIUS).sum(axis=1) * disc)
        shares.append(np.histogram(covered, edges)[0] / len(covered) / np.diff(edges))
    error = np.std(shares, axis=0, ddof=1) / np.sqrt(SEEDS)
    axes.errorbar(middles, np.mean(shares, axis=0), error, fmt="o-", capsize=2, color=colour, label=f"Pe {peclet}")
axes.set(xlabel=f"discs within {RADIUS:g} of a place, as the share of the area that they cover", ylabel="probability density")
axes.legend(frameon=False)
figure.savefig(sys.argv[1], metadata={"Date": None})
