"""Reading bodies that touch without changing the State: their paradigms, and how they slide on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import journal
from engine.arrays import Ints
from engine.model.model import CONTACT, FIRST_ORDER, FREE, KIND, PENALTY, Model
from engine.model.state import BODY_A, BODY_B, CRUSHED, HELD, LOST, PAIR_HELD, PAIR_STATE, STOPPED, TORN, State
from engine.recording.events import REASONS

PARADIGMS = ("free", "impulse", "constraint", "mixed", "scripted", "stopped", "penalty")
"""What a body is by its contacts; "scripted": static or kinematic; "stopped": it cannot go on."""
WHY_STOPPED = {
    0.0: "",
    LOST: REASONS[journal.NOT_FINITE],
    CRUSHED: REASONS[journal.CRUSHED],
    TORN: REASONS[journal.TORN],
}
"""By State.arcs[STOPPED]."""
_SCRIPTED, _STOPPED = PARADIGMS.index("scripted"), PARADIGMS.index("stopped")
_PENALTY = PARADIGMS.index("penalty")


def paradigm_codes(model: Model, state: State, touching: Ints) -> NDArray[np.int8]:
    """Places in PARADIGMS of all bodies, (n,); touching: rows of the pairs that touch."""
    lasting = state.links[touching, PAIR_STATE] == PAIR_HELD
    pushed = np.zeros(len(model.tags), dtype=bool)
    held = (state.arcs[:, HELD] != 0.0) & (model.settings[CONTACT] != FIRST_ORDER)  # there, what is alone is held, too
    for column in (BODY_A, BODY_B):
        bodies = state.links[touching, column]
        pushed[bodies[~lasting]] = True
        held[bodies[lasting]] = True
    codes = (pushed + 2 * held).astype(np.int8)  # in the order of PARADIGMS
    if model.settings[CONTACT] == PENALTY:
        codes[codes > 0] = _PENALTY
    codes[model.tags[:, KIND] != FREE] = _SCRIPTED
    codes[state.arcs[:, STOPPED] != 0.0] = _STOPPED
    return codes
