"""Gathering a group: its bodies' and its points' rows are what geometry and the scene say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine.group import work as wk
from engine.group.room import correction_rows
from engine.model import state as s
from engine.model.model import INV_MOMENTS
from engine.tolerances import CONTACT_REACH
from tests.groups import Group, gathered, inverse_mass, jacobian, resting
from tests.scenes import ball, body, floor

pytestmark = pytest.mark.plain
ENVELOPE = 1e-3
BOX = {"box": [0.4, 0.2, 0.1]}
TURNED = Rotation.from_rotvec([0.0, 0.0, 0.7])
ACROSS = [0.5**0.5, 0.0, 0.0, 0.5**0.5]
TURN = np.roll(TURNED.as_quat(), 1).tolist()


def box(name: str, z: float, x: float = 0.0, **more: Any) -> dict[str, Any]:
    return body(name, BOX, (x, 0.0, z), **more)


TABLE = {"box": [3.0, 3.0, 0.2]}
CASES: dict[str, tuple[list[dict[str, Any]], int, int, int]] = {
    # bodies of the scene; free bodies, pairs and points of the group
    "ball on a floor": ([floor(), ball("ball", (0, 0, 0.1005))], 1, 1, 1),
    "box on a floor": ([floor(), box("box", 0.0505, orientation=TURN)], 1, 1, 4),
    "box on a box": ([floor(), box("low", 0.0505), box("high", 0.151, orientation=ACROSS)], 2, 2, 8),
    "two boxes under one": ([floor(), box("l", 0.0505, -0.25), box("r", 0.0505, 0.25), box("t", 0.151)], 3, 4, 16),
    "box on a ball": ([floor(), ball("ball", (0, 0, 0.1005)), box("box", 0.251)], 2, 2, 2),
}


def group_of(name: str) -> Group:
    return resting(*CASES[name][0], envelope=ENVELOPE)


@pytest.mark.parametrize("name", list(CASES))
def test_bodies_pairs_and_points(name: str) -> None:
    _, free, pairs, points = CASES[name]
    group = group_of(name)
    work = group.work
    assert (group.bodies, int(work.sizes[wk.PAIRS_HELD]), group.points) == (free, pairs, points)
    assert sorted(work.body[:free]) == [i for i, b in enumerate(group.world.scene.bodies) if b.motion == "free"]
    assert [group.state.members[i, s.LOCAL] for i in work.body[:free]] == list(range(free))
    rows = work.pair[:pairs]
    assert (group.state.links[rows, s.PAIR_STATE] == s.PAIR_HELD).all()
    assert set(work.contact[:points, wk.ROW]) == set(rows)
    assert work.sizes[wk.NEEDED] == points + correction_rows(pairs) == points + pairs * wk.CORRECTIONS
    # A place on each side, but for the floor, which answers to nothing.
    for k in range(points):
        row = work.contact[k, wk.ROW]
        for side, end in ((wk.SIDE_A, s.BODY_A), (wk.SIDE_B, s.BODY_B)):
            i = group.state.links[row, end]
            assert work.contact[k, side] == (group.state.members[i, s.LOCAL] if i else -1)


@pytest.mark.parametrize("name", list(CASES))
def test_a_points_own_block_is_that_of_the_whole_matrix(name: str) -> None:
    group = group_of(name)
    J = jacobian(group.work)
    A = J @ inverse_mass(group.work) @ J.T
    for k in range(group.points):
        own = A[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        d_nn, d_n1, d_n2, d_11, d_12, d_22 = group.work.contacts[k, wk.D_NN : wk.D_NN + 6]
        assert own == pytest.approx(np.array([[d_nn, d_n1, d_n2], [d_n1, d_11, d_12], [d_n2, d_12, d_22]]), abs=1e-9)
        assert group.work.contacts[k, wk.NORMAL_MASS] == pytest.approx(1.0 / own[0, 0])
        assert group.work.contacts[k, wk.D_MAX] == pytest.approx(np.linalg.eigvalsh(own[1:, 1:]).max())


def test_frames_arms_and_gaps_of_a_box_that_lies_turned() -> None:
    group = group_of("box on a floor")
    axes = group.column(wk.NORMAL_AT, 9).reshape(-1, 3, 3)
    assert axes @ axes.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(3), (4, 1, 1)), abs=1e-12)
    # From b to a, and the floor is a.
    assert axes[:, 0] == pytest.approx(np.tile([0.0, 0.0, -1.0], (4, 1)))
    assert np.cross(axes[:, 0], axes[:, 1]) == pytest.approx(axes[:, 2])
    assert group.note(wk.GAP_AT) == pytest.approx(np.full(4, 5e-4), abs=1e-12)
    corners = np.array([[x, y, -0.05] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]) @ TURNED.as_matrix().T
    found = group.note(wk.POINT, 3) - [0.0, 0.0, 0.0505]
    for corner in corners:  # against what answers to nothing, the point is the box's own
        assert np.linalg.norm(found - corner, axis=1).min() < 1e-9
    arms = group.column(wk.ARM_B, 9).reshape(-1, 3, 3)
    assert arms == pytest.approx(np.cross(found[:, None, :], axes), abs=1e-12)


def test_inverse_inertia_is_turned_with_the_body() -> None:
    group = group_of("box on a floor")
    own = np.diag(group.model.bodies[1, INV_MOMENTS : INV_MOMENTS + 3])
    # Principal axes are the box's own here, in some order: the tensor's turn about z is the authored one.
    found = group.body(wk.INV_I, 9).reshape(3, 3)
    assert np.linalg.eigvalsh(found) == pytest.approx(np.sort(np.diag(own)))
    back = TURNED.as_matrix().T @ found @ TURNED.as_matrix()
    mass = 1.0 / group.work.twists[0, wk.INV_M]
    sides = np.array(BOX["box"])
    assert back == pytest.approx(np.diag(12.0 / (mass * (np.sum(sides**2) - sides**2))), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("x", "rate"), [(0.5, 2.0), (-1.0, 2.0), (0.5, 0.0)])
def test_what_lies_on_a_platter_is_told_how_it_moves(x: float, rate: float) -> None:
    motion = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    table = body("table", TABLE, (0, 0, -0.1), motion=motion)
    group = resting(table, box("box", 0.0505, x, velocity=[0.0, rate * x, 0.0]), envelope=ENVELOPE)
    axes = group.column(wk.NORMAL_AT, 9).reshape(-1, 3, 3)
    velocity = np.cross([0.0, 0.0, rate], group.note(wk.POINT, 3))
    assert group.column(wk.PRESCRIBED, 3) == pytest.approx(np.einsum("kac,kc->ka", axes, velocity), abs=1e-9)
    assert group.work.sizes[wk.GROUNDED] == 1 and group.work.sizes[wk.DRIVEN_HERE] == int(rate != 0.0)


@pytest.mark.parametrize(("gap", "taken"), [(0.5, True), (1.2, True), (CONTACT_REACH + 0.5, False)])
def test_what_is_further_apart_than_the_reach_of_a_contact_is_none(gap: float, taken: bool) -> None:
    """A second box is moved off the first: the next gathering lets it go, and says so."""
    group = group_of("box on a box")
    high = group.world.row("high")
    group.state.arcs[high, s.POSITION + 2] += (gap - 0.5) * ENVELOPE
    group.state.pairs[:, s.CHECKED] = -1.0
    again = gathered(group.world)
    assert int(again.work.sizes[wk.PAIRS_HELD]) == (2 if taken else 1)
