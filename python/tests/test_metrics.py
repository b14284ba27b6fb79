"""Metrics beside NumPy, and beside freud-analysis where it has them."""

import numpy as np
import pytest

import pyflockwork as fw

SCENES = ["flock", "flock-3d", "couzin", "nematic"]


def wrapped(places, world):
    """Distances of all pairs by brute force."""
    way = np.abs(places[:, None].astype(float) - places[None])
    way = np.minimum(way, np.asarray(world) - way)
    return np.sqrt((way**2).sum(-1))


@pytest.mark.parametrize("scene", ["flock", "flock-3d"])
def test_pairs_and_neighbours_are_those_of_brute_force(scene):
    flock = fw.Flock(scene, count=400, seed=3)
    flock.step(50)
    radius = flock._radius(None)
    distance = wrapped(flock.positions, flock.world)
    np.fill_diagonal(distance, np.inf)
    first, second = np.nonzero(distance < radius)
    found = flock.pairs()
    assert len(first) > 500
    np.testing.assert_array_equal(found[0], first)
    np.testing.assert_array_equal(found[1], second)
    for agent in (0, 17, 399):
        np.testing.assert_array_equal(flock.neighbours(agent), second[first == agent])
    # A control: a slightly larger radius finds more.
    assert len(flock.pairs(radius * 1.1)[0]) > len(first)


@pytest.mark.parametrize("scene", ["flock", "flock-3d"])
def test_pairs_and_clusters_are_those_of_freud(scene):
    freud = pytest.importorskip("freud")
    flock = fw.Flock(scene, count=2000, seed=4)
    flock.step(100)
    world, radius = flock.world, flock._radius(None)
    places = np.zeros((len(flock), 3))
    places[:, : len(world)] = flock.positions - np.asarray(world) / 2
    box = freud.box.Box(*world, is2D=len(world) == 2)
    query = freud.locality.AABBQuery(box, places.astype(np.float32))
    near = query.query(places.astype(np.float32), {"r_max": radius, "exclude_ii": True}).toNeighborList()
    theirs = set(zip(near.query_point_indices.tolist(), near.point_indices.tolist()))
    ours = set(zip(*(rows.tolist() for rows in flock.pairs())))
    # Distances of pairs on the border are rounded: freud's box has its middle at 0.
    border = {pair for pair in ours ^ theirs}
    assert all(abs(wrapped(flock.positions[list(pair)], world)[0, 1] - radius) < 1e-3 for pair in border)
    assert len(border) < len(ours) / 1000
    if not border:
        clusters = freud.cluster.Cluster()
        clusters.compute((box, places.astype(np.float32)), neighbors=near)
        assert flock.metric("clusters") == clusters.num_clusters


@pytest.mark.parametrize("scene", ["flock", "flock-3d", "non-reciprocal"])
def test_densities_are_those_of_freud(scene):
    freud = pytest.importorskip("freud")
    flock = fw.Flock(scene, count=3000, seed=4)
    flock.step(60)
    world = flock.world
    places = np.zeros((len(flock), 3), np.float32)
    places[:, : len(world)] = flock.positions - np.asarray(world) / 2
    box = freud.box.Box(*world, is2D=len(world) == 2)
    reach = min(world) / 5

    def theirs(points, around, mode):
        rdf = freud.density.RDF(bins=20, r_max=reach, normalization_mode=mode)
        return rdf.compute((box, points), query_points=around).rdf

    distance, g = flock.radial_distribution(reach, bins=20)
    np.testing.assert_allclose(distance, (np.arange(20) + 0.5) * reach / 20)
    # Distances of pairs on the border of two intervals are rounded: freud's box has its middle at 0.
    np.testing.assert_allclose(g, theirs(places, None, "finite_size"), rtol=2e-3, atol=1e-3)
    assert np.abs(g - 1).max() > 0.1, "a flock that moves is not even"
    if len(flock.species_names) > 1:
        first, second = (places[flock.species == number] for number in (0, 1))
        _, across = flock.radial_distribution(reach, bins=20, species=1, around=0)
        np.testing.assert_allclose(across, theirs(second, first, "exact"), rtol=2e-3, atol=1e-3)
        _, own = flock.radial_distribution(reach, bins=20, species=flock.species_names[0])
        np.testing.assert_allclose(own, theirs(first, None, "finite_size"), rtol=2e-3, atol=1e-3)
        assert np.abs(own - across).max() > 0.1
        # Around one species, of all others: freud counts an agent as its own neighbour, in the first interval.
        _, mixed = flock.radial_distribution(reach, bins=20, around=0)
        share = len(second) / (len(flock) - 1)
        np.testing.assert_allclose(mixed, share * across + (1 - share) * own, rtol=2e-3, atol=1e-3)
    local = freud.density.LocalDensity(r_max=reach / 2, diameter=0)
    found = local.compute((box, places)).num_neighbors
    content = np.pi * (reach / 2) ** 2 if len(world) == 2 else 4 / 3 * np.pi * (reach / 2) ** 3
    difference = np.abs(flock.local_densities(reach / 2) * content - found)
    assert difference.max() <= 1 and difference.mean() < 0.01
    for radius in [0, -1, np.nan, min(world)]:
        with pytest.raises(ValueError, match="radius"):
            flock.radial_distribution(radius)
    with pytest.raises(KeyError, match="nobody"):
        flock.radial_distribution(reach, species="nobody")
    with pytest.raises(ValueError, match="bins"):
        flock.radial_distribution(reach, bins=0)


