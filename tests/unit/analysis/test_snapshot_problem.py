"""A world's contacts as a contact problem, against mechanics by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from engine.analysis.contact_problem import ContactProblem, jacobian
from engine.analysis.snapshot_problem import TOUCHING
from engine.collision.narrow.closest import closest
from engine.maths.quaternions import from_axis_angle, multiply
from engine.model.model import SHAPE, SIZE
from engine.motion.arcs import evolve
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.contact_problems import constrained_acceleration

GROUND = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}}
ENVELOPE = 1e-3


def problem_of(*bodies: dict[str, Any], **world: Any) -> ContactProblem:
    scene = {"format": 1, "title": "Contacts", "world": {"envelope": ENVELOPE, **world}, "body": list(bodies)}
    return World(Scene.model_validate(scene)).contact_problem()


def ball(name: str, at: list[float], radius: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": {"sphere": {"radius": radius}}, "position": at, "mass": 2.0, **more}


def test_box_on_the_ground_has_four_corners() -> None:
    brick = {"name": "brick", "shape": {"box": [0.4, 0.2, 0.1]}, "position": [1, 2, 0.0504], "mass": 3.0}
    problem = problem_of(GROUND, brick)
    assert problem.bodies.tolist() == [1]
    assert problem.rows.tolist() == [[0, 1]] * 4
    assert problem.pair.tolist() == [[-1, 0]] * 4
    np.testing.assert_allclose(problem.gap, 4e-4, atol=1e-12)
    np.testing.assert_allclose(
        sorted(map(tuple, problem.point[:, :2])), [(0.8, 1.9), (0.8, 2.1), (1.2, 1.9), (1.2, 2.1)]
    )
    np.testing.assert_allclose(problem.frame[:, 0], [(0, 0, -1)] * 4, atol=1e-12)  # from b, the brick, to a, the ground
    np.testing.assert_allclose(np.linalg.det(problem.frame), 1)
    np.testing.assert_allclose(problem.force, [(0, 0, -3.0 * 9.81, 0, 0, 0)])
    inertia = 3.0 / 12 * np.array([0.05, 0.17, 0.2])
    np.testing.assert_allclose(problem.mass[0], np.diag([3.0, 3.0, 3.0, *inertia]), atol=1e-12)


def test_what_hovers_above_the_band_does_not_touch() -> None:
    near = problem_of(GROUND, ball("ball", [0, 0, 0.5 + 0.99 * TOUCHING * ENVELOPE]))
    assert len(near.gap) == 1
    far = problem_of(GROUND, ball("ball", [0, 0, 0.5 + 1.01 * TOUCHING * ENVELOPE]))
    assert len(far.gap) == 0
    assert len(far.bodies) == 0


def test_nothing_of_the_world_is_changed() -> None:
    scene = {
        "format": 1,
        "title": "Contacts",
        "body": [GROUND, ball("ball", [0, 0, 0.5002]), ball("other", [0.3, 0, 1.4542], velocity=[1, 0, 0])],
    }
    world = World(Scene.model_validate(scene))
    world.advance_to(0.2)
    digest = world.digest
    first, second = world.contact_problem(), world.contact_problem()
    assert world.digest == digest
    for one, other in zip(first, second):
        np.testing.assert_array_equal(one, other)


def test_surfaces_of_the_pair_count() -> None:
    scene = {
        "format": 1,
        "title": "Contacts",
        "material": {"ice": {"friction": 0.1, "static_friction": 0.3, "restitution": 0.7}},
        "body": [GROUND, ball("puck", [0, 0, 0.5], material="ice")],
    }
    problem = World(Scene.model_validate(scene)).contact_problem()
    assert problem.friction == pytest.approx([0.1])
    assert problem.restitution == pytest.approx([0.7])


def test_relative_velocities_include_what_is_scripted() -> None:
    platter = {
        "name": "platter",
        "motion": {"spinner": {"axis": [0, 0, 1], "rate": 2.0}},
        "shape": {"box": [4, 4, 0.2]},
        "position": [0, 0, -0.1],
    }
    problem = problem_of(platter, ball("ball", [1.5, 0, 0.5004], velocity=[0, 1, 0], angular_velocity=[0, 0, 5]))
    u = (jacobian(problem) @ problem.velocity.reshape(-1)).reshape(-1, 3) + problem.prescribed
    world_u = problem.frame[0].T @ u[0]  # platter less ball: the platter's point goes at 3 m/s along y
    np.testing.assert_allclose(world_u, (0, 3.0 - 1.0, 0), atol=1e-12)


@pytest.mark.parametrize("spin", [0.0, 4.0])
def test_ball_over_ball_bends_by_both_radii(spin: float) -> None:
    """The centre of the upper one keeps 1.5 m from the lower one's: v² / (R + r), whatever it spins."""
    fixed = ball("hump", [0, 0, 1], 1.0, motion="fixed")
    del fixed["mass"]
    problem = problem_of(fixed, ball("ball", [0, 0, 2.5], velocity=[3, 0, 0], angular_velocity=[0, spin, spin]))
    # Seen from the ball's side, b: the gap opens by itself at v² / (R + r).
    assert problem.curvature == pytest.approx([9.0 / 1.5], rel=1e-6)
    assert constrained_acceleration(problem)[2] == pytest.approx(-9.0 / 1.5, rel=1e-6)


