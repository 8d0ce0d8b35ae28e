"""Impulses of a group by Newton's method: Coulomb's law holds, velocities follow from them, and loads are shared."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.desk import make_desk
from engine.group import work as wk
from engine.group.gather import gather_group
from engine.group.solve.gauss_seidel import sweep_budget, sweep_impulses
from engine.group.solve.newton import _solve_impulses, find_impulses
from engine.group.solve.ordering import order_bodies
from engine.group.work import Work
from engine.model import state as s
from engine.model.model import MASS
from engine.scene.schema import Scene
from engine.tolerances import SOLVE_ROUGH, SOLVE_SWEEPS, SWEEPS_BETWEEN
from tests.groups import inverse_mass, jacobian

pytestmark = pytest.mark.plain
H = 1.0 / 240.0
G = 9.81
SMALL = 1e-8


def gathered(bodies: list[dict[str, object]], mu: float = 0.5) -> tuple[World, Work]:
    """The group of all free bodies, that lie on the ground and on each other, at t = 0; velocities as after a fall."""
    ground = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}}
    material = {"stuff": {"friction": mu, "density": 500.0}}
    for body in bodies:
        body["material"] = "stuff"
    scene = {"format": 1, "title": "t", "world": {"contact": "hybrid"}, "material": material, "body": [ground, *bodies]}
    world = World(Scene.model_validate(scene))
    desk = make_desk(len(world.names), world.model.joints, points=8192)
    world._desk = desk
    while world._state.members[:, s.MEMBERS].max() < len(bodies):
        world._run(0.0, 1)
    leader = int(np.argmax(world._state.members[:, s.MEMBERS]))
    work = desk.work
    gather_group(world.model, world._state, work, desk.log, desk.log_size, leader, 0.0, False)
    order_bodies(world.model, world._state, work)
    work.sizes[wk.BY_NEWTON] = 1
    work.twists[: work.sizes[wk.BODIES], wk.V_END + 2] = -G * H
    work.contacts[: work.sizes[wk.CONTACTS], wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = 0.0
    work.contacts[: work.sizes[wk.CONTACTS], wk.TARGET] = 0.0
    return world, work


def wall(n: int) -> list[dict[str, object]]:
    """n rows of n bricks, every other row shifted by half a brick and ended by halves."""
    bricks: list[dict[str, object]] = []
    for row in range(n):
        ends = [0.1] + (n - 1) * [0.2] + [0.1] if row % 2 else n * [0.2]
        x = 0.0
        for k, length in enumerate(ends):
            at = [x + 0.5 * length, 0.0, 0.1 * (row + 0.5) + 1e-4 * (row + 1)]
            bricks.append({"name": f"b{row}-{k}", "shape": {"box": [length - 2e-4, 0.1, 0.1]}, "position": at})
            x += length
    return bricks


def assert_coulomb(work: Work, mu: float) -> None:
    """What `find_impulses` left meets the law of Coulomb, by matrices that are made here."""
    m = int(work.sizes[wk.CONTACTS])
    n = int(work.sizes[wk.BODIES])
    free = np.zeros((n, 6))
    free[:, 2] = -G * H
    p = work.contacts[:m, wk.IMPULSE_AT : wk.IMPULSE_AT + 3]
    J = jacobian(work)
    v = free.ravel() + inverse_mass(work) @ J.T @ p.ravel()
    assert np.abs(work.twists[:n, wk.V_END : wk.V_END + 6].ravel() - v).max() < 1e-12
    u = (J @ v).reshape(m, 3)
    tight = 100.0 * SMALL
    assert p[:, 0].min() >= 0.0
    assert u[:, 0].min() > -tight
    assert np.abs(u[p[:, 0] > 1e-6 * p[:, 0].max(), 0]).max() < tight
    rubs = np.linalg.norm(p[:, 1:], axis=1)
    assert (rubs <= mu * p[:, 0] * (1.0 + 1e-9) + 1e-15).all()
    slips = np.linalg.norm(u[:, 1:], axis=1)
    assert slips[rubs < 0.999 * mu * p[:, 0]].max(initial=0.0) < tight


@pytest.mark.parametrize("n", [2, 6])
def test_the_impulses_of_a_wall_meet_coulombs_law(n: int) -> None:
    world, work = gathered(wall(n))
    assert work.sizes[wk.ENTRIES_NEEDED] > 0
    sweeps = find_impulses(world.model, work, SMALL, 0)
    assert sweeps < 100
    assert_coulomb(work, 0.5)
    below = np.flatnonzero((work.contact[: work.sizes[wk.CONTACTS], : wk.SIDE_B + 1] < 0).any(axis=1))
    weight = G * H * world.model.bodies[:, MASS].sum()
    assert work.contacts[below, wk.IMPULSE_AT].sum() == pytest.approx(weight, rel=1e-6)


def test_a_solve_has_one_budget_of_sweeps() -> None:
    """What a search has taken before its points were moved is taken from what is left; a few sweeps always are."""
    taken = []
    for spent in (0, 10, 1000):
        world, work = gathered(wall(6))
        work.sizes[wk.BY_NEWTON] = 0
        taken.append(find_impulses(world.model, work, 4e-4, spent))
    budget = sweep_budget(int(work.sizes[wk.CONTACTS]))
    assert taken == [budget, budget - 10, SWEEPS_BETWEEN]


@pytest.mark.parametrize("small", [1e-6, 1e-7])
def test_beyond_its_budget_a_solve_goes_on_until_it_is_roughly_found(small: float) -> None:
    world, work = gathered(wall(6))
    work.sizes[wk.BY_NEWTON] = 0
    budget = sweep_budget(int(work.sizes[wk.CONTACTS]))
    assert find_impulses(world.model, work, small, 0) > budget
    assert sweep_impulses(work, 1, 0.0)[1] <= 2.0 * SOLVE_ROUGH * small


def test_nor_does_it_go_on_for_ever() -> None:
    """What has no end is given up: a sweep for each link of the longest chain, SOLVE_SWEEPS times."""
    world, work = gathered(wall(6))
    work.sizes[wk.BY_NEWTON] = 0
    budget = sweep_budget(int(work.sizes[wk.CONTACTS]))
    assert find_impulses(world.model, work, 0.0, 0) <= budget + SOLVE_SWEEPS * work.sizes[wk.CHAIN]


def test_what_slides_is_not_lifted() -> None:
    """A box at 2 m/s: friction is mu times the load, against the motion, and it does not rise."""
    world, work = gathered([{"name": "box", "shape": {"box": [0.2, 0.2, 0.05]}, "position": [0, 0, 0.0251]}], mu=0.3)
    work.twists[0, wk.V_END] = 2.0
    find_impulses(world.model, work, SMALL, 0)
    push = G * H * float(world.model.bodies[world.row("box"), MASS])
    v = work.twists[0, wk.V_END : wk.V_END + 3]
    assert work.contacts[: work.sizes[wk.CONTACTS], wk.IMPULSE_AT].sum() == pytest.approx(push, rel=1e-6)
    assert v == pytest.approx([2.0 - 0.3 * G * H, 0.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_a_round_comes_to_an_end_whatever_has_slid(seed: int) -> None:
    """Friction opposes a part of the slip before, too, which hangs on the slip after: not within a round."""
    world, work = gathered(wall(2), mu=0.3)
    draw = np.random.default_rng(seed)
    n, points = work.sizes[wk.BODIES], work.sizes[wk.CONTACTS]
    work.twists[:n, wk.V_END : wk.V_END + 6] += 0.02 * draw.normal(size=(n, 6))
    work.notes[:points, wk.SLIP : wk.SLIP + 2] = 0.03 * draw.normal(size=(points, 2))
    work.contact[:points, wk.SLIDES] = 1
    assert _solve_impulses(world.model, work, 1e4, SMALL)


def test_loads_that_are_not_unique_are_shared_equally() -> None:
    """A box lies on four corners: found from nothing, each bears a quarter."""
    world, work = gathered([{"name": "box", "shape": {"box": [0.3, 0.2, 0.1]}, "position": [0, 0, 0.0501]}])
    find_impulses(world.model, work, SMALL, 0)
    loads = work.contacts[:4, wk.IMPULSE_AT]
    assert work.sizes[wk.CONTACTS] == 4
    assert loads == pytest.approx(np.full(4, loads.mean()), rel=1e-3)


def test_the_matrix_of_a_stack_is_a_band() -> None:
    """In the order of Cuthill and McKee each body of a stack is coupled to the one before it only."""
    boxes = [
        {"name": f"b{k}", "shape": {"box": [0.2, 0.2, 0.1]}, "position": [0, 0, 0.1 * (k + 0.5) + 1e-4 * (k + 1)]}
        for k in (3, 0, 4, 1, 2)
    ]
    _, work = gathered([dict(box) for box in boxes])
    own, coupled = 6 * 7 // 2, 36
    assert work.sizes[wk.ENTRIES_NEEDED] == 5 * own + 4 * coupled
