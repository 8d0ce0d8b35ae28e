"""Threads that help a world with the steps of large contact groups, while its loop runs.

They come when the loop comes to work that is worth sharing, and leave when it returns. What is computed does not depend
on them (engine.rounds), so they are no part of a scene's physics: the bits are the same for any number.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from engine.arrays import Ints, whole_lines
from engine.entries import Help, load_help
from engine.group.work import Work
from engine.kernel import is_compiled
from engine.model.model import Model
from engine.model.state import State
from engine.rounds import HELPERS, QUIT, of_thread


def default_threads() -> int:
    """As many as CAROM_THREADS says, or as there are processors for this process, up to eight.

    More of them wait for each other: on sixteen processors sixteen threads take longer than eight, and twice the work.
    """
    told = os.environ.get("CAROM_THREADS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, 8)


_NOBODY = nullcontext()


class Helpers:
    """Up to so many threads, the one that runs the loop among them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads if is_compiled() else 1
        self._pool: ThreadPoolExecutor | None = None
        self._help: Help | None = None

    def at_work(self, called: bool, model: Model, state: State, work: Work) -> AbstractContextManager[None]:
        """Have them help in the block, if they have been called: the arrays may not be replaced in it."""
        return self._helping(model, state, work) if called and self.threads > 1 else _NOBODY

    @contextmanager
    def _helping(self, model: Model, state: State, work: Work) -> Iterator[None]:
        if self._help is None:
            self._help = load_help(model, state, work)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="helper")
        board = work.rounds.board
        board[QUIT] = 0
        helping: list[tuple[Future[int], Ints]] = []
        try:
            for thread in range(1, self.threads):
                counts, own = np.zeros_like(state.counts), _with_own_scratch(work, thread)
                helping.append((self._pool.submit(self._help, model, state._replace(counts=counts), own), counts))
            board[HELPERS] = len(helping)
            yield
        finally:
            board[QUIT] = 1
            for one, counts in helping:
                one.result()
                state.counts[:] += counts
            board[HELPERS] = 0


def _with_own_scratch(work: Work, thread: int) -> Work:
    """The work of another thread, but for what each thread writes over as it likes."""
    return work._replace(
        rounds=of_thread(work.rounds, thread),
        scratch=np.zeros_like(work.scratch),
        points=np.zeros_like(work.points),
        trial=np.zeros_like(work.trial),
        watch=np.zeros_like(work.watch),
        gathered=whole_lines((1, len(work.gathered)), np.float64).reshape(-1),
    )
