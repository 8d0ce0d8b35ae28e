"""The impulses of a step: weights are carried, friction holds or slides, nothing closes, couples resist."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.bodies import fly_to_middle
from engine.group.books import book_points
from engine.group.relative_velocity import apply_at
from engine.group.solve.arrest import arrest
from engine.group.solve.corrections import sweep_corrections
from engine.group.solve.gauss_seidel import sweep_budget, sweep_impulses
from engine.group.solve.impulses import least_change, limit_impulses, solve_step
from engine.model import state as s
from engine.model.model import NEWTON, ROLLING, SOLVER, SPINNING, SWEEPS
from engine.model.state import CAUSES
from engine.tolerances import MOST_MISS, SOLVE_SWEEPS
from tests.groups import G, Group, H, inverse_mass, jacobian, resting
from tests.scenes import ball, body, floor

pytestmark = pytest.mark.plain
ENVELOPE = 1e-3
BOX = {"box": [0.2, 0.2, 0.1]}
SMALL = 1e-10


def solve(group: Group, directly: bool = False) -> int:
    """By sweeps, or where that is asked for by Newton's method."""
    group.model.settings[SOLVER] = NEWTON if directly else SWEEPS
    return solve_step(group.model, group.state, group.work, 0.0, H, False, least_change(group.model.settings))


def tower(n: int) -> list[dict[str, Any]]:
    return [body(f"b{k}", BOX, (0.0, 0.0, 0.05 + 5e-4 + k * 0.1005)) for k in range(n)]


def borne_by_floor(group: Group) -> np.ndarray:
    on_floor = group.work.contact[: group.points, wk.SIDE_A] < 0
    return -group.forces()[on_floor].sum(axis=0)  # on the boxes


@pytest.mark.parametrize("directly", [False, True])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_floor_bears_the_weight(n: int, directly: bool) -> None:
    group = resting(floor(), *tower(n), envelope=ENVELOPE)
    solve(group, directly)
    weight = G * sum(1.0 / group.work.twists[at, wk.INV_M] for at in range(n))
    # A budget of sweeps from nothing leaves a stack of five to the steps that follow.
    share = 1e-3 if directly or n < 5 else 1e-2
    assert borne_by_floor(group) == pytest.approx([0.0, 0.0, weight], abs=share * weight)
    assert np.abs(group.body(wk.V_END)).max() < 0.1 * share
    # Of the ways to share the load Newton's method finds the even one; sweeps prefer those that come first a little.
    on_floor = group.work.contact[: group.points, wk.SIDE_A] < 0
    loads = group.column(wk.IMPULSE_AT)[on_floor]
    assert loads == pytest.approx(np.full(4, loads.mean()), rel=0.02 if directly else 0.1)


@pytest.mark.parametrize("directly", [False, True])
@pytest.mark.parametrize(
    ("mu", "speed", "end"),
    [
        (0.5, 0.0, 0.0),
        (0.5, 1.0, 1.0 - 0.5 * G * H),
        (0.2, 1.0, 1.0 - 0.2 * G * H),
        (0.0, 1.0, 1.0),
        (0.5, 0.4 * G * H, 0.0),  # slow enough to be stopped within the step
    ],
)
def test_friction_holds_or_brakes(mu: float, speed: float, end: float, directly: bool) -> None:
    across = np.array([0.6, 0.8, 0.0])
    box = body("box", BOX, (0, 0, 0.0505), velocity=(speed * across).tolist())
    group = resting(floor(), box, envelope=ENVELOPE, friction=mu)
    solve(group, directly)
    # A tall box tips a little as it is braked: the middle of its base is what friction acts on.
    centre, spin = group.body(wk.V_END)[0], group.body(wk.W_END)[0]
    base = centre + np.cross(spin, [0.0, 0.0, -0.05])
    assert base @ across == pytest.approx(end, abs=2e-3 * G * H)
    p = group.column(wk.IMPULSE_AT, 3)
    sizes = np.hypot(p[:, 1], p[:, 2])
    assert (sizes <= mu * p[:, 0] * (1 + 1e-9) + 1e-15).all()
    if end > 0.0 and mu > 0.0:
        assert sizes == pytest.approx(mu * p[:, 0], rel=1e-6)


