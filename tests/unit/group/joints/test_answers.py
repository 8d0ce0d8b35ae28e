"""What linkages answer at contact points of their group's step, against dense matrices of all bodies and joints."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.group import work as wk
from engine.group.joints.answers import apply_tied, bear_impulses, find_answers, note_ties
from engine.group.joints.linkages import add_rows_of_trees, begin_linkages
from engine.model import state as s
from engine.model.model import LONGEST_STEP
from engine.scene.schema import Scene
from tests.groups import Group, gathered
from tests.linkages import Exact, joint, rod
from tests.scenes import floor

pytestmark = pytest.mark.plain


def arch(closed: bool) -> tuple[Group, Exact]:
    """Two rods that stand on the floor, hinged at the top; closed: and tied to each other across."""
    foot = 0.011
    bodies = [rod("left", (-0.3, 0, foot), (0, 0, 0.4)), rod("right", (0, 0, 0.4), (0.3, 0, foot))]
    joints = [joint("top", "hinge", ["left", "right"], (0, 0, 0.4), (0, 1, 0))]
    if closed:
        bodies.append(rod("tie", (-0.15, 0, 0.2055), (0.15, 0, 0.2055)))
        joints.append(joint("one", "hinge", ["left", "tie"], (-0.15, 0, 0.2055), (0, 1, 0)))
        joints.append(joint("two", "hinge", ["right", "tie"], (0.15, 0, 0.2055), (0, 1, 0)))
    ground = floor() | {"material": None}
    world = {"gravity": [0.0, 0.0, -9.81], "contact": "constraint", "envelope": 0.02}
    said = Scene.model_validate({"format": 1, "world": world, "body": [ground, *bodies], "joint": joints})
    made = World(said)
    while (made._state.links[:, s.PAIR_STATE] == s.PAIR_HELD).sum() < 2:
        made._run(0.0, 1)
        assert made.time == 0.0
    exact = Exact(made, said)
    group = gathered(made)
    model, state, work = group.model, group.state, group.work
    longest = float(model.settings[LONGEST_STEP])
    begin_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, state.joints, work, longest, 0.0)
    note_ties(model.tags, model.joints, work, 0, group.points)
    assert work.sizes[wk.ANSWERS_NEEDED] <= len(work.answers)
    find_answers(model.bodies, model.tags, model.joints, work, 0, group.points)
    return group, exact


def rows_of(group: Group, exact: Exact, k: int) -> np.ndarray:
    """Rows of u at point k by all twists, (3, 6 n)."""
    work, names = group.work, group.world.names
    total = np.zeros((3, len(exact.inverse)))
    for side, sign in ((wk.SIDE_A, 1.0), (wk.SIDE_B, -1.0)):
        at = work.contact[k, side]
        if at >= 0:
            point = work.notes[k, wk.POINT : wk.POINT + 3]
            total += sign * exact.point_rows(names[work.body[at]], point)
    return np.asarray(work.contacts[k, wk.NORMAL_AT : wk.NORMAL_AT + 9].reshape(3, 3) @ total)


@pytest.mark.parametrize("closed", [False, True])
def test_an_impulse_changes_all_that_joints_tie(closed: bool) -> None:
    group, exact = arch(closed)
    work = group.work
    assert group.points > 1
    for k in range(group.points):
        rows = rows_of(group, exact, k)
        answers = exact.responses(rows)
        before = work.twists[: group.bodies, wk.V_END : wk.V_END + 6].copy()
        p = (0.3, -0.2, 0.5)
        apply_tied(group.model.joints, work, k, *p, wk.V_END)
        change = work.twists[: group.bodies, wk.V_END : wk.V_END + 6] - before
        expected = (answers @ p).reshape(-1, 6)[work.body[: group.bodies]]
        np.testing.assert_allclose(change, expected, atol=1e-10)
        d = rows @ answers
        assert work.contacts[k, wk.D_NN] == pytest.approx(d[0, 0], rel=1e-9)
        assert work.contacts[k, wk.D_NT : wk.D_NT + 2] == pytest.approx(d[0, 1:], abs=1e-9)


def test_joints_bear_what_links_do_not_take() -> None:
    """Impulses at all points: the joint's rows say what the left rod got besides its own."""
    group, exact = arch(False)
    work, model = group.work, group.model
    work.contacts[: group.points, wk.IMPULSE_AT] = 1.0
    add_rows_of_trees(model, work)
    assert bear_impulses(model.tags, model.joints, work, 0, 0.0) == 0.0
    rows = np.vstack([rows_of(group, exact, k)[:1] for k in range(group.points)])
    change = exact.responses(rows).sum(axis=1).reshape(-1, 6)
    left = group.world.names.index("left")
    own = (exact.inverse @ rows.sum(axis=0)).reshape(-1, 6)
    mass = 1.0 / exact.inverse[6 * left, 6 * left]
    given = mass * (change - own)[left, :3]
    entries = model.joints.entries[:, 0]
    side = 1.0 if entries[model.joints.joints[0, 2]] == left else -1.0
    borne = sum(work.rows[r, 19] * work.rows[r, :3] for r in range(3))
    np.testing.assert_allclose(side * np.asarray(borne), given, atol=1e-10)
