"""The mouse's spring on what lies on something: against statics, and against the closed form of a damped oscillator."""

from __future__ import annotations

from math import atan2, cos, exp, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import World
from engine.arrays import Floats
from engine.scene.schema import Scene
from tests.scenes import body, floor, scene

G = 9.81
DENSITY = 1000.0
MASS = DENSITY * 0.2 * 0.2 * 0.1
MU = 0.5
DAMPING_RATIO = 0.7
"""Of the spring with the body's mass."""


def block(name: str = "b", height: float = 0.0501, **more: Any) -> dict[str, Any]:
    return body(name, {"box": [0.2, 0.2, 0.1]}, (0, 0, height), **more)


def on_floor(*blocks: dict[str, Any], friction: float = MU, contact: str = "hybrid") -> Scene:
    return scene(floor(), *blocks, friction=friction, restitution=0.0, contact=contact)


def contact_force(world: World, name: str) -> Floats:
    """What all contacts do to a body [N]."""
    row, contacts = world.row(name), world.contacts()
    total = np.zeros(3)
    for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
        total += sign * contacts["force"][contacts[side] == row].sum(axis=0)
    return total


def oscillator(
    stretch: float, k: float, time: float, lost: float = 0.0, mass: float = MASS, ratio: float = DAMPING_RATIO
) -> float:
    """How far the spring has drawn a body, which begins at rest, against a force `lost` that stays as it is [m]."""
    rate, aim = sqrt(k / mass), stretch - lost / k
    swing = rate * sqrt(1.0 - ratio**2)
    phase = atan2(ratio, sqrt(1.0 - ratio**2))
    return aim * (1.0 - exp(-ratio * rate * time) * cos(swing * time - phase) / cos(phase))


def balance(world: World) -> float:
    """What stays the same, whatever is put in and taken [J]."""
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


@pytest.mark.parametrize("asleep", [False, True])
def test_what_friction_holds_stays_and_bears_the_pull(asleep: bool) -> None:
    world = World(on_floor(block(asleep=asleep)))
    world.advance_to(0.5)
    before = world.body("b").position
    pull = 0.9 * MU * MASS * G
    world.pull("b", (0, 0, -0.05), (pull / 1000.0, 0, before[2] - 0.05), 1000.0)
    world.advance(2.0)
    assert np.abs(world.body("b").position - before).max() < 1e-7
    assert contact_force(world, "b") == pytest.approx([-pull, 0.0, MASS * G], abs=1e-3 * pull)
    energy = world.energy()
    assert energy["kinetic"] < 1e-12 and abs(energy["work"]) < 1e-6


def test_a_brick_low_in_a_tower_is_held_by_what_lies_on_it() -> None:
    world = World(on_floor(*(block(f"b{k}", 0.05 + 0.1 * k + 1e-4 * (k + 1), asleep=True) for k in range(8))))
    world.advance_to(0.1)
    before = world.poses()
    pull = 0.9 * MU * 7 * MASS * G  # six lie on it, and what lies on one holds nobody
    world.pull("b1", (0, 0, 0), (0, pull / 5000.0, before[2, 2]), 5000.0)
    world.advance(1.0)
    assert np.abs(world.poses() - before).max() < 1e-6
    assert contact_force(world, "b1") == pytest.approx([0.0, -pull, MASS * G], abs=1e-3 * pull)
    world.move_pull((0, 1.2 * pull / 5000.0, before[2, 2]))
    world.advance(0.2)
    assert world.body("b1").position[1] > 1e-3


@pytest.mark.parametrize(("friction", "contact"), [(0.0, "hybrid"), (MU, "hybrid"), (MU, "penalty")])
def test_what_slides_on_the_floor_comes_as_a_damped_oscillator(friction: float, contact: str) -> None:
    world = World(on_floor(block(), friction=friction, contact=contact))
    world.advance_to(0.5)
    k, stretch = 60.0 * MASS, 0.5
    world.pull("b", (0, 0, 0), (stretch, 0, world.body("b").position[2]), k)
    work = world.energy()["work"]
    for time in (0.05, 0.1, 0.2, 0.3):
        world.advance_to(0.5 + time)
        came = world.body("b").position[0]
        assert came == pytest.approx(oscillator(stretch, k, time, friction * MASS * G), rel=0.02, abs=3e-5)
    energy = world.energy()
    assert energy["work"] - work == pytest.approx(energy["kinetic"] + friction * MASS * G * came, rel=0.01)