@pytest.mark.parametrize(("degrees", "slides"), [(20.0, False), (26.0, False), (27.0, True), (40.0, True)])
def test_on_a_slope_it_slides_beyond_the_angle_of_friction(degrees: float, slides: bool) -> None:
    """Of 26.57 degrees, at mu = 1/2."""
    slope = np.radians(degrees)
    pull = (G * float(np.sin(slope)), 0.0, -G * float(np.cos(slope)))
    flat = {"box": [0.4, 0.4, 0.02]}
    group = resting(floor(), body("box", flat, (0, 0, 0.0105)), envelope=ENVELOPE, friction=0.5, gravity=pull)
    solve(group)
    expected = G * H * (np.sin(slope) - 0.5 * np.cos(slope)) if slides else 0.0
    assert group.body(wk.V_END)[0, 0] == pytest.approx(expected, abs=2e-4 * G * H)


@pytest.mark.parametrize("gap", [0.1, 0.5, 0.9])
def test_velocities_keep_the_gap_in_its_band(gap: float) -> None:
    group = resting(floor(), body("box", BOX, (0, 0, 0.05 + gap * ENVELOPE)), envelope=ENVELOPE)
    solve(group)
    u = (jacobian(group.work) @ np.concatenate([group.body(wk.V_END), group.body(wk.W_END)], axis=1).ravel())[::3]
    allowed = -max(gap - 0.75, 0.0) * ENVELOPE / H
    assert (u >= 2 * allowed - 1e-6).all()  # the gap goes with the mean of the velocities
    pseudo = group.body(wk.V_PSEUDO)[0, 2]
    assert pseudo == pytest.approx(max(0.25 - gap, 0.0) * ENVELOPE / H, rel=1e-3, abs=1e-9)


def test_what_flies_into_a_contact_is_arrested_at_once() -> None:
    group = resting(floor(), body("box", BOX, (0, 0, 0.0505)), envelope=ENVELOPE)
    group.work.twists[0, wk.V + 2] = -0.1
    solve(group)
    assert group.work.twists[0, wk.V + 2] == pytest.approx(0.0, abs=1e-3 * 0.1)
    assert group.work.twists[0, wk.V_END + 2] == pytest.approx(0.0, abs=1e-3 * 0.1)


def test_an_arrest_of_many_leaves_what_it_does_not_reach_as_it_is() -> None:
    """Two of many boxes on heavy blocks come in with one edge, one of them no faster than gaps need know; the other is
    stopped at all of its corners."""
    slab = body("slab", {"box": [4.0, 4.0, 0.1]}, (0, 0, 0.0505), mass=1e8)
    places = [(0.5 * i - 1.5, 0.5 * j - 1.5) for i in range(7) for j in range(2)]
    blocks = [body(f"block{k}", BOX, (x, y, 0.151), mass=1e8) for k, (x, y) in enumerate(places)]
    boxes = [body(f"box{k}", BOX, (x, y, 0.2515), mass=1.0) for k, (x, y) in enumerate(places)]
    group = resting(floor(), slab, *blocks, *boxes, envelope=ENVELOPE)
    work, least = group.work, least_change(group.model.settings)
    assert sweep_budget(group.points) == SOLVE_SWEEPS, "they are many"
    hit, other = np.argsort(work.body[: group.bodies])[[-1, -8]]
    slow = 0.5 * MOST_MISS * ENVELOPE / H
    assert slow > 10.0 * least
    for at, speed in ((hit, 0.1), (other, slow)):
        work.twists[at, wk.V + 2], work.twists[at, wk.W] = -0.5 * speed, 5.0 * speed
    before = group.body(wk.V, 6).copy()
    arrest(group.model, group.state, work, H, least)
    after = group.body(wk.V, 6)
    assert np.array_equal(after[other], before[other])
    u = (jacobian(work) @ after.ravel())[::3]
    of_hit = np.any(work.contact[: group.points, [wk.SIDE_A, wk.SIDE_B]] == hit, axis=1)
    assert of_hit.sum() == 4
    assert (u[of_hit] > -10.0 * least).all()
    assert before[hit] @ before[hit] > after[hit] @ after[hit] > 0.0


