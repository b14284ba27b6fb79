"""The flock."""

from __future__ import annotations

import os
import pathlib
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import MissingKey
from .run import Run

Agents = _native.Table

#: Width and height of the picture of a notebook.
_NOTEBOOK_SIZE = (640, 360)

#: No coordinate and no component of a velocity is larger.
_LARGEST = 1e12


class Flock:
    """A flock in time: a scene, its agents, and the engine that moves them.

    Arrays have a row for each agent, in ascending order of ids. In a plane vectors have two components, in space
    three. Lengths are world units, velocities world units per tick.

    ``scene`` is the name of a built-in scene (see :func:`pyflockwork.scenes`), the path of a scene file, the text of
    one (with a line break in it) or a dict of its keys. Without it, it is the flock of the command line. Further
    keyword arguments set keys of the scene, as ``--set`` does; ``None`` removes one. ``engine`` is ``"gpu"``,
    ``"cpu"`` or ``"auto"``: the GPU if it is hardware. ``adapter`` names a GPU, ``threads`` limits the threads of the
    CPU engine.

    >>> flock = Flock("flock", count=500, seed=1, engine="cpu", **{"starling.separation.weight": 2})
    >>> len(flock), flock.tick
    (500, 0)
    >>> flock["starling.separation.weight"]
    2
    """

    _native: _native.Flock

    def __init__(
        self,
        scene: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        *,
        count: SupportsIndex | None = None,
        density: float | None = None,
        seed: SupportsIndex | None = None,
        engine: str = "auto",
        adapter: str | int | None = None,
        threads: SupportsIndex | None = None,
        **keys: Any,
    ) -> None:
        name = text = None
        if isinstance(scene, Mapping):
            text = _native.toml_of_dict(dict(scene))
        elif isinstance(scene, str) and "\n" in scene:
            text = scene
        elif isinstance(scene, (str, os.PathLike)):
            name = os.fsdecode(scene)
        elif scene is not None:
            raise TypeError(f"scene: expected a name, a path, a text or a dict, and not {type(scene).__name__}")
        self._machine = _machine(engine, adapter, threads)
        self._native = _native.Flock(
            name,
            text,
            [_assignment(key, value) for key, value in keys.items()],
            _whole("count", count, 1, 2**32 - 1),
            _density(density),
            _whole("seed", seed, 0, 2**32 - 1),
            None,
            *self._machine,
        )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        scene: str | os.PathLike[str] | None = None,
        engine: str = "auto",
        adapter: str | int | None = None,
        threads: SupportsIndex | None = None,
        **keys: Any,
    ) -> Flock:
        """A flock from a file that :meth:`save` or ``flockwork simulate --out`` has written: it goes on from the last
        tick. An ``.npz`` file brings its scene; for others name it.
        """
        flock = cls.__new__(cls)
        flock._machine = _machine(engine, adapter, threads)
        flock._native = _native.Flock(
            None if scene is None else os.fsdecode(scene),
            None,
            [_assignment(key, value) for key, value in keys.items()],
            None,
            None,
            None,
            os.fsdecode(path),
            *flock._machine,
        )
        return flock

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the flock to an ``.npz`` file, whole or not at all. NumPy reads its arrays; :meth:`load` and
        ``flockwork --init`` go on from it exactly. The file has no agents that were removed: if they were the youngest
        ones, a loaded flock gives their ids again. Pickled and copied flocks do not.
        """
        path = pathlib.Path(os.fsdecode(path))
        if path.suffix.lower() != ".npz":
            raise ValueError(f"{path}: a flock is saved as NPZ; call the file NAME.npz")
        _write(path, self._native.save())

    @classmethod
    def _restore(cls, data: bytes, next_id: int, machine: tuple[str, str | None, int | None]) -> Flock:
        flock = cls.__new__(cls)
        flock._machine = machine
        flock._native = _native.Flock.restore(data, next_id, *machine)
        return flock

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied flocks step on to the same bytes. They keep their class and their attributes."""
        own = {name: value for name, value in vars(self).items() if name != "_native"}
        return type(self)._restore, (self._native.save(), self._native.next_id(), self._machine), own

    def __len__(self) -> int:
        return self._native.count()

    def __repr__(self) -> str:
        kind, _ = self._native.describe()
        return f"<Flock of {len(self)} agents at tick {self.tick} on the {kind.upper()}>"

    # Time

    @property
    def tick(self) -> int:
        """Ticks since the start."""
        return self._native.tick()

    def step(self, ticks: SupportsIndex = 1) -> None:
        """Advance by so many ticks. Other Python threads run meanwhile; Ctrl-C stops between two ticks."""
        self._native.step(_index("ticks", ticks))

    def run(
        self,
        ticks: SupportsIndex,
        *,
        every: SupportsIndex = 1,
        record: str | Sequence[str] = (),
        agents: str | Sequence[str] = (),
        agents_every: SupportsIndex | None = None,
    ) -> Run:
        """Advance, and sample on the way: the metrics ``record`` now, every so many ticks and at the end, and the
        arrays ``agents`` (``"positions"``, ``"unwrapped"``, ``"velocities"``, ``"state.NAME"``) now, every
        ``agents_every`` ticks and at the end.

        ``"unwrapped"`` are positions that go on beyond the edges of a wrapped world, for displacements.

        Ctrl-C ends the run; what was sampled until then is returned.

        >>> run = Flock("flock", count=300, seed=1).run(20, every=5, record="polarisation", agents="positions")
        >>> run.ticks.tolist()
        [0, 5, 10, 15, 20]
        >>> run["polarisation"].shape, run.agents["positions"].shape
        ((5,), (5, 300, 2))
        """
        stride = _index("every", every)
        found = self._native.run(
            _index("ticks", ticks),
            stride,
            _names(record),
            _names(agents),
            stride if agents_every is None else _index("agents_every", agents_every),
        )
        return Run(**found)

    # Agents

    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions, shape (N, D); world units."""
        return self._native.positions()

    @property
    def velocities(self) -> NDArray[np.float32]:
        """Velocities, shape (N, D); world units per tick."""
        return self._native.velocities()

    @property
    def ids(self) -> NDArray[np.uint32]:
        """Ids, shape (N,), ascending. An id is never used twice, but see :meth:`save`."""
        return self._native.ids()

    @property
    def species(self) -> NDArray[np.uint8]:
        """Species, shape (N,): indices into :attr:`species_names`."""
        return self._native.species()

    @property
    def species_names(self) -> list[str]:
        """Names of the species."""
        return self._native.species_names()

    def state(self, name: str) -> NDArray[np.float32]:
        """A number that agents keep for rules in text, shape (N,): ``flock.state("phase")``."""
        return self._native.state(name)

    @property
    def state_names(self) -> list[str]:
        """Names of the numbers that agents keep."""
        return self._native.state_names()

    def agents(self) -> Agents:
        """The agents as a table that pandas, polars, duckdb and pyarrow read: ``polars.DataFrame(flock.agents())``.

        >>> Flock("flock", count=10).agents().columns
        ['id', 'species', 'x', 'y', 'vx', 'vy']
        """
        return self._native.table()

    def view(self) -> View:
        """Arrays over the memory of the engine, without a copy, for use in a ``with`` block.

        >>> flock = Flock("flock", count=10, engine="cpu")
        >>> with flock.view() as view:
        ...     x, y = view.positions
        ...     middle = float(x.mean())
        >>> view.positions
        Traceback (most recent call last):
        ...
        ValueError: this view has ended; its arrays were valid only inside the `with` block
        """
        return View(self._native)

    def neighbours(self, agent: SupportsIndex, radius: float | None = None) -> NDArray[np.uint32]:
        """The ids of the agents less than ``radius`` from the one with the id ``agent``, ascending, by the shortest
        way in a wrapped world. Without a radius it is the largest at which agents perceive others.
        """
        number = _index("agent", agent)
        if not 0 <= number < 2**32:
            raise MissingKey(f"agent {number}: there is no such agent now")
        return self._native.neighbours(number, self._radius(radius))

    def pairs(self, radius: float | None = None) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """All pairs of agents less than ``radius`` apart, as two arrays of row numbers: row ``first[k]`` has the
        neighbour in row ``second[k]``. Each pair is there from both sides.

        >>> flock = Flock("flock", count=200, seed=1)
        >>> first, second = flock.pairs(30.0)
        >>> number_of_neighbours = np.bincount(first, minlength=len(flock))
        """
        return self._native.pairs(self._radius(radius))

    def radial_distribution(
        self,
        radius: float | None = None,
        bins: int = 100,
        species: str | int | None = None,
        around: str | int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The radial distribution function g: the density of others at each distance from an agent, as a multiple
        of that in an even flock; 1 where agents are independent of each other. Returns the middles of ``bins``
        intervals of distances up to ``radius``, and g there. With ``species``, the density of that species; with
        ``around``, around agents of that one, by default the same. In a world that wraps, ``radius`` is at most
        half the shortest side. Near walls there are fewer others, and g stays below 1.

        >>> flock = Flock("flock", count=2000, seed=1)
        >>> distance, g = flock.radial_distribution(50.0, bins=5)
        >>> distance
        array([ 5., 15., 25., 35., 45.])
        >>> bool(abs(g - 1).max() < 0.1)                       # at the start they are independent
        True
        """
        reach = self._reach(radius)
        intervals = _whole("bins", bins, 1, 1_000_000)
        assert intervals is not None
        own = None if species is None else self._species(species)
        other = own if around is None else self._species(around)
        density = self._native.radial_distribution(reach, intervals, own, other)
        middles = (np.arange(intervals) + 0.5) * (reach / intervals)
        return np.asarray(middles, np.float64), density

    def local_densities(self, radius: float | None = None) -> NDArray[np.float64]:
        """For each agent, the number of others less than ``radius`` away over the area or the volume around it,
        shape (N,). ``numpy.histogram`` makes the distribution of it, which has two peaks where a flock has
        separated into a dense and a thin phase.

        >>> flock = Flock("flock", count=200, seed=1)
        >>> flock.local_densities(30.0).shape
        (200,)
        """
        return self._native.local_densities(self._reach(radius))

    def _reach(self, radius: float | None) -> float:
        """A radius above 0 within which the shortest way is the only one."""
        reach = self._radius(radius)
        most = min(self.world) / 2 if self.scene["world"]["boundary"] == "wrap" else np.inf
        if not 0 < reach <= most:
            raise ValueError(f"radius {reach:g}: expected a number above 0, and at most {most:g} in this world")
        return reach

    def _species(self, species: str | int) -> int:
        return int(self._indices(species, 1)[0])

    def _radius(self, radius: float | None) -> float:
        if radius is None:
            return self._native.radius()
        number = _number("radius", radius)
        if not 0 <= number <= 1e7:
            raise ValueError(f"radius {radius}: expected a number of world units from 0 to 1e7")
        return number

    def metric(self, name: str) -> float:
        """A metric of the flock as it is now; see :func:`pyflockwork.metrics`."""
        if not isinstance(name, str):
            raise TypeError(f"name: expected the name of one metric, and not {name!r}; metrics() takes several")
        return self._native.metrics([name])[0]

    def metrics(self, *names: str) -> dict[str, float]:
        """Several metrics; without names those that the command line writes."""
        chosen = list(names) or [name for name, is_usual in _native.metrics() if is_usual]
        return dict(zip(chosen, self._native.metrics(chosen)))

    # Edits

    def push(self, forces: ArrayLike) -> None:
        """Add ``forces``, shape (N, D), to the velocities before the next tick, in world units per tick. The tick
        limits the speed as ever. A velocity beyond 1e12 is refused, and one that moves an agent round a wrapped world in
        that tick (``position_step = "old"``). For learning and control:
        ``flock.push(policy(flock.positions)); flock.step()``.
        """
        self._native.push(self._vectors("forces", forces, len(self)))

    def add(
        self,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        *,
        species: str | int | ArrayLike = 0,
    ) -> NDArray[np.uint32]:
        """Add agents and return their ids, in order. Without velocities they start at rest. ``species`` is a name, an
        index or an index for each.

        >>> flock = Flock("flock", count=10)
        >>> flock.add([[5, 5], [6, 5]]).tolist()
        [10, 11]
        """
        places = self._vectors("positions", positions)
        count = len(places)
        speeds = np.zeros_like(places) if velocities is None else self._vectors("velocities", velocities, count)
        first = self._native.add(places, speeds, self._indices(species, count))
        return np.arange(first, first + count, dtype=np.uint32)

    def remove(self, ids: ArrayLike) -> None:
        """Remove agents by their ids: all, or none if one of them is not there."""
        chosen = np.atleast_1d(_plain("ids", ids))
        if chosen.size == 0:
            return
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise TypeError(f"ids: expected a list of whole numbers, and not {chosen.dtype} of shape {chosen.shape}")
        if (chosen < 0).any() or (chosen >= 2**32).any():
            wrong = chosen[(chosen < 0) | (chosen >= 2**32)][0]
            raise MissingKey(f"agent {wrong}: there is no such agent now")
        self._native.remove(np.ascontiguousarray(chosen, dtype=np.uint32))

    def _vectors(self, name: str, values: ArrayLike, count: int | None = None) -> NDArray[np.float32]:
        array = _plain(name, values)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"{name}: expected numbers, and not {array.dtype}")
        axes = self._native.axes()
        wanted = f"({'N' if count is None else count}, {axes})"
        if array.ndim != 2 or array.shape[1] != axes or (count is not None and len(array) != count):
            raise ValueError(f"{name} of shape {array.shape}: this flock needs {wanted}")
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise ValueError(f"{name}: row {row} is {array[row].tolist()}, and must be finite")
        if (np.abs(array.astype(float)) > _LARGEST).any():
            row = int(np.flatnonzero((np.abs(array.astype(float)) > _LARGEST).any(axis=1))[0])
            raise ValueError(f"{name}: row {row} is {array[row].tolist()}; numbers go from -1e12 to 1e12")
        return np.ascontiguousarray(array, dtype=np.float32)

    def _indices(self, species: str | int | ArrayLike, count: int) -> NDArray[np.uint8]:
        names = self.species_names
        if isinstance(species, str):
            if species not in names:
                raise MissingKey(f"species {species!r}: the scene has {', '.join(names)}")
            species = names.index(species)
        array = _plain("species", species)
        if array.dtype.kind not in "iu":
            raise TypeError(f"species: expected a name, an index or an index for each agent, and not {array.dtype}")
        if array.ndim > 1 or (array.ndim == 1 and array.size != count):
            raise ValueError(f"species of shape {array.shape}: there are {count} agents")
        wrong = array[(array < 0) | (array >= len(names))]
        if wrong.size:
            raise ValueError(f"species {wrong[0]}: the scene has {len(names)} species, numbered from 0")
        return np.ascontiguousarray(np.broadcast_to(array, (count,)), dtype=np.uint8)

    # Scene

    @property
    def scene(self) -> dict[str, Any]:
        """The scene with every key, as a dict; a copy. Keys of species that follow other keys, such as `colour`, are
        left out. Counts, places and the size of the world are this flock's, and targets are where they are now.
        """
        found: dict[str, Any] = self._native.scene()
        return found

    def toml(self) -> str:
        """The scene as the text of a scene file that makes a flock like this one."""
        return self._native.toml()

    @property
    def world(self) -> tuple[float, ...]:
        """The sides of the world; world units."""
        return tuple(self._native.world())

    @property
    def engine(self) -> str:
        """The engine: the GPU's name, or processor, threads and instruction set."""
        return self._native.describe()[1]

    def __getitem__(self, key: str) -> Any:
        """A value of the :attr:`scene`: ``flock["starling.alignment.weight"]``. A name with a point is in double quotes:
        ``flock['"E. coli".max_speed']``.
        """
        keys = _key_parts(key)
        value: Any = self.scene
        if keys[0] in value.get("species", {}):
            keys.insert(0, "species")
        for depth, part in enumerate(keys):
            try:
                # As when a value is set, an item's number is none from the end.
                value = value[int(part)] if isinstance(value, list) and part.isdecimal() else value[part]
            except (KeyError, IndexError, TypeError):
                known = f"; there are {', '.join(value)}" if isinstance(value, dict) else ""
                raise MissingKey(f"{'.'.join(keys[: depth + 1])}: the scene has no such key{known}") from None
        return value

    def __contains__(self, key: str) -> bool:
        try:
            self[key]
        except MissingKey:
            return False
        return True

    #: The keys of a scene are nested: ``flock.scene`` has them.
    __iter__ = None

    def __setitem__(self, key: str, value: Any) -> None:
        """Change a value of the scene before the next tick, as ``--set`` does at the start. ``None`` removes a key.
        Counts and density decide only how a flock starts: other ones are refused. Species stay in their order. A flow
        file's path is relative to the current folder.
        """
        self._native.set(_assignment(key, value))

    # Pictures

    def picture(self, width: int = 1280, height: int = 720, *, samples: int = 1) -> NDArray[np.uint8]:
        """The flock as it is now, as ``flockwork capture`` draws it: RGBA, shape (height, width, 4)."""
        sides = [_index(name, side) for name, side in (("width", width), ("height", height))]
        for name, side in zip(("width", "height"), sides):
            if not 1 <= side <= 16384:
                raise ValueError(f"{name} {side}: expected pixels, from 1 to 16384")
        number = _index("samples", samples)
        if not 1 <= number <= 256:
            raise ValueError(f"samples {number}: expected pictures to average, from 1 to 256")
        width, height = sides
        return self._native.picture(width, height, number).reshape(height, width, 4)

    def film(
        self,
        path: str | os.PathLike[str],
        ticks: SupportsIndex,
        *,
        every: SupportsIndex = 1,
        fps: float = 30,
        size: tuple[int, int] = (1280, 720),
        samples: SupportsIndex = 1,
        blur: SupportsIndex = 1,
        loop: SupportsIndex = 0,
        quality: str = "best",
        max_mb: float | None = None,
        geometry: bool = False,
    ) -> str:
        """Advance by so many ticks and film them, as ``flockwork capture`` does: ``.mp4`` (needs ffmpeg), ``.gif``,
        ``.apng``, a single ``.png`` of the last tick, or a folder. ``size`` is the width and height in pixels. Returns
        what was written. After Ctrl-C the frames so far are kept. A film that fails has advanced the flock all the same.
        """
        sides = tuple(size) if isinstance(size, (tuple, list)) else ()
        if len(sides) != 2:
            raise TypeError(f"size: expected (width, height), and not {size!r}")
        width, height = (_index("size", side) for side in sides)
        if not 1 <= width <= 16384 or not 1 <= height <= 16384:
            raise ValueError(f"size {width}x{height}: expected pixels, from 1 to 16384")
        name = os.fsdecode(path)
        if not name or "\0" in name:
            raise ValueError(f"path {name!r}: expected the name of a file or a folder")
        options: dict[str, Any] = {
            "--ticks": _whole("ticks", _index("ticks", ticks), 0, 2**64 - 1),
            "--every": _whole("every", every, 1, 2**64 - 1),
            "--fps": _number("fps", fps),
            "--size": f"{width}x{height}",
            "--samples": _whole("samples", samples, 1, 256),
            "--blur": _whole("blur", blur, 1, 64),
            "--loop": _whole("loop", loop, 0, 1000),
            "--quality": quality,
            "--max-mb": None if max_mb is None else _number("max_mb", max_mb),
            "--out": name,
        }
        words = [f"{name}={value}" for name, value in options.items() if value is not None]
        return self._native.film(words + ["--geometry"] * bool(geometry))

    def _repr_png_(self) -> bytes:
        return _png(self.picture(*_NOTEBOOK_SIZE))


