"""Bodies that a scene begins with asleep: they cost nothing until something touches them, and wake as others do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.events import EVENT_KINDS, REASONS
from engine.recording.snapshot import Snapshot
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.tolerances import STILL_STEPS
from tests.concave import L_SHAPE
from tests.linkages import chain, joint, linked_scene, rod
from tests.scenes import ball, body, floor, scene

STEP = 1.0 / 240.0
"""Of a contact group [s]."""
QUIET = ("group_steps", "collisions", "microcollisions")


def brick(name: str, height: float, x: float = 0.0, **more: Any) -> dict[str, Any]:
    """A box of 20 x 20 x 10 cm whose lower face is at `height`."""
    return body(name, {"box": [0.2, 0.2, 0.1]}, (x, 0, height + 0.05), **more)


def tower(count: int, x: float = 0.0, name: str = "b", **more: Any) -> list[dict[str, Any]]:
    return [brick(f"{name}{k}", 0.1 * k + 1e-4 * (k + 1), x, **more) for k in range(count)]


def hybrid(*bodies: dict[str, Any], **more: Any) -> Scene:
    return scene(*bodies, **{"contact": "hybrid"} | more)


def kinds(world: World) -> list[str]:
    return [EVENT_KINDS[kind] for kind in world.events()["kind"]]


def books(world: World) -> float:
    """What all energy ever put in has become [J]; it never changes."""
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def nudge(world: World, name: str) -> None:
    """Wakes a body by a pull that does nothing else."""
    world.pull(name, (0, 0, 0), world.body(name).position.tolist())
    world.advance_events(1)
    world.release()


@pytest.mark.parametrize("broad_phase", ["hierarchical_hash", "sweep_prune", "none"])
def test_a_sleeping_tower_costs_nothing(broad_phase: str) -> None:
    world = World(hybrid(floor(), *tower(10, asleep=True), broad_phase=broad_phase))
    assert world.asleep().tolist() == [False] + 10 * [True]
    start, energy = world.poses(), world.energy()
    world.advance_to(1e-9)
    events = world.events()
    assert {REASONS[reason] for reason in events["reason"]} == {"at rest when they met"}
    assert [EVENT_KINDS[kind] for kind in events["kind"]] == 10 * ["to_constraint"]
    assert world.paradigms() == ["scripted"] + 10 * ["constraint"]
    before = world.counters
    world.advance_to(60.0)
    assert world.counters == before
    assert all(before[counter] == 0 for counter in QUIET)
    assert np.array_equal(world.poses(), start)
    assert world.energy() == energy
    assert world.smallest_gap == pytest.approx(1e-4)
    assert world.asleep()[1:].all()


def test_what_hits_a_tower_finds_it_as_if_it_had_fallen_asleep_by_itself() -> None:
    """Two worlds: in one a tower has fallen asleep after a second, the other begins so, as it stands then."""
    bullet = ball("bullet", (-5.6, 0.03, 5.3), (5, 0, 0), radius=0.05, mass=4.0)  # there after a good second
    own = World(hybrid(floor(), *tower(5), bullet))
    own.advance_to(1.0)
    rest = own.poses()[1:6]
    bricks = [
        brick(f"b{k}", 0.0, asleep=True) | {"position": pose[:3].tolist(), "orientation": pose[3:].tolist()}
        for k, pose in enumerate(rest)
    ]
    begun = World(hybrid(floor(), *bricks, bullet))
    total = books(begun)
    worlds = (own, begun)
    for world in worlds:
        world.advance_to(1.1)
        assert world.asleep()[1:6].all()
    steps = [world.counters["group_steps"] for world in worlds]
    assert steps[0] > 10 and steps[1] == 0
    for t, alike in ((1.15, 5e-4), (1.3, 2e-3), (4.0, 3e-2)):
        for world in worlds:
            world.advance_to(t)
        np.testing.assert_allclose(begun.poses(), own.poses(), atol=alike)
    made = [world.counters["group_steps"] - before for world, before in zip(worlds, steps, strict=True)]
    assert made[1] == pytest.approx(made[0], abs=STILL_STEPS + 1)  # whether it is still is looked at so often
    assert begun.body("b4").position[0] > 0.5  # the uppermost brick was knocked off
    assert begun.smallest_gap > 0.0
    assert begun.asleep()[1:6].all()
    assert books(begun) == pytest.approx(total, rel=1e-12)


def test_a_sleeper_in_the_air_stays_there_until_it_is_hit_and_then_falls() -> None:
    struck = hybrid(
        ball("ball", (-1.0, 0, 5.0), (2.0, 0, 0)),
        ball("sleeper", (0.0, 0, 5.0), asleep=True),
        friction=0.0,
        restitution=0.5,
        gravity=(0, 0, 0),
    )
    world = World(struck)
    total = books(world)
    world.advance_to(1.0)
    # Of equal balls that meet head on with restitution 1/2 one goes on with a quarter of the speed.
    assert world.body("ball").velocity == pytest.approx([0.5, 0, 0], abs=1e-9)
    assert world.body("sleeper").velocity == pytest.approx([1.5, 0, 0], abs=1e-9)
    assert books(world) == pytest.approx(total, rel=1e-12)

    world = World(hybrid(ball("sleeper", (0, 0, 5.0), asleep=True)))
    world.advance_to(1.0)
    assert world.body("sleeper").asleep and world.body("sleeper").position[2] == 5.0
    nudge(world, "sleeper")
    world.advance_to(1.5)
    assert world.body("sleeper").position[2] == pytest.approx(5.0 - 0.5 * 9.81 * 0.5**2, abs=1e-4)


def test_a_plate_that_is_pushed_awake_slides_on_the_ground_it_lay_on() -> None:
    """It takes up its contact in its first step: no hop, no fall, and friction slows it down by mu g."""
    plate = body("plate", {"box": [0.6, 0.6, 0.05]}, (0, 0, 0.0252), asleep=True)
    world = World(
        hybrid(floor(), plate, ball("ball", (-0.33, 0, 0.0252), (4.0, 0, 0), radius=0.025, mass=20.0), friction=0.3)
    )
    total = books(world)
    while world.body("plate").asleep:
        world.advance_events(1)
    began, pushed = world.time, world.body("plate").velocity[0]
    for _ in range(80):
        world.advance(0.25 * STEP)
        assert abs(world.body("plate").position[2] - 0.0252) < 5e-4
    assert pushed > 1.0
    slowed = pushed - world.body("plate").velocity[0]
    assert slowed == pytest.approx(0.3 * 9.81 * (world.time - began), rel=0.02)
    assert world.smallest_gap > 0.0
    assert kinds(world).count("wake") == 1
    assert books(world) == pytest.approx(total, rel=1e-9)


def who_wakes(world: World) -> list[str]:
    events = world.events()
    return [world.names[i] for i in events["body_a"][events["kind"] == EVENT_KINDS.index("wake")]]


def test_those_that_lie_on_what_is_pulled_wake_and_others_when_they_are_touched() -> None:
    world = World(hybrid(floor(), *tower(3, asleep=True), *tower(3, 0.23, "c", asleep=True)))
    world.advance_to(0.5)
    world.pull("b0", (0, 0, 0), (-0.6, 0, 0.05), 2e5)
    world.advance(0.01)
    assert world.asleep().tolist() == [False, False, False, False, True, True, True]
    assert who_wakes(world) == ["b0", "b1", "b2"]
    world.advance(1.0)
    world.release()
    assert world.body("b2").position[2] < 0.2  # nothing is left hanging
    assert world.asleep()[4:].all()
    assert world.smallest_gap > 0.0

    rolled = hybrid(
        floor(), *tower(2, asleep=True), *tower(2, 0.23, "c", asleep=True), ball("ball", (-1, 0, 0.11), (5, 0, 0))
    )
    world = World(rolled)
    world.advance_to(1.0)
    assert set(who_wakes(world)) == {"b0", "b1", "c0", "c1"}
    assert not world.asleep()[1:5].any() or world.body("c0").position[0] > 0.2301


def test_a_sleeper_on_what_is_awake_wakes() -> None:
    awake, above = brick("awake", 1e-4), brick("above", 0.1002, asleep=True)
    platform = body(
        "platform",
        {"box": [1, 1, 0.1]},
        (3, 0, 0.5),
        motion={"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.05, "frequency": 1.0}},
    )
    carried = brick("carried", 0.5501, 3.0, asleep=True)
    alone = brick("alone", 1e-4, 6.0, asleep=True)
    world = World(hybrid(floor(), awake, above, platform, carried, alone))
    world.advance_to(0.02)
    assert world.asleep().tolist() == [False, False, False, False, False, True]
    world.advance_to(0.25)
    lifted = world.body("carried").position[2] - world.body("platform").position[2]
    assert lifted == pytest.approx(0.1001, abs=1e-3)
    world.advance_to(2.0)
    assert world.asleep().tolist() == [False, True, True, False, False, True]


def test_linked_bodies_sleep_if_all_of_them_do() -> None:
    hanging = chain(3)
    asleep = hanging
    for k in range(3):
        asleep = set_path(asleep, f"body.rod {k}.asleep", True)
    world = World(asleep)
    start = world.poses()
    world.advance_to(1.0)
    assert world.asleep().all() and np.array_equal(world.poses(), start)
    assert world.counters["group_steps"] == 0
    nudge(world, "rod 2")
    world.advance(0.5)
    free = World(hanging)
    free.advance_to(0.5)
    np.testing.assert_allclose(world.poses(), free.poses(), atol=1e-4)
    assert not world.asleep().any()

    one_awake = World(set_path(asleep, "body.rod 1.asleep", False))
    one_awake.advance_to(0.5)
    assert not one_awake.asleep().any()
    np.testing.assert_allclose(one_awake.poses(), free.poses(), atol=1e-9)

    crank = {"spinner": {"axis": [0.0, 1.0, 0.0], "rate": 1.0, "centre": [0.0, 0.0, 0.0]}}
    bodies = [rod("crank", (0, 0, 0), (0.2, 0, 0), motion=crank) | {"mass": None}, rod("rod", (0.2, 0, 0), (0.6, 0, 0))]
    bodies[0].pop("mass")
    bodies[1]["asleep"] = True
    driven = World(linked_scene(bodies, [joint("pin", "hinge", ["crank", "rod"], (0.2, 0, 0), (0, 1, 0))]))
    driven.advance_to(0.01)
    assert not driven.body("rod").asleep


def test_without_lasting_contacts_or_without_sleep_it_makes_no_difference() -> None:
    awake, asleep = hybrid(floor(), *tower(3)), hybrid(floor(), *tower(3, asleep=True))
    for change in (("world.contact", "impulse"), ("world.sleep", False)):
        worlds = [World(set_path(one, *change)) for one in (awake, asleep)]
        for world in worlds:
            world.advance_to(0.3)
        assert not worlds[1].asleep().any()
        assert worlds[0].digest == worlds[1].digest


@pytest.mark.parametrize("shape", [L_SHAPE, {"cylinder": {"radius": 0.1, "length": 0.3}}], ids=["hulls", "smooth"])
def test_sleepers_of_any_shape_are_woken_by_a_ball(shape: dict[str, Any]) -> None:
    lift = 0.0 if "compound" in shape else 0.15
    sleeper = body("sleeper", shape, (0, 0, lift + 2e-4), asleep=True)
    world = World(hybrid(floor(), sleeper, ball("ball", (-1, 0, 0.2), (5, 0, 0), mass=8.0)))
    total = books(world)
    world.advance_to(0.1)
    assert world.counters["group_steps"] == 0
    world.advance_to(4.0)
    assert np.linalg.norm(world.body("sleeper").position - (0, 0, lift + 2e-4)) > 0.05
    assert world.smallest_gap > 0.0
    assert books(world) == pytest.approx(total, rel=1e-9)


def test_the_same_bits_again_and_from_a_snapshot_and_in_pieces() -> None:
    broken = hybrid(floor(), *tower(4, asleep=True), ball("ball", (-1, 0.02, 0.25), (5, 0, 0), mass=8.0))
    world, pieces = World(broken), World(broken)
    snapshot = world.snapshot()
    world.advance_to(0.1)
    early = Snapshot.from_bytes(world.snapshot().to_bytes())
    world.advance_to(1.0)
    for k in range(1, 101):
        pieces.advance_to(k / 100)
    assert pieces.digest == world.digest
    for kept in (snapshot, early):
        again = World(broken)
        again.restore(kept)
        assert again.asleep()[1:5].all()
        again.advance_to(1.0)
        assert again.digest == world.digest


def test_the_pins_of_the_alley_sleep_until_they_are_hit() -> None:
    world = World(load_scene("bowling"))
    pins = [name.startswith("row") for name in world.names]
    start = world.poses()[pins]
    world.advance_to(2.4)
    assert world.asleep()[pins].all()
    assert np.array_equal(world.poses()[pins], start)
    world.advance_to(4.0)
    assert np.any(np.abs(world.poses()[pins] - start) > 0.05)
