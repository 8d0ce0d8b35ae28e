"""A step that is cut short: bodies have the angular momentum of an even change, a free group all of its own."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group.cut import cut_step
from engine.group.energy import own_momentum
from engine.model import state as s
from engine.motion.arcs import evolve
from tests.groups import Group, H, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain


def turning(grounded: bool) -> Group:
    """Two boxes within a step in which both turn, change how they turn, and move apart."""
    low = body("low", {"box": [0.4, 0.3, 0.2]}, (0, 0, 0.1005))
    high = body("high", {"box": [0.2, 0.3, 0.2]}, (0.05, 0, 0.3010), density=2000.0)
    group = resting(floor(), low, high, envelope=1e-3)
    arcs, rng = group.state.arcs, np.random.default_rng(2)
    for i in (1, 2):
        arcs[i, s.T0], arcs[i, s.HELD_UNTIL], arcs[i, s.POLY_RATE] = 0.0, H, 0.0
        for column in (s.VELOCITY, s.HELD_OMEGA, s.HELD_TURN):
            arcs[i, column : column + 3] = rng.normal(size=3)
        arcs[i, s.HELD_PUSH : s.HELD_PUSH + 3] = 0.0
        arcs[i, s.HELD_ALPHA : s.HELD_ALPHA + 3] = rng.normal(size=3) / H
    group.state.groups[group.leader, s.GROUND] = float(grounded)
    return group


def own(group: Group, i: int, t: float) -> np.ndarray:
    _, q, _, w = evolve(group.model.bodies, group.model.tags, group.state.arcs, i, t)
    return np.array(own_momentum(group.model.bodies, i, q, w))


def test_what_touches_the_ground_has_what_an_even_change_gives_each_body() -> None:
    group = turning(True)
    wanted = {i: own(group, i, 0.0) + 0.3 * (own(group, i, H) - own(group, i, 0.0)) for i in (1, 2)}
    before = [own(group, i, 0.3 * H) for i in (1, 2)]
    cut_step(group.model, group.state, group.leader, 0.3 * H)
    for i in (1, 2):
        np.testing.assert_allclose(own(group, i, 0.3 * H), wanted[i], rtol=1e-12, atol=1e-14)
        assert np.abs(before[i - 1] - wanted[i]).max() > 1e-6, "which the interpolation had not"
        assert group.state.arcs[i, s.HELD_UNTIL] == 0.3 * H
        assert group.state.members[i, s.FRESH] == 1


def test_a_free_group_has_all_of_its_angular_momentum() -> None:
    """No force acts in these arcs but weight and what changes the bodies' spins, evenly."""
    group = turning(False)
    bodies, tags, arcs = group.model.bodies, group.model.tags, group.state.arcs
    about = arcs[group.leader, s.POSITION : s.POSITION + 3].copy()

    def whole(t: float) -> np.ndarray:
        total = np.zeros(3)
        for i in (1, 2):
            x, _, v, _ = evolve(bodies, tags, arcs, i, t)
            total += own(group, i, t) + np.cross(np.array(x) - about, bodies[i, 0] * np.array(v))
        return total

    for i in (1, 2):
        arcs[i, s.HELD_ACCELERATION : s.HELD_ACCELERATION + 3] = [0.0, 0.0, -9.81]

    def weight(t: float) -> np.ndarray:
        total = np.zeros(3)
        for i in (1, 2):
            way = (
                t * (arcs[i, s.POSITION : s.POSITION + 3] - about) + 0.5 * t * t * arcs[i, s.VELOCITY : s.VELOCITY + 3]
            )
            total += bodies[i, 0] * np.cross(way, [0.0, 0.0, -9.81])
        return total

    wanted = whole(0.0) + weight(0.3 * H) + 0.3 * (whole(H) - whole(0.0) - weight(H))
    cut_step(group.model, group.state, group.leader, 0.3 * H)
    after = np.zeros(3)
    for i in (1, 2):
        x, _, v, _ = evolve(bodies, tags, arcs, i, 0.3 * H)
        after += own(group, i, 0.3 * H) + np.cross(np.array(x) - about, bodies[i, 0] * np.array(v))
    np.testing.assert_allclose(after, wanted, rtol=1e-12, atol=1e-13)


def test_in_a_free_group_each_body_has_what_an_even_change_gives_it_about_the_common_centre() -> None:
    """Two bodies press on each other while they go past: about their own centres the moments are not opposite."""
    group = turning(False)
    bodies, tags, arcs = group.model.bodies, group.model.tags, group.state.arcs
    masses = bodies[[1, 2], 0]
    force = np.array([3.0, -2.0, 5.0])
    for i, sign in ((1, 1.0), (2, -1.0)):
        arcs[i, s.HELD_ACCELERATION : s.HELD_ACCELERATION + 3] = sign * force / bodies[i, 0]

    def about_centre(t: float) -> np.ndarray:
        motions = [evolve(bodies, tags, arcs, i, t) for i in (1, 2)]
        x, v = np.array([one.x for one in motions]), np.array([one.v for one in motions])
        orbital = np.cross(x - masses @ x / masses.sum(), v - masses @ v / masses.sum())
        return np.array([own(group, i, t) for i in (1, 2)]) + masses[:, None] * orbital

    wanted = about_centre(0.0) + 0.3 * (about_centre(H) - about_centre(0.0))
    velocities = [evolve(bodies, tags, arcs, i, 0.3 * H).v for i in (1, 2)]
    cut_step(group.model, group.state, group.leader, 0.3 * H)
    np.testing.assert_allclose(about_centre(0.3 * H), wanted, rtol=1e-12, atol=1e-14)
    assert [evolve(bodies, tags, arcs, i, 0.3 * H).v for i in (1, 2)] == velocities