class View:
    """Read-only arrays over the memory of an engine, in the order in which it has its agents; ``ids`` names them.

    Inside the block, and as long as one of the arrays is alive, calls that would change the flock raise
    ``BufferError``.
    """

    def __init__(self, flock: _native.Flock) -> None:
        self._flock = flock
        self._arrays: dict[str, Any] | None = None

    def __enter__(self) -> View:
        self._arrays = self._flock.lend()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._arrays = None

    def _array(self, name: str) -> Any:
        if self._arrays is None:
            raise ValueError("this view has ended; its arrays were valid only inside the `with` block")
        return self._arrays[name]

    @property
    def positions(self) -> tuple[NDArray[np.float32], ...]:
        """An array for each axis, shape (N,) each; world units."""
        arrays: tuple[NDArray[np.float32], ...] = self._array("positions")
        return arrays

    @property
    def velocities(self) -> tuple[NDArray[np.float32], ...]:
        """An array for each axis, shape (N,) each; world units per tick."""
        arrays: tuple[NDArray[np.float32], ...] = self._array("velocities")
        return arrays

    @property
    def ids(self) -> NDArray[np.uint32]:
        """Ids, shape (N,)."""
        array: NDArray[np.uint32] = self._array("ids")
        return array

    @property
    def species(self) -> NDArray[np.uint8]:
        """Species, shape (N,)."""
        array: NDArray[np.uint8] = self._array("species")
        return array


