"""The end of a contact group's step: its bodies' arcs, what its contacts bore, its islands as groups."""

from __future__ import annotations

from engine.group.islands import split_group
from engine.group.joints.elements import keep_elements
from engine.group.pair_tasks import keep_step
from engine.group.work import (
    BODIES,
    ENERGY_END,
    Work,
)
from engine.kernel import linked_kernel
from engine.model.model import Model
from engine.model.state import (
    SMALLEST_GAP,
    State,
)


@linked_kernel
def commit_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float, stays: float) -> None:
    """Let the bodies of a step that was found good move through it, from t to t + h, as groups of their own.

    ceiling: the energy [J] that they may have at its end; what is left is the budget for position correction. stays: so
    many steps are to be no longer than this one.
    """
    state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], keep_step(model, state, work, t, h))
    for at in range(work.sizes[BODIES]):
        ceiling -= work.poses[at, ENERGY_END]
    keep_elements(model.joints, state, work, h)
    split_group(model, state, work, t, h, max(ceiling, 0.0), stays)
