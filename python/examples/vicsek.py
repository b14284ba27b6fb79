# %% [markdown]
# # Order falls with noise
#
# Vicsek and others (1995): agents of one speed take the mean heading of their neighbours, with noise. Their order, the
# length of the mean heading, falls as the noise grows. 400 agents as in figure 2a of the paper; each point is the mean
# of three seeds, each over 2,000 ticks, with the standard error that the correlation in time leaves.

# %%
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np

import pyflockwork as fw

noise = np.linspace(0.2, 5.8, 15)
plan = {"scene": "vicsek", "count": 400, "ticks": 2000, "seeds": 3, "metric": "polarisation",
        "vary": {"agent.rules.align.parameters.noise.value": noise}}
with ThreadPoolExecutor(2) as executor:
    runs = fw.sweep(plan, map=executor.map)

order, error = (np.reshape([run[key] for run in runs], (-1, 3)) for key in ("polarisation", "polarisation_se"))
plt.errorbar(noise, order.mean(axis=1), np.hypot.reduce(error, axis=1) / 3, fmt="o", capsize=3)
plt.xlabel("noise η (radians)")
plt.ylabel("order")
_ = plt.ylim(0, 1)

# %% [markdown]
# The samples themselves, and the flock, are a call away.

# %%
flock = fw.Flock("vicsek", count=400, seed=1, **{"agent.rules.align.parameters.noise.value": 2.0})
run = flock.run(2000, every=10, record=["polarisation", "clusters"])
print(run.average("polarisation"))
flock
