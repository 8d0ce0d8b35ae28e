"""Three storeys whose lowest slab lacks a post: how they begin to fall, what friction changes, how they end."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.model.model import MASS
from engine.scene.paths import set_path
from engine.scene.schema import Scene

Floats = NDArray[np.float64]
GRAVITY, DENSITY, POST, AWAY = 9.81, 2200.0, 0.09, 0.46
"""[m/s², kg/m³, m, m]: a post's side, and how far its middle stands from the structure's."""
TOP = 0.6001
"""Height of the lowest posts' ends [m]."""
TOWARDS_THE_GAP = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
ABOUT = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
STANDING = ("ground", "post a1", "post a2", "post a3")


def boxes(scene: Scene) -> list[tuple[Floats, Floats]]:
    """(size, middle) of all that tips: the lowest slab and what stands on it."""
    return [(np.array(body.shape.box), np.array(body.position)) for body in scene.bodies if body.name not in STANDING]


def tipping(scene: Scene) -> float:
    """The angular acceleration [rad/s²] of all of it as one rigid body about the line through the posts' corners."""
    edge = np.array([*(POST / 2 * np.array([1.0, -1.0])), TOP])  # of the line, the point nearest to the middle
    moment = inertia = 0.0
    for size, middle in boxes(scene):
        mass = DENSITY * size.prod()
        arm = middle - edge
        about_itself = np.diag((np.sum(size**2) - size**2) / 12.0)
        across = arm - (arm @ ABOUT) * ABOUT
        moment += mass * GRAVITY * (arm @ TOWARDS_THE_GAP)
        inertia += mass * (ABOUT @ about_itself @ ABOUT + across @ across)
    return moment / inertia


def lean(pose: Floats) -> float:
    """How far a body's own z axis is from the vertical [deg]."""
    return float(np.degrees(np.arccos(np.clip(abs(rotation_matrix(pose[3:])[2, 2]), 0.0, 1.0))))


def test_the_lowest_slab_tips_over_two_posts_and_takes_all_above_along() -> None:
    scene = load_scene("collapsing_structure")
    world = World(scene)
    rows = [world.row(body.name) for body in scene.bodies if body.name not in STANDING]
    expected = tipping(scene)
    assert 0.1 < expected < 1.0
    world.advance_to(0.1)
    turning = world.twists()[rows, 3:] / world.time
    assert turning @ ABOUT == pytest.approx(np.full(len(rows), expected), rel=0.03)
    assert np.abs(turning - np.outer(turning @ ABOUT, ABOUT)).max() < 0.02 * expected
    # The post across from the gap carries nothing any more; the line's two carry all.
    carrying = {
        world.names[contact["body_a"]]
        for contact in world.contacts()
        if contact["body_b"] == world.row("slab a") and np.linalg.norm(contact["force"]) > 1.0
    }
    assert carrying == {"post a1", "post a2"}


@pytest.mark.parametrize("post", ["a3", "none"])
def test_with_its_load_in_the_middle_it_would_not_tip_over_that_line(post: str) -> None:
    """What decides is the load's place: the weight of the rest alone stays within the line."""
    x = {"a3": -0.28, "none": 0.0}[post]
    scene = set_path(load_scene("collapsing_structure"), "body.load.position", [x, -x, 2.26035])
    world = World(scene)
    world.advance_to(1.0)
    assert tipping(scene) < 0.0
    assert lean(world.poses()[world.row("slab a")]) < 0.01


def test_friction_decides_what_slides_and_what_topples() -> None:
    """On little of it the lowest posts are kicked out under the slab, and what has fallen slides on."""
    posts, far = {}, {}
    for friction in (0.1, 1.0):
        world = World(set_path(load_scene("collapsing_structure"), "material.stone.friction", friction))
        start = world.poses()[1:, :2]
        world.advance_to(1.3)
        posts[friction] = [lean(world.poses()[world.row(name)]) for name in ("post a1", "post a2")]
        world.advance_to(4.0)
        far[friction] = np.linalg.norm(world.poses()[1:, :2] - start, axis=1).max()
    assert max(posts[1.0]) < 10.0 < 20.0 < min(posts[0.1])
    assert far[0.1] > 1.4 * far[1.0]


def test_in_the_end_its_contacts_carry_the_heap() -> None:
    world = World(load_scene("collapsing_structure"))
    world.advance_to(8.0)  # till then a slab may tip over yet
    free = [row for row, body in enumerate(world.scene.bodies) if body.motion == "free"]
    heights = world.poses()[free, 2]
    assert heights.max() < 0.3  # nothing stands any more
    weight = GRAVITY * world.model.bodies[free, MASS].sum()
    before, lifted = world.poses()[free], []
    for t in np.arange(8.0, 10.0, 0.02):
        world.advance_to(float(t))
        contacts = world.contacts()
        lifted.append(-contacts["force"][contacts["body_a"] == 0, 2].sum())
    assert np.mean(lifted) == pytest.approx(weight, rel=0.03)
    assert np.linalg.norm(world.poses()[free, :3] - before[:, :3], axis=1).max() < 0.01
    assert world.smallest_gap > 0.0


def test_in_the_end_the_heap_lies_still() -> None:
    world = World(load_scene("collapsing_structure"))
    world.advance_to(12.0)  # of ten runs with frictions 1e-9 apart the last one lies still at 10.5 s
    assert np.abs(world.twists()[:, :3]).max() < 1e-3
    assert world.asleep()[1:].all()
