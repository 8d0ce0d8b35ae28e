"""The broad phase by itself: the boxes of a run are recorded, and stored again in any scheme without the rest of it."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.collision.broad.broad_phase import grow, lacks_room, update_broad_phase
from engine.experiments.table import Progress
from engine.kernel import kernel
from engine.model.model import Model
from engine.model.state import BOX_WIDTH, State
from engine.recording.snapshot import copy_state
from engine.scene.schema import Scene
from engine.world import World

AT_LEAST = 20_000
"""A recording is stored over and over until so many boxes were: a call of a kernel with a State takes its time, too."""

EVENTS = 20
"""Boxes are compared after so many events: the few that are renewed twice in between count once."""


class Boxes(NamedTuple):
    """Boxes in the order in which a run renewed them."""

    rows: Ints  # (k,) bodies
    boxes: Floats  # (k, BOX_WIDTH) as in State.boxes


def record_boxes(scene: Scene, until: float, progress: Progress) -> Boxes:
    """Run a scene to `until` [s] and note every box that is renewed."""
    world = World(scene)
    last = world.snapshot().state.boxes
    rows, boxes = [], []
    while world.next_event_time <= until:
        world.advance_events(EVENTS)
        now = world.snapshot().state.boxes
        changed = np.flatnonzero((now != last).any(axis=1))
        rows.append(changed)
        boxes.append(now[changed])
        last = now
        progress(min(world.time / until, 1.0))
    world.events()
    none = (np.zeros(0, dtype=np.int64), np.zeros((0, BOX_WIDTH)))
    return Boxes(np.concatenate([none[0], *rows]), np.concatenate([none[1], *boxes]))


@kernel
def store_from(model: Model, state: State, rows: Ints, boxes: Floats, first: int, found: Ints) -> int:
    """Give bodies their next boxes, from number `first` on, and tell the broad phase. Returns the number of the box
    that was not given because the State lacks room; len(rows) at the end."""
    for k in range(first, len(rows)):
        if lacks_room(model, state):
            return k
        i = rows[k]
        for column in range(BOX_WIDTH):
            state.boxes[i, column] = boxes[k, column]
        update_broad_phase(model, state, i, found)
    return len(rows)


def time_boxes(scene: Scene, record: Boxes, repeats: int) -> float:
    """Processor seconds to store recorded boxes once by the scene's broad phase: the least of `repeats`."""
    laps = math.ceil(AT_LEAST / max(len(record.rows), 1))
    rows, boxes = np.tile(record.rows, laps), np.tile(record.boxes, (laps, 1))
    world = World(scene)
    start = world.snapshot().state
    found = np.zeros(3 * len(world.names) + 3, dtype=np.int64)
    store_from(world.model, copy_state(start), rows[:0], boxes[:0], 0, found)  # compiled from here on
    least = math.inf
    for _ in range(repeats):
        state, done, spent = copy_state(start), 0, 0.0
        while done < len(rows):
            state = grow(world.model, state)
            began = time.thread_time()
            done = store_from(world.model, state, rows, boxes, done, found)
            spent += time.thread_time() - began
        least = min(least, spent)
    return least / laps
