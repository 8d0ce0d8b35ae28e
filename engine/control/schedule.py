"""The controllers of a scene: when they tick, in which order, and what they remember.

A controller of rate r ticks at k / r, k = 0, 1, ..., after all else that happens at that instant; those of one instant
in the scene's order. All of them see the same world, and the orders of those before them, which take effect together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import floor, inf
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from engine.control.controlled import ControlledWorld, Instant, Said
from engine.control.orders import Order
from engine.control.python_file import PythonFile


class Entry(Protocol):
    """What a scene says of a controller."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def rate(self) -> float: ...
    @property
    def bodies(self) -> tuple[str, ...]: ...
    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def enabled(self) -> bool: ...


class _Running:
    def __init__(self, entry: Entry, folder: Path) -> None:
        self.entry = entry
        self.ticks = 0
        self.file = PythonFile(folder / entry.file, entry.bodies, entry.joints, dict(entry.settings))

    @property
    def due(self) -> float:
        """When it ticks next [s]."""
        return self.ticks / self.entry.rate


class Schedule:
    """Controllers that run."""

    def __init__(self, entries: Iterable[Entry] = (), folder: Path | None = None) -> None:
        self._running = [_Running(entry, folder or Path()) for entry in entries if entry.enabled]
        self.seconds = 0.0  # that acting and giving orders took; no part of the simulation

    @property
    def due(self) -> float:
        """When the next one ticks [s]; inf: none does."""
        return min((one.due for one in self._running), default=inf)

    def tick(self, world: Any, obey: Callable[[tuple[Order, ...]], None]) -> None:
        """Let those that are due act, one after the other, and then have `obey` do what they have ordered.

        Raises ControllerError, when what those before the one that failed have ordered is done.
        """
        began = perf_counter()
        now, instant, said = self.due, Instant(world), Said()
        try:
            for one in self._running:
                if one.due == now:
                    seen = ControlledWorld(instant, one.entry.bodies, 1.0 / one.entry.rate, said)
                    one.file.act(seen)
                    one.ticks += 1
                    said.update(seen.said)
        finally:
            if said:
                obey(tuple(said.values()))
            self.seconds += perf_counter() - began

    @property
    def memories(self) -> tuple[tuple[str, int, str | None], ...]:
        """Name, ticks and state of each."""
        return tuple((one.entry.name, one.ticks, one.file.memory) for one in self._running)

    def restore(self, memories: Sequence[tuple[str, int, str | None]], time: float) -> None:
        """Go on from what they remembered at a time [s]; one of which nothing is known begins now."""
        known = {name: (ticks, state) for name, ticks, state in memories}
        for one in self._running:
            begun = floor(time * one.entry.rate) + 1 if time > 0.0 else 0
            one.ticks, state = known.get(one.entry.name, (begun, None))
            one.file.restore(state)
