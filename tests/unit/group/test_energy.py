"""What a step may end with: a group that touches nothing fixed keeps its momentum whatever is taken from its energy."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.bodies import place_at_end
from engine.group.energy import find_centre, keep_momentum, slow_down, turning_momentum
from engine.model.model import MASS
from tests.groups import Group, H, energy, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain


def cluster(grounded: bool) -> Group:
    """Two boxes, one on the other, flying off in different ways at the end of a step."""
    low = body("low", {"box": [0.4, 0.3, 0.2]}, (0, 0, 0.1005))
    high = body("high", {"box": [0.2, 0.3, 0.2]}, (0.05, 0, 0.3010), density=2000.0)
    group = resting(floor(), low, high, envelope=1e-3)
    group.work.sizes[wk.GROUNDED] = int(grounded)
    rng = np.random.default_rng(1)
    twists = group.work.twists[:2]
    twists[:, wk.V_END : wk.V_END + 6] = rng.normal(size=(2, 6))
    for column in (wk.V_FLOW, wk.W_FLOW, wk.V_PSEUDO, wk.W_PSEUDO):
        twists[:, column : column + 3] = 0.0
    for at in range(2):
        place_at_end(group.work.twists, group.work.poses, at, H)
    return group


def momentum(group: Group) -> np.ndarray:
    """Linear, of mass one, and angular about the origin, (6,)."""
    _, v = find_centre(group.model.bodies, group.work)
    return np.array([*v, *turning_momentum(group.model.bodies, group.work, (0.0, 0.0, 0.0))])


@pytest.mark.parametrize("grounded", [False, True])
def test_what_is_slowed_down_keeps_its_momentum_unless_it_touches_the_ground(grounded: bool) -> None:
    group = cluster(grounded)
    before, had = momentum(group), energy(group, wk.X_END, wk.V_END)
    slow_down(group.model.bodies, group.work, 1.0)
    assert energy(group, wk.X_END, wk.V_END) == pytest.approx(had - 1.0, rel=1e-12)
    same = momentum(group) == pytest.approx(before, rel=1e-12)
    assert same is not grounded


def test_slowing_down_changes_no_pose() -> None:
    group = cluster(False)
    where = group.work.poses[:2, wk.X_END : wk.X_END + 7].copy()
    slow_down(group.model.bodies, group.work, 1.0)
    assert group.work.poses[:2, wk.X_END : wk.X_END + 7] == pytest.approx(where, abs=1e-14)


def test_a_cluster_that_is_pushed_apart_turns_on_more_slowly() -> None:
    group = cluster(False)
    before = momentum(group)
    masses = group.model.bodies[group.work.body[:2], MASS]
    group.work.twists[0, wk.V_PSEUDO] = 0.3 / masses[0]
    group.work.twists[1, wk.V_PSEUDO] = -0.3 / masses[1]
    for at in range(2):
        place_at_end(group.work.twists, group.work.poses, at, H)
    assert momentum(group) != pytest.approx(before, rel=1e-6)
    about = group.work.poses[0, wk.X : wk.X + 3]
    mass = float(masses.sum())
    group.work.link[wk.PURE_MOMENTUM : wk.PURE_MOMENTUM + 3] = before[3:] - np.cross(about, mass * before[:3])
    keep_momentum(group.model.bodies, group.work, H)
    assert momentum(group) == pytest.approx(before, rel=1e-12)
