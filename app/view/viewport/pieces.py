"""Concave bodies in their convex pieces: each in a colour of its own, a little smaller and drawn apart.

What is drawn then is another set of bodies: those with pieces give way to a row for each piece, which moves with its
body. The bodies themselves stay as they are for picking, framing and selecting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.view.viewport.meshes import PLAIN, BodySet, DrawMesh, draw_mesh
from app.view.viewport.palette import FREE, colour_array
from engine.arrays import Floats, Floats32, Ints
from engine.geometry.shapes import Shape
from engine.geometry.surface import surface_mesh
from engine.scene.body_shapes import is_ready, make_shape, shape_key
from engine.scene.schema import Scene

_SHRINK = 0.94
"""Pieces are drawn smaller by this, about their own middles..."""
_APART = 1.07
"""...and so much further from the body's middle."""
_CONCAVE = ("compound", "extrusion", "mesh")


@dataclass(frozen=True, eq=False)
class PieceView:
    """What to draw in place of the bodies. source: the body that each drawn row moves with; is_piece: by drawn row.

    pending: whether a mesh is still to be cut into its pieces, and is shown whole until then.
    """

    drawn: BodySet
    source: Ints
    is_piece: Ints
    pending: bool

    def rows_of(self, bodies: tuple[int, ...]) -> tuple[int, ...]:
        """The drawn rows that belong to bodies."""
        return tuple(int(row) for row in np.flatnonzero(np.isin(self.source, bodies)))

    def paint(self, colours: Floats32) -> Floats32:
        """Amounts of light of the drawn rows: pieces keep their own, tinged by what their body's state says."""
        own = self.drawn.colours
        mixed = 0.85 * own + 0.15 * colours[self.source]
        return np.where(self.is_piece[:, None] > 0, mixed, colours[self.source]).astype(np.float32)


def show_pieces(scene: Scene, bodies: BodySet) -> PieceView | None:
    """The bodies of a scene in their pieces; None if none of them has any."""
    meshes = list(bodies.meshes)
    parts: dict[str, range] = {}
    rows: list[tuple[int, int, int]] = []  # body, mesh, number of the piece
    whole = np.ones(bodies.count, dtype=bool)
    pending = False
    for row, body in enumerate(scene.bodies):
        if body.shape.kind not in _CONCAVE:
            continue
        if not is_ready(scene, body):
            pending = True
            continue
        key = shape_key(body)
        if key not in parts:
            first = len(meshes)
            meshes.extend(_piece_meshes(make_shape(scene, body)))
            parts[key] = range(first, len(meshes))
        rows.extend((row, mesh, number) for number, mesh in enumerate(parts[key]))
        whole[row] = len(parts[key]) == 0
    if not rows:
        return None if not pending else PieceView(bodies, np.arange(bodies.count), np.zeros(bodies.count, int), True)
    kept = np.flatnonzero(whole)
    pieces = np.array(rows, dtype=np.int64)
    palette = colour_array(FREE)
    return PieceView(
        _drawn(bodies, kept, pieces, meshes, palette[(3 * pieces[:, 2]) % len(FREE)]),
        np.concatenate([kept, pieces[:, 0]]),
        np.concatenate([np.zeros(len(kept), dtype=np.int64), np.ones(len(pieces), dtype=np.int64)]),
        pending,
    )


def _drawn(bodies: BodySet, kept: Ints, pieces: Ints, meshes: list[DrawMesh], colours: Floats32) -> BodySet:
    """A set of bodies whose rows are those that are kept, then the pieces."""
    mesh = np.concatenate([bodies.mesh[kept], pieces[:, 1]])
    source = np.concatenate([kept, pieces[:, 0]])
    order = np.argsort(np.where(mesh < 0, len(meshes), mesh), kind="stable")
    drawn = mesh[order[: np.count_nonzero(mesh >= 0)]]
    return replace(
        bodies,
        meshes=tuple(meshes),
        keys=tuple(str(k) for k in range(len(meshes))),
        mesh=mesh,
        scale=np.concatenate([bodies.scale[kept], np.ones((len(pieces), 3), dtype=np.float32)]),
        colours=np.concatenate([bodies.colours[kept], colours]).astype(np.float32),
        radii=bodies.radii[source],
        extents=bodies.extents[source],
        order=order,
        starts=np.searchsorted(drawn, np.arange(len(meshes) + 1)),
        planes=tuple(int(row) for row in np.flatnonzero(mesh < 0)),
        poses=bodies.poses[source],
        tinted=tuple(bodies.tinted[row] for row in source),
        fixed=bodies.fixed[source],
    )


def _piece_meshes(shape: Shape) -> list[DrawMesh]:
    """A mesh for each piece of a shape, moved apart; none for a shape that is whole."""
    if not shape.pieces:
        return []
    centre = 0.5 * np.add(*shape.bounds)
    return [_shrunk(piece, centre) for piece in shape.pieces]


def _shrunk(piece: Shape, centre: Floats) -> DrawMesh:
    surface = surface_mesh(piece)
    assert surface is not None  # pieces are no planes
    vertices, faces, normals = surface
    middle = 0.5 * np.add(*piece.bounds)
    moved = centre + _APART * (middle - centre) + _SHRINK * (vertices - middle)
    return draw_mesh((moved.astype(np.float32), faces, normals), PLAIN)
