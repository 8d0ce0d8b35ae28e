"""What nothing satisfies: bodies that are pressed from both sides, hit again and again at one instant.

A rigid body between two that close on each other, by scripts or for being stopped themselves, has no velocity with
which it approaches neither: an impact that knows both finds no impulses (engine.impulse.simultaneous), and others hit
it from one side and the other, ever sooner, until time no longer moves on. The same holds for one that overlaps what it
touches. Then it is stopped (engine.quarantine), and what pressed it passes through.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.model.model import FREE, INV_MASS, KIND, LONGEST_STEP, Model
from engine.model.state import BODY_A, BODY_B, CRUSHED_AT, CRUSHES, State
from engine.tolerances import CRUSH_HITS, CRUSH_TIME


@kernel
def note_crush(model: Model, state: State, row: int, t: float) -> int:
    """Pair `row` is hit at t, or pressed where no hit parts it: its body that has been crushed by that; -1: none."""
    links, pairs = state.links, state.pairs
    soon = t - pairs[row, CRUSHED_AT] <= CRUSH_TIME * model.settings[LONGEST_STEP]
    pairs[row, CRUSHED_AT] = t
    links[row, CRUSHES] = links[row, CRUSHES] + 1 if soon else 0
    if links[row, CRUSHES] < CRUSH_HITS:
        return -1
    links[row, CRUSHES] = 0
    return weaker_of(model, state, row)


@kernel
def weaker_of(model: Model, state: State, row: int) -> int:
    """The body of pair `row` that is free; the lighter one, if both are."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    if model.tags[a, KIND] != FREE:
        return b
    if model.tags[b, KIND] != FREE:
        return a
    return a if model.bodies[a, INV_MASS] > model.bodies[b, INV_MASS] else b
