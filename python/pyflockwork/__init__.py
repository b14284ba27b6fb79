"""Massive flocks on the GPU and the CPU.

>>> import pyflockwork as fw
>>> flock = fw.Flock("flock", count=1000, seed=7)
>>> flock.step(200)
>>> flock.positions.shape
(1000, 2)
>>> flock.metric("polarisation") > 0.2
True

A ``Flock`` runs on the GPU or on all cores. The same seed, scene and engine give the same bytes as the command line
``flockwork``, which this package brings along.
"""

from . import _native
from ._errors import MissingKey
from .flock import Agents, Flock, View
from .run import Average, Run, average
from .sweep import sweep

__all__ = [
    "Agents",
    "Average",
    "Flock",
    "MissingKey",
    "Run",
    "View",
    "average",
    "metrics",
    "scenes",
    "sweep",
]
__version__ = _native.VERSION


def scenes() -> dict[str, str]:
    """The built-in scenes: their names, and a sentence about each.

    >>> scenes()["flock"]
    'Separation, alignment and cohesion: birds of a feather'
    """
    return dict(_native.scenes())


def metrics() -> list[str]:
    """The names of all metrics, for ``Flock.metric`` and ``Flock.run``.

    A name with a species before it, such as ``"starling.polarisation"``, is of that species alone.

    >>> "polarisation" in metrics() and "clusters" in metrics()
    True
    """
    return [name for name, _ in _native.metrics()]