@pytest.mark.parametrize("scene", ["flock", "flock-3d", "active-particles"])
def test_displacements_are_those_of_freud(scene):
    freud = pytest.importorskip("freud")
    flock = fw.Flock(scene, count=500, seed=4)
    world = np.asarray(flock.world)
    run = flock.run(400, every=40, record="mean_square_displacement", agents=["positions", "unwrapped"])
    images = (run.agents["unwrapped"] - run.agents["positions"]) / world
    whole = np.rint(images)
    # float32 of places some worlds away.
    assert np.abs(images - whole).max() < 1e-4 and np.abs(whole).max() >= 1
    space = np.zeros((*images.shape[:2], 3), np.float32)
    space[..., : len(world)] = run.agents["positions"] - world / 2
    turns = np.zeros(space.shape, np.int32)
    turns[..., : len(world)] = whole
    theirs = freud.msd.MSD(freud.box.Box(*world, is2D=len(world) == 2), mode="direct")
    theirs.compute(space, turns)
    np.testing.assert_allclose(run["mean_square_displacement"], theirs.msd, rtol=1e-4)
    with pytest.raises(ValueError, match="record it with run"):
        flock.metric("mean_square_displacement")


def moved(scene, count=1500, ticks=80):
    flock = fw.Flock(scene, count=count, seed=5)
    flock.step(ticks)
    return flock, flock.positions.astype(float), flock.velocities.astype(float)



def turned(places, motions):
    """r × v, as vectors with an axis for each way to turn."""
    if places.shape[1] == 2:
        return (places[:, 0] * motions[:, 1] - places[:, 1] * motions[:, 0])[:, None]
    return np.cross(places, motions)


@pytest.mark.parametrize("scene", SCENES)
def test_order_is_that_of_numpy(scene):
    flock, places, motions = moved(scene)
    speeds = np.linalg.norm(motions, axis=1, keepdims=True)
    headings = motions / speeds
    if scene == "couzin":
        arms = places - places.mean(axis=0)
    else:
        # The circular mean, and the shortest way from it.
        world = np.asarray(flock.world)
        angles = places / world * 2 * np.pi
        centre = np.arctan2(np.sin(angles).mean(axis=0), np.cos(angles).mean(axis=0)) / (2 * np.pi) * world
        arms = (places - centre + world / 2) % world - world / 2
    lengths = np.linalg.norm(arms, axis=1, keepdims=True)
    expected = {
        "polarisation": np.linalg.norm(headings.mean(axis=0)),
        "rotation": np.linalg.norm(turned(arms / lengths, headings).mean(axis=0)),
        "angular_momentum": np.linalg.norm(turned(arms, motions).sum(axis=0)) / (lengths * speeds).sum(),
        "mean_speed": speeds.mean(),
    }
    if places.shape[1] == 2:
        angles = np.arctan2(motions[:, 1], motions[:, 0])
        expected["nematic_order"] = np.abs(np.exp(2j * angles).mean())
    else:
        tensor = (3 * headings[:, :, None] * headings[:, None] - np.eye(3)).mean(axis=0) / 2
        expected["nematic_order"] = np.linalg.eigvalsh(tensor).max()
    for name, value in expected.items():
        assert flock.metric(name) == pytest.approx(value, rel=1e-6, abs=1e-9), name
    # The control: another heading for one in ten is noticed.
    headings[::10] = np.roll(headings[::10], 1, axis=0)
    assert abs(np.linalg.norm(turned(arms / lengths, headings).mean(axis=0)) - expected["rotation"]) > 1e-6


@pytest.mark.parametrize("scene", ["flock-3d", "couzin"])
def test_nematic_order_is_that_of_freud(scene):
    freud = pytest.importorskip("freud")
    flock, _, motions = moved(scene)
    nematic = freud.order.Nematic()
    nematic.compute((motions / np.linalg.norm(motions, axis=1, keepdims=True)).astype(np.float32))
    assert flock.metric("nematic_order") == pytest.approx(nematic.order, abs=1e-5)