def test_sweeps_meet_signorini_and_coulomb_by_matrices_made_here() -> None:
    """Velocities are those of the impulses; a load only where nothing leaves; friction in its cone, against sliding."""
    group = resting(floor(), *tower(2), envelope=ENVELOPE, friction=0.4)
    work, m = group.work, group.points
    work.twists[: group.bodies, wk.V_END] = [0.02, 0.3]
    work.twists[: group.bodies, wk.V_END + 2] = -G * H
    free = np.concatenate([group.body(wk.V_END), group.body(wk.W_END)], axis=1).ravel().copy()
    work.contacts[:m, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = 0.0
    work.contacts[:m, wk.TARGET] = 0.0
    assert sweep_impulses(work, 2000, 1e-9)[0] < 2000
    J, p = jacobian(work), group.column(wk.IMPULSE_AT, 3)
    v = free + inverse_mass(work) @ J.T @ p.ravel()
    assert np.concatenate([group.body(wk.V_END), group.body(wk.W_END)], axis=1).ravel() == pytest.approx(v, abs=1e-9)
    u = (J @ v).reshape(m, 3)
    assert (u[:, 0] > -1e-8).all() and (p[:, 0] >= 0.0).all()
    assert np.abs(u[:, 0] * p[:, 0]).max() < 1e-8
    sliding = np.hypot(u[:, 1], u[:, 2]) > 1e-6
    drag = np.hypot(p[:, 1], p[:, 2])
    assert (drag <= 0.4 * p[:, 0] + 1e-12).all()
    loaded = sliding & (p[:, 0] > 1e-6)
    assert loaded.any()
    assert drag[loaded] == pytest.approx(0.4 * p[loaded, 0], rel=1e-6)
    assert (np.einsum("ka,ka->k", p[loaded, 1:], u[loaded, 1:]) < 0.0).all()


def test_corrections_lift_what_has_sunk_and_press_nothing_down() -> None:
    group = resting(floor(), *tower(2), envelope=ENVELOPE)
    work, m = group.work, group.points
    wanted = np.where(np.arange(m) % 3 == 0, 0.02, -0.5)
    work.contacts[:m, wk.PSEUDO_TARGET] = wanted
    work.contacts[:m, wk.PSEUDO_IMPULSE] = 0.0
    work.twists[: group.bodies, wk.V_PSEUDO : wk.V_PSEUDO + 6] = 0.0
    assert sweep_corrections(work, m, 5000, SMALL)
    u = (jacobian(work) @ np.concatenate([group.body(wk.V_PSEUDO), group.body(wk.W_PSEUDO)], axis=1).ravel())[::3]
    p = group.column(wk.PSEUDO_IMPULSE)
    assert (p >= 0.0).all() and (u >= wanted - 1e-7).all()
    assert np.abs(p * (u - wanted)).max() < 1e-8


@pytest.mark.parametrize(("resistance", "stops"), [(0.0, False), (0.001, False), (0.05, True)])
def test_a_couple_resists_spinning_as_far_as_its_load_allows(resistance: float, stops: bool) -> None:
    """A ball that spins about its contact's normal, for a torque of lever times load."""
    spin = 0.5
    marble = ball("ball", (0, 0, 0.1005), radius=0.1, angular_velocity=[0.0, 0.0, spin])
    group = resting(floor(), marble, envelope=ENVELOPE)
    group.state.pairs[:, [s.PAIR_SURFACE + ROLLING, s.PAIR_SURFACE + SPINNING]] = resistance
    solve(group)
    mass = 1.0 / group.work.twists[0, wk.INV_M]
    braked = resistance * mass * G * H / (0.4 * mass * 0.1**2)
    assert (braked > spin) == stops
    end = group.work.twists[0, wk.W_END + 2]
    if stops:  # sweeps end when velocities at points no longer change: what is left is for the steps to come
        assert 0.0 <= end < 0.25 * spin
    else:
        assert end == pytest.approx(spin - braked, abs=1e-6 * spin)


def test_impulses_that_would_make_energy_are_smaller_all_alike() -> None:
    """A tenth more than what bears the box would throw it up: it is borne by what takes nothing."""
    group = resting(floor(), body("box", BOX, (0.0, 0.0, 0.05 + 5e-4)), envelope=ENVELOPE)
    work = group.work
    solve(group)
    fly_to_middle(group.model.bodies, work, 0, H)
    fair = work.contacts[: group.points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3].copy()
    work.contacts[: group.points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] *= 1.1
    for k in range(group.points):
        p = work.contacts[k, wk.IMPULSE_AT : wk.IMPULSE_AT + 3]
        apply_at(work.twists, work.contact, work.contacts, k, *p, wk.V_END)
    book_points(work)
    lost = slice(wk.LOST, wk.LOST + CAUSES)
    assert work.notes[: group.points, lost].sum() < 0.0
    limit_impulses(group.model.bodies, work)
    assert work.notes[: group.points, lost].sum() == pytest.approx(0.0, abs=1e-12)
    assert work.contacts[: group.points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] == pytest.approx(fair, rel=1e-6)
    weight = G / work.twists[0, wk.INV_M]
    assert work.twists[0, wk.V_END + 2] == pytest.approx(0.5 * H * weight * work.twists[0, wk.INV_M], rel=1e-6)
