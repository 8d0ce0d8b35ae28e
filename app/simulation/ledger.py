"""What has happened since the last batch: events, samples of energy and counters, and what contacts bore meanwhile."""

from __future__ import annotations

import numpy as np

from app.simulation.held import HeldForces
from app.simulation.messages import (
    COUNTER_FIELDS,
    ENERGY_FIELDS,
    LOAD,
    NO_JOINT,
    PAIR_STATE,
    SAMPLE,
    WATCHED,
    Records,
    WorldLike,
    frozen,
)
from app.simulation.pair_states import PairStates
from app.simulation.watching import Subject, read_watched
from engine.model.model import FREE, KIND
from engine.stages import STAGES


class Ledger:
    """Kept by the simulation thread, sample by sample, until a batch takes it."""

    def __init__(self) -> None:
        self.joint = -1
        """Place in the scene of the joint that samples read; -1: none."""
        self.subjects: tuple[Subject, ...] = ()
        """Whose quantities are read with every sample."""
        self._watched: list[Records] = []  # of WATCHED
        self._samples: list[tuple[float, ...]] = []
        self._held: list[Records] = []  # of LOAD, for each sample
        self._forces = HeldForces()
        self._pairs: list[Records] = []  # of PAIR_STATE
        self._states = PairStates()
        self._events: list[Records] = []  # that the samples have taken

    def start(self, time: float) -> None:
        """A run begins at `time` [s]: what was of another is not told."""
        self._samples.clear()
        self._held.clear()
        self._events.clear()
        self._pairs.clear()
        self._watched.clear()
        self.go_on(time)

    def go_on(self, time: float) -> None:
        """Nothing is known of the contacts between the last sample and `time` [s]."""
        self._forces.start(time)
        self._states.forget()

    def sample(self, world: WorldLike, events: Records, contacts: Records) -> None:
        """A sample here. events: what the world has logged since the one before; contacts: the world's now."""
        energy, counters, seconds = world.energy(), world.counters, world.seconds
        self._events.append(events)
        moves = None if world.model is None else world.model.tags[:, KIND] == FREE
        self._held.append(self._forces.read(world.time, contacts, events, moves))
        self._pairs.append(self._states.read(world, contacts))
        if self.subjects:
            self._watched.append(self.read_watched(world, contacts))
        self._samples.append(
            (
                world.time,
                *(float(energy[name]) for name in ENERGY_FIELDS),
                *(float(counters.get(name, 0)) for name in COUNTER_FIELDS),
                *(float(seconds.get(stage, 0.0)) for stage in STAGES),
                len(self._held[-1]),
                *self.read_joint(world),
            )
        )

    def read_joint(self, world: WorldLike) -> tuple[int, float, float, float]:
        """Which joint is watched, and its position, velocity and effort."""
        return NO_JOINT if self.joint < 0 else (self.joint, *world.joint(self.joint))

    def read_watched(self, world: WorldLike, contacts: Records | None) -> Records:
        """WATCHED records of what was chosen. contacts: the world's; None: it cannot move yet, and nothing is read."""
        if contacts is None:
            return np.zeros(0, dtype=WATCHED)
        rows: Records = frozen(read_watched(world, contacts, self.subjects))
        return rows

    def take(self) -> tuple[Records, Records, Records, Records, Records] | None:
        """What a Batch carries, up to the last sample; None: there is none since this was last asked."""
        if not self._samples:
            return None
        told = frozen(np.concatenate(self._events))
        samples = frozen(np.array(self._samples, dtype=SAMPLE))
        held = frozen(np.concatenate([np.zeros(0, dtype=LOAD), *self._held]))
        pairs = frozen(np.concatenate([np.zeros(0, dtype=PAIR_STATE), *self._pairs]))
        watched = frozen(np.concatenate([np.zeros(0, dtype=WATCHED), *self._watched]))
        for kept in (self._events, self._samples, self._held, self._pairs, self._watched):
            kept.clear()
        return told, samples, held, pairs, watched
