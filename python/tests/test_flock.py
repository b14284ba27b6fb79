"""The flock: the same bytes as the command line, arrays, edits, and errors."""

import _thread
import copy
import io
import itertools
import json
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pyflockwork as fw

ENGINES = ["cpu", "gpu"]


def program(*words, **options):
    """The command line of the same package."""
    return subprocess.run(
        [sys.executable, "-m", "pyflockwork", *map(str, words)], check=True, capture_output=True, text=True, **options
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scene", ["flock", "flock-3d", "predators", "fireflies"])
def test_same_bytes_as_the_command_line(tmp_path, scene, engine):
    out = tmp_path / "states.npz"
    program("simulate", "--scene", scene, "--count", 700, "--seed", 5, "--engine", engine, "--ticks", 30, "--out", out)
    flock = fw.Flock(scene, count=700, seed=5, engine=engine)
    flock.step(7)
    flock.step(23)
    with np.load(out) as states:
        last = states["tick"] == 30
        np.testing.assert_array_equal(flock.positions, states["position"][last])
        np.testing.assert_array_equal(flock.velocities, states["velocity"][last])
        # A control: another seed is another flock.
        other = fw.Flock(scene, count=700, seed=6, engine=engine)
        other.step(30)
        assert (other.positions != states["position"][last]).any()


def test_metrics_are_those_of_the_command_line(tmp_path):
    out = tmp_path / "metrics.csv"
    names = ["polarisation", "clusters", "nematic_order"]
    program("simulate", "--scene", "flock", "--count", 400, "--engine", "cpu", "--ticks", 12, "--metrics", out,
            "--metric", ",".join(names), "--metrics-every", 5)
    rows = np.genfromtxt(out, delimiter=",", names=True)
    run = fw.Flock("flock", count=400, engine="cpu").run(12, every=5, record=names)
    assert run.ticks.tolist() == [0, 5, 10, 12] == rows["tick"].tolist()
    for name in names:
        np.testing.assert_array_equal(run[name], rows[name])


@pytest.mark.parametrize("engine", ENGINES)
def test_copies_and_files_go_on_to_the_same_bytes(tmp_path, engine):
    flock = fw.Flock("predators", count=600, seed=2, engine=engine)
    flock.step(10)
    flock.remove(flock.ids[5:9])
    flock.add([[3, 4]], species="predator" if "predator" in flock.species_names else 0)
    flock[f"{flock.species_names[0]}.max_speed"] = 2.5
    flock.step(3)
    path = tmp_path / "flock.npz"
    flock.save(path)
    others = [copy.deepcopy(flock), pickle.loads(pickle.dumps(flock)), fw.Flock.load(path, engine=engine)]
    flock.step(20)
    for other in others:
        assert other.tick == 13
        other.step(20)
        np.testing.assert_array_equal(other.positions, flock.positions)
        np.testing.assert_array_equal(other.ids, flock.ids)
        assert other.world == flock.world
    # Ids of agents that went are not given again.
    flock.remove(flock.ids[-1:])
    again = copy.deepcopy(flock)
    assert again.add([[1, 1]]).tolist() == flock.add([[1, 1]]).tolist() == [601]


class Named(fw.Flock):
    """A class of a program."""


def test_copies_keep_their_class_and_attributes():
    flock = Named("flock", count=20, engine="cpu")
    flock.name = "mine"
    for other in (copy.copy(flock), copy.deepcopy(flock), pickle.loads(pickle.dumps(flock))):
        assert type(other) is Named and other.name == "mine" and other.tick == 0


def test_scenes_by_name_path_text_and_dict(tmp_path):
    text = "[world]\nsize = [200, 100]\n[species.bird]\ncount = 50\nseparation = { radius = 9, weight = 1.5 }\n"
    path = tmp_path / "mine.toml"
    path.write_text(text)
    by_dict = {"world": {"size": [200, 100]},
               "species": {"bird": {"count": np.int64(50), "separation": {"radius": np.float32(9), "weight": 1.5}}}}
    flocks = [fw.Flock(text), fw.Flock(path), fw.Flock(str(path)), fw.Flock(by_dict)]
    for flock in flocks:
        flock.step(20)
        assert len(flock) == 50 and flock.world == (200, 100)
        np.testing.assert_array_equal(flock.positions, flocks[0].positions)
    assert fw.Flock(flocks[0].toml()).world == (200, 100)
    assert len(fw.Flock()) == 3000
    assert len(fw.scenes()) > 60 and all(fw.scenes().values())


def test_edits_hold_from_the_next_tick():
    edited, at_start = (fw.Flock("flock", count=300, seed=1, engine="cpu", **keys)
                        for keys in ({}, {"starling.alignment.weight": 0.25}))
    edited["starling.alignment.weight"] = 0.25
    assert edited["starling.alignment.weight"] == at_start.scene["species"]["starling"]["alignment"]["weight"] == 0.25
    edited.step(40)
    at_start.step(40)
    np.testing.assert_array_equal(edited.positions, at_start.positions)
    plain = fw.Flock("flock", count=300, seed=1, engine="cpu")
    plain.step(40)
    assert (plain.positions != edited.positions).any(), "a control: the weight matters"


@pytest.mark.parametrize("scene", ["path-loop", "asteroids", "woods", "predators", "flow"])
def test_what_is_read_acts_and_changes_nothing_when_set(scene):
    flock, same = (fw.Flock(scene, count=1500, seed=3, engine="cpu") for _ in range(2))
    assert np.float32(flock["world.size"]).tolist() == list(flock.world)
    assert copy.deepcopy(flock).scene == flock.scene
    for key, value in flock.scene.items():
        flock[key] = value
    for own in (flock, same):
        own.step(20)
    np.testing.assert_array_equal(flock.positions, same.positions)


def test_keys_have_the_scale_of_the_flock():
    flock = fw.Flock("path-loop", count=200, engine="cpu")
    assert flock["vehicle.follow_path.radius"] == 40 and flock["world.size"] == [1280, 720]
    flock["world.size"] = [640, 360]
    assert flock.world == (640, 360) and flock["vehicle.follow_path.radius"] == 40
    flock.remove(flock.ids[:50])
    flock["species.other"] = {"wander": {}}
    flock.add([[1, 1]], species="other")
    assert flock["vehicle.count"] == 150 and flock["other.count"] == 1
    flock["vehicle.count"] = 150


def test_targets_are_read_where_they_are():
    scene = {"world": {"size": [300, 200]}, "targets": [{"name": "food", "position": [9, 9], "velocity": [2, 0]}],
             "species": {"a": {"count": 5, "seek": {"target": "food"}}}}
    flock = fw.Flock(scene, engine="cpu")
    flock.step(10)
    assert flock["targets.0.position"] == [29, 9]
    flock["targets"] = [{"name": "bait", "position": [1, 1]}, *flock["targets"]]
    assert flock["a.seek.target"] == "food"


def test_obstacles_change_while_a_flock_runs():
    scene = {"world": {"size": [200, 200], "boundary": "walls"},
             "species": {"a": {"count": 50, "wander": {}, "avoid": {}}}}
    flock, same = (fw.Flock(scene, engine="cpu") for _ in range(2))
    flock["obstacles"] = [{"position": [100, 100], "radius": 40}]
    assert flock["obstacles.0.radius"] == 40
    for own in (flock, same):
        own.step(50)
    assert (flock.positions != same.positions).any()
    assert "radius = 40" in flock.toml()


def test_a_flow_file_is_read_when_it_is_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wind.csv").write_text("x,y\n1,0\n1,0\n0,1\n0,1\n")
    own, file = {"kind": "vortex"}, {"kind": "file", "file": "wind.csv", "grid": [2, 2]}
    scene = {"world": {"size": [200, 200]}, "flow": own, "species": {"a": {"count": 30, "follow_flow": {}}}}
    flock, same = fw.Flock(scene, engine="cpu"), fw.Flock({**scene, "flow": file}, engine="cpu")
    with pytest.raises(ValueError, match="calm.csv: cannot read it"):
        flock["flow"] = {**file, "file": "calm.csv"}
    assert flock["flow.kind"] == "vortex"
    flock["flow"] = file
    copies = [flock, copy.deepcopy(flock)]
    same.step(20)
    for own in copies:
        own.step(20)
        np.testing.assert_array_equal(own.positions, same.positions)


def test_names_in_quotes_have_any_signs():
    scene = {"world": {"size": [100, 100]}, "targets": [{}],
             "species": {"E. coli": {"count": 5, "seek": {}}, "a=b": {"count": 2, "cohesion": {}}}}
    flock, same = (fw.Flock({**scene, "targets": [{"position": place}]}, engine="cpu") for place in ([1, 1], [50, 50]))
    flock['"targets".0.position'] = [50, 50]
    flock['"E. coli".seek.weight'] = same['species."E. coli".seek.weight'] = 3
    flock['"a=b".max_speed'] = same['"a=b".max_speed'] = 2
    assert flock['"E. coli".seek.weight'] == 3 and flock['"a=b".max_speed'] == 2
    for own in (flock, same):
        own.step(20)
    np.testing.assert_array_equal(flock.positions, same.positions)
    with pytest.raises(ValueError, match="another Flock"):
        flock['"E. coli".count'] = 7


def test_none_removes_a_key():
    assert "starling.cohesion" not in fw.Flock("flock", count=5, **{"starling.cohesion": None})
    flock = fw.Flock("flock", count=5)
    flock["starling.cohesion"] = None
    assert "starling.cohesion" not in flock and "starling.alignment" in flock
    with pytest.raises(ValueError, match="no `cohesion` to remove"):
        flock["starling.cohesion"] = None


def test_push_adds_to_velocities():
    scene = {"world": {"size": [100, 100]}, "species": {"dot": {"count": 3, "max_speed": 5, "max_force": 1}}}
    flock = fw.Flock(scene, engine="cpu")
    before, speed = flock.positions.astype(float), flock.velocities.astype(float)
    force = np.array([[0.5, 0], [0, -0.25], [0, 0]])
    flock.push(force)
    np.testing.assert_allclose(flock.velocities, speed + force, atol=1e-6)
    flock.step()
    way = (flock.positions - before - speed - force + 50) % 100 - 50
    np.testing.assert_allclose(way, 0, atol=1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_push_too_far_is_refused(engine):
    flock = fw.Flock("flock", count=20, engine=engine)
    flock.push(np.full((20, 2), 1e12))
    before = flock.velocities
    with pytest.raises(ValueError, match="velocity of agent 0"):
        flock.push(np.full((20, 2), 1e12))
    np.testing.assert_array_equal(flock.velocities, before)
    copy.deepcopy(flock).step()
    flock.step()
    assert (np.abs(flock.velocities) < 100).all()


def test_a_velocity_that_no_file_holds_is_refused():
    flock = fw.Flock("vicsek", count=300, engine="cpu")
    before, side = flock.velocities, flock.world[0]
    for call in (lambda: flock.push(np.full((300, 2), side)), lambda: flock.add([[1, 1]], [[side, 0]])):
        with pytest.raises(ValueError, match="velocity of agent (0|300), .* takes it round"):
            call()
    np.testing.assert_array_equal(flock.velocities, before)
    flock["agent.position_step"] = "new"
    flock.push(np.full((300, 2), side))
    flock["agent.position_step"] = "old"
    with pytest.raises(ValueError, match="smaller one$"):
        copy.deepcopy(flock)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_view_has_the_agents_and_holds_the_flock(engine):
    flock = fw.Flock("flock-3d", count=300, seed=1, engine=engine)
    flock.step(5)
    with flock.view() as view:
        order = np.argsort(view.ids)
        np.testing.assert_array_equal(np.stack(view.positions, 1)[order], flock.positions)
        np.testing.assert_array_equal(np.stack(view.velocities, 1)[order], flock.velocities)
        assert view.species.shape == (300,)
        with pytest.raises(BufferError, match="still in use"):
            flock.step()
        with pytest.raises(ValueError):
            view.positions[0][0] = 1.0
        kept = view.positions[0]
    with pytest.raises(ValueError, match="has ended"):
        view.positions
    with pytest.raises(BufferError):
        flock.remove([1])
    del kept, order
    flock.step()
    assert flock.tick == 6


def test_threads_wait_for_each_other():
    flock, alone = (fw.Flock("flock", count=300, seed=1, engine="cpu") for _ in range(2))
    threads = [threading.Thread(target=lambda: [flock.step() for _ in range(25)]) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    alone.step(100)
    assert flock.tick == 100
    np.testing.assert_array_equal(flock.positions, alone.positions)


def test_steps_let_other_threads_run():
    flock, count, done = fw.Flock("flock", count=20_000, engine="cpu", threads=1), [0], threading.Event()
    thread = threading.Thread(target=lambda: (flock.step(30), done.set()))
    thread.start()
    while not done.wait(0.001):
        count[0] += 1
    thread.join()
    assert count[0] > 5, "this thread ran while the flock moved"


@pytest.mark.parametrize("what", ["run", "step"])
def test_ctrl_c_keeps_what_is_there(what):
    code = f"""
import signal, threading, os, pyflockwork as fw
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a script
flock = fw.Flock("flock", count=20000, engine="cpu")
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
if {what == "run"}:
    run = flock.run(10**9, every=1, record="polarisation")
    assert run.interrupted and len(run.ticks) == len(run["polarisation"]) > 1, run
else:
    try:
        flock.step(10**9)
    except KeyboardInterrupt:
        assert flock.tick > 0
    else:
        raise AssertionError("no KeyboardInterrupt")
before = flock.tick
flock.step(2)
print("ended", flock.tick - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended 2\n", done.stderr


def test_a_handler_of_signals_may_not_ask_a_flock_at_work():
    code = """
import signal, pyflockwork as fw
flock = fw.Flock("flock", count=2000, engine="cpu")
signal.signal(signal.SIGALRM, lambda *_: print(flock.tick))
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    flock.step(10**9)
except RuntimeError as error:
    print("at work" in str(error), flock.tick > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True True\n", done.stderr


def test_the_first_array_imports_nothing():
    code = """
import builtins, pyflockwork as fw
flock, own = fw.Flock("flock", count=5, engine="cpu"), builtins.__import__
def interrupted(name, *rest):
    if name.startswith("numpy"):
        raise KeyboardInterrupt
    return own(name, *rest)
builtins.__import__ = interrupted
print(len(flock.positions))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "5\n", done.stderr


def test_ctrl_c_ends_waiting_for_another_thread():
    code = """
import signal, threading, os, pyflockwork as fw
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a script
flock = fw.Flock("flock", count=20000, engine="cpu")
threading.Thread(target=flock.step, args=(10**9,), daemon=True).start()
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        flock.tick
except KeyboardInterrupt:
    print("ended", flush=True)
    os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended\n", done.stderr


def test_a_forked_process_is_told(tmp_path):
    code = """
import os, pyflockwork as fw
fw.Flock("flock", count=10)
if os.fork() == 0:
    try:
        fw.Flock("flock", count=10)
    except RuntimeError as error:
        print("told:", "spawn" in str(error), flush=True)
    os._exit(0)
os.wait()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "told: True\n", done.stderr


def test_tables_are_read_by_others():
    flock = fw.Flock("predators", count=200, seed=1)
    table = flock.agents()
    assert len(table) == 200
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table)
    np.testing.assert_array_equal(frame["x"].to_numpy(), flock.positions[:, 0])
    np.testing.assert_array_equal(frame["id"].to_numpy(), flock.ids)
    names = np.array(flock.species_names)[flock.species]
    assert frame["species"].cast(str).to_list() == names.tolist()
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    rows = flock.agents()
    counts = duckdb.sql("select species, count(*) from rows group by species").fetchall()
    assert dict(counts) == {name: (names == name).sum() for name in set(names)}
    run = flock.run(20, every=10, record=["polarisation", "clusters"])
    samples = pandas.DataFrame(run, index=run.ticks)
    assert list(samples.columns) == list(run) and list(samples.index) == list(run.ticks)
    np.testing.assert_array_equal(samples["clusters"], run["clusters"])
    kept = fw.Flock("fireflies", count=20)
    assert "state.phase" in kept.agents().columns and kept.state("phase").shape == (20,)


def test_pictures_are_those_of_capture(tmp_path):
    image = pytest.importorskip("PIL.Image")
    out = tmp_path / "picture.png"
    words = ("--scene", "flock", "--count", 500, "--seed", 1, "--engine", "cpu")
    program("capture", *words, "--ticks", 20, "--size", "320x180", "--out", out)
    flock = fw.Flock("flock", count=500, seed=1, engine="cpu")
    flock.step(20)
    theirs = np.asarray(image.open(out).convert("RGBA"))
    np.testing.assert_array_equal(flock.picture(320, 180), theirs)
    np.testing.assert_array_equal(np.asarray(image.open(io.BytesIO(flock._repr_png_()))), flock.picture(640, 360))
    assert flock.tick == 20
    said = flock.film(tmp_path / "film.gif", 10, every=5, size=(96, 54))
    assert "film.gif" in said and (tmp_path / "film.gif").read_bytes()[:3] == b"GIF"
    alone = fw.Flock("flock", count=500, seed=1, engine="cpu")
    alone.step(30)
    assert flock.tick == 30
    np.testing.assert_array_equal(flock.positions, alone.positions)


def test_a_sweep_spreads_over_processes():
    import multiprocessing

    plan = {"scene": "vicsek", "count": 60, "ticks": 100, "seeds": 2, "metric": "polarisation",
            "vary": {"agent.rules.align.parameters.noise.value": [0.5, 5]}}
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        spread = fw.sweep(plan, map=pool.map, engine="cpu")
    here = fw.sweep(plan, engine="cpu")
    assert spread == here and len(here) == 4
    assert here[0]["polarisation"] > here[2]["polarisation"] and here[0]["failure"] is None
    json.dumps(here)


def test_a_sweep_keeps_the_order_of_its_metrics_and_no_error_of_one_sample():
    plan = {"scene": "vicsek", "count": 20, "ticks": 9, "settle": 5, "metrics_every": 9,
            "metric": ["polarisation", "clusters", "mean_speed"]}
    (row,) = fw.sweep(plan, engine="cpu")
    metrics = [name for name in row if f"{name}_se" in row]
    assert metrics == plan["metric"] == row["short"]
    assert all(np.isnan(row[name + suffix]) for name in metrics for suffix in ("_se", "_tau"))
    one = fw.average([2.0])
    assert one.mean == 2 and np.isnan([one.standard_error, one.correlation_time]).all()


def endless():
    """A dict that contains itself."""
    table = {}
    table["x"] = [table]
    return table


BAD = [
    (lambda: fw.Flock("flokc"), ValueError, "did you mean"),
    (lambda: fw.Flock("flock", count=0), ValueError, "count 0"),
    (lambda: fw.Flock("flock", count=-5), ValueError, "count -5"),
    (lambda: fw.Flock("flock", count=2.5), TypeError, "whole number"),
    (lambda: fw.Flock("flock", seed=2**40), ValueError, "seed"),
    (lambda: fw.Flock("flock", density=float("nan")), ValueError, "density nan"),
    (lambda: fw.Flock("flock", engine="tpu"), ValueError, "engine \"tpu\""),
    (lambda: fw.Flock("flock", engine="gpu", adapter="no such GPU"), RuntimeError, "no such GPU"),
    (lambda: fw.Flock("flock", threads=0), ValueError, "threads 0"),
    (lambda: fw.Flock("flock", **{"starling.separation.wieght": 2}), KeyError, "did you mean `weight`"),
    (lambda: fw.Flock("flock", **{"starling.separation.weight": "much"}), ValueError, "starling.separation.weight"),
    (lambda: fw.Flock("flock", **{"starling.separation.weight": object()}), TypeError, "not object"),
    (lambda: fw.Flock("[species.a]\nmax_speed = 'x'\n"), ValueError, "max_speed"),
    (lambda: fw.Flock({"species": {"a": {"count": 3, "nonsense": 1}}}), KeyError, "nonsense"),
    (lambda: fw.Flock(endless()), ValueError, "contains itself"),
    (lambda: fw.Flock("flock", targets=endless()), ValueError, "contains itself"),
    (lambda: fw.Flock(b"flock"), TypeError, "bytes"),
    (lambda: fw.Flock("flock", engine=None), TypeError, "engine"),
    (lambda: fw.Flock("flock", density="x"), TypeError, "density"),
    (lambda: fw.Flock("flock", **{"starling.separation.weight": 2**70}), ValueError, "64 bits"),
    (lambda: fw.Flock("flock", count=5).run(1)["speed"], KeyError, "no metrics"),
    (lambda: fw.average(np.ma.masked_array([1.0])), TypeError, "masked"),
    (lambda: fw.Flock.load("no-such-file.npz"), FileNotFoundError, "no-such-file.npz"),
    (lambda: fw.Flock("flock", **{"starlin.separation.weight": 2}), KeyError, "no such species"),
    (lambda: fw.average([1 + 2j]), TypeError, "complex"),
    (lambda: fw.sweep({"scene": "flock", "ticks": 5, "settle": 9, "metric": "polarisation"}), ValueError, "^settle 9"),
    (lambda: fw.average([]), ValueError, "one series"),
    (lambda: fw.average([1.0, float("nan")]), ValueError, "not finite"),
    (lambda: fw.sweep({"scene": "flock", "nonsense": 1}), ValueError, "nonsense"),
    (lambda: fw.sweep("no-such-plan.toml"), FileNotFoundError, "no-such-plan.toml"),
]

BAD_CALLS = [
    (lambda flock: flock.step(-1), ValueError, "ticks -1"),
    (lambda flock: flock.step(1.5), TypeError, "whole number"),
    (lambda flock: flock.run(10, every=0), ValueError, "every 0"),
    (lambda flock: flock.run(10, record="polarization"), KeyError, "did you mean `polarisation`"),
    (lambda flock: flock.run(10, agents="colours"), KeyError, "colours"),
    (lambda flock: flock.run(10**15, agents="positions"), ValueError, "memory"),
    (lambda flock: flock.metric("starlin.polarisation"), KeyError, "starlin"),
    (lambda flock: flock.metric(["polarisation", "clusters"]), TypeError, "metrics\\(\\) takes several"),
    (lambda flock: flock.state("phase"), KeyError, "phase"),
    (lambda flock: flock.neighbours(10**6), KeyError, "no such agent"),
    (lambda flock: flock.neighbours(0, -1), ValueError, "radius -1"),
    (lambda flock: flock.pairs(float("inf")), ValueError, "radius inf"),
    (lambda flock: flock.push(np.zeros((20, 3))), ValueError, r"\(20, 2\)"),
    (lambda flock: flock.push([["a", "b"]] * 20), TypeError, "numbers"),
    (lambda flock: flock.push(np.full((20, 2), np.nan)), ValueError, "row 0"),
    (lambda flock: flock.push(np.full((20, 2), 1e300)), ValueError, "from -1e12"),
    (lambda flock: flock.push(np.ma.masked_array(np.zeros((20, 2)))), TypeError, "masked"),
    (lambda flock: flock[5], TypeError, "text, and not 5"),
    (lambda flock: flock[""], KeyError, "no key"),
    (lambda flock: flock["starling=.max_speed"], KeyError, "no key"),
    (lambda flock: flock.__setitem__('"starling.max_speed', 2), KeyError, "no key"),
    (lambda flock: flock.__setitem__("targets", None), ValueError, "^there is no `targets` to remove"),
    (lambda flock: list(flock), TypeError, "not iterable"),
    (lambda flock: flock.__setitem__("world.density", 5), ValueError, "another Flock"),
    (lambda flock: flock.step(2**70), ValueError, "18446744073709551615"),
    (lambda flock: flock.film("film.gif", 10, size="64x48"), TypeError, "width, height"),
    (lambda flock: flock.film("film.gif", 10**4, size=(16384, 16384), loop=1000), ValueError, "memory"),
    (lambda flock: flock.film("", 10), ValueError, "name of a file"),
    (lambda flock: flock.add([[1, np.inf]]), ValueError, "finite"),
    (lambda flock: flock.add([[1e9, 1]]), ValueError, "inside the world"),
    (lambda flock: flock.add([[1, 1]], species="eagle"), KeyError, "starling"),
    (lambda flock: flock.add([[1, 1]], species=7), ValueError, "species 7"),
    (lambda flock: flock.add([[1, 1], [2, 1]], species=[0, -1]), ValueError, "species -1"),
    (lambda flock: flock.remove([99]), KeyError, "agent 99"),
    (lambda flock: flock.remove([1.5]), TypeError, "whole numbers"),
    (lambda flock: flock["starling.alignment.wieght"], KeyError, "wieght"),
    (lambda flock: flock["world.size.-1"], KeyError, "world.size.-1"),
    (lambda flock: flock.__setitem__("starlin.alignment.weight", 1), KeyError, "no such species"),
    (lambda flock: flock.__setitem__("starling.alignment.wieght", 1), KeyError, "did you mean"),
    (lambda flock: flock.__setitem__("starling.alignment.radius", -3), ValueError, "radius"),
    (lambda flock: flock.__setitem__("starling.count", 3), ValueError, "count.*add and remove"),
    (lambda flock: flock.__setitem__("starling", {"count": 3, "cohesion": {}}), ValueError, "count.*add and remove"),
    (lambda flock: flock.__setitem__("species.hawk", {"count": 5, "wander": {}}), ValueError, "hawk.count"),
    (lambda flock: flock.__setitem__("species", {"hawk": {"wander": {}}, **flock["species"]}), ValueError, "^species: .*first"),
    (lambda flock: flock.__setitem__("world", {"size": [500, 500], "density": 3}), ValueError, "another Flock"),
    (lambda flock: flock.save("flock.csv"), ValueError, "NAME.npz"),
    (lambda flock: flock.save("no-such-folder/flock.npz"), FileNotFoundError, "no-such-folder"),
    (lambda flock: flock.picture(0, 10), ValueError, "width 0"),
    (lambda flock: flock.film("film.xyz", 10), ValueError, "^path film.xyz"),
    (lambda flock: flock.film("film.gif", 10, quality="bad"), ValueError, "'quality': expected draft"),
    (lambda flock: flock.film("film.gif", 10, fps=60), ValueError, "^fps 60: "),
]


@pytest.mark.parametrize("call, error, words", BAD)
def test_bad_input_is_told(call, error, words):
    with pytest.raises(error, match=words) as raised:
        call()
    assert "\n" not in str(raised.value) or len(str(raised.value)) < 600
    assert "--" not in str(raised.value), "an option of the command line"


def test_bad_calls_change_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flock, same = (fw.Flock("flock", count=20, seed=1, engine="cpu") for _ in range(2))
    for call, error, words in BAD_CALLS:
        with pytest.raises(error, match=words) as raised:
            call(flock)
        assert "Error" not in str(raised.value) and "--" not in str(raised.value), raised.value
        np.testing.assert_array_equal(flock.positions, same.positions)
    assert list(tmp_path.iterdir()) == []
    flock.step(10)
    same.step(10)
    np.testing.assert_array_equal(flock.positions, same.positions)


@pytest.mark.parametrize("engine", ENGINES)
def test_views_edits_and_steps_of_many_threads_end(engine):
    flock, end, errors = fw.Flock("flock", count=300, engine=engine), time.monotonic() + 3, []

    def again(work):
        while time.monotonic() < end:
            try:
                work()
            except BufferError:
                pass
            except Exception as error:
                errors.append(error)

    def look():
        with flock.view() as view:
            view.positions[0].sum()

    works = [flock.step, look, look, lambda: flock.__setitem__("starling.alignment.weight", 2), lambda: flock.positions]
    threads = [threading.Thread(target=again, args=(work,), daemon=True) for work in works]
    [thread.start() for thread in threads]
    [thread.join(20) for thread in threads]
    assert not any(thread.is_alive() for thread in threads), "they wait for each other for ever"
    assert not errors and flock.tick > 10


@pytest.mark.parametrize("work", [
    'flock.film("film.png", 10**7, size=(64, 48))',
    'flock.film("film.apng", 10**6, every=10**3, size=(64, 48))',
    'fw.sweep({"scene": "vicsek", "count": 1000, "ticks": 10**8, "metric": "polarisation"}, engine="cpu")',
])
def test_ctrl_c_ends_films_and_sweeps(tmp_path, work):
    code = f"""
import signal, threading, os, pyflockwork as fw
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a script
flock = fw.Flock("flock", count=2000, engine="cpu")
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {work}
except KeyboardInterrupt:
    flock.step(2)
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, cwd=tmp_path)
    assert done.stdout == "ended\n", done.stderr
    assert not [path for path in tmp_path.iterdir() if "unfinished" in path.name]


def test_ctrl_c_before_the_first_frame_of_a_film(tmp_path):
    class Options(tuple):
        def __iter__(self):
            # The signal comes while no line of Python runs.
            return itertools.chain(tuple.__iter__(self), filter(_thread.interrupt_main, [signal.SIGINT]))

    flock, before = fw.Flock("flock", count=20, engine="cpu"), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            flock._native.film(Options(["--ticks=9", f"--out={tmp_path / 'film.gif'}"]))
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


def test_a_geometry_of_too_many_is_refused_at_once(tmp_path):
    flock = fw.Flock("flock", count=1000, engine="cpu")
    with pytest.raises(ValueError, match="^geometry: 1000 agents"):
        flock.film(tmp_path / "film.png", 10**6, geometry=True)
    assert flock.tick == 0


def test_a_film_leaves_signals_alone(tmp_path):
    code = """
import os, shutil, signal, pyflockwork as fw
fw.Flock("flock", count=20, engine="cpu").film("film.mp4", 5, size=(64, 48))
os.kill(os.getpid(), signal.SIGTERM)
"""
    if not shutil.which("ffmpeg"):
        pytest.skip("no ffmpeg")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, cwd=tmp_path)
    assert done.returncode == -signal.SIGTERM, done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_a_forked_process_ends(engine):
    code = f"""
import os, sys, pyflockwork as fw
flock = fw.Flock("flock", count=10, engine={engine!r})
flock.step(2)
if os.fork() == 0:
    sys.exit(0)
os.wait()
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout == "ended\n", done.stderr


def test_a_scene_with_a_pick_is_edited():
    flock = fw.Flock("schooling-by-noise", count=20, engine="cpu")
    flock["fish.size"] = 0.9
    assert flock["fish.size"] == 0.9
    flock.step(3)


def test_the_text_of_a_flock_has_its_numbers():
    flock = fw.Flock("predators", count=200, seed=1, engine="cpu")
    flock.remove(flock.ids[flock.species == 0][:100])
    flock.add(np.ones((20, 2)), species="hunter")
    again = fw.Flock(flock.toml(), engine="cpu")
    assert again.world == flock.world
    assert np.bincount(again.species).tolist() == np.bincount(flock.species).tolist() == [99, 21]
    flock.remove(flock.ids)
    for work in (flock.toml, lambda: copy.deepcopy(flock)):
        with pytest.raises(ValueError, match="without agents"):
            work()
    flock.step(2)
    flock.add([[1, 1]])
    assert len(flock) == 1 and "world.size" in flock and "nonsense" not in flock


def test_a_film_advances_by_its_ticks(tmp_path):
    flock = fw.Flock("flock", count=20, engine="cpu")
    flock.film(tmp_path / "film.gif", 7, every=4, size=(64, 48))
    assert flock.tick == 7
    with flock.view():
        assert flock.picture(64, 48).shape == (48, 64, 4)


def test_the_command_line_is_there():
    assert program("--version").stdout.startswith("flockwork ")
    failed = subprocess.run([sys.executable, "-m", "pyflockwork", "simulate"], capture_output=True, text=True)
    assert failed.returncode == 2 and "--ticks" in failed.stderr


@pytest.mark.parametrize("handler, then", [("SIG_IGN", "SIG_IGN"), ("default_int_handler", "SIG_DFL")])
def test_the_command_line_ignores_a_signal_that_it_was_started_to_ignore(handler, then):
    code = f"""
import signal
from pyflockwork import _native, _program
signal.signal(signal.SIGINT, signal.{handler})
_native.program = lambda words: print(signal.getsignal(signal.SIGINT).name)
_program.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout == f"{then}\n", done.stderr
