"""Whether the shapes of a scene can be: each is made once, so that nothing is found out only when it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.scene.folders import inside, is_there
from engine.scene.limits import CORNERS, MASS_RATIO, POINTS, RANGES, SHAPE_RATIO
from engine.scene.mesh_bodies import look
from engine.scene.messages import Finding, Loc, show
from engine.scene.schema import DEFAULT_MATERIAL, Body, Scene
from engine.scene.shapes import BodyShape, Convex, Extrusion

MESH_SUFFIXES = (".obj", ".stl", ".ply", ".glb", ".gltf")
_FLAT = 1e-9


class Made(NamedTuple):
    """What is known of a shape that was made: its size and volume, or what is wrong with it and what would be right."""

    wrong: str = ""
    right: str = ""
    sides: tuple[float, ...] = ()  # of its box [m]; none of a plane
    volume: float = 0.0  # [m^3]; 0 where it is of no use


def check_shapes(scene: Scene) -> list[Finding]:
    """Shapes that enclose no volume, mesh files that cannot be used, sizes and masses that nothing can compute with."""
    found: list[Finding] = []
    places: list[Loc] = [("body", row) for row in range(len(scene.body))]
    places += [("repeat", row) for row in range(len(scene.repeat))]
    known: dict[str, Made] = {}
    sizes: list[tuple[float, float, Loc]] = []  # mass [kg] of a free body or 0, largest side [m], place
    for place, body in zip(places, (*scene.body, *scene.repeat), strict=True):
        loc = (*place, "shape")
        wrong = list(_check_shape(loc, scene, body, body.shape))
        if not wrong:
            made = _make(scene, body, known)
            wrong = list(_check_made((*loc, *_inner(body)), made))
            if not wrong and made.sides:
                sizes.append((_mass(scene, body, made), max(made.sides), place))
        found += wrong
    return found + list(_check_masses(sizes)) + list(_check_envelope(scene, sizes))


def _inner(body: Body) -> tuple[str, ...]:
    return ("mesh", "file") if body.shape.mesh is not None else (body.shape.kind,)


def _make(scene: Scene, body: Body, known: dict[str, Made]) -> Made:
    from engine.scene.body_shapes import shape_key

    key = shape_key(body)
    if key not in known:
        known[key] = _looked_at(scene, body) if body.shape.mesh is not None else _made(scene, body)
    return known[key]


def _made(scene: Scene, body: Body) -> Made:
    from engine.geometry.errors import GeometryError
    from engine.geometry.mass_properties import mass_properties
    from engine.scene.body_shapes import make_shape

    if body.shape.plane is not None:
        return Made()
    try:
        with np.errstate(all="ignore"):
            shape = make_shape(scene, body)
            low, high = shape.bounds
            volume = mass_properties(shape).volume if body.motion == "free" else 0.0
    except GeometryError as error:
        return Made("cannot be made", str(error))
    except (ArithmeticError, IndexError, MemoryError, ValueError):  # LinAlgError is a ValueError
        return Made("cannot be computed with", "sizes that are nearer to each other")
    return Made(sides=tuple((high - low).tolist()), volume=float(volume))


def _looked_at(scene: Scene, body: Body) -> Made:
    assert body.shape.mesh is not None and scene.folder is not None
    mesh = body.shape.mesh
    kind = "hull" if not mesh.concave else "pieces" if body.motion == "free" else "surface"
    found = look(scene.folder / mesh.file, mesh.scale, kind)
    if found.wrong:
        return Made(found.wrong, found.right)
    sides = tuple(high - low for low, high in zip(found.low, found.high))
    most = RANGES["m"].most
    if max(map(abs, (*found.low, *found.high))) > most:
        return Made(f"{Path(mesh.file).name} reaches beyond {most:g} m", "a smaller scale")
    return Made(sides=sides if kind != "surface" else (max(sides),) * 3, volume=found.volume)


def _check_made(loc: Loc, made: Made) -> Iterator[Finding]:
    if made.wrong:
        yield Finding(loc, made.wrong, made.right)
    elif made.sides and min(made.sides) < RANGES["m"].least:
        yield Finding(loc, f"is {min(made.sides):.3g} m thin", f"{RANGES['m'].least:g} m or more")
    elif made.sides and max(made.sides) > SHAPE_RATIO * min(made.sides):
        ratio = max(made.sides) / min(made.sides)
        yield Finding(loc, f"is {ratio:.3g} times as long as it is thin", f"at most {SHAPE_RATIO:g} times")


def _mass(scene: Scene, body: Body, made: Made) -> float:
    """Mass of a free body without what is attached to it [kg], 0 of others."""
    if body.motion != "free":
        return 0.0
    own = scene.material.get(body.material or "", DEFAULT_MATERIAL).density if body.density is None else body.density
    return body.mass if body.mass is not None else own * made.volume


def _check_masses(sizes: list[tuple[float, float, Loc]]) -> Iterator[Finding]:
    masses = [(mass, loc) for mass, _, loc in sizes if mass > 0.0]
    heaviest = max((mass for mass, _ in masses), default=0.0)
    for mass, loc in masses:
        if heaviest > MASS_RATIO * mass:
            message = f"weighs {mass:.3g} kg, and another body {heaviest:.3g} kg"
            yield Finding((*loc, "mass"), message, f"at least {heaviest / MASS_RATIO:.3g} kg")


def _check_envelope(scene: Scene, sizes: list[tuple[float, float, Loc]]) -> Iterator[Finding]:
    envelope = scene.world.envelope
    least = min((size for mass, size, _ in sizes if mass > 0.0), default=0.0)
    if envelope is not None and least > 0.0 and envelope > least:
        yield Finding(
            ("world", "envelope"), f"is {envelope:g}, and a free body {least:.3g} m long", f"less than {least:.3g} m"
        )


def _check_shape(loc: Loc, scene: Scene, body: Body, shape: BodyShape) -> Iterator[Finding]:
    """What is wrong with the body's shape, or with that of one of its pieces, which stands at `loc`."""
    if shape.convex is not None:
        yield from _check_points((*loc, "convex", "vertices"), shape.convex)
    elif shape.revolved is not None:
        yield from _check_profile((*loc, "revolved", "profile"), shape.revolved.profile)
    elif shape.mesh is not None:
        yield from _check_mesh((*loc, "mesh", "file"), scene, body)
    elif shape.extrusion is not None:
        yield from _check_rings((*loc, "extrusion", "rings"), shape.extrusion)
    elif shape.compound is not None:
        for k, piece in enumerate(shape.compound.pieces):
            yield from _check_shape((*loc, "compound", "pieces", k, "shape"), scene, body, piece.shape)


