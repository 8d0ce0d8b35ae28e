"""What a step may end with: a group that touches nothing fixed keeps its momentum whatever is taken from its energy."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.group import work as wk
from engine.group.bodies import place_at_end
from engine.group.energy import ALL, find_centre, keep_momentum, slow_down, turning_momentum
from engine.model.model import MASS
from tests.groups import Group, H, energy, gathered, resting
from tests.linkages import joint, linked_scene, rod
from tests.scenes import body, floor

pytestmark = pytest.mark.plain


def fly_off(group: Group) -> Group:
    """Its two bodies fly off in different ways at the end of a step."""
    twists = group.work.twists[:2]
    twists[:, wk.V_END : wk.V_END + 6] = np.random.default_rng(1).normal(size=(2, 6))
    for column in (wk.V_FLOW, wk.W_FLOW, wk.V_PSEUDO, wk.W_PSEUDO):
        twists[:, column : column + 3] = 0.0
    for at in range(2):
        place_at_end(group.work.twists, group.work.poses, at, H)
    return group


def cluster() -> Group:
    """Two boxes, one on the other, that touch nothing fixed."""
    low = body("low", {"box": [0.4, 0.3, 0.2]}, (0, 0, 0.1005))
    high = body("high", {"box": [0.2, 0.3, 0.2]}, (0.05, 0, 0.3010), density=2000.0)
    group = resting(floor(), low, high, envelope=1e-3)
    group.work.sizes[wk.GROUNDED] = 0
    return fly_off(group)


def linkage(hangs_free: bool) -> Group:
    """Two rods on a hinge, which may hang from another, in a step of their group."""
    rods = [rod("one", (0, 0, 0), (0.5, 0, 0)), rod("two", (0.5, 0, 0), (1, 0, 0.1), mass=2.0)]
    joints = [joint("between", "hinge", ("one", "two"), (0.5, 0, 0), (0, 1, 0))]
    if not hangs_free:
        joints.append(joint("above", "hinge", ("one",), (0, 0, 0), (0, 1, 0)))
    world = World(linked_scene(rods, joints))
    world.advance_to(0.0)
    return fly_off(gathered(world))


def momentum(group: Group) -> np.ndarray:
    """Linear, of mass one, and angular about the origin, (6,)."""
    bodies, tags = group.model.bodies, group.model.tags
    _, v = find_centre(bodies, tags, group.work, ALL)
    return np.array([*v, *turning_momentum(bodies, tags, group.work, ALL, (0.0, 0.0, 0.0))])


@pytest.mark.parametrize("hangs_free", [True, False])
def test_a_linkage_is_slowed_down_but_for_how_it_moves_as_one_unless_it_hangs_on_the_ground(hangs_free: bool) -> None:
    group = linkage(hangs_free)
    assert group.work.sizes[wk.GROUNDED] == 1 - hangs_free
    before, had = momentum(group), energy(group, wk.X_END, wk.V_END)
    where = group.work.poses[:2, wk.X_END : wk.X_END + 7].copy()
    slow_down(group.model, group.work, 0.2)
    assert energy(group, wk.X_END, wk.V_END) == pytest.approx(had - 0.2, rel=1e-12)
    same = momentum(group) == pytest.approx(before, rel=1e-12)
    assert same is hangs_free
    for at in range(2):
        place_at_end(group.work.twists, group.work.poses, at, H)
    assert group.work.poses[:2, wk.X_END : wk.X_END + 7] == pytest.approx(where, abs=1e-14)


def test_bodies_that_joints_do_not_tie_are_not_slowed_down() -> None:
    group = cluster()
    before = group.work.twists[:2].copy()
    slow_down(group.model, group.work, 1.0)
    assert (group.work.twists[:2] == before).all()


def test_a_cluster_that_is_pushed_apart_turns_on_more_slowly() -> None:
    """By spins alone: no force has changed the bodies' velocities."""
    group = cluster()
    before = momentum(group)
    velocities = group.work.twists[:2, wk.V_END : wk.V_END + 3].copy()
    masses = group.model.bodies[group.work.body[:2], MASS]
    group.work.twists[0, wk.V_PSEUDO] = 0.3 / masses[0]
    group.work.twists[1, wk.V_PSEUDO] = -0.3 / masses[1]
    for at in range(2):
        place_at_end(group.work.twists, group.work.poses, at, H)
    assert momentum(group) != pytest.approx(before, rel=1e-6)
    about = group.work.poses[0, wk.X : wk.X + 3]
    mass = float(masses.sum())
    group.work.link[wk.PURE_MOMENTUM : wk.PURE_MOMENTUM + 3] = before[3:] - np.cross(about, mass * before[:3])
    keep_momentum(group.model.bodies, group.model.tags, group.work, H)
    assert momentum(group) == pytest.approx(before, rel=1e-12)
    assert (group.work.twists[:2, wk.V_END : wk.V_END + 3] == velocities).all()
