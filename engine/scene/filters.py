"""Which bodies do not collide with which, as bodies say themselves (joints and groups say it, too)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from engine.scene.schema import Body, Scene

ALL = "*"
_Body = TypeVar("_Body", bound=Body)


def ignored_pairs(scene: Scene) -> list[tuple[int, int]]:
    """Rows of the pairs of bodies of which one ignores the other, in order; names that lead nowhere are no pairs."""
    bodies = scene.bodies
    if not any(body.ignores for body in bodies):
        return []
    row_of = {body.name: row for row, body in enumerate(bodies)}
    pairs = set()
    for row, body in enumerate(bodies):
        others = (
            range(len(bodies)) if ALL in body.ignores else [row_of[name] for name in body.ignores if name in row_of]
        )
        pairs |= {(min(row, other), max(row, other)) for other in others if other != row}
    return sorted(pairs)


def with_names(body: _Body, names: Mapping[str, str | None]) -> _Body:
    """The body, where others that it ignores are called otherwise; None: are gone."""
    if not set(body.ignores) & set(names):
        return body
    kept = [names.get(name, name) for name in body.ignores]
    return body.model_copy(update={"ignores": tuple(name for name in kept if name is not None)})
