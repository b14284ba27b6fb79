"""The samples of a run, and their averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import MissingKey


class Average(NamedTuple):
    """The mean of samples that are correlated in time, with its error. Times are numbers of samples: times ``every``
    they are ticks.
    """

    mean: float
    #: Standard error of the mean, by blocking (Flyvbjerg and Petersen, 1989); NaN of one sample.
    standard_error: float
    #: Integrated autocorrelation time, in samples; NaN of one.
    correlation_time: float
    #: Binder cumulant, 1 - <m^4> / 3 <m^2>^2.
    binder: float
    #: Samples that count.
    samples: int
    #: Samples at the beginning that do not count.
    settled: int
    #: False if there are too few samples for their correlation: then the error is a lower bound.
    is_long_enough: bool


def average(samples: ArrayLike, settle: int | None = None) -> Average:
    """The average of a series.

    ``settle`` samples at the beginning do not count; without it their number is found (MSER-5).

    >>> average([1.0, 2.0, 3.0, 2.0] * 50, settle=0).mean
    2.0
    """
    if isinstance(samples, np.ma.MaskedArray):
        raise TypeError("samples: a masked array hides values, and all of them count; take .compressed()")
    if np.iscomplexobj(samples):
        raise TypeError("samples: complex numbers have no such average; take abs(samples), or .real and .imag")
    series = np.asarray(samples, dtype=float)
    if series.ndim != 1 or series.size == 0:
        raise ValueError(f"samples of shape {series.shape}: an average needs one series with a sample at least")
    if settle is not None and not 0 <= settle < series.size:
        raise ValueError(f"settle {settle}: there are {series.size} samples, and one at least must count")
    if not (np.abs(series) < 1e75).all():
        raise ValueError("samples: one of them is not finite, or beyond 1e75")
    found = _native.average(series.tolist(), settle)
    assert found is not None, "there is a sample"
    begin, number, mean, error, time, binder, is_long_enough = found
    # A series that settles only in its middle may not have settled at all.
    has_settled = settle is not None or 2 * begin + 10 < series.size
    return Average(mean, error, time, binder, number, begin, is_long_enough and has_settled)


class Run(dict[str, NDArray[np.float64]]):
    """The samples that ``Flock.run`` has taken: one array for each metric, by its name.

    It is a dict, so ``pandas.DataFrame(run, index=run.ticks)`` makes a table of it.
    """

    #: Ticks of the samples of the metrics: shape (T,).
    ticks: NDArray[np.uint64]
    #: Arrays of every agent by name: ``positions``, ``unwrapped`` and ``velocities`` of shape (A, N, D), ``state.NAME`` of shape (A, N).
    agents: dict[str, NDArray[np.float32]]
    #: Ticks of those: shape (A,).
    agents_ticks: NDArray[np.uint64]
    #: True if Ctrl-C has ended the run.
    interrupted: bool

    def __init__(
        self,
        ticks: NDArray[np.uint64],
        metrics: dict[str, NDArray[np.float64]],
        agents: dict[str, NDArray[np.float32]],
        agents_ticks: NDArray[np.uint64],
        interrupted: bool,
    ) -> None:
        super().__init__(metrics)
        self.ticks = ticks
        self.agents = agents
        self.agents_ticks = agents_ticks
        self.interrupted = interrupted

    def __missing__(self, metric: str) -> NoReturn:
        raise MissingKey(f"{metric!r}: this run has {', '.join(self) or 'no metrics'}")

    def average(self, metric: str, settle: int | None = None) -> Average:
        """The average of a metric; see :func:`pyflockwork.average`."""
        return average(self[metric], settle)

    def __repr__(self) -> str:
        names: Sequence[str] = [*self, *self.agents]
        end = ", interrupted" if self.interrupted else ""
        return f"<Run: {self.ticks.size} samples of {', '.join(names) or 'nothing'}{end}>"
