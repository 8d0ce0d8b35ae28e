"""The pile of Plato's solids: what each of them can and cannot do, and what carries the heap."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.distance import pdist
from scipy.spatial.transform import Rotation

from engine import World, load_scene
from engine.geometry.shapes import Shape, rotation_matrix
from engine.model.model import MASS
from engine.scene.paths import set_path
from engine.scene.schema import Scene

Floats = NDArray[np.float64]
FACES = {"tetrahedron": 4, "cube": 6, "octahedron": 8, "dodecahedron": 12, "icosahedron": 20}
CORNER, EDGE, FACE = 1, 2, 3
HALF_BIN, GRAVITY = 0.33, 9.81
FRICTION = 0.5
SLIDES = float(np.degrees(np.arctan(FRICTION)))
TIPS = {
    "tetrahedron": np.degrees(np.arctan(np.sqrt(2.0))),
    "cube": 45.0,
    "octahedron": np.degrees(np.arctan(np.sqrt(0.5))),
    "dodecahedron": np.degrees(np.arctan(0.618034)),
    "icosahedron": np.degrees(np.arctan(0.381966)),
}
"""The slope [deg] on which a solid that lies on a face tips over an edge: apothem of the face over the inner radius."""


def pile(each: int) -> Scene:
    """The scene with so many of each solid."""
    scene = load_scene("convex_pile")
    for name in FACES:
        scene = set_path(scene, f"repeat.{name}.pour.count", each)
    return scene


def faces_of(shape: Shape) -> tuple[Floats, Floats]:
    """Unit normals and distances [m] of the planes of a polyhedron's faces, by its convex hull."""
    faces: list[Floats] = []
    for plane in ConvexHull(shape.vertices).equations:
        if all(plane[:3] @ face[:3] < 0.999 for face in faces):
            faces.append(plane)
    return np.array(faces)[:, :3], -np.array(faces)[:, 3]


def on_a_slope(*names: str, degrees: float = 0.0) -> World:
    """The first of these solids on a floor, the next upon it, each on a face; gravity is along a slope towards +x."""
    scene = pile(1)
    data = scene.model_dump(exclude_defaults=True)
    bodies = [{"name": "floor", "motion": "fixed", "material": "wood", "shape": {"plane": {}}}]
    height = 0.0
    for k, name in enumerate(names):
        solid = next(body for body in scene.bodies if body.name.startswith(name))
        normals, distances = faces_of(World(scene).shapes[scene.bodies.index(solid)])
        # Its first face down, and over one of its edges, level across the slope, the neighbour: a corner may not lead.
        up = -normals[0]
        ahead = normals[np.argsort(normals @ up)[1]] + (normals[0] @ normals[np.argsort(normals @ up)[1]]) * up
        ahead /= np.linalg.norm(ahead)
        x, y, z, w = Rotation.from_matrix([ahead, np.cross(up, ahead), up]).as_quat().tolist()
        place = {"position": [0.006 * k, 0.004 * k, height + distances[0] + 1.2e-4], "orientation": [w, x, y, z]}
        bodies.append(solid.model_dump(exclude_defaults=True) | {"name": f"solid{k}"} | place)
        height += 2.0 * distances[0] + 1.2e-4
    slope = np.radians(degrees)
    data["world"]["gravity"] = [GRAVITY * float(np.sin(slope)), 0.0, -GRAVITY * float(np.cos(slope))]
    del data["repeat"]
    return World(Scene.model_validate(data | {"body": bodies}))


@cache
def heap() -> World:
    """Eight of each solid, 3 s later."""
    world = World(pile(8))
    world.advance_to(3.0)
    return world


def solids(world: World) -> dict[str, list[int]]:
    return {name: [row for row, body in enumerate(world.scene.bodies) if body.name.startswith(name)] for name in FACES}


