"""What bodies that touch do to each other over time: whether they stick, slide or roll, told where it changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import PAIR_STATE, Records, WorldLike
from engine.arrays import Bools, Floats, Ints
from engine.recording.forces import split_forces
from engine.recording.touching import PARADIGMS

STATES = ("apart", "stick", "slide", "roll", "asleep")
"""What a pair does: `state` of PAIR_STATE is an index of this."""
APART, STICK, SLIDE, ROLL, ASLEEP = range(len(STATES))
STILL = 1e-4
"""Bodies slide on each other from this speed on [m/s]."""
TURNS = 1e-2
"""What does not slide rolls from this angular velocity across the normal on [rad/s]."""
_UNMOVED = [PARADIGMS.index("scripted"), PARADIGMS.index("stopped")]
_STRONGER = np.array([0, 1, 3, 2, 4])  # of several contacts of a pair the strongest counts: to slide before to roll
_BITS = 3  # that such a rank takes


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
        at, known = _places(before, keys)
        was = np.full(len(keys), APART)
        was[known] = states_before[at[known]]
        other = states != was
        gone = before[~_places(keys, before)[1]]
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
    kinds = contacts["paradigm"]
    bears, penalty = kinds != "impulse", kinds == "penalty"
    if penalty.any():
        bears &= ~penalty | (split_forces(contacts["force"], contacts["normal"])[0] > 0.0)
    if not bears.any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    awake = answers_to_forces(world.paradigm_codes()) & ~world.asleep()
    states = states_of_contacts(contacts, world.twists()[:, 3:], awake)[bears]
    a, b = contacts["body_a"][bears], contacts["body_b"][bears]
    codes = (np.minimum(a, b) << 31 | np.maximum(a, b)) << _BITS | _STRONGER[states]
    codes.sort()  # by pairs, and of each pair by what counts
    keys = codes >> _BITS
    last = np.append(np.flatnonzero(np.diff(keys)), len(keys) - 1)
    return np.asarray(keys[last]), np.asarray(_STRONGER[codes[last] & (1 << _BITS) - 1])


def answers_to_forces(paradigms: NDArray[np.int8]) -> Bools:
    """Of bodies with these paradigms, which move as forces and impulses let them."""
    return np.asarray(~np.isin(paradigms, _UNMOVED))


def states_of_contacts(contacts: Records, spins: Floats, awake: Bools) -> Ints:
    """What each contact does by itself: a place in STATES (k,). spins: angular velocities of bodies (n, 3) [rad/s].
    awake: which bodies forces may move (n,): where neither does, the contact is asleep."""
    a, b = contacts["body_a"], contacts["body_b"]
    slip = slip_of(contacts)
    turning = split_forces(spins[a] - spins[b], contacts["normal"])[1]
    across = contacts["gap"] * turning  # with which what rolls seems to slide, at a point between two surfaces
    states = np.where(slip > STILL + across, SLIDE, np.where(turning > TURNS, ROLL, STICK))
    return np.asarray(np.where(awake[a] | awake[b], states, ASLEEP))


def slip_of(contacts: Records) -> Floats:
    """Speeds of bodies across the normals of their contacts, (k,) [m/s]."""
    return split_forces(contacts["velocity"], contacts["normal"])[1]


def _places(table: Ints, keys: Ints) -> tuple[Ints, Bools]:
    """Where keys are in an ascending table, and whether they are."""
    at = np.searchsorted(table, keys)
    known = at < len(table)
    known[known] = table[at[known]] == keys[known]
    return at, known
