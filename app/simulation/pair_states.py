"""What bodies that touch do to each other over time: whether they stick, slide or roll, told where it changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import PAIR_STATE, Records, WorldLike
from engine.arrays import Bools, Floats, Ints
from engine.recording.touching import PARADIGMS

STATES = ("apart", "stick", "slide", "roll", "asleep")
"""What a pair does: `state` of PAIR_STATE is an index of this."""
APART, STICK, SLIDE, ROLL, ASLEEP = range(len(STATES))
STILL = 1e-4
"""Bodies slide on each other from this speed on [m/s]."""
TURNS = 1e-2
"""What does not slide rolls from this angular velocity across the normal on [rad/s]."""
_OFF = 2e-3
"""How far the point of a lasting contact may lie off the surfaces [m]: it is that of the start of a step, where what
rolls seems to slide a little."""
_UNMOVED = [PARADIGMS.index("scripted"), PARADIGMS.index("stopped")]
_STRONGER = np.array([0, 1, 3, 2, 4])  # of several contacts of a pair the strongest counts: to slide before to roll


class PairStates:
    """Compares one reading with the next: a pile that lies still costs a comparison, and nothing is told."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing is known of what was before: the next reading is told in full."""
        self._anew = True
        self._keys = np.zeros(0, dtype=np.int64)
        self._states = np.zeros(0, dtype=np.int64)

    def read(self, world: WorldLike, contacts: Records) -> Records:
        """PAIR_STATE records of the pairs that do something else than in the reading before.

        contacts: the world's. Contacts that only hits keep apart are hits, and not of a state.
        """
        keys, states = states_of_pairs(contacts, world)
        before, self._keys = self._keys, keys
        states_before, self._states = self._states, states
        if not self._anew and np.array_equal(keys, before) and np.array_equal(states, states_before):
            return np.zeros(0, dtype=PAIR_STATE)
        was = np.zeros(len(keys), dtype=np.int64)
        if len(before):
            at = np.minimum(np.searchsorted(before, keys), len(before) - 1)
            was = np.where(before[at] == keys, states_before[at], APART)
        other = states != was
        gone = before[~np.isin(before, keys)]
        told = np.zeros(int(self._anew) + len(gone) + int(other.sum()), dtype=PAIR_STATE)
        told["time"] = world.time
        if self._anew:
            told["body_a"][0] = told["body_b"][0] = -1
        rest = told[int(self._anew) :]
        changed = np.concatenate([gone, keys[other]])
        rest["body_a"], rest["body_b"] = changed >> 31, changed & 0x7FFFFFFF
        rest["state"][len(gone) :] = states[other]
        self._anew = False
        return told


def states_of_pairs(contacts: Records, world: WorldLike) -> tuple[Ints, Ints]:
    """Keys of the pairs that forces hold, ascending (k,), and what each pair does: a place in STATES (k,)."""
    pressing = np.einsum("kc,kc->k", contacts["force"], contacts["normal"])
    kinds = contacts["paradigm"]
    bears = (kinds == "constraint") | ((kinds == "penalty") & (pressing > 0.0))
    held = contacts if bears.all() else contacts[bears]
    if not len(held):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    a, b = held["body_a"], held["body_b"]
    awake = answers_to_forces(world.paradigm_codes()) & ~world.asleep()
    states = states_of_contacts(held, world.twists()[:, 3:], awake)
    keys = (np.minimum(a, b) << 31) | np.maximum(a, b)
    order = np.lexsort((_STRONGER[states], keys))
    last = np.append(np.flatnonzero(np.diff(keys[order])), len(order) - 1)
    return np.asarray(keys[order][last]), np.asarray(states[order][last])


def answers_to_forces(paradigms: NDArray[np.int8]) -> Bools:
    """Of bodies with these paradigms, which move as forces and impulses let them."""
    return np.asarray(~np.isin(paradigms, _UNMOVED))


def states_of_contacts(contacts: Records, spins: Floats, awake: Bools) -> Ints:
    """What each contact does by itself: a place in STATES (k,). spins: angular velocities of bodies (n, 3) [rad/s].
    awake: which bodies forces may move (n,): where neither does, the contact is asleep."""
    a, b = contacts["body_a"], contacts["body_b"]
    slip = slip_of(contacts)
    turning = _across(spins[a] - spins[b], contacts["normal"])
    states = np.where(slip > STILL + _OFF * turning, SLIDE, np.where(turning > TURNS, ROLL, STICK))
    return np.asarray(np.where(awake[a] | awake[b], states, ASLEEP))


def slip_of(contacts: Records) -> Floats:
    """Speeds of bodies across the normals of their contacts, (k,) [m/s]."""
    return _across(contacts["velocity"], contacts["normal"])


def _across(vectors: Floats, normals: Floats) -> Floats:
    along = np.einsum("kc,kc->k", vectors, normals)
    return np.asarray(np.linalg.norm(vectors - along[:, None] * normals, axis=1))
