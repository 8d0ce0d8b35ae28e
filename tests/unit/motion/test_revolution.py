"""Bodies of revolution: what their spin moves of their surface, and bounds that need not fear the rest."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.geometry.shapes import rotation_matrix
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import normalize, rotate, rotate_inverse
from engine.model import model as m
from engine.motion.arcs import surface_spin
from engine.motion.ballistic import bound_ballistic, set_ballistic
from engine.motion.motion import Motion
from tests.scenes import body, scene

SHAPES = {
    "coin": {"cylinder": {"radius": 0.1, "length": 0.01}},
    "can": {"cylinder": {"radius": 0.05, "length": 0.3}},
    "hat": {"cone": {"radius": 0.1, "height": 0.2}},
    "lens": {"ellipsoid": [0.1, 0.1, 0.02]},
    "pill": {"capsule": {"radius": 0.02, "length": 0.1}},
}
OTHERS = {
    "egg": {"ellipsoid": [0.1, 0.05, 0.02]},
    "die": {"superquadric": {"size": [0.1, 0.1, 0.1], "exponents": [4.0, 4.0]}},
    "box": {"box": [0.1, 0.1, 0.1]},
}


def make() -> World:
    every = {**SHAPES, **OTHERS}
    bodies = [body(name, shape, (float(k), 0.0, 0.0)) for k, (name, shape) in enumerate(every.items())]
    masses = [{"mass": 0.1, "position": [0.0, 0.0, 0.1]}], [{"mass": 0.1, "position": [0.05, 0.0, 0.0]}]
    bodies.append(body("on the axis", SHAPES["can"], (9.0, 0.0, 0.0), attached=masses[0]))
    bodies.append(body("off the axis", SHAPES["can"], (11.0, 0.0, 0.0), attached=masses[1]))
    return World(scene(*bodies, gravity=(0.0, 0.0, 0.0)))


WORLD = make()


def test_bodies_of_revolution_are_known_by_shape_and_inertia() -> None:
    axes = {name: WORLD.model.bodies[WORLD.row(name), m.REVOLUTION] for name in WORLD.names}
    assert {name for name, axis in axes.items() if axis == 2.0} == {*SHAPES, "on the axis"}
    assert {name for name, axis in axes.items() if axis == -1.0} == {*OTHERS, "off the axis"}


@pytest.mark.parametrize("name", [*SHAPES, *OTHERS, "on the axis", "off the axis"])
def test_the_surface_never_reaches_further_than_bounded(name: str) -> None:
    """The support of the tumbling shape against its present one: its points move by surface_spin, and Q tau^2 more."""
    rng = np.random.default_rng(3)
    row = WORLD.row(name)
    bodies, tags = WORLD.model.bodies, WORLD.model.tags
    arcs = WORLD.snapshot().state.arcs.copy()
    moments = tuple(float(value) for value in bodies[row, m.MOMENTS : m.MOMENTS + 3])
    frame = bodies[row, m.FRAME : m.FRAME + 7]
    points = _points(name) @ rotation_matrix(frame[3:]).T + frame[:3]
    for _ in range(60):
        q = normalize(tuple(float(c) for c in rng.normal(size=4)))
        w = tuple(float(c) for c in rng.normal(size=3) * rng.choice([0.1, 1.0, 30.0], 3))
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        direction = tuple(float(c) for c in d)
        still = (0.0, 0.0, 0.0)
        set_ballistic(bodies, arcs, row, 0.0, still, q, still, w)
        _, _, bend = bound_ballistic(bodies, arcs, row, still, direction)
        spin = surface_spin(bodies, tags, arcs, row, Motion(still, q, still, rotate(q, w)), 0.0)
        # Along d, a point r of the surface has moved by (d x spin).r tau + Q tau^2 at most.
        along = np.array(rotate_inverse(q, direction))
        swing = np.array(rotate_inverse(q, tuple(np.cross(d, spin))))
        for tau in (1e-3, 1e-2, 0.05, 0.2):
            later, _ = rotate_free(moments, q, w, tau)
            reach = (points @ np.array(rotate_inverse(later, direction))).max()
            bound = (points @ (along + tau * swing)).max() + bend * tau**2
            assert reach <= bound + 1e-5


def _points(name: str) -> np.ndarray:
    """Many points of the authored shape's surface, without its radius."""
    from engine.geometry.surface import surface_mesh

    shape = WORLD.shapes[WORLD.row(name)]
    if shape.radius > 0.0:
        return shape.vertices
    surface = surface_mesh(shape, 400)
    assert surface is not None
    return surface[0].astype(float)


def test_a_spinning_coin_needs_no_more_looks_than_one_that_falls_straight() -> None:
    def checks(spin: float) -> int:
        coin = body("coin", SHAPES["coin"], (0.0, 0.0, 1.0), angular_velocity=[0.0, 0.0, spin])
        ground = body("ground", {"plane": {}}, motion="fixed")
        world = World(scene(ground, coin))
        world.advance_to(0.43)
        return world.counters["pair_checks"]

    assert checks(200.0) == checks(0.0)
