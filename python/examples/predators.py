# %% [markdown]
# # A predator in a flock
#
# The scene `predators`: prey flock, two hunters chase them, and whoever is near one flees. Pictures as the program draws them.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pyflockwork as fw

flock = fw.Flock("predators", count=3000, seed=4)
flock.step(600)
flock

# %% [markdown]
# How far is each prey from the nearest hunter? Rows of `positions` are in the order of ids, so `species` tells them apart.

# %%
hunters = flock.positions[flock.species == flock.species_names.index("hunter")]
prey = flock.positions[flock.species != flock.species_names.index("hunter")]
way = np.abs(prey[:, None] - hunters[None])
distance = np.linalg.norm(np.minimum(way, np.array(flock.world) - way), axis=2).min(axis=1)
plt.hist(distance, bins=60)
plt.xlabel("distance to the nearest hunter (world units)")
_ = plt.ylabel("prey")

# %% [markdown]
# The hunters go, and groups join: the largest has more of the prey.

# %%
before = flock.metrics("clusters", "largest_cluster", "nearest_neighbour_distance")
flock.remove(flock.ids[flock.species == flock.species_names.index("hunter")])
flock.step(1500)
after = flock.metrics("clusters", "largest_cluster", "nearest_neighbour_distance")
for name in before:
    print(f"{name:28} {before[name]:8.2f} {after[name]:8.2f}")
plt.figure(figsize=(9.6, 5.4))
plt.imshow(flock.picture(960, 540))
_ = plt.axis("off")
