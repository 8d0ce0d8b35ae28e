"""The bodies of a scene by what says them: its bodies one by one, then its repeats with all of their copies.

What holds for all copies is asked once: scenes have ten thousand of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from engine.arrays import Floats
from engine.scene.schema import Body, Repeat, Scene


def alike(scene: Scene) -> Iterator[tuple[Body, Sequence[Body]]]:
    """Each body and each repeat of a scene, with the bodies that it stands for, in the order of their rows."""
    for body in scene.body:
        yield body, (body,)
    for repeat in scene.repeat:
        yield repeat, repeat.bodies


def names_of(scene: Scene) -> tuple[str, ...]:
    """Names of all bodies, by row."""
    return sum((_names_of(repeat) for repeat in scene.repeat), tuple(body.name for body in scene.body))


@lru_cache(maxsize=64)
def _names_of(repeat: Repeat) -> tuple[str, ...]:
    return tuple(body.name for body in repeat.bodies)


def entries_of(scene: Scene, rows: Iterable[int]) -> set[int]:
    """Which of `alike` the bodies of some rows come from; the first ones are the scene's bodies."""
    ends = list(accumulate(len(copies) for _, copies in alike(scene)))
    return set(np.searchsorted(ends, list(rows), side="right").tolist())


def rows_of(scene: Scene, entries: Collection[int]) -> list[int]:
    """Rows of the bodies that some of `alike` stand for."""
    rows: list[int] = []
    first = 0
    for number, (_, copies) in enumerate(alike(scene)):
        rows += range(first, first + len(copies)) if number in entries else ()
        first += len(copies)
    return rows


def said_poses(scene: Scene) -> Floats:
    """Poses of all bodies as the scene says them, (n, 7) x y z [m], w x y z."""
    said = np.array([_pose(body) for body in scene.body], dtype=float).reshape(-1, 7)
    return np.concatenate([said, *(_poses_of(repeat) for repeat in scene.repeat)])


@lru_cache(maxsize=64)
def _poses_of(repeat: Repeat) -> Floats:
    return np.array([_pose(body) for body in repeat.bodies], dtype=float).reshape(-1, 7)


def _pose(body: Body) -> tuple[float, ...]:
    return (*body.position, *body.quaternion)
