"""Many runs of one plan, on any executor."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from . import _native
from .flock import _whole


def _compute(file: str | None, text: str | None, engine: str, threads: int, number: int) -> dict[str, Any]:
    found = json.loads(_native.sweep_run(file, text, number, engine, threads))
    row: dict[str, Any] = {"run": found["run"]}
    row.update((key, _number(value)) for key, value in found["values"].items())
    if found["way"]:
        row["way"] = found["way"]
    row["seed"] = found["seed"]
    result = found["result"]
    row.update(ticks=result["ticks"], settled=result["settled"], failure=result.get("failure"))
    averages = {metric: result["metrics"][metric] for metric in found["metrics"] if metric in result["metrics"]}
    row["short"] = [metric for metric, average in averages.items() if not average["is_long_enough"]]
    columns = {"": "mean", "_se": "standard_error", "_tau": "correlation_time", "_binder": "binder"}
    for metric, average in averages.items():
        for suffix, name in columns.items():
            # JSON has no NaN.
            row[metric + suffix] = float("nan") if average[name] is None else average[name]
    return row


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    *,
    map: Callable[[Callable[[int], dict[str, Any]], Iterable[int]], Iterable[dict[str, Any]]] = map,
    engine: str = "auto",
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Run a plan, and return one dict for each of its runs: the values that vary, the seed, and for each metric its
    mean, standard error (``_se``), correlation time in ticks (``_tau``) and Binder cumulant (``_binder``). Error and
    time of a single sample are NaN.

    ``plan`` is a plan file of ``flockwork sweep`` or a dict with its keys. ``map`` spreads the runs: the ``map`` of an
    executor of ``concurrent.futures``, of Dask, of ``multiprocessing.get_context("spawn").Pool``. Each run takes
    ``threads`` threads. ``short`` names the metrics for which a run was too short: their standard error is a lower
    bound there. A run that fails has its reason in ``failure``. With ``"design": "hysteresis"`` each run computes
    the way to it again.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> plan = {"scene": "vicsek", "vary": {"agent.rules.align.parameters.noise.value": [0.5, 5]},
    ...         "count": 100, "ticks": 200, "metric": "polarisation"}
    >>> with ThreadPoolExecutor(2) as executor:
    ...     quiet, loud = sweep(plan, map=executor.map)
    >>> quiet["polarisation"] > loud["polarisation"]
    True
    """
    if isinstance(plan, Mapping):
        file, text = None, _native.toml_of_dict(dict(plan))
    else:
        file, text = os.fspath(plan), None
    _whole("threads", threads, 1, 4096)
    numbers = range(1, _native.sweep_count(file, text) + 1)
    done: Iterator[dict[str, Any]] = iter(map(partial(_compute, file, text, engine, threads), numbers))
    return list(done)
