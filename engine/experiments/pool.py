"""Independent runs on all processors: the results are those of one after the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

from engine.experiments.table import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

FEW = 16
"""Fewer runs than this for each process are not worth its start."""


def run_all(
    work: Callable[[Item], Result], items: Sequence[Item], progress: Progress, processes: int | None = None
) -> list[Result]:
    """`work` of every item, in their order. `work` is a function of a module: other processes import it.

    The first item is worked on here, so that kernels are compiled once and all processes find them in the cache.
    Without `processes` there are as many as processors, unless the items are too few.
    """
    processes = processes or min(os.cpu_count() or 1, len(items) // FEW)
    results = [work(item) for item in items[:1]]
    if processes > 1:
        # Ctrl+C is for this process; the others end with the pool.
        ignore = (signal.SIGINT, signal.SIG_IGN)
        with ProcessPoolExecutor(processes, get_context("spawn"), signal.signal, ignore) as pool:
            results += _run_in(pool, work, items, progress)
    else:
        for item in items[1:]:
            results.append(work(item))
            progress(len(results) / len(items))
    return results


def _run_in(pool: Executor, work: Callable[[Item], Result], items: Sequence[Item], progress: Progress) -> list[Result]:
    """`work` of all items but the first; what has not begun is let go if this one is stopped."""
    futures = [pool.submit(work, item) for item in items[1:]]
    try:
        for k, future in enumerate(as_completed(futures)):
            future.result()
            progress((k + 2) / len(items))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    return [future.result() for future in futures]
