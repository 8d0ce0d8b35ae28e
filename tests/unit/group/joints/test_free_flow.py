"""A linkage that hangs on nothing goes on with the momentum that its weight leaves it, and its joints stay closed."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.group.joints.free_flow import keep_momenta, momenta_of
from engine.joints.response import load_linkage
from engine.joints.rows import most_lacking
from engine.joints.tables import FLOW_V, POSE, Linked
from engine.model.model import GRAVITY
from tests.groups import H, gathered
from tests.linkages import joint, linked_scene, rod

pytestmark = pytest.mark.plain


def flying() -> tuple[World, Linked]:
    """Three rods in free flight, the middle one spinning on hinges that are not parallel, as they are at the start."""
    rods = [
        rod("one", (0, 0, 0), (0.5, 0, 0), mass=0.1),
        rod("two", (0.5, 0, 0), (1, 0, 0.1), mass=2.0, velocity=[1.0, 2.0, 3.0], angular_velocity=[1.0, -2.0, 4.0]),
        rod("three", (1, 0, 0.1), (1.5, 0, 0.1), mass=0.5),
    ]
    joints = [
        joint("a", "hinge", ("one", "two"), (0.5, 0, 0), (0, 1, 0)),
        joint("b", "hinge", ("two", "three"), (1, 0, 0.1), (1, 1, 0)),
    ]
    world = World(linked_scene(rods, joints))
    world.advance_to(0.0)
    group = gathered(world)
    linked = Linked(world.model.joints, group.work.flow, group.work.rows, group.work.values)
    load_linkage(world.model.bodies, world.model.tags, world._state.arcs, linked, 0, 0.0)
    return world, linked


def test_what_the_flow_has_astray_goes_to_all_as_to_one_rigid_body() -> None:
    world, linked = flying()
    bodies, joints, flow = world.model.bodies, linked.joints, linked.flow
    begun = momenta_of(bodies, joints, flow, 0)
    rng = np.random.default_rng(4)
    shift, turn = 1e-6 * rng.normal(size=3), 1e-6 * rng.normal(size=3)
    for row in flow[:3]:  # as a flow that errs, along what joints allow
        row[FLOW_V : FLOW_V + 3] += shift + np.cross(turn, row[POSE : POSE + 3])
        row[FLOW_V + 3 : FLOW_V + 6] += turn
    before = flow.copy()
    keep_momenta(bodies, joints, flow, 0, begun, H)
    x, v, spin = (np.array(one) for one in momenta_of(bodies, joints, flow, 0))
    fall = np.array([0.0, 0.0, -9.81])
    np.testing.assert_allclose(v, begun[1] + H * fall, rtol=1e-13)
    np.testing.assert_allclose(x, begun[0] + H * (np.array(begun[1]) + 0.5 * H * fall), rtol=1e-13)
    np.testing.assert_allclose(spin, begun[2], rtol=1e-12, atol=1e-14)
    # Between each other they move as before.
    apart = flow[:3, POSE : POSE + 3] - flow[0, POSE : POSE + 3]
    np.testing.assert_allclose(apart, before[:3, POSE : POSE + 3] - before[0, POSE : POSE + 3], atol=1e-14)
    assert most_lacking(joints, flow, linked.rows, 0) < 1e-12


def test_what_does_not_fall_alike_may_begin_to_turn() -> None:
    world, linked = flying()
    bodies, joints, flow = world.model.bodies, linked.joints, linked.flow
    begun = momenta_of(bodies, joints, flow, 0)
    bodies[0, GRAVITY] += 3.0
    flow[0, FLOW_V] += 1.0
    turned = momenta_of(bodies, joints, flow, 0)[2]
    keep_momenta(bodies, joints, flow, 0, begun, H)
    np.testing.assert_allclose(momenta_of(bodies, joints, flow, 0)[2], turned, rtol=1e-12)
    assert np.abs(np.array(turned) - begun[2]).max() > 1e-3