def test_what_is_lifted_flies_up_to_where_the_spring_carries_it() -> None:
    """Kicks take over from steps where contact ends: the closed form holds across that, up to their period."""
    world = World(on_floor(block()))
    world.advance_to(0.5)
    low = world.body("b").position[2]
    k, stretch = 100.0 * MASS, 0.4
    world.pull("b", (0, 0, 0), (0, 0, low + stretch), k)
    for time in (0.05, 0.1, 0.2, 0.4, 1.0):
        world.advance_to(0.5 + time)
        assert world.body("b").position[2] - low == pytest.approx(oscillator(stretch, k, time, MASS * G), abs=2e-3)
    assert world.paradigms()[1] != "constraint"


def test_released_it_slides_on_and_owes_nothing() -> None:
    world = World(on_floor(block()))
    world.advance_to(0.5)
    world.pull("b", (0, 0, 0), (1.0, 0, world.body("b").position[2]), 60.0 * MASS)
    world.advance(0.1234)  # in the midst of a step
    world.release()
    speed, start = world.body("b").velocity[0], world.body("b").position[0]
    work = world.energy()["work"]
    world.advance(2.0)
    assert world.energy()["work"] == pytest.approx(work, abs=1e-9)
    assert world.body("b").position[0] - start == pytest.approx(speed**2 / (2.0 * MU * G), rel=1e-2)


def test_kicks_are_often_enough_for_a_stiff_spring() -> None:
    """Pulled by a corner it may go on turning about that, but with no more than the spring had."""
    world = World(scene(block(), gravity=(0, 0, 0), contact="hybrid"))
    k, target = 1e7, np.array([0.11, 0.1, 0.1])
    world.pull("b", (0.1, 0.1, 0.05), target.tolist(), k)
    for _ in range(50):
        world.advance(1e-3)
        assert world.energy()["kinetic"] < 0.5 * k * 0.01**2
    (x, y, z), turn = world.body("b").position, Rotation.from_quat(np.roll(world.poses()[0, 3:], -1))
    assert turn.apply([0.1, 0.1, 0.05]) + (x, y, z) == pytest.approx(target, abs=1e-3)


def test_steps_are_short_enough_for_a_stiff_spring() -> None:
    world = World(on_floor(block(), friction=0.1))
    world.advance_to(0.5)
    k, stretch, low = 1e7, 0.01, world.body("b").position[2]
    world.pull("b", (0, 0, 0), (stretch, 0, low), k)
    highest = 0.0
    for _ in range(100):
        world.advance(1e-3)
        highest = max(highest, world.energy()["kinetic"])
    assert highest < 0.5 * k * stretch**2
    assert world.energy()["kinetic"] < 1e-9
    assert world.body("b").position == pytest.approx([stretch, 0.0, low], abs=1e-5)


# --- what joints tie ----------------------------------------------------------------------------------------------


def two_tied(kind: str = "hinge", **more: Any) -> Scene:
    """Two blocks that lie side by side, tied between them."""
    blocks = [body(name, {"box": [0.2, 0.2, 0.1]}, (x, 0, 0.0501), **more) for name, x in (("a", -0.15), ("b", 0.15))]
    between = {"name": "j", "kind": kind, "bodies": ["a", "b"], "point": [0.0, 0.0, 0.05], "axis": [0.0, 0.0, 1.0]}
    if kind == "ball":
        del between["axis"]
    said = on_floor(*blocks).model_dump(mode="json", exclude_unset=True)
    return Scene.model_validate(said | {"joint": [between]})


@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_what_friction_holds_of_a_linkage_stays_and_bears_the_pull(kind: str) -> None:
    world = World(two_tied(kind))
    world.advance_to(0.5)
    before = world.poses()
    pull = 0.9 * MU * 2.0 * MASS * G  # more than one block bears alone
    x, _, z = world.body("b").position
    world.pull("b", (0, 0, -0.05), (x + pull / 2000.0, 0, z - 0.05), 2000.0)
    world.advance(1.0)
    assert np.abs(world.poses() - before).max() < 1e-6
    borne = [contact_force(world, name) for name in ("a", "b")]
    assert sum(borne) == pytest.approx([-pull, 0.0, 2.0 * MASS * G], abs=1e-3 * pull)
    # The joint passes on what the other block's contacts bear.
    assert world.joints()["force"][0] == pytest.approx(borne[0] - [0.0, 0.0, MASS * G], abs=1e-6 * pull)
    assert abs(world.energy()["work"]) < 1e-6