def test_two_thousand_solids_are_four_hundred_of_each_of_platos_five() -> None:
    scene = load_scene("convex_pile")
    names = [body.name.partition(".")[0] for body in scene.bodies if body.motion == "free"]
    assert len(names) == 2000
    assert {name: names.count(name) for name in FACES} == dict.fromkeys(FACES, 400)
    world = World(pile(1))
    for name, (row,) in solids(world).items():
        shape = world.shapes[row]
        normals, distances = faces_of(shape)
        assert len(normals) == FACES[name]
        # Regular: one inner radius, one outer, edges of one length, and as many at each corner.
        assert np.ptp(distances) < 1e-3 * distances.mean()
        outer = np.linalg.norm(shape.vertices, axis=1)
        assert np.ptp(outer) < 1e-3 * outer.mean()
        apart = pdist(shape.vertices)
        edges = np.count_nonzero(apart < 1.01 * apart.min())
        assert len(shape.vertices) - edges + FACES[name] == 2


@pytest.mark.parametrize("name", list(FACES))
def test_an_icosahedron_nearly_rolls_and_the_others_stay_on_their_faces(name: str) -> None:
    """On slopes a degree and a half below and above the one where it tips or slides, whichever comes first."""
    limit = min(SLIDES, float(TIPS[name]))
    held = on_a_slope(name, degrees=limit - 1.5)
    start = held.poses()[1]
    held.advance_to(0.5)
    assert np.abs(held.poses()[1] - start).max() < 1e-3
    let_go = on_a_slope(name, degrees=limit + 1.5)
    let_go.advance_to(0.5)
    pose = let_go.poses()[1]
    turned = float(np.degrees(2.0 * np.arccos(min(1.0, abs(pose[3:] @ start[3:])))))
    if name == "icosahedron":
        assert turned > 30.0
    else:
        slope = np.radians(limit + 1.5)
        way = 0.5 * GRAVITY * (np.sin(slope) - FRICTION * np.cos(slope)) * 0.5**2
        assert turned < 0.5
        assert pose[0] - start[0] == pytest.approx(way, rel=0.1)


def test_cubes_lie_flat_on_the_floor_and_on_each_other() -> None:
    world = on_a_slope("cube", "cube")
    world.advance_to(1.0)
    contacts = world.contacts()
    assert {(row["body_a"], row["body_b"]) for row in contacts} >= {(0, 1), (1, 2)}
    for row in (1, 2):
        assert np.abs(rotation_matrix(world.poses()[row, 3:])).max(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert world.asleep()[1:].all()


def test_faces_edges_and_corners_on_faces_carry_a_heap() -> None:
    world = World(pile(10))
    world.advance_to(3.0)
    poses = world.poses()
    turns = [rotation_matrix(pose[3:]) for pose in poses]
    kinds = set()
    for contact in world.contacts():
        features = []
        for row, way in ((contact["body_a"], -1.0), (contact["body_b"], 1.0)):
            # How many of its corners are as far along the normal as its furthest: a corner, an edge or a face.
            along = (world.shapes[row].vertices @ turns[row].T) @ contact["normal"] * way
            features.append(min(int(np.count_nonzero(along > along.max() - 2e-4)), FACE))
        kinds.add((min(features), max(features)))
    assert kinds >= {(FACE, FACE), (EDGE, FACE), (CORNER, FACE)}


def test_the_heap_lies_in_its_bin_and_the_floor_carries_it() -> None:
    world = heap()
    rows = [row for group in solids(world).values() for row in group]
    assert len(rows) == 40
    poses = world.poses()[rows]
    assert np.abs(poses[:, :2]).max() < HALF_BIN and poses[:, 2].min() > 0.01 and poses[:, 2].max() < 0.1
    assert world.asleep()[rows].all()
    assert world.smallest_gap > 0.0
    contacts = world.contacts()
    carried = -contacts["force"][contacts["body_a"] < 5].sum(axis=0)[2]
    weight = GRAVITY * float(sum(world.model.bodies[row, MASS] for row in rows))
    assert carried == pytest.approx(weight, rel=1e-3)


@pytest.mark.slow
def test_all_two_thousand_fall_asleep() -> None:
    """Wood resists turning: else one that swings on two of its corners does so for ever, and bears hundreds."""
    world = World(load_scene("convex_pile"))
    world.advance_to(3.0)
    free = [world.row(body.name) for body in world.scene.bodies if body.motion == "free"]
    assert world.asleep()[free].all()
