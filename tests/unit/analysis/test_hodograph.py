"""The path of u through a collision: it is that of the engine's own integrator, and belongs to the recorded event."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.analysis.hodograph import Hit, look_at_hit, matrix_of, trace_hodograph
from engine.impulse.integration import integrate_collision
from engine.recording.events import EVENT_KINDS
from engine.scene.reading import parse_scene

COLLISION = EVENT_KINDS.index("collision")
K = (3.0, 2.0, 4.0, 0.5, 1.4, 0.2)


def hit_of(k=K, u=(1.0, 0.3, -1.0), mu=0.3, e=0.5) -> Hit:
    p, then, *_ = integrate_collision(k, u, mu, mu, e)
    nothing = np.zeros((2, 6))
    return Hit(k, u, then, p, mu, mu, e, nothing, nothing)


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.3, 0.8])
def test_the_path_leads_from_u_to_where_the_engine_ends(mu: float) -> None:
    hit = hit_of(mu=mu)
    shown = trace_hodograph(hit)
    assert shown is not None and hit.is_alone
    assert np.allclose(shown.u[0], hit.u) and np.allclose(shown.p[0], 0.0)
    assert np.all(np.diff(shown.p[:, 2]) > 0.0)
    away = np.linalg.norm(shown.u - hit.u_after, axis=1).min()
    assert away < 0.02 * np.linalg.norm(hit.u)
    assert np.allclose(shown.ends["Stronge"], hit.u_after)
    assert shown.u[shown.compressed - 1, 2] < 0.0 <= shown.u[shown.compressed, 2] + 1e-9


def test_without_friction_all_three_laws_end_alike() -> None:
    shown = trace_hodograph(hit_of(mu=0.0, k=(3.0, 2.0, 4.0, 0.0, 0.0, 0.0)))
    assert shown is not None
    for end in shown.ends.values():
        assert np.allclose(end, (1.0, 0.3, 0.5), atol=1e-7)


def test_newton_ends_at_e_times_the_approach_and_poisson_at_his_impulse() -> None:
    hit = hit_of((3.0, 2.0, 4.0, 0.5, 2.5, 0.2), (-0.6, 0.1, -1.0), 0.6)
    shown = trace_hodograph(hit)
    assert shown is not None
    assert shown.ends["Newton"][2] == pytest.approx(0.5)
    squeeze = integrate_collision(hit.k, hit.u, 0.6, 0.6, 0.0)[0]
    p = np.linalg.solve(matrix_of(hit.k), np.subtract(shown.ends["Poisson"], hit.u))
    assert p[2] == pytest.approx(1.5 * squeeze[2])
    spread = np.ptp(list(shown.ends.values()), axis=0)
    assert spread[2] > 1e-3, "with friction and a skew K the laws differ"


def test_sliding_along_a_ray_goes_on_along_it() -> None:
    hit = hit_of(mu=0.2)
    shown = trace_hodograph(hit)
    assert shown is not None and shown.rays
    for x, y, grows in shown.rays:
        p, u, *_ = integrate_collision(hit.k, (5.0 * x, 5.0 * y, -0.5), 0.2, 0.2, 0.0)
        assert abs(x * u[1] - y * u[0]) < 1e-6
        assert (x * u[0] + y * u[1] > 5.0) == grows


SCENE = """
format = 1
[world]
contact = "impulse"
[material.m]
friction = 0.4
restitution = 0.6
[[body]]
name = "floor"
motion = "fixed"
shape = { plane = {} }
material = "m"
[[body]]
name = "ball"
material = "m"
mass = 2
shape = { sphere = { radius = 0.1 } }
position = [0, 0, 0.3]
velocity = [1, 0, 0]
"""


def test_k_and_u_of_a_recorded_collision_give_its_impulse() -> None:
    world = World(parse_scene(SCENE.encode(), "ball.toml"))
    before = world.snapshot()
    while world.advance_events() and world.counters["collisions"] == 0:
        before = world.snapshot() if world.counters["collisions"] == 0 else before
    events = world.events()
    event = events[events["kind"] == COLLISION][0]
    hit = look_at_hit(world.model, before.state, world.snapshot().state, event)
    assert hit is not None and hit.is_alone
    assert hit.p == pytest.approx(integrate_collision(hit.k, hit.u, 0.4, 0.4, 0.6)[0])
    assert hit.u_after == pytest.approx(np.add(hit.u, matrix_of(hit.k) @ hit.p))
    assert np.allclose(hit.after[1 if event["body_b"] else 0], world.twists()[1])
