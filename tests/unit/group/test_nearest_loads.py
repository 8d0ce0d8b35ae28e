"""The loads that hold a sleeper, nearest to those before: against a general method of constrained minimisation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from engine import World
from engine.arrays import Floats
from engine.group.nearest_loads import (
    _note_others,
    _press,
    _project,
    _search,
    _step_down,
    hold,
    is_base,
    is_held_by_ground,
)
from engine.group.sleepers import net_load
from engine.group.work import BALANCE_ROWS, BEARING_WIDTH, BEARS, BORE, FACING, HELD_MU, LEVER, NET
from engine.model import state as s
from engine.tolerances import CONTACT_REACH
from tests.scenes import ball, body, floor, scene

pytestmark = pytest.mark.plain


class Tables:
    """What the kernels read of a Work."""

    def __init__(self, points: int) -> None:
        self.bearing = np.zeros((points, BEARING_WIDTH))
        self.balance = np.zeros((BALANCE_ROWS, 6))


def loaded(rng: np.random.Generator, points: int) -> tuple[Tables, Floats]:
    """A unit ball on some points, in balance, and a change of its load that some forces in the cones bear."""
    tables = Tables(points)
    normals = rng.normal(size=(points, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    mu = rng.uniform(0.2, 0.8)
    forces = []
    for _ in range(2):
        loads = rng.uniform(0.0, 2.0, points)
        across = rng.normal(size=(points, 3))
        across -= (across * normals).sum(axis=1)[:, None] * normals
        across *= (rng.uniform(0.0, mu, points) * loads / np.linalg.norm(across, axis=1))[:, None]
        forces.append(loads[:, None] * normals + across)
    tables.bearing[:, BORE : BORE + 3] = forces[0]
    tables.bearing[:, LEVER : LEVER + 3] = -normals
    tables.bearing[:, FACING : FACING + 3] = normals
    tables.bearing[:, HELD_MU] = mu
    more = forces[0] - forces[1]
    return tables, np.concatenate((more.sum(axis=0), np.cross(-normals, more).sum(axis=0)))


def found(tables: Tables, count: int, load: Floats) -> Floats:
    work, net = tables, tuple(load)
    _note_others(work, count, net[:3], net[3:])  # type: ignore[arg-type]
    value = _press(work, count)  # type: ignore[arg-type]
    for _ in range(60):
        if np.linalg.norm(work.balance[NET]) < 1e-10:
            break
        assert _step_down(work, count)  # type: ignore[arg-type]
        value = _search(work, count, value)  # type: ignore[arg-type]
    return work.bearing[:, BEARS : BEARS + 3].copy()


@pytest.mark.parametrize("seed", range(20))
def test_nearest_loads_are_those_of_a_general_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = 4 + seed % 5
    tables, load = loaded(rng, points)
    bore, levers = tables.bearing[:, BORE : BORE + 3].copy(), tables.bearing[:, LEVER : LEVER + 3]
    n, mu = tables.bearing[:, FACING : FACING + 3], tables.bearing[0, HELD_MU]
    forces = found(tables, points, load)

    def net(x: Floats) -> Floats:
        more = x.reshape(-1, 3) - bore
        return np.concatenate((more.sum(axis=0), np.cross(levers, more).sum(axis=0))) + load

    def room(x: Floats) -> Floats:
        """Twice per point: the load, and by how much friction could be more, squared."""
        f = x.reshape(-1, 3)
        loads = (f * n).sum(axis=1)
        return np.concatenate((loads, (mu * loads) ** 2 - ((f - loads[:, None] * n) ** 2).sum(axis=1)))

    assert np.abs(net(forces.ravel())).max() < 1e-9
    assert room(forces.ravel()).min() > -1e-9
    oracle = minimize(
        lambda x: 0.5 * np.sum((x - bore.ravel()) ** 2),
        forces.ravel() + rng.normal(size=3 * points) * 0.01,
        jac=lambda x: x - bore.ravel(),
        constraints=[{"type": "eq", "fun": net}, {"type": "ineq", "fun": room}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert 0.5 * np.sum((forces - bore) ** 2) <= oracle.fun + 1e-6
    assert np.abs(forces.ravel() - oracle.x).max() < 0.02  # the method stops where the sum of squares is flat


def test_projection_onto_the_cone() -> None:
    n = (0.0, 0.0, 1.0)
    assert _project((0.2, 0.0, 1.0), n, 0.5) == (0.2, 0.0, 1.0)
    assert _project((0.1, 0.0, -1.0), n, 0.5) == (0.0, 0.0, 0.0)
    assert _project((2.0, 0.0, 1.0), n, 0.5) == pytest.approx((0.8, 0.0, 1.6))


def test_what_only_pulls_is_not_held() -> None:
    """One point below a ball cannot hold it up from above."""
    tables = Tables(1)
    tables.bearing[0, LEVER : LEVER + 3] = (0.0, 0.0, -1.0)
    tables.bearing[0, FACING : FACING + 3] = (0.0, 0.0, 1.0)
    tables.bearing[0, HELD_MU] = 0.5
    _note_others(tables, 1, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))  # type: ignore[arg-type]
    value = _press(tables, 1)  # type: ignore[arg-type]
    held = True
    for _ in range(24):
        held = held and _step_down(tables, 1)  # type: ignore[arg-type]
        if not held:
            break
        value = _search(tables, 1, value)  # type: ignore[arg-type]
    assert not held


def test_a_sleeper_does_not_stand_on_what_it_is_only_near_to() -> None:
    """A busy group's contacts may be further away than what touches: they bear nothing for those who sleep."""
    world = World(scene(floor(), ball("ball", (0.0, 0.0, 0.1 + 1e-4), asleep=True)))
    world.advance_to(0.01)
    state, row = world._state, world.row("ball")
    assert world.asleep()[row]
    pair = state.first_pair[row]
    assert is_base(world.model, state, pair, row)
    state.pairs[pair, s.GAP] = 1.01 * CONTACT_REACH * state.pairs[pair, s.PAIR_ENVELOPE]
    assert not is_base(world.model, state, pair, row)


def test_what_contacts_can_bear_holds_a_sleeper() -> None:
    """The upper of two boxes is pushed down by twice its weight, or lifted by it."""
    boxes = [
        body(name, {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0501 + 0.1001 * k), mass=1.0, asleep=True)
        for k, name in enumerate(("low", "high"))
    ]
    world = World(scene(floor(), *boxes, contact="hybrid"))
    world.advance_to(0.01)
    model, state, work, row = world.model, world._state, world._desk.work, world.row("high")
    before, still = state.patches.copy(), (0.0, 0.0, 0.0)
    assert not hold(model, state, work, row, (0.0, 0.0, 20.0), still, 0.1)
    assert np.array_equal(state.patches, before)
    assert hold(model, state, work, row, (0.0, 0.0, -20.0), still, 0.1)
    force, _ = net_load(model, state, work, row, world.time, 0.0)
    assert np.linalg.norm(np.add(force, (0.0, 0.0, -20.0))) < 0.1
    assert not is_held_by_ground(model, state, work, row, (0.0, 0.0, -20.0), still, 0.1)
    net, _ = net_load(model, state, work, world.row("low"), world.time, 0.0)
    assert is_held_by_ground(model, state, work, world.row("low"), net, still, 0.1)
