"""Which coefficient of friction a contact point has through a step, where the static and the dynamic one differ.

What is at rest at the step's start is held by static friction till its end, what slides is braked by dynamic friction.
That is not left to the search for impulses: on its way a point that lets go loads its neighbours, so that they let go,
too, and what static friction can hold slides. What breaks away has the static coefficient for that one step.
"""

from __future__ import annotations

from engine.group.work import DYNAMIC, ROW, STATIC, Work
from engine.kernel import kernel
from engine.model.model import GRAVITY_NORM, LONGEST_STEP, MU_DYNAMIC, MU_STATIC, Floats
from engine.model.state import PAIR_SURFACE, State
from engine.tolerances import NET_SMALL


@kernel
def has_two_frictions(pairs: Floats, row: int) -> bool:
    """Do the static and the dynamic coefficient of pair `row` differ?"""
    return bool(pairs[row, PAIR_SURFACE + MU_STATIC] != pairs[row, PAIR_SURFACE + MU_DYNAMIC])


@kernel
def choose_friction(settings: Floats, state: State, work: Work, k: int, slip: float) -> None:
    """Give point k the coefficient that it has through the step, by its slip at the start [m/s].

    It slides if it is faster than the least net force that counts makes what rests in a step.
    """
    row = work.contact[k, ROW]
    slides = slip > NET_SMALL * settings[GRAVITY_NORM] * settings[LONGEST_STEP]
    mu = state.pairs[row, PAIR_SURFACE + (MU_DYNAMIC if slides else MU_STATIC)]
    work.contacts[k, STATIC] = work.contacts[k, DYNAMIC] = mu
