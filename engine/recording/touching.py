"""What bodies that touch do, read from a State without changing it: paradigms, and how they slide on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.constraint.gather import read_motion
from engine.model.model import FREE, KIND, Floats, Ints, Model
from engine.model.state import BODY_A, BODY_B, HELD, LASTING, STOPPED, State

PARADIGMS = ("free", "impulse", "constraint", "mixed", "scripted", "stopped")
"""What a body is by its contacts; "scripted" is all that nothing moves, "stopped" what is no longer finite."""
_SCRIPTED, _STOPPED = PARADIGMS.index("scripted"), PARADIGMS.index("stopped")


def paradigm_codes(model: Model, state: State, touching: Ints) -> NDArray[np.int8]:
    """Places in PARADIGMS of all bodies, (n,); touching: rows of the pairs that touch."""
    lasting = state.links[touching, LASTING] == 1
    pushed = np.zeros(len(model.tags), dtype=bool)
    held = state.arcs[:, HELD] != 0.0
    for column in (BODY_A, BODY_B):
        bodies = state.links[touching, column]
        pushed[bodies[~lasting]] = True
        held[bodies[lasting]] = True
    codes = (pushed + 2 * held).astype(np.int8)  # in the order of PARADIGMS
    codes[model.tags[:, KIND] != FREE] = _SCRIPTED
    codes[state.arcs[:, STOPPED] != 0.0] = _STOPPED
    return codes


def contact_velocities(model: Model, state: State, rows: Ints, points: Floats, t: float) -> Floats:
    """Velocities of bodies a less those of bodies b at points (k, 3) of pairs `rows` at time t, (k, 3) [m/s]."""
    bodies, place = np.unique(state.links[rows][:, [BODY_A, BODY_B]], return_inverse=True)
    motion = np.zeros((len(bodies), 13))
    read_motion(model.bodies, model.tags, state.arcs, bodies, t, motion)
    at = motion[place.reshape(-1, 2)]
    of = at[:, :, 7:10] + np.cross(at[:, :, 10:], points[:, None] - at[:, :, :3])
    return np.asarray(of[:, 0] - of[:, 1])
