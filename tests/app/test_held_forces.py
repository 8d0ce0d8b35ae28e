"""A contact's force passes from impulses to constraint forces, and back, without a jump in what the plots show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.simulation.held import HeldForces
from app.simulation.messages import SAMPLE
from app.view.plots.history import Averager, History, loads_of
from engine import World
from engine.recording.contacts import CONTACT
from engine.recording.events import EVENT, EVENT_KINDS
from tests.scenes import ball, body, floor, scene

WINDOW, RATE = 0.02, 60.0
G = 9.81


def contact(force: float) -> np.ndarray:
    found = np.zeros(1, dtype=CONTACT)
    found["node_b"], found["body_b"], found["paradigm"] = 1, 1, "constraint"
    found["normal"], found["force"] = (0, 0, 1), (0, 0, force)
    return found


def switches(*said: tuple[str, float]) -> np.ndarray:
    events = np.zeros(len(said), dtype=EVENT)
    for row, (kind, time) in zip(events, said, strict=True):
        row["kind"], row["time"], row["node_b"], row["body_b"] = EVENT_KINDS.index(kind), time, 1, 1
    return events


NONE, BEGINS, ENDS = np.zeros(0, dtype=CONTACT), "to_constraint", "to_impulse"


@pytest.mark.parametrize(
    ("before", "now", "said", "mean"),
    [
        (contact(8.0), contact(8.0), [], 8.0),
        (NONE, contact(8.0), [(BEGINS, 1.75)], 2.0),
        (contact(8.0), NONE, [(ENDS, 1.25)], 2.0),
        (contact(8.0), contact(4.0), [(ENDS, 1.25), (BEGINS, 1.75)], 3.0),
        (NONE, NONE, [(BEGINS, 1.25), (ENDS, 1.5)], 0.0),
        (contact(8.0), contact(4.0), [(ENDS, 1.25), (BEGINS, 1.4), (ENDS, 1.5), (BEGINS, 1.75)], 3.0),
    ],
)
def test_a_force_counts_for_as_long_as_it_held(
    before: np.ndarray, now: np.ndarray, said: Sequence[tuple[str, float]], mean: float
) -> None:
    forces = HeldForces()
    forces.read(1.0, before, switches())
    assert forces.read(2.0, now, switches(*said))["normal"].sum() == pytest.approx(mean)
    if len(now):
        assert forces.read(3.0, now, switches())["normal"].sum() == pytest.approx(now["force"][0, 2])


@pytest.mark.parametrize(("moves", "mean"), [((False, True), 3.0), ((True, False), 4.0)])
def test_a_force_changes_where_a_body_is_hit(moves: tuple[bool, bool], mean: float) -> None:
    """Not a reading earlier; and a hit on what stands still, as on the ground, changes nothing for others on it."""
    forces = HeldForces()
    forces.read(1.0, contact(0.0), switches())
    hit = switches(("collision", 1.25), ("microcollision", 1.75))
    hit["body_a"] = 2  # another one hits
    read = forces.read(2.0, contact(4.0), hit, np.array([*moves, True]))
    assert read["normal"].sum() == pytest.approx(mean)


def plotted(world: World, until: float, phase: float) -> tuple[History, float]:
    """Normal forces as the plot shows them, of a world that is read RATE times a second, and when they are held."""
    forces, averager, history, begun = HeldForces(), Averager(WINDOW, 2), History(2), until
    averager.start(0.0)
    for k in range(round(until * RATE) + 1):
        world.advance_to((k + phase) / RATE)
        events = world.events()
        begun = min([begun, *events["time"][events["kind"] == EVENT_KINDS.index(BEGINS)]])
        held = forces.read(world.time, world.contacts(), events)
        samples = np.zeros(1, dtype=SAMPLE)
        samples["time"], samples["held"] = world.time, len(held)
        loads = loads_of(events, samples, held)
        totals = loads.forces.sum(axis=1)[:, None]
        averager.fill(history, loads.times, loads.impulses, world.time, (loads.read, totals))
    return history, begun


BALL = ball("thing", (0, 0, 0.15))
BOX = body("thing", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.15), orientation={"axis": [1, 0, 0], "degrees": 3.0})


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize(("thing", "restitution"), [(BALL, 0.5), (BOX, 0.3)])
def test_what_has_been_dropped_is_held_without_a_jump(thing: dict[str, Any], restitution: float, phase: float) -> None:
    """Readings are 17 ms apart: what is held since the last millisecond of them counts for that millisecond."""
    world = World(scene(floor(), thing, restitution=restitution))
    weight = float(world.model.bodies[1, 0]) * G
    history, begun = plotted(world, 0.6, phase)
    curve = history.stretch(0.0, 0.6, 1 << 20)
    normal = curve.high[0] / weight
    assert 0.1 < begun < 0.4
    assert abs(normal[curve.begin > begun - WINDOW] - 1.0).max() < 0.25
    assert abs(normal[curve.begin > begun + 2.0 * WINDOW] - 1.0).max() < 1e-3
    given = WINDOW * normal.sum() - float(curve.end[-1])
    assert abs(given) < 2.0 / 240.0, "what has come to rest has been given its weight throughout, but for two steps"
