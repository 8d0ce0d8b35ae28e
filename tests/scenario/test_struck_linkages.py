"""A linkage answers a hit with all that joints tie: by its own K, to every link, in one piece (Mirtich 1996, 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World
from engine.impulse.integration import integrate_collision
from engine.model import model as m
from engine.recording.events import EVENT_KINDS
from engine.scene.schema import Scene
from tests.linkages import joint, rod
from tests.scenes import Vector, ball, body, floats

Floats = NDArray[np.float64]
Y = (0.0, 1.0, 0.0)
NOTHING = (0.0, 0.0, 0.0)


# --- the exact impulse, by dense matrices of all bodies and all joints ---------------------------------------------


def cross_matrix(r: Floats) -> Floats:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def turn_matrix(q: Floats) -> Floats:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Exact:
    """A world's bodies and joints as it begins, at rest on their joints, and what impulses do to them."""

    def __init__(self, world: World, said: Scene) -> None:
        bodies, self.names = world.model.bodies, list(world.names)
        n = len(bodies[: len(self.names)])
        self.x, self.twists = world.poses()[:, :3], world.twists()
        self.inverse = np.zeros((6 * n, 6 * n))
        for i, pose in enumerate(world.poses()):
            turn = turn_matrix(pose[3:])  # every body here has its principal axes where it says
            self.inverse[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = bodies[i, m.INV_MASS] * np.eye(3)
            inverse = turn @ np.diag(bodies[i, m.INV_MOMENTS : m.INV_MOMENTS + 3]) @ turn.T
            self.inverse[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inverse
        rows = [self._rows(one.kind, one.bodies, np.array(one.point), one.axis) for one in said.joint]
        self.joints = np.vstack([np.zeros((0, 6 * n)), *rows])

    def _rows(self, kind: str, bodies: Sequence[str], point: Floats, axis: Any) -> Floats:
        held = self.point_rows(bodies[0], point)
        turns = self._turn_rows(bodies[0])
        if len(bodies) == 2:
            held, turns = held - self.point_rows(bodies[1], point), turns - self._turn_rows(bodies[1])
        if kind == "ball":
            return held
        if kind == "weld":
            return np.vstack([held, turns])
        across = np.linalg.svd(np.array([axis], dtype=float))[2][1:]
        return np.vstack([held, across @ turns])

    def point_rows(self, name: str, point: Floats) -> Floats:
        """(3, 6 n): velocity of a point of a body by all twists."""
        i = self.names.index(name)
        rows = np.zeros((3, len(self.inverse)))
        rows[:, 6 * i : 6 * i + 3] = np.eye(3)
        rows[:, 6 * i + 3 : 6 * i + 6] = -cross_matrix(point - self.x[i])
        return rows

    def _turn_rows(self, name: str) -> Floats:
        i = self.names.index(name)
        rows = np.zeros((3, len(self.inverse)))
        rows[:, 6 * i + 3 : 6 * i + 6] = np.eye(3)
        return rows

    def responses(self, rows: Floats) -> Floats:
        """(6 n, k): what unit impulses along these rows change all twists by."""
        free = self.inverse @ rows.T
        matrix = self.joints @ self.inverse @ self.joints.T
        pushed = np.linalg.pinv(matrix, rcond=1e-10, hermitian=True) @ (self.joints @ free)
        return free - self.inverse @ self.joints.T @ pushed


def hit(world: World) -> np.void:
    """Let the first hit happen."""
    while True:
        world.advance_events(1)
        for event in world.events():
            if EVENT_KINDS[event["kind"]] in ("collision", "microcollision"):
                return event


def after_hit(said: Scene, restitution: float, friction: float = 0.0) -> tuple[World, np.void, Floats]:
    """The world just after its first hit, that hit, and all twists as they should be."""
    world = World(said)
    exact = Exact(world, said)
    event = hit(world)
    names = [world.names[event["body_a"]], world.names[event["body_b"]]]
    n = np.asarray(event["normal"])
    exact.x = exact.x + exact.twists[:, :3] * world.time  # until then all goes straight
    rows = exact.point_rows(names[0], event["point"]) - exact.point_rows(names[1], event["point"])
    frame = np.linalg.svd(n[None])[2]
    frame = np.vstack([frame[1], np.cross(n, frame[1]), n])
    rows = frame @ rows
    answers = exact.responses(rows)
    k = rows @ answers
    six = (k[0, 0], k[1, 1], k[2, 2], k[1, 2], k[0, 2], k[0, 1])
    u = tuple(rows @ exact.twists.ravel())
    p, *_ = integrate_collision(six, u, friction, friction, restitution)
    if friction == 0.0:
        p = (0.0, 0.0, -(1.0 + restitution) * u[2] / k[2, 2])  # Newton's law
    return world, event, (exact.twists.ravel() + answers @ np.array(p)).reshape(-1, 6)


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


# --- scenes ----------------------------------------------------------------------------------------------------------


def linked(
    bodies: Sequence[dict[str, Any]],
    joints: Sequence[dict[str, Any]],
    restitution: float,
    friction: float = 0.0,
    gravity: Vector = NOTHING,
    **world: Any,
) -> Scene:
    return Scene.model_validate(
        {
            "format": 1,
            "world": {"gravity": floats(gravity), **world},
            "material": {"m": {"friction": friction, "restitution": restitution}},
            "body": list(bodies),
            "joint": list(joints),
        }
    )


def thrown(at: Vector, velocity: Vector = (2.0, 0.0, 0.0), mass: float = 0.5) -> dict[str, Any]:
    """A ball that comes from 0.1 m away."""
    away = np.asarray(at) - 0.1 * np.asarray(velocity) / np.linalg.norm(velocity)
    return ball("ball", floats(away), velocity, radius=0.05, mass=mass)


def plate(name: str, top: float, bottom: float, mass: float = 1.0) -> dict[str, Any]:
    size = [0.02, 0.4, top - bottom]
    return body(name, {"box": size}, (0.0, 0.0, 0.5 * (top + bottom)), mass=mass)


def pendulum(
    kind: str,
    links: int,
    height: float,
    side: float,
    restitution: float,
    velocity: Vector = (2.0, 0.0, 0.0),
    friction: float = 0.0,
) -> Scene:
    """Plates that hang from each other and the world, hit at a height below the upper pivot, and beside the middle."""
    bodies = [plate(f"link {k}", -1.0 * k, -1.0 * (k + 1), 1.0 + k) for k in range(links)]
    axis = Y if kind == "hinge" else None
    joints = [
        joint(f"joint {k}", kind, [f"link {k - 1}", f"link {k}"] if k else ["link 0"], (0.0, 0.0, -1.0 * k), axis)
        for k in range(links)
    ]
    return linked([*bodies, thrown((-0.061, side, -height), velocity)], joints, restitution, friction)


# --- tests -----------------------------------------------------------------------------------------------------------


def test_a_ball_on_a_hinged_rod_leaves_as_the_whole_rod_says() -> None:
    """0.5 kg at 2 m/s on 1 kg and 1 m, 0.3 m below the hinge: the rod feels like 1/3 / 0.09 kg there."""
    rods = [rod("rod", (0, 0, 0), (0, 0, -1), 1.0, material="m"), thrown((-0.061, 0.0, -0.3))]
    said = linked(rods, [joint("pivot", "hinge", ["rod"], (0, 0, 0), Y)], 1.0)
    world = World(said)
    hit(world)
    moment = world.model.bodies[0, m.MOMENTS : m.MOMENTS + 3].max() + 0.25
    felt = moment / 0.3**2
    assert world.twists()[1, 0] == pytest.approx(2.0 * (0.5 - felt) / (0.5 + felt), abs=1e-9)
    assert world.twists()[1, 0] == pytest.approx(-1.524, abs=5e-4)
    assert world.energy()["total"] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize(
    ("links", "height", "side"), [(1, 0.3, 0.0), (1, 0.9, 0.12), (2, 0.6, 0.1), (2, 1.2, 0.0), (2, 1.7, -0.15)]
)
def test_all_links_move_as_the_exact_impulse_says(
    kind: str, links: int, height: float, side: float, restitution: float
) -> None:
    world, _, expected = after_hit(pendulum(kind, links, height, side, restitution), restitution)
    assert world.twists() == pytest.approx(expected, abs=1e-9)
    if restitution == 1.0:
        assert world.energy()["total"] == pytest.approx(1.0, rel=1e-12)
    world.advance(0.0)  # its group makes a step now
    assert balance(world) == pytest.approx(1.0, rel=1e-12)
    assert abs(world.energy()["numerics"]) < 1e-12
    world.advance(0.01)
    assert balance(world) == pytest.approx(1.0, rel=1e-9)
    assert world.counters["collisions"] <= 2


@pytest.mark.parametrize("kind", ["hinge", "ball", "weld"])
def test_friction_sees_the_whole_linkage_too(kind: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(4):
        friction, restitution = rng.uniform(0.1, 1.0), rng.uniform(0.0, 1.0)
        height, side = rng.uniform(1.1, 1.9), rng.uniform(-0.15, 0.15)
        velocity = (2.0, *rng.normal(size=2))
        said = pendulum(kind, 2, height, side, restitution, velocity=velocity, friction=friction)
        world, event, expected = after_hit(said, restitution, friction)
        assert np.linalg.norm(event["impulse"]) > 0.1
        assert world.twists() == pytest.approx(expected, abs=1e-7)  # so well is a turning slip followed
        world.advance(0.0)
        assert balance(world) == pytest.approx(0.25 * np.dot(velocity, velocity), rel=1e-12)
