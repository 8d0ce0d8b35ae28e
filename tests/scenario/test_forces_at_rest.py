"""What is reported of contacts at rest is the weight that they bear, awake, asleep, and asleep from the start."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.model.model import FREE, GRAVITY, KIND, MASS
from engine.recording.forces import split_forces
from engine.scene.schema import Scene
from tests.scenes import ball, body, floor, scene

AT_REST = {
    "stack_of_books": 1.0,
    "brick_wall": 1.0,
    "block_on_ramp": 3.0,
    "four_legged_table": 1.0,
    "stone_arch": 1.0,
    "card_house": 1.0,
    "columns": 0.5,
    "bowling": 0.5,
    "domino_spiral": 0.1,
}
"""Scenes that stand, and when that is looked at [s]."""
COMES_TO_REST = {
    "block_drop": 6.0,
    "jack_on_stairs": 12.0,
    "collapsing_structure": 12.0,
    "pool_break": 20.0,
    "balls_in_dish": 8.0,
    "coin_shower": 5.0,
    "coins": 5.0,
    "dominos": 3.0,
    "painleve_rod": 5.0,
    "sliders": 4.0,
}


def borne(world: World) -> np.ndarray:
    """What contacts do to each body in all, (n, 3) [N]."""
    contacts, sums = world.contacts(), np.zeros((len(world.names), 3))
    np.add.at(sums, contacts["body_a"], contacts["force"])
    np.add.at(sums, contacts["body_b"], -contacts["force"])
    return sums


def check_weights(world: World) -> None:
    """What stands is carried: each body by its own contacts, all of them by what is fixed, to 1 % of the weight."""
    free = world.model.tags[:, KIND] == FREE
    rests = free & (np.linalg.norm(world.twists(), axis=1) < 1e-3)
    rows = world.model.bodies[: len(free)]
    weights = rows[:, MASS, None] * rows[:, GRAVITY : GRAVITY + 3]
    forces = borne(world)
    assert rests.any()
    most = np.linalg.norm(weights[rests].sum(axis=0))
    np.testing.assert_allclose(forces[rests].sum(axis=0), -weights[rests].sum(axis=0), atol=0.01 * most)
    if rests.sum() == free.sum():
        np.testing.assert_allclose(forces[~free].sum(axis=0), weights.sum(axis=0), atol=0.01 * most)
    normal, friction = split_forces(world.contacts()["force"], world.contacts()["normal"])
    assert world.forces() == {"normal": pytest.approx(normal.sum()), "friction": pytest.approx(friction.sum())}


@pytest.mark.parametrize("name", AT_REST)
def test_what_stands_reads_its_weight(name: str) -> None:
    world = World(load_scene(name))
    world.advance_to(AT_REST[name])
    check_weights(world)


@pytest.mark.parametrize("name", COMES_TO_REST)
def test_what_has_come_to_rest_reads_its_weight(name: str) -> None:
    world = World(load_scene(name))
    world.advance_to(COMES_TO_REST[name])
    check_weights(world)


def test_a_block_on_a_ramp_reads_normal_and_friction() -> None:
    world = World(load_scene("block_on_ramp"))
    world.advance_to(3.0)
    weight = world.model.bodies[world.row("block"), MASS] * 9.81
    (ramp,) = (one for one in load_scene("block_on_ramp").body if one.name == "ramp")
    slope = np.radians(ramp.orientation.degrees)
    assert world.forces() == {
        "normal": pytest.approx(weight * np.cos(slope), rel=1e-3),
        "friction": pytest.approx(weight * np.sin(slope), rel=1e-3),
    }


def test_sleepers_from_the_start_on_each_other() -> None:
    """A stack on a slope, asleep before any step: loads add up downwards, and friction holds it."""
    slope = {"axis": [0.0, 1.0, 0.0], "degrees": 15.0}
    along = np.array([np.sin(np.radians(15.0)), 0.0, np.cos(np.radians(15.0))])
    ramp = body("ramp", {"box": [2.0, 1.0, 0.1]}, motion="fixed", orientation=slope)
    boxes = [
        body(
            f"box{k}", {"box": [0.2, 0.2, 0.1]}, (0.1001 * (k + 1) * along).tolist(),
            orientation=slope, asleep=True, mass=1.0,
        )
        for k in range(3)
    ]  # fmt: skip
    world = World(scene(ramp, *boxes, friction=0.9, envelope=1e-3))
    world.advance_to(0.0)
    contacts = world.contacts()
    normal, friction = split_forces(contacts["force"], contacts["normal"])
    lean = np.radians(15.0)
    np.testing.assert_allclose(sorted(normal), 9.81 * np.cos(lean) * np.array([1.0, 2.0, 3.0]), rtol=1e-4)
    np.testing.assert_allclose(sorted(friction), 9.81 * np.sin(lean) * np.array([1.0, 2.0, 3.0]), rtol=1e-4)
    np.testing.assert_allclose(contacts["point"][:, 1], 0.0, atol=1e-6)
    assert world.asleep().sum() == 3


def test_what_wakes_is_reported_as_its_steps_find_it() -> None:
    sleeper = body("box", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.1001), asleep=True, mass=1.0)
    hits = ball("ball", (0, 0, 0.5), mass=0.5)
    world = World(scene(floor(), sleeper, hits, envelope=1e-3))
    world.advance_to(0.0)
    assert world.forces()["normal"] == pytest.approx(9.81, rel=1e-4)
    world.advance_to(3.0)
    assert world.forces()["normal"] == pytest.approx(9.81 + 2 * 4.905, rel=0.01)


def test_sleepers_on_a_joint_share_their_weight_with_it() -> None:
    """A plank on a hinge at one end, on a post at the other: either bears half, and all of what stands on its end."""
    plank = body("plank", {"box": [1.0, 0.2, 0.1]}, (0.5, 0, 0.5502), asleep=True, mass=2.0)
    post = body("post", {"box": [0.02, 0.2, 0.5]}, (0.99, 0, 0.2501), motion="fixed")
    said = scene(post, plank, envelope=1e-3).model_dump(exclude_unset=True, by_alias=True)
    hinge = {"name": "pin", "kind": "hinge", "bodies": ["plank"], "point": [0.0, 0.0, 0.55], "axis": [0.0, 1.0, 0.0]}
    world = World(Scene.model_validate(said | {"joint": [hinge]}))
    world.advance_to(0.0)
    assert world.asleep()[world.row("plank")]
    # The post's top is 0.98 to 1 m from the hinge: what is pressed there may lie anywhere on it, and friction, 0.05 m
    # below the hinge, may bear a part.
    normal = world.forces()["normal"]
    assert 0.5 * 2.0 * 9.81 / (1.0 + 0.5 * 0.05) <= normal * 1.001 <= 0.5 * 2.0 * 9.81 / 0.975


def test_a_sleeper_on_four_legs_loads_them_alike() -> None:
    legs = [{"shape": {"box": [0.1, 0.1, 0.4]}, "position": [x, y, -0.3]} for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    shape = {"compound": {"pieces": [{"shape": {"box": [1.0, 1.0, 0.2]}, "position": [0.0, 0.0, 0.0]}, *legs]}}
    world = World(scene(floor(), body("table", shape, (0, 0, 0.5005), asleep=True, mass=4.0), envelope=1e-3))
    world.advance_to(0.0)
    contacts = world.contacts()
    assert len(contacts) == 4
    np.testing.assert_allclose(contacts["force"][:, 2] * np.sign(contacts["normal"][:, 2]), 9.81, rtol=1e-3)
