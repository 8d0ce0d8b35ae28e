"""What nothing satisfies: bodies that are pressed from both sides, hit again and again at one instant.

A rigid body between two that close on each other, by scripts or for being stopped themselves, has no velocity with
which it approaches neither: an impact that knows both finds no impulses (engine.impulse.simultaneous), and others hit
it from one side and the other, ever sooner, until time no longer moves on. The same holds for one that overlaps what it
touches. Where its contacts last, their solve finds it out (engine.group.solve.endless). Then it is stopped
(engine.quarantine), and what pressed it passes through.

A heavy body that lands on a light one hits it often as well: each hit takes from it that part of its speed which one
mass is of the other. That comes to an end, after so many more hits.
"""

from __future__ import annotations

from math import log

from engine.collision.pair_table import next_pair
from engine.kernel import kernel
from engine.model.model import FREE, INV_MASS, KIND, LONGEST_STEP, MASS, Model
from engine.model.state import BODY_A, BODY_B, CRUSHED_AT, CRUSHES, State
from engine.tolerances import ACCURACY, CRUSH_HITS, CRUSH_TIME

_FOLDS = -log(ACCURACY)  # a heavy body is stopped when hits have made it slower so many times by a factor of e


@kernel
def note_crush(model: Model, state: State, row: int, t: float) -> int:
    """Pair `row` is hit at t, or pressed where no hit parts it: its body that has been crushed by that; -1: none."""
    links, pairs = state.links, state.pairs
    if _is_soon(model, state, row, t):
        links[row, CRUSHES] += 1
    else:  # of hits that come ever sooner as many as one likes are of one instant that begins with one of them
        pairs[row, CRUSHED_AT], links[row, CRUSHES] = t, 0
    if links[row, CRUSHES] < CRUSH_HITS or links[row, CRUSHES] < _FOLDS * _mass_ratio(model, state, row, t):
        return -1
    links[row, CRUSHES] = 0
    return weaker_of(model, state, row)


@kernel
def _is_soon(model: Model, state: State, row: int, t: float) -> bool:
    """Is t at the same instant as the hit of pair `row` from which on they are counted?"""
    return t - state.pairs[row, CRUSHED_AT] <= CRUSH_TIME * model.settings[LONGEST_STEP]


@kernel
def _mass_ratio(model: Model, state: State, row: int, t: float) -> float:
    """How many times as heavy as the weaker body of pair `row` the heaviest is that hits it at t [1]."""
    weaker = weaker_of(model, state, row)
    heaviest = model.bodies[weaker, MASS]
    other = state.first_pair[weaker]
    while other >= 0:
        if _is_soon(model, state, other, t):
            for body in (state.links[other, BODY_A], state.links[other, BODY_B]):
                if model.tags[body, KIND] == FREE:
                    heaviest = max(heaviest, model.bodies[body, MASS])
        other = next_pair(state.links, other, weaker)
    return heaviest / model.bodies[weaker, MASS]


@kernel
def weaker_of(model: Model, state: State, row: int) -> int:
    """The body of pair `row` that is free; the lighter one, if both are."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    if model.tags[a, KIND] != FREE:
        return b
    if model.tags[b, KIND] != FREE:
        return a
    return a if model.bodies[a, INV_MASS] > model.bodies[b, INV_MASS] else b
