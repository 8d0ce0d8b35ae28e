"""Few contacts that collide at once: their matrix, and what Newton's method makes of it, against gradients alone."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.impulse import cluster as cl
from engine.impulse import simultaneous
from engine.impulse.cluster import hold_joints, push, velocity_at
from engine.impulse.newton import velocities_with, velocity_with, weigh
from engine.model.model import SIMULTANEOUS
from engine.scene.schema import Scene
from tests.clusters import Floats, add_body, add_contact, new_cluster, random_cluster, reset, run_law
from tests.linkages import joint, rod
from tests.scenes import floor

pytestmark = pytest.mark.plain


def velocities(c: cl.Cluster) -> Floats:
    """u of all contacts (m, 3)."""
    return np.array([velocity_at(c, k, cl.V) for k in range(c.sizes[cl.CONTACTS])])


def test_the_matrix_is_what_pushes_do() -> None:
    rng = np.random.default_rng(11)
    c = new_cluster()
    for _ in range(20):
        random_cluster(rng, c)
        count = int(c.sizes[cl.CONTACTS])
        weigh(c, 0, count)
        c.contacts[:count, cl.P : cl.P + 3] = rng.normal(size=(count, 3))
        velocities_with(c, 0, count, cl.P)
        seen = np.array([velocity_with(c, 0, k) for k in range(count)])
        for k in range(count):
            push(c, k, tuple(c.contacts[k, cl.P : cl.P + 3]))
        hold_joints(c, 0, count)
        np.testing.assert_allclose(seen, velocities(c), rtol=0.0, atol=1e-11 * np.abs(seen).max())
        reset(c)


def test_newton_ends_where_gradients_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the impact all contacts move alike, but for what a thousand iterations leave."""
    rng = np.random.default_rng(5)
    c = new_cluster()
    off = []
    for _ in range(40):
        random_cluster(rng, c)
        run_law(c, SIMULTANEOUS)
        ours = velocities(c)
        reset(c)
        with monkeypatch.context() as patch:
            patch.setattr(simultaneous, "are_few", lambda _first, _end: False)
            run_law(c, SIMULTANEOUS)
        theirs = velocities(c)
        off.append(np.abs(ours - theirs).max() / np.abs(theirs).max())
    assert np.median(off) < 1e-8
    assert max(off) < 1e-2, "friction may have more than one answer, but hardly another outcome"


def test_a_box_that_lands_flat_is_known_after_one_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four corners, friction, spin: nine iterations, of which the ninth finds nothing missing."""
    c = new_cluster()
    rng = np.random.default_rng(2)
    improved = []
    improve = simultaneous._improve

    def counted(
        c: cl.Cluster, k: int, u: tuple[float, float, float], bounds: tuple[float, float]
    ) -> tuple[float, float, float]:
        improved.append(k)
        return improve(c, k, u, bounds)

    monkeypatch.setattr(simultaneous, "_improve", counted)
    add_body(c, 1.0, np.diag([0.02, 0.03, 0.04]), np.array([0.3, -0.2, -1.0, *rng.normal(size=3) * 0.1]))
    for x in (-0.3, 0.3):
        for y in (-0.2, 0.2):
            add_contact(c, 0, -1, np.array([0.0, 0.0, 1.0]), np.array([x, y, -0.1]), np.zeros(3), 0.4, 0.3, 0)
    reset(c)
    assert simultaneous.find_fastest(c) > 0.0
    simultaneous.solve_together(c, 0, 4, 1.0)
    assert len(improved) == 4 * 9
    u = velocities(c)
    target = c.contacts[:4, cl.TARGET]
    assert (u[:, 0] >= target - 1e-9).all()


def test_the_matrix_of_what_joints_tie_is_what_pushes_do() -> None:
    """Two rods, hinged to each other, have landed on the floor with two corners and the hinge between them."""
    bodies = [rod("left", (-0.3, 0, 0.03), (0, 0, 0.03)), rod("right", (0, 0, 0.03), (0.3, 0, 0.03))]
    hinge = joint("middle", "hinge", ["left", "right"], (0, 0, 0.03), (0, 1, 0))
    world = {"gravity": [0.0, 0.0, -9.81], "contact": "impulse"}
    ground = floor() | {"material": None}
    made = World(Scene.model_validate({"format": 1, "world": world, "body": [ground, *bodies], "joint": [hinge]}))
    c = made._desk.cluster
    while c.sizes[cl.CONTACTS] < 2:
        made.advance_events(1)
    count = int(c.sizes[cl.CONTACTS])
    for at in range(c.sizes[cl.BODIES]):
        c.place[c.body[at, cl.BODY]] = at
    assert (c.body[: c.sizes[cl.BODIES], cl.LINK] >= 0).all()
    weigh(c, 0, count)
    before = velocities(c)
    rng = np.random.default_rng(1)
    c.contacts[:count, cl.P : cl.P + 3] = rng.normal(size=(count, 3))
    velocities_with(c, 0, count, cl.P)
    seen = np.array([velocity_with(c, 0, k) for k in range(count)])
    for k in range(count):
        push(c, k, tuple(c.contacts[k, cl.P : cl.P + 3]))
    hold_joints(c, 0, count)
    np.testing.assert_allclose(seen - before, velocities(c) - before, rtol=0.0, atol=1e-9 * np.abs(seen).max())