@pytest.mark.parametrize("scene", ["flock", "flock-3d", "vicsek"])
def test_neighbours_and_groups_are_those_of_brute_force(scene):
    flock, places, _ = moved(scene)
    radius = flock._radius(None)
    distance = wrapped(places, flock.world)
    np.fill_diagonal(distance, np.inf)
    near = distance < radius
    # Distances of some pairs are rounded across the border.
    doubtful = (np.abs(distance - radius) < 1e-5 * radius).sum() / len(flock)
    assert flock.metric("mean_neighbours") == pytest.approx(near.sum() / len(flock), abs=doubtful + 1e-9)
    assert flock.metric("nearest_neighbour_distance") == pytest.approx(distance.min(axis=1).mean(), rel=1e-5)
    # Groups by following links.
    label = np.full(len(flock), -1)
    groups = 0
    for first in range(len(flock)):
        if label[first] >= 0:
            continue
        border = np.array([first])
        while len(border):
            label[border] = groups
            border = np.nonzero(near[border].any(axis=0) & (label < 0))[0]
        groups += 1
    if doubtful == 0:
        assert flock.metric("clusters") == groups
        assert flock.metric("largest_cluster") == np.bincount(label).max() / len(flock)


@pytest.mark.parametrize("scene", ["flock", "flock-3d", "active-particles"])
def test_numbers_in_boxes_are_those_of_numpy(scene):
    flock, places, _ = moved(scene, count=4096)
    world = np.asarray(flock.world)

    def boxes(mean, halved=0):
        """As many along each axis as give boxes of equal sides and about this mean number of agents."""
        side = (np.prod(world) * mean / len(flock)) ** (1 / len(world))
        return np.maximum(np.rint(world / side), 1).astype(int) << halved

    def numbers(along):
        counts, _ = np.histogramdd(places, along, [(0, length) for length in world])
        return counts.mean(), counts.var(ddof=1)

    mean, variance = numbers(boxes(16))
    assert flock.metric("number_variance") == pytest.approx(variance / mean, rel=1e-6)
    sizes = [boxes(len(flock) / 16, halved) for halved in range(8)]
    points = np.log([numbers(along) for along in sizes if len(flock) >= 4 * np.prod(along)])
    assert len(points) >= 2
    slope = np.polyfit(points[:, 0], points[:, 1], 1)[0]
    assert flock.metric("number_exponent") == pytest.approx(slope, rel=1e-6)
    # The control: boxes of another size.
    mean, variance = numbers(boxes(32))
    assert flock.metric("number_variance") != pytest.approx(variance / mean, rel=1e-3)


@pytest.mark.parametrize("scene", ["flock", "flock-3d"])
def test_the_correlation_of_velocities_ends_where_numpy_says(scene):
    flock, places, motions = moved(scene)
    rest = motions - motions.mean(axis=0)
    first, second = np.triu_indices(len(flock), 1)
    distance, product = wrapped(places, flock.world)[first, second], (rest @ rest.T)[first, second]
    order = np.argsort(distance)
    # Bins of 500 pairs at least, each a twentieth of its distance wide.
    ends, place = [], 0
    while place < len(order):
        end = max(place + 500, np.searchsorted(distance[order], distance[order[place]] * 1.05))
        ends.append(place := min(end, len(order)))
    begins = [0, *ends[:-1]]
    mean = [product[order[begin:end]].mean() for begin, end in zip(begins, ends)]
    at = [distance[order[begin:end]].mean() for begin, end in zip(begins, ends)]
    assert mean[0] > 0
    zero = next(index for index, value in enumerate(mean) if value <= 0)
    # Two ways to cut bins differ by a bin.
    assert at[zero - 1] * 0.93 < flock.metric("correlation_length") < at[zero] * 1.07
    shuffled = np.random.default_rng(1).permutation(rest)
    assert (shuffled[first[order[:500]]] * shuffled[second[order[:500]]]).sum() < 0.3 * product[order[:500]].sum()


def test_averages_over_a_run_are_those_of_numpy():
    flock = fw.Flock("vicsek", count=100, seed=2, **{"agent.rules.align.parameters.noise.value": 4.0})
    run = flock.run(10_000, every=1, record="polarisation")
    samples = np.asarray(run["polarisation"])
    average = run.average("polarisation")
    begin = len(samples) - average.samples
    kept = samples[begin:]
    assert 0 <= begin <= len(samples) // 2
    assert average.mean == pytest.approx(kept.mean(), rel=1e-12)
    assert average.binder == pytest.approx(1 - (kept**4).mean() / (3 * (kept**2).mean() ** 2), rel=1e-9)
    # The error of blocks far longer than the correlation, which is itself known to a quarter from 25 blocks.
    blocks = kept[: len(kept) // 25 * 25].reshape(25, -1).mean(axis=1)
    assert average.standard_error == pytest.approx(blocks.std(ddof=1) / 5, rel=0.6)
    # The control: samples that follow one another are alike.
    assert average.standard_error > 2 * kept.std(ddof=1) / np.sqrt(len(kept))
