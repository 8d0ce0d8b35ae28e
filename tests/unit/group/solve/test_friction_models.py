"""Models of friction in a group's sweeps: each meets its own conditions, by matrices made here."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.friction_models import creep_speed
from engine.group.solve.impulses import least_change, solve_step
from engine.group.warm_start import store_impulses
from engine.model import model as m
from engine.scene.schema import FRICTION_MODELS
from tests.groups import G, Group, H, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
MU = 0.4
TILE = {"box": [0.3, 0.3, 0.02]}


def solved(model: str, push: tuple[float, float], pull: float = 0.0, steps: int = 1) -> Group:
    """A flat tile on the floor, pushed off and pulled along x [m/s^2], after so many searches for the same step."""
    tile = body("tile", TILE, (0, 0, 0.0105), velocity=[*push, 0.0])
    group = resting(floor(), tile, envelope=1e-3, friction=MU, gravity=(pull, 0.0, -G), friction_model=model)
    for _ in range(steps):
        solve_step(group.model, group.state, group.work, 0.0, H, 1.0, least_change(group.model.settings))
        group.work.notes[: group.points, wk.WARM] = group.column(wk.IMPULSE_AT)
        row, centre = int(group.work.contact[0, wk.ROW]), tuple(group.work.poses[0, wk.X : wk.X + 3])
        store_impulses(group.work, 0, group.points, group.state.patches, row, centre, H)
    return group


def friction(group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Loads of the points, (m,), and their friction, (m, 2) [N s]."""
    p = group.column(wk.IMPULSE_AT, 3)
    return p[:, 0], p[:, 1:]


@pytest.mark.parametrize("model", FRICTION_MODELS)
def test_friction_stays_within_its_own_bounds_and_opposes_what_slides(model: str) -> None:
    group = solved(model, (0.5, 0.2), steps=3)
    loads, p = friction(group)
    assert loads.sum() == pytest.approx(G * H / group.work.twists[0, wk.INV_M], rel=1e-3)
    sizes = np.abs(p).max(axis=1) if model == "quadratic" else np.hypot(*p.T)
    bounds = group.note(wk.LOAD_BEFORE) if model == "lotstedt" else loads
    assert sizes == pytest.approx(MU * bounds, rel=1e-6, abs=1e-12)
    v = group.body(wk.V_END)[0]
    assert v[0] < 0.5 and v[1] < 0.2
    if model == "quadratic":
        assert 0.5 - v[0] == pytest.approx(MU * G * H, rel=0.01) and 0.2 - v[1] == pytest.approx(MU * G * H, rel=0.01)
    else:
        assert np.hypot(0.5 - v[0], 0.2 - v[1]) == pytest.approx(MU * G * H, rel=0.02)


def test_lotstedts_friction_is_none_where_there_was_no_load() -> None:
    _, p = friction(solved("lotstedt", (0.5, 0.0)))
    assert not p.any()


def test_dynamic_friction_is_by_its_slip_where_that_is_slow() -> None:
    pull = 0.5 * MU * G
    group = solved("dynamic", (0.0, 0.0), pull, steps=2)
    creep = creep_speed(group.model.settings, group.model.bodies, 0, 1)
    loads, p = friction(group)
    v = group.body(wk.V_END)[0, 0]
    expected = pull * H / (1.0 + MU * G * H / creep)  # what is left once friction goes with the slip
    assert v == pytest.approx(expected, rel=0.02)
    assert np.hypot(*p.T).sum() == pytest.approx(MU * loads.sum() * v / creep, rel=0.02)


@pytest.mark.parametrize("model", ["coulomb", "lotstedt", "quadratic"])
def test_what_friction_can_hold_it_holds(model: str) -> None:
    group = solved(model, (0.0, 0.0), 0.9 * MU * G, steps=3)
    assert abs(group.body(wk.V_END)[0, 0]) < 1e-3 * G * H


def test_only_coulombs_cone_is_for_newtons_method() -> None:
    for model in FRICTION_MODELS:
        group = solved(model, (0.0, 0.0))
        assert group.model.settings[m.FRICTION_MODEL] == FRICTION_MODELS.index(model)
        assert (group.work.contact[: group.points, wk.FRICTION] == FRICTION_MODELS.index(model)).all()
