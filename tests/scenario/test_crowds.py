"""Crowds: many bodies that pile up are one contact group. A hit is resolved as it comes; where there are too many, it
resolves them in its own time."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.model import model as m
from engine.model import state as s
from engine.recording.events import EVENT_KINDS, REASONS
from engine.scene.schema import Scene
from engine.tolerances import CUT_STEPS
from tests.scenes import ball, body, floor, scene

STEPS_A_SECOND = 240
COLLISION, ARREST = EVENT_KINDS.index("collision"), EVENT_KINDS.index("arrest")


def pile(side: int, layers: int) -> Scene:
    """Balls of 5 cm in a bin, in layers that do not quite touch, each a little out of its place."""
    rng = np.random.default_rng(5)
    half = 0.05 * side * 1.05 + 0.01
    wall = {"motion": "fixed", "material": "stuff"}
    bodies: list[dict[str, object]] = [{"name": "floor", "shape": {"plane": {}}, **wall}]
    for name, normal in (("east", [-1, 0, 0]), ("west", [1, 0, 0]), ("north", [0, -1, 0]), ("south", [0, 1, 0])):
        shape = {"box": [0.1, 4.0 * half, 2.0] if normal[0] else [4.0 * half, 0.1, 2.0]}
        bodies.append({"name": name, "shape": shape, "position": [-(half + 0.05) * c for c in normal], **wall})
    for k in range(side * side * layers):
        i, j, layer = k % side, k // side % side, k // (side * side)
        at = 0.105 * np.array([i - (side - 1) / 2, j - (side - 1) / 2, layer + 0.55]) + rng.uniform(-1, 1, 3) * 0.0015
        bodies.append(
            {"name": f"ball{k}", "shape": {"sphere": {"radius": 0.05}}, "material": "stuff", "position": at.tolist()}
        )
    material = {"stuff": {"friction": 0.4, "restitution": 0.1, "density": 1000.0}}
    world = {"contact": "hybrid", "sleep": False}
    return Scene.model_validate({"format": 1, "title": "pile", "world": world, "material": material, "body": bodies})


def test_a_pile_settles_without_touching_or_gaining_energy() -> None:
    world = World(pile(4, 5))
    before = world.energy()["total"]
    scale = before
    for t in np.arange(0.05, 1.51, 0.05):
        world.advance_to(float(t))
        energy = world.energy()
        assert energy["total"] <= before + 1e-7 * scale  # within steps; the rule holds where they end
        before = energy["total"]
    assert world.smallest_gap > 0.0
    assert np.abs(world.twists()[:, :3]).max() < 0.2  # the last ball has found its place
    assert world.counters["group_steps"] < 40 * STEPS_A_SECOND


def test_a_pile_that_stands_makes_one_step_at_a_time() -> None:
    """What bounces in a crowd does not make steps of its own: from then on there are as many as time has."""
    world = World(pile(4, 5))
    world.advance_to(0.8)
    before = world.counters
    world.advance_to(1.0)
    steps = world.counters["group_steps"] - before["group_steps"]
    assert steps < 4 * 0.2 * STEPS_A_SECOND


def test_a_pile_has_the_same_bits_again() -> None:
    first, second = World(pile(3, 4)), World(pile(3, 4))
    first.advance_to(0.4)
    for t in np.linspace(0.0, 0.4, 38)[1:]:
        second.advance_to(float(t))
    assert np.array_equal(first.poses(), second.poses())
    assert np.array_equal(first.twists(), second.twists())


def test_pairs_that_a_pile_takes_up_say_why() -> None:
    world = World(pile(3, 4))
    world.advance_to(0.3)
    events = world.events()
    taken = {REASONS[e["reason"]] for e in events if EVENT_KINDS[e["kind"]] == "to_constraint"}
    assert taken == {"within reach in a contact group", "touched a contact group", "settled: microcollisions in a row"}


def test_what_is_squeezed_is_left_to_impulses_once() -> None:
    """Marbles that pour onto others in small groups: a contact that comes fast again at once stays in its group."""
    world = World(load_scene("sphere_pile"))
    world.advance_to(0.13)
    world.events()
    world.advance_to(0.145)
    events = world.events()
    fast = [REASONS[reason] == "approached too fast" for reason in events["reason"]]
    left = events[(events["kind"] == EVENT_KINDS.index("to_impulse")) & fast]
    pairs = np.stack([left["body_a"], left["body_b"]], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def loaded_slab(*others: dict[str, object], sleep: bool = False) -> World:
    """A free slab that bears forty boxes, all at rest, and what comes down on it or is beside."""
    slab = body("slab", {"box": [2.0, 2.0, 0.1]}, (0, 0, 0.05 + 5e-5))
    places = [(0.2 * i - 0.9, 0.2 * j - 0.9) for i in range(4) for j in range(10)]
    boxes = [body(f"box{k}", {"box": [0.1, 0.1, 0.1]}, (x, y, 0.15 + 1e-4)) for k, (x, y) in enumerate(places)]
    return World(scene(floor(), slab, *boxes, *others, restitution=0.5, sleep=sleep))


def test_a_hit_on_a_crowd_is_resolved_when_it_comes() -> None:
    """However many it bears: a ball hits the slab when it has fallen, and bounces."""
    height = 0.3
    world = loaded_slab(ball("ball", (0.6, 0.0, 0.1 + 0.1 + height)))
    world.advance_to(0.1)
    assert world._state.members[1, s.MEMBERS] == 41
    world.advance_to(0.3)
    events = world.events()
    hit = events[events["kind"] == COLLISION][0]
    assert {world.names[hit["body_a"]], world.names[hit["body_b"]]} == {"slab", "ball"}
    assert hit["time"] == pytest.approx(np.sqrt(2.0 * height / 9.81), rel=1e-3)
    assert world.twists()[world.row("ball"), 2] > 0.1


def test_a_crowd_that_is_hit_too_often_resolves_hits_in_its_own_time_until_it_has_paid() -> None:
    """It owes the steps that hits have cut short, and what they may cost comes off with time."""
    world = World(pile(4, 5))
    most = 0.0
    for t in np.arange(0.01, 0.4, 0.01):
        world.advance_to(float(t))
        most = max(most, world._state.groups[:, s.CUT_DEBT].max())
    assert most > CUT_STEPS
    events = world.events()
    strongest = [
        np.linalg.norm(events["impulse"][events["kind"] == kind], axis=1).max() for kind in (COLLISION, ARREST)
    ]
    assert min(strongest) > 0.5 * max(strongest)
    world.advance_to(2.0)
    assert world._state.groups[:, s.CUT_DEBT].max() == 0.0
    assert world.smallest_gap > 0.0


def test_what_a_busy_crowd_sends_on_is_resolved_with_it() -> None:
    """Two balls, one above the other: the lower one bounces off the crowd into the upper one, within the same step."""
    height = 0.3
    lower = ball("lower", (0.6, 0.0, 0.2 + height))
    upper = ball("upper", (0.6, 0.0, 0.4 + height + 0.005))
    world = loaded_slab(lower, upper)
    world.advance_to(0.1)
    slab = world.row("slab")
    assert world._state.members[slab, s.MEMBERS] == 41
    world._state.groups[world._state.members[slab, s.LEADER], s.CUT_DEBT] = 1e6  # it is busy
    energy = world.energy()["total"]
    world.events()
    steps = world.counters["group_steps"]
    world.advance_to(0.255)
    events = world.events()
    assert not (events["kind"] == COLLISION).any()
    strong = events[(events["kind"] == ARREST) & (np.linalg.norm(events["impulse"], axis=1) > 0.1)]
    hits = [({world.names[e["body_a"]], world.names[e["body_b"]]}, e["time"]) for e in strong]
    onto, back = (min(t for who, t in hits if who == pair) for pair in ({"slab", "lower"}, {"lower", "upper"}))
    assert onto == back, "resolved together"
    assert world.twists()[world.row("upper"), 2] > 0.5, "it came with -2.4 m/s"
    assert world.counters["group_steps"] - steps <= 0.155 * STEPS_A_SECOND + 2, "nothing has cut a step"
    assert world.energy()["total"] < energy
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("gap", np.linspace(0.0, 2.5e-4, 3))
def test_a_sleeper_that_a_busy_crowd_strikes_bears_that_or_wakes(gap: float) -> None:
    """In the step in which others are sent on, too: a ball that rolls on the slab meets a thin plank that sleeps, just
    before, as, and just after balls come down. It pushes the plank at once, and is not stopped by it before."""
    rolling = 0.03
    plank = body("plank", {"box": [0.02, 0.3, 0.4]}, (1.02, 0, 0.2001), asleep=True)
    roll = ball(
        "roll", (0.91 - gap - 0.25 * rolling, 0, 0.20015), (rolling, 0, 0), angular_velocity=[0, 10 * rolling, 0]
    )
    dropped = [ball(f"ball{k}", (0.6, 0.5, 0.5 + 0.205 * k)) for k in range(2)]
    world = loaded_slab(plank, roll, *dropped, sleep=True)
    world.advance_to(0.02)
    world.model.settings[m.MAY_SLEEP] = 0.0  # what moves stays awake from now on
    world.advance_to(0.1)
    row, slab = world.row("plank"), world.row("slab")
    assert world.asleep()[row]
    world._state.groups[world._state.members[slab, s.LEADER], s.CUT_DEBT] = 1e6  # it is busy
    world.events()
    world.advance_to(0.3)
    events = world.events()
    events = events[(events["body_a"] == row) | (events["body_b"] == row)]
    struck, woken = (events["time"][events["kind"] == EVENT_KINDS.index(kind)] for kind in ("arrest", "wake"))
    assert woken[0] == struck[0]


@pytest.mark.parametrize(("gap", "falling", "least", "most"), [(3e-3, 0.5, 1.0, 1.0), (5e-5, 0.0, 0.3, 0.4)])
def test_what_turns_fast_shortens_the_steps_of_its_crowd_only_where_it_touches(
    gap: float, falling: float, least: float, most: float
) -> None:
    """Free flight is exact however fast a box turns: one that comes down on the busy crowd soon, or lies there."""
    spin = {"velocity": [0, 0, -falling], "angular_velocity": [0, 0, 60.0]}
    world = loaded_slab(body("spinner", {"box": [0.1, 0.1, 0.1]}, (0.6, 0, 0.15 + 5e-5 + gap), **spin))
    slab, state = world.row("slab"), world._state
    world.advance_to(1e-9)
    state.groups[:, s.CUT_DEBT] = 1e6  # all are busy
    world.advance(1.0 / STEPS_A_SECOND)
    leader = state.members[slab, s.LEADER]
    assert state.members[leader, s.MEMBERS] == 42
    assert least <= state.groups[leader, s.STEP] * STEPS_A_SECOND * (1.0 + 1e-9) <= most + 1e-8