def test_a_linkage_that_is_dragged_comes_as_one_body() -> None:
    world = World(two_tied())
    world.advance_to(0.5)
    start, books = world.body("b").position[0], balance(world)
    k, stretch = 60.0 * MASS, 0.5
    world.pull("b", (0, 0, 0), (start + stretch, 0, world.body("b").position[2]), k)
    for time in (0.1, 0.2):
        world.advance_to(0.5 + time)
        assert world.body("b").position[0] - start == pytest.approx(
            oscillator(stretch, k, time, MU * 2.0 * MASS * G, 2.0 * MASS, DAMPING_RATIO / sqrt(2.0)), rel=0.02
        )
    world.release()
    world.advance(2.0)
    assert balance(world) == pytest.approx(books, abs=1e-9)


def test_an_arm_that_rests_on_a_stop_bears_less_as_it_is_lifted() -> None:
    """Hinge and stop bear half each of what the pull leaves of its weight; then it swings up, kicked."""
    arm = body("arm", {"box": [1.0, 0.1, 0.1]}, (0.5, 0, 0.1501), mass=2.0)
    stop = body("stop", {"sphere": {"radius": 0.05}}, (0.9, 0, 0.05), motion="fixed")
    tie = {"name": "j", "kind": "hinge", "bodies": ["arm"], "point": [0.1, 0, 0.1501], "axis": [0, 1, 0]}
    said = scene(arm, stop, friction=0.0, contact="hybrid").model_dump(mode="json", exclude_unset=True) | {
        "joint": [tie]
    }
    world = World(Scene.model_validate(said))
    world.advance_to(0.5)
    z, pull = world.body("arm").position[2], 0.7 * 2.0 * G
    world.pull("arm", (0, 0, 0), (0.5, 0, z + pull / 500.0), 500.0)
    world.advance(0.5)
    assert contact_force(world, "arm")[2] == pytest.approx(0.5 * (2.0 * G - pull), rel=1e-3)
    assert world.joints()["force"][0, 2] == pytest.approx(0.5 * (2.0 * G - pull), rel=1e-3)
    assert abs(world.body("arm").position[2] - z) < 1e-6
    books = balance(world)
    world.move_pull((0.5, 0, z + 0.2))
    world.advance(2.0)
    angle = atan2(0.2 - 2.0 * G / 500.0, 0.4)
    assert world.body("arm").position[2] - z == pytest.approx(0.4 * sin(angle), abs=5e-4)
    assert balance(world) == pytest.approx(books, abs=1e-6)


@pytest.mark.parametrize(
    ("point", "target", "stiffness", "words"),
    [
        ((0, 0, np.nan), (0, 0, 1), None, "three finite numbers"),
        ((0, 0, 0), (0, np.inf, 1), None, "three finite numbers"),
        ((0, 0, 0), (0, 1), None, "three finite numbers"),
        ((0, 0, 0), (0, 0, 1), -5.0, "-5.0 N/m"),
        ((0, 0, 0), (0, 0, 1), 0.0, "0.0 N/m"),
    ],
)
def test_a_spring_that_cannot_be_is_refused_and_the_last_one_stays(
    point: Any, target: Any, stiffness: float | None, words: str
) -> None:
    world = World(on_floor(block()))
    world.pull("b", (0, 0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match=words):
        world.pull("b", point, target, stiffness)
    assert world.pulled == 1
    with pytest.raises(ValueError, match="three finite numbers"):
        world.move_pull((np.nan, 0, 0))
    with pytest.raises(ValueError, match="ends at no time"):
        world.advance_to(np.inf)


def test_what_hangs_on_the_spring_hangs_where_statics_say() -> None:
    world = World(scene(block(), gravity=(0, 0, -G), contact="hybrid"))
    k = 20.0 * MASS
    world.pull("b", (0, 0, 0), (0, 0, 1.0), k)
    world.advance(12.0)
    assert world.body("b").position[2] == pytest.approx(1.0 - MASS * G / k, abs=2e-6)


@pytest.mark.parametrize("stiffness", [0.5, 2.0, 10.0])
def test_what_stands_on_a_round_rim_is_not_crushed_by_a_gentle_pull(stiffness: float) -> None:
    """In impulse mode it is hit hundreds of times at one instant, from all around."""
    cylinder = body("b", {"cylinder": {"radius": 0.1, "length": 0.2}}, (0, 0, 0.1001))
    world = World(on_floor(cylinder, contact="impulse"))
    world.advance_to(0.3)
    world.pull("b", (0, 0, 0), (1.0, 0.1, 0.2), stiffness)
    world.advance(1.0)
    assert not world.stopped
    assert world.body("b").position == pytest.approx([0.0, 0.0, 0.1], abs=0.02)
