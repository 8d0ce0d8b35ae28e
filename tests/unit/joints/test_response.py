"""How linkages answer impulses, against dense matrices of all bodies and joints."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.impulse.pair_response import load_sides, pair_response
from engine.joints.tables import make_linked
from engine.motion.arcs import evolve
from engine.motion.motion import Side
from engine.scene.schema import Scene
from tests.linkages import Exact, joint, linked_scene, rod

Y = (0.0, 1.0, 0.0)


def matrix(k: tuple[float, ...]) -> np.ndarray:
    xx, yy, zz, yz, xz, xy = k
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def answers(said: Scene, one: str, other: str, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """K of two bodies that touch at a point, and what dense matrices say."""
    world = World(said)
    model, state = world.model, world._state
    linked = make_linked(model.joints)
    a, b = world.row(one), world.row(other)
    sides = []
    for i in (a, b):
        motion = evolve(model.bodies, model.tags, state.arcs, i, 0.0)
        sides.append(Side(i, motion, tuple(point - np.array(motion.x))))
    load_sides(model.bodies, model.tags, state.arcs, linked, a, b, 0.0)
    part_a, part_b = pair_response(model.bodies, model.tags, linked, sides[0], sides[1])
    exact = Exact(world, said)
    rows = exact.point_rows(one, point) - exact.point_rows(other, point)
    return matrix(part_a) + matrix(part_b), rows @ exact.responses(rows)


def tied(rng: np.random.Generator) -> Scene:
    """Six boxes of all masses in a tree of joints, perhaps tied to the world, perhaps with a loop; and two alone."""
    bodies = [
        {
            "name": f"body {k}",
            "shape": {"box": [0.2, 0.3, 0.5]},
            "mass": 10.0 ** rng.uniform(-1.5, 1.5),
            "position": rng.normal(size=3).tolist(),
            "orientation": rng.normal(size=4).tolist(),
        }
        for k in range(8)
    ]
    joints = []
    for k in range(0 if rng.random() < 0.5 else 1, 6):
        between = [f"body {int(rng.integers(k))}", f"body {k}"] if k else ["body 0"]
        kind = ("ball", "hinge", "slider", "weld")[int(rng.integers(4))]
        axis = rng.normal(size=3) if kind in ("hinge", "slider") else None
        joints.append(joint(f"joint {k}", kind, between, rng.normal(size=3), axis))
    if rng.random() < 0.5:
        joints.append(joint("loop", "ball", ["body 1", "body 5"], rng.normal(size=3)))
    return linked_scene(bodies, joints, gravity=(0, 0, 0))


@pytest.mark.parametrize("seed", range(20))
def test_k_is_that_of_dense_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = tied(rng)
    for one, other in (
        (2, 6),
        (7, 4),
        (3, 5),
        (0, 4),
        (6, 7),
    ):  # a link and a body, two links of one linkage, two bodies
        k, exact = answers(said, f"body {one}", f"body {other}", rng.normal(size=3))
        assert np.abs(k - exact).max() <= 1e-9 * np.abs(exact).max() + 1e-12
        assert np.linalg.eigvalsh(k).min() >= -1e-14 * np.abs(k).max()


def test_what_joints_forbid_is_not_moved_at_all() -> None:
    """Links in a plane (Mirtich 1996, figure 5.12): K has rank two, of one link that only turns one."""
    ends = [(0, 0, 0), (0.5, 0, 0), (0.8, 0, -0.4), (0.9, 0, -0.9)]
    for links, rank in ((1, 1), (2, 2), (3, 2)):
        bodies = [rod(f"rod {k}", ends[k], ends[k + 1]) for k in range(links)]
        bodies.append({"name": "plate", "shape": {"plane": {}}, "motion": "fixed", "position": [0.0, 0.0, -9.0]})
        joints = [
            joint(f"joint {k}", "hinge", [f"rod {k - 1}", f"rod {k}"] if k else ["rod 0"], ends[k], Y)
            for k in range(links)
        ]
        tip = np.array(ends[links], dtype=float)
        k, exact = answers(linked_scene(bodies, joints), f"rod {links - 1}", "plate", tip)
        assert np.abs(k - exact).max() < 1e-12 * np.abs(exact).max()
        sizes = np.linalg.eigvalsh(k)
        assert (sizes > 1e-3).sum() == rank and np.abs(sizes[: 3 - rank]).max() < 1e-15


def test_joints_that_say_the_same_twice_change_nothing() -> None:
    bodies = [rod("one", (0, 0, 0), (1, 0, 0)), rod("two", (1, 0, 0), (2, 0, 0.3)), rod("alone", (0, 1, 0), (1, 1, 0))]
    once = [joint("a", "hinge", ["one"], (0, 0, 0), Y), joint("b", "hinge", ["one", "two"], (1, 0, 0), Y)]
    twice = [*once, joint("c", "hinge", ["one", "two"], (1, 0.1, 0), Y), joint("d", "ball", ["one"], (0, 0, 0))]
    k = [
        answers(linked_scene(bodies, joints), "two", "alone", np.array([1.7, 0.0, 0.2]))[0] for joints in (once, twice)
    ]
    assert np.abs(k[0] - k[1]).max() < 1e-9 * np.abs(k[0]).max()