def test_rolling_wheel_needs_no_acceleration() -> None:
    """Its contact point moves along, and the points of the rim that pass there have their centripetal accelerations."""
    wheel = {
        "name": "wheel",
        "shape": {"cylinder": {"radius": 0.5, "length": 0.2}},
        "orientation": {"axis": [1, 0, 0], "degrees": 90},
        "position": [0, 0, 0.5003],
        "velocity": [2, 0, 0],
        "angular_velocity": [0, 4, 0],
    }
    problem = problem_of(GROUND, wheel)
    assert len(problem.gap) == 2
    np.testing.assert_allclose(problem.curvature, 0, atol=1e-4)
    assert constrained_acceleration(problem)[2] == pytest.approx(0, abs=1e-4)


def test_corner_that_a_box_turns_about_has_its_centripetal_acceleration() -> None:
    """A box on one edge, turning about it at ω: the centre falls towards the edge at ω² r and that keeps the edge."""
    tilt, side, omega = 30.0, 0.4, 1.5
    r = side / np.sqrt(2)
    up = np.deg2rad(45 + tilt)
    box = {
        "name": "box",
        "shape": {"box": [side, 1.0, side]},
        "orientation": {"axis": [0, 1, 0], "degrees": tilt},
        "position": [0, 0, r * np.sin(np.deg2rad(45 + tilt)) + 2e-4],
        "angular_velocity": [0, omega, 0],
        "velocity": [omega * r * np.sin(up), 0, -omega * r * np.cos(up)],
    }
    problem = problem_of(GROUND, box)
    assert len(problem.gap) == 2
    edge = problem.point[:, 0].mean()
    assert edge == pytest.approx(r * np.cos(up), abs=1e-6) or edge == pytest.approx(-r * np.cos(up), abs=1e-6)
    height = r * np.sin(up)
    np.testing.assert_allclose(abs(problem.curvature), omega**2 * height, rtol=1e-4)
    assert (problem.curvature > 0).all()  # turning alone would lift the edge, so the centre may fall


def test_plate_that_shakes_pushes_by_its_acceleration() -> None:
    """At the crest of its way the plate falls away at 9.87 m/s², faster than the ball can follow."""
    amplitude, frequency = 0.01, 5.0
    motion = {"direction": [0, 0, 1], "amplitude": amplitude, "frequency": frequency, "phase": pi / 2}
    plate = {
        "name": "plate",
        "motion": {"oscillator": motion},
        "shape": {"box": [1, 1, 0.1]},
        "position": [0, 0, -0.05],
    }
    problem = problem_of(plate, ball("ball", [0, 0, 0.5003 + amplitude]))
    crest = amplitude * (2 * pi * frequency) ** 2
    assert problem.curvature == pytest.approx([crest], rel=1e-6)
    assert constrained_acceleration(problem)[2] == pytest.approx(-9.81, rel=1e-9)
    slower = motion | {"frequency": 0.9 * frequency}
    problem = problem_of(plate | {"motion": {"oscillator": slower}}, ball("ball", [0, 0, 0.5003 + amplitude]))
    assert constrained_acceleration(problem)[2] == pytest.approx(-0.81 * crest, rel=1e-6)