def _check_rings(loc: Loc, shape: Extrusion) -> Iterator[Finding]:
    from engine.geometry.errors import GeometryError
    from engine.geometry.extrusion import check_rings

    if (corners := sum(map(len, shape.rings))) > CORNERS:
        yield Finding(loc, f"has {corners:,} corners", f"at most {CORNERS:,}")
        return
    try:
        check_rings(shape.rings)
    except GeometryError as problem:
        yield Finding(loc, str(problem), "simple outlines, one inside the other or side by side")


def _check_points(loc: Loc, shape: Convex) -> Iterator[Finding]:
    if len(shape.vertices) > POINTS:
        yield Finding(loc, f"has {len(shape.vertices):,} entries", f"at most {POINTS:,}")
        return
    points = np.unique(np.array(shape.vertices, dtype=np.float64).reshape(-1, 3), axis=0)
    if len(points) < 4:
        yield Finding(loc, "has fewer than 4 different points", "4 or more, not all in one plane")
        return
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[2] <= _FLAT * spread[0]:
        yield Finding(loc, "all points lie in one plane, so they enclose no volume", "a point outside that plane")


def _check_profile(loc: Loc, profile: tuple[tuple[float, float], ...]) -> Iterator[Finding]:
    from engine.geometry.errors import GeometryError
    from engine.geometry.shapes import revolved

    try:
        revolved(profile)
    except GeometryError as error:
        yield Finding(loc, "is no convex solid", str(error))


def _check_mesh(loc: Loc, scene: Scene, body: Body) -> Iterator[Finding]:
    assert body.shape.mesh is not None
    name = body.shape.mesh.file
    if scene.folder is None:
        yield Finding(loc, f"{show(name)} has no folder to lie in", "save the scene first")
        return
    path = inside(scene.folder, name)
    if path is None:
        yield Finding(loc, f"{show(name)} lies outside the scene's folder", "a file inside it")
    elif path.suffix.lower() not in MESH_SUFFIXES:
        yield Finding(loc, f"{show(name)} is no mesh that can be read", "one of " + ", ".join(MESH_SUFFIXES))
    elif not is_there(path):
        yield Finding(loc, f"there is no file {show(name)}", "a mesh file in the scene's folder")
