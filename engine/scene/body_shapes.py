"""From what a scene says of a body's shape to its geometry in the authored frame."""

from __future__ import annotations

from pathlib import Path

from engine.geometry import hollow, shapes
from engine.geometry.decomposition import is_decomposed
from engine.geometry.errors import GeometryError
from engine.geometry.extrusion import extrusion
from engine.geometry.hull_tree import compound
from engine.geometry.mesh_files import read_mesh
from engine.geometry.mesh_shapes import concave_mesh_file, mesh_file, mesh_surface
from engine.geometry.shapes import Shape
from engine.scene.mesh_bodies import cut
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import Body, Repeat, Scene


def make_shape(scene: Scene, body: Body) -> Shape:
    """The body's shape in its authored frame. Raises GeometryError, which says what is wrong with it."""
    value = body.shape.value
    match body.shape.kind:
        case "sphere":
            return shapes.sphere(value.radius)
        case "capsule":
            return shapes.capsule(value.radius, value.length)
        case "box":
            return shapes.box(value)
        case "rounded_box":
            return shapes.rounded_box(value.size, value.radius)
        case "cylinder":
            return shapes.cylinder(value.radius, value.length)
        case "cone":
            return shapes.cone(value.radius, value.height, value.top_radius)
        case "ellipsoid":
            return shapes.ellipsoid(value)
        case "superquadric":
            return shapes.superquadric(value.size, value.exponents)
        case "revolved":
            return shapes.revolved(value.profile)
        case "convex":
            return shapes.convex(value.vertices)
        case "prism":
            return shapes.convex(value.vertices())
        case "mesh":
            path = _mesh_path(scene, body)
            if not value.concave:
                return mesh_file(path, value.scale)
            if body.motion == "free":
                cut(path, value.scale)
                return concave_mesh_file(path, value.scale)
            return mesh_surface(path, value.scale)
        case "extrusion":
            return extrusion(value.rings, value.height)
        case "bowl":
            return hollow.bowl(value.radius, value.depth, value.thickness)
        case "funnel":
            return hollow.funnel(value.top_radius, value.bottom_radius, value.height, value.thickness)
        case "ring":
            return hollow.ring(value.radius, value.width, value.thickness, value.groove)
        case "compound":
            parts = [body.model_copy(update={"shape": piece.shape}) for piece in value.pieces]
            placed = zip(parts, value.pieces, strict=True)
            return compound([make_shape(scene, part).transformed(at.position, at.quaternion) for part, at in placed])
        case _:
            return shapes.plane()


def is_ready(scene: Scene, body: Body) -> bool:
    """Whether `make_shape` is quick: False for a mesh that is still to be cut into pieces."""
    mesh = body.shape.mesh
    if mesh is None or not mesh.concave or body.motion != "free":
        return True
    return is_decomposed(read_mesh(_mesh_path(scene, body), mesh.scale))


def prepare(scene: Scene) -> None:
    """Cut every mesh that is still to be cut into pieces: seconds for each, once. The rest of a build is quick then.

    Raises SceneError for one that cannot be cut.
    """
    for body in (*scene.body, *scene.repeat):
        if not is_ready(scene, body):
            try:
                make_shape(scene, body)
            except GeometryError as error:
                part = "repeat" if isinstance(body, Repeat) else "body"
                field, hint = f"{part}.{body.name}.shape.mesh.file", "a mesh whose surface does not cross itself"
                raise SceneError([Problem(None, None, field, str(error), hint)]) from error


def drawn_shape(scene: Scene, body: Body) -> Shape:
    """A shape that looks like the body's, made at once: a mesh is not cut into pieces for it."""
    mesh = body.shape.mesh
    if mesh is None or not mesh.concave:
        return make_shape(scene, body)
    return mesh_surface(_mesh_path(scene, body), mesh.scale)


def _mesh_path(scene: Scene, body: Body) -> Path:
    file = body.shape.value.file
    return Path(file) if scene.folder is None else scene.folder / file


def shape_key(body: Body) -> str:
    """The same for bodies of a scene whose shapes are the same."""
    return f"{body.motion == 'free'} {body.shape.kind} {body.shape.value!r}"
