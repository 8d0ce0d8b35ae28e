"""The outside check of gaps sees what it should: against closed forms, and where hulls of points are blind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import World
from tests.outside_gaps import PROOF, OutsideGaps
from tests.scenes import ball, body, floats, floor, scene
from tests.smooth_solids import SMOOTH, Solid

DIE = {"superquadric": {"size": [0.02, 0.02, 0.02], "exponents": [5.0, 5.0]}}
RNG = np.random.default_rng(8)


def measured(*bodies: dict[str, object], poses: np.ndarray | None = None) -> float:
    world = World(scene(*bodies, gravity=(0, 0, 0)))
    return OutsideGaps(world).smallest(world.poses() if poses is None else poses)


def placed(q: np.ndarray, position: np.ndarray) -> np.ndarray:
    return np.concatenate([position, q])


@pytest.mark.parametrize("gap", [1e-7, 1e-5, 1e-4])
def test_a_ball_and_a_die_on_a_line_through_its_corner(gap: float) -> None:
    """The corner of |x|^5 + |y|^5 + |z|^5 = 1 is a fifth root of 1/3 out, its normal along the diagonal."""
    diagonal = np.ones(3) / np.sqrt(3.0)
    corner = 0.02 * np.sqrt(3.0) * (1 / 3) ** (1 / 5)
    there = diagonal * (corner + 0.01 + gap)
    found = measured(ball("ball", floats(there), radius=0.01), body("die", DIE, (0, 0, 0)))
    assert (1.0 - PROOF) * gap - 1e-12 <= found <= gap + 1e-12


def test_two_balls_written_as_ellipsoids_and_turned() -> None:
    sphere = {"ellipsoid": [0.05, 0.05, 0.05]}
    for gap in (1e-8, 1e-6, 1e-4):
        way = RNG.normal(size=3)
        way *= (0.1 + gap) / np.linalg.norm(way)
        turns = [floats(Rotation.random(random_state=k).as_quat()) for k in (1, 2)]
        found = measured(
            body("a", sphere, (0, 0, 0), orientation=turns[0]), body("b", sphere, floats(way), orientation=turns[1])
        )
        assert (1.0 - PROOF) * gap - 1e-12 <= found <= gap + 1e-12


def touching(a: Solid, b: Solid, gap: float) -> tuple[np.ndarray, float]:
    """Poses of two solids whose furthest points along a random direction are `gap` apart along it."""
    qa, qb = (np.roll(Rotation.random(random_state=RNG.integers(1 << 30)).as_quat(), 1) for _ in range(2))
    turn_a, turn_b = (Rotation.from_quat(np.roll(q, -1)).as_matrix() for q in (qa, qb))
    direction = RNG.normal(size=3)
    direction /= np.linalg.norm(direction)
    point_a, point_b = support(a, turn_a, -direction), support(b, turn_b, direction)
    poses = np.array([placed(qa, point_b - point_a + gap * direction), placed(qb, np.zeros(3))])
    return poses, gap


def support(solid: Solid, turn: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The furthest point along a direction, by the textbook's support function's differences."""
    local, step = turn.T @ direction, 1e-6
    slopes = [(solid.reach(local + step * e) - solid.reach(local - step * e)) / (2 * step) for e in np.eye(3)]
    return np.asarray(turn @ slopes)


ROUND = [solid for solid in SMOOTH if solid.name.startswith(("superquadric", "frustum"))]


@pytest.mark.parametrize("gap", [1e-5, -1e-5])
def test_solids_whose_distance_is_known(gap: float) -> None:
    """Points that are furthest along one line, each against the other, are the nearest two; overlaps show."""
    for _ in range(40):
        a, b = (ROUND[RNG.integers(len(ROUND))] for _ in range(2))
        poses, _ = touching(a, b, gap)
        world = World(scene(_body("a", a), _body("b", b, (5.0, 0.0, 0.0)), gravity=(0, 0, 0)))
        found = OutsideGaps(world).smallest(poses)
        if gap > 0.0:
            assert 0.9 * gap <= found <= gap * 1.001
        else:
            assert found <= 0.0


def _body(name: str, solid: Solid, position: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> dict[str, object]:
    shape = solid.shape
    if shape.profile:
        return body(name, {"revolved": {"profile": [list(rim) for rim in shape.profile]}}, position)
    size, exponents = list(shape.semi_axes), list(shape.exponents)
    return body(name, {"superquadric": {"size": size, "exponents": exponents}}, position)


def test_a_die_that_sinks_by_a_micrometre_is_seen_where_the_hull_of_its_points_is_clear() -> None:
    """Turned so that a rounded edge between two of those points leads."""
    seen = 0
    for k in range(10):
        q = np.roll(Rotation.random(random_state=k).as_quat(), 1)
        turn = Rotation.random(random_state=k).as_matrix()
        low = -0.02 * np.linalg.norm(turn[2], 1.25)
        for gap, sign in ((1e-6, 1), (-1e-6, -1)):
            poses = np.array([placed(q, np.array([0.0, 0.0, gap - low])), placed(np.eye(4)[0], np.array([0, 0, -0.5]))])
            found = measured(body("die", DIE), body("slab", {"box": [1.0, 1.0, 1.0]}, (0, 0, -5)), poses=poses)
            assert np.sign(found) == sign
            seen += 1
    assert seen == 20


def test_on_a_plane_it_is_the_support_function() -> None:
    turn = Rotation.random(random_state=3)
    low = -0.02 * np.linalg.norm(turn.as_matrix()[2], 1.25)
    poses = np.array(
        [placed(np.eye(4)[0], np.zeros(3)), placed(np.roll(turn.as_quat(), 1), np.array([0, 0, 1e-5 - low]))]
    )
    assert measured(floor(), body("die", DIE, (0, 0, 1)), poses=poses) == pytest.approx(1e-5, abs=1e-12)
