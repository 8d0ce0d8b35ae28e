"""What joints say that they bear, against closed forms, and in the accounts of momentum of the bodies that they tie."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from engine.tolerances import JOINT_TURN
from tests.linkages import chain, joint, linked_scene, rod
from tests.momentum import lost_part
from tests.scenario.test_struck_linkages import pendulum
from tests.unit.group.joints.test_joints import table

G = 9.81
LENGTH, WIDTH = 0.5, 0.02


def test_a_hinge_bears_a_rod_that_hangs() -> None:
    said = linked_scene(
        [rod("rod", (0, 0, 0), (0, 0, -LENGTH), 2.0)], [joint("pivot", "hinge", ["rod"], (0, 0, 0), (0, 1, 0))]
    )
    world = World(said)
    assert (world.joints()["force"] == 0.0).all(), "nothing is known before the first step"
    world.advance_to(0.3)
    seen = world.joints()[0]
    np.testing.assert_allclose(seen["force"], [0.0, 0.0, 2.0 * G], atol=1e-9)
    np.testing.assert_allclose(seen["couple"], 0.0, atol=1e-9)


def test_a_hinge_bears_weight_and_swing_of_a_rod_that_falls() -> None:
    """From the horizontal to the lowest point: m g + m w^2 L / 2, with I w^2 / 2 = m g L / 2."""
    end = (LENGTH, 0.0, 0.0)
    world = World(linked_scene([rod("rod", (0, 0, 0), end)], [joint("pivot", "hinge", ["rod"], (0, 0, 0), (0, 1, 0))]))
    inertia = (LENGTH**2 + WIDTH**2) / 12 + LENGTH**2 / 4
    most = 0.0
    while world.time < 0.6:
        world.advance_events(1)
        most = max(most, float(world.joints()["force"][0, 2]))
    # On the mean of a step, which may end where most is borne: so much changes in half as much again as JOINT_TURN.
    assert most == pytest.approx(G + G * LENGTH**2 / 2 / inertia, rel=(1.5 * JOINT_TURN) ** 2 / 3)


def test_a_slider_bears_across_its_axis_alone() -> None:
    cart = {"name": "cart", "shape": {"box": [0.2, 0.1, 0.1]}, "mass": 2.0, "force": [3.0, 4.0, 0.0]}
    world = World(linked_scene([cart], [joint("rail", "slider", ["cart"], (0.1, 0, 0), (1, 0, 0))]))
    world.advance_to(0.2)
    seen = world.joints()[0]
    np.testing.assert_allclose(seen["force"], [0.0, -4.0, 2.0 * G], atol=1e-9)
    np.testing.assert_allclose(seen["couple"], np.cross([-0.1, 0, 0], [0.0, -4.0, 2.0 * G]), atol=1e-9)


@pytest.mark.parametrize("links", [3, 30])
def test_joints_of_a_chain_account_for_its_momentum(links: int) -> None:
    for since in (0.0, 0.4):
        assert lost_part(World(chain(links)), since) < 1e-12


def test_welds_of_a_table_bear_its_top_and_account_for_all_momentum() -> None:
    for since in (0.0, 0.3):
        assert lost_part(World(table(200.0)), since) < 1e-9
    world = World(table(200.0))
    world.advance_to(0.5)
    assert world.joints()["force"][:, 2].sum() == pytest.approx(-200.0 * G, rel=1e-5), "the legs hang from the top"


def test_a_table_that_sleeps_is_borne() -> None:
    said = table(20.0).model_dump(exclude_none=True)
    world = World(Scene.model_validate(said | {"world": said["world"] | {"sleep": True}}))
    world.advance_to(2.0)
    assert world.asleep()[1:].all()
    assert world.joints()["force"][:, 2].sum() == pytest.approx(-20.0 * G, rel=1e-6)


@pytest.mark.parametrize("kind", ["ball", "hinge", "weld"])
def test_hits_on_links_are_in_the_account(kind: str) -> None:
    """Without gravity a hit is all that happens; then what turns about the pivot is borne by it."""
    world = World(pendulum(kind, 3, 2.3, 0.1, 0.7))
    assert lost_part(world, 0.0, 0.2) < 1e-12
    assert np.abs(world.joints()["struck"]).max() > 0.01 and world.counters["collisions"] > 0


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_steps_of_swinging_links_that_hits_cut_short_are_in_the_account(kind: str) -> None:
    """Till then their joints bore not evenly what they say of the whole step."""
    said = chain(3, kind)
    post = {"name": "post", "shape": {"sphere": {"radius": 0.1}}, "position": [0.5, 0.0, -0.9], "motion": "fixed"}
    swinging = [
        {key: value for key, value in body.model_dump(exclude_none=True).items() if key != "group"}
        for body in said.body
    ]
    world = World(Scene.model_validate(said.model_dump(exclude_none=True) | {"body": [*swinging, post]}))
    assert lost_part(world, 0.1, 0.7) < 1e-9
    assert world.counters["collisions"] > 1