def _index(name: str, value: SupportsIndex) -> int:
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"{name}: expected a whole number, and not {type(value).__name__}") from None


def _whole(name: str, value: SupportsIndex | None, least: int, most: int) -> int | None:
    if value is None:
        return None
    number = _index(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name} {number}: expected a whole number from {least} to {most}")
    return number


def _number(name: str, value: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, and not {value!r}") from None


def _density(value: float | None) -> float | None:
    if value is None:
        return None
    number = _number("density", value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"density {value}: expected a mean number of neighbours above 0")
    return number


def _machine(
    engine: str, adapter: str | int | None, threads: SupportsIndex | None
) -> tuple[str, str | None, int | None]:
    if not isinstance(engine, str):
        raise TypeError(f'engine: expected "auto", "gpu" or "cpu", and not {engine!r}')
    return engine, None if adapter is None else str(adapter), _whole("threads", threads, 1, 4096)


def _plain(name: str, values: ArrayLike) -> NDArray[Any]:
    """An array whose every value counts."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array hides values, and all of them are needed; take .filled() or .data")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name}: the rows have different lengths") from None


def _names(names: str | Iterable[str] | None) -> list[str]:
    found = [names] if isinstance(names, str) else list(names or ())
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"expected names, and not {name!r}")
    return found


def _key_parts(key: str) -> list[str]:
    if not isinstance(key, str):
        raise TypeError(f"a key of a scene is a text, and not {key!r}")
    parts = _native.key_parts(key)
    if not parts:
        raise MissingKey(f"{key!r} is no key of a scene; one is \"starling.alignment.weight\"")
    return parts


def _assignment(key: str, value: Any) -> str:
    _key_parts(key)
    # The bare word removes a key; a text is in quotes.
    text = "none" if value is None else _native.toml_of_value(value)
    return f"{key}={text}"


def _write(path: pathlib.Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(data)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise type(error)(error.errno, error.strerror, str(path)) from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """RGBA as a PNG file."""
    height, width, _ = pixels.shape

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, 4 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