def crossed_edges() -> World:
    """Two boxes that touch with crossing edges, the upper one spinning and sliding."""
    scene = {
        "format": 1,
        "title": "Crossed edges",
        "world": {"envelope": ENVELOPE},
        "body": [
            {
                "name": "lower",
                "shape": {"box": [1.0, 0.2, 0.2]},
                "orientation": {"axis": [1, 0, 0], "degrees": 45},
                "angular_velocity": [0.4, 0.2, -0.7],
            },
            {
                "name": "upper",
                "shape": {"box": [0.2, 1.0, 0.2]},
                "orientation": {"axis": [0, 1, 0], "degrees": 45},
                "position": [0.03, 0.02, 0.2 * 2**0.5 + 4e-4],
                "velocity": [0.5, 0.3, 0.0],
                "angular_velocity": [-1.0, 0.6, 1.1],
            },
        ],
    }
    return World(Scene.model_validate(scene))


def crossed_rims() -> World:
    """Two coins that touch rim on rim, though the face of one lies almost across what is between them."""
    poses = (
        ([-0.04789266, -0.03411976, 0.00207855], [-0.9459973407, 0.0330291932, -0.0284714582, -0.3212280808]),
        ([-0.02845467, -0.02395112, 0.00320459], [0.6033295480, -0.0062123723, 0.0140326416, 0.7973443095]),
    )
    motions = (
        ([0.05, -0.03, 0.0], [-0.0836964607, -0.6404071856, 0.0522881885]),
        ([0.0, 0.0, 0.0], [0.1474881609, 1.1771482319, 0.0172401477]),
    )
    bodies = [
        {
            "name": f"coin{k}",
            "shape": {"cylinder": {"radius": 0.01213, "length": 0.00175}},
            "position": pose[0],
            "orientation": pose[1],
            "velocity": motion[0],
            "angular_velocity": motion[1],
        }
        for k, (pose, motion) in enumerate(zip(poses, motions, strict=True))
    ]
    return World(Scene.model_validate({"format": 1, "world": {"envelope": 2e-4}, "body": bodies}))


def played(name: str, time: float) -> World:
    world = World(set_path(load_scene(name), "world.contact", "impulse"))
    world.advance_to(time)
    return world


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (crossed_edges, 1),
        (crossed_rims, 1),
        (lambda: played("coin_shower", 0.25), 8),
        (lambda: played("rattleback", 0.5), 1),
    ],
    ids=["edges", "rims", "coins", "rattleback"],
)
def test_curvature_is_the_second_derivative_of_the_gap(make: Callable[[], World], least: int) -> None:
    """Of pairs that touch at one point, seen by moving both on at their velocities and measuring."""
    world = make()
    problem, snapshot = world.contact_problem(), world.snapshot().state
    pairs, counts = np.unique(problem.rows, axis=0, return_counts=True)
    seen = 0
    for a, b in pairs[counts == 1]:
        bodies = [evolve(world.model.bodies, world.model.tags, snapshot.arcs, row, world.time) for row in (a, b)]
        u = np.subtract(bodies[0][2], bodies[1][2])
        size = float(min(world.model.bodies[[a, b], SIZE]))
        speed = float(np.linalg.norm(u) + size * sum(np.linalg.norm(body[3]) for body in bodies))
        if speed < 0.01:
            continue
        step = 2e-4 * size / speed
        gaps = [gap_after(world, bodies, (int(a), int(b)), k * step) for k in (-1, 0, 1)]
        measured = (gaps[0] - 2 * gaps[1] + gaps[2]) / step**2
        k = np.flatnonzero((problem.rows == (a, b)).all(axis=1))[0]
        assert problem.curvature[k] == pytest.approx(measured, rel=1e-4, abs=1e-4 * speed**2 / size), (a, b)
        seen += 1
    assert seen >= least


def gap_after(world: World, bodies: list[Any], rows: tuple[int, int], time: float) -> float:
    """The gap of two convex bodies that have gone on for a time at their velocities, the second's centre staying."""
    poses = []
    for (x, q, v, w), share in zip(bodies, (1.0, 0.0)):
        x = np.add(x, share * time * np.subtract(v, bodies[1][2]))
        rate = float(np.linalg.norm(w))
        if rate > 0.0:
            q = multiply(from_axis_angle(tuple(np.divide(w, rate).tolist()), rate * time), q)
        poses.append((*x.tolist(), *map(float, q)))
    shapes = [int(world.model.tags[row, SHAPE]) for row in rows]
    return float(
        closest(world.model.geometry, world.model.topology, shapes[0], poses[0], shapes[1], poses[1], -1, -1)[0]
    )
