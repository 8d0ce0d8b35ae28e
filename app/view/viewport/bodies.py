"""Draws all bodies: one draw call for each distinct mesh and look, one row of numbers for each body."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from app.view.viewport.gl import TRIANGLES, Shader, Shaders, instance_buffer, rows
from app.view.viewport.meshes import BALL, BodySet, DrawMesh, ball_mesh
from engine.arrays import Floats32, Ints
from engine.scene.schema import MATERIAL_LOOKS

WOOD, GLASS = MATERIAL_LOOKS.index("wood"), MATERIAL_LOOKS.index("glass")

MOST_PARTS = 4
"""Larger balls than such that this is enough have meshes of their own, see `ball_mesh`."""


class MeshBuffers:
    """A mesh on the graphics card: `vertices` are its attributes by their names in the shaders."""

    def __init__(self, mesh: DrawMesh) -> None:
        self.pattern, self.look = mesh.pattern, mesh.look
        self.vertices = {
            "a_position": gloo.VertexBuffer(np.ascontiguousarray(mesh.vertices)),
            "a_normal": gloo.VertexBuffer(np.ascontiguousarray(mesh.normals)),
            "a_outward": gloo.VertexBuffer(np.ascontiguousarray(mesh.outward)),
        }
        self.index = gloo.IndexBuffer(np.ascontiguousarray(mesh.faces, dtype=np.uint32).ravel())


class Instances:
    """Rows of numbers, one a drawn body: those of `order`, in that order."""

    def __init__(self, bodies: BodySet, order: Ints) -> None:
        self._order = order
        self._place = instance_buffer(np.zeros((len(order), 3), dtype=np.float32))
        self._turn = instance_buffer(np.zeros((len(order), 4), dtype=np.float32))
        self._scale = instance_buffer(bodies.scale[order])
        self._colour = instance_buffer(bodies.colours[order])
        self._number = instance_buffer(_numbers(bodies)[order])
        self._extent = instance_buffer(np.ptp(bodies.extents[order], axis=1).astype(np.float32))

    def set_poses(self, poses: NDArray[np.floating[Any]]) -> None:
        """Takes poses (n, 7) of all bodies, in scene order."""
        chosen = poses[self._order].astype(np.float32)
        self._place.set_data(np.ascontiguousarray(chosen[:, :3]))
        self._turn.set_data(np.ascontiguousarray(chosen[:, 3:]))

    def set_colours(self, colours: Floats32) -> None:
        """Takes amounts of light (n, 3) of all bodies, in scene order."""
        self._colour.set_data(np.ascontiguousarray(colours[self._order]))

    def rows(self, start: int, stop: int) -> dict[str, Any]:
        """Some of the rows, by the names of the shaders' attributes."""
        buffers = {
            "i_place": self._place,
            "i_turn": self._turn,
            "i_scale": self._scale,
            "i_colour": self._colour,
            "i_number": self._number,
            "i_extent": self._extent,
        }
        return {name: rows(buffer, start, stop) for name, buffer in buffers.items()}


def _numbers(bodies: BodySet) -> Floats32:
    """Numbers of bodies in two parts of 0..1, (n, 2), as eight bits hold them: neither (0, 0) nor (1, 1).

    Fixed bodies share one: they may overlap, and where two faces lie in one plane it is chance which of them shows.
    """
    rows = np.where(bodies.fixed, 0, 1 + np.arange(bodies.count))
    low, high = 1 + rows % 253, rows // 253 % 254
    return np.stack([low, high], axis=1).astype(np.float32) / 255.0


class Group:
    """Bodies of one mesh: what is bound to draw them all in one call."""

    def __init__(self, mesh: MeshBuffers, attributes: Mapping[str, Any]) -> None:
        self.pattern, self.look = mesh.pattern, mesh.look
        self._mesh = mesh
        self._rows = attributes

    def draw(self, shader: Shader, names: tuple[str, ...], mesh: MeshBuffers | None = None) -> None:
        """Draws them with a shader that takes the attributes `names`; `mesh`: in place of their own."""
        mesh = mesh or self._mesh
        shader.bind({name: mesh.vertices[name] if name in mesh.vertices else self._rows[name] for name in names})
        shader.draw(TRIANGLES, mesh.index)


def ball_parts(pixels: float, off: float) -> int | None:
    """For `ball_mesh`, of a ball of a radius of so many pixels whose outline may be off by so much; None: too many."""
    errors = (pixels * (1.0 - cos(pi / (5 * parts))) for parts in range(1, MOST_PARTS + 1))
    return next((parts for parts, error in enumerate(errors, start=1) if error <= off), None)


class Balls:
    """The meshes of balls, coarse where these are small in the picture, and where that is."""

    def __init__(self, bodies: BodySet) -> None:
        self._meshes: dict[int, MeshBuffers] = {}
        self._rows = [
            bodies.order[start:stop] if mesh.pattern == BALL else None
            for mesh, start, stop in zip(bodies.meshes, bodies.starts[:-1], bodies.starts[1:], strict=True)
        ]
        self._radii = bodies.scale[:, 0].astype(float)
        self.off = 0.4  # pixels that an outline may be off

    def seen(self, group: int, poses: NDArray[np.floating[Any]], frame: Mapping[str, Any]) -> MeshBuffers | None:
        """The mesh for a group of bodies in a picture; None for their own."""
        rows = self._rows[group]
        if rows is None:
            return None
        gaze, radii = np.asarray(frame["u_gaze"]), self._radii[rows]
        depth = (poses[:, :3] @ gaze).take(rows) - float(np.asarray(frame["u_eye"]) @ gaze) - radii
        ahead = depth > -2.0 * radii
        largest = float((radii / np.maximum(depth, 1e-9))[ahead].max(initial=0.0))
        return self._mesh(largest / frame["u_slope"])

    def cast(self, group: int, texels: float) -> MeshBuffers | None:
        """The same in a shadow map of so many texels a metre."""
        rows = self._rows[group]
        return None if rows is None else self._mesh(float(self._radii[rows].max()) * texels)

    def _mesh(self, pixels: float) -> MeshBuffers | None:
        parts = ball_parts(pixels, self.off)
        if parts is None:
            return None
        if parts not in self._meshes:
            self._meshes[parts] = MeshBuffers(ball_mesh(parts))
        return self._meshes[parts]


class BodyLayer:
    """The bodies of one scene: in colour, as depth for the lamp, and some of them swollen for an outline."""

    def __init__(self, bodies: BodySet, shaders: Shaders) -> None:
        self.plain = False  # whether colours mean something else than materials
        self._bodies = bodies
        self._shaders = shaders
        self._meshes = [MeshBuffers(mesh) for mesh in bodies.meshes]
        self._instances = [Instances(bodies, bodies.order[: int(bodies.starts[-1])])] if self._meshes else []
        self._groups = [
            Group(mesh, instances.rows(int(start), int(stop)))
            for instances in self._instances
            for mesh, start, stop in zip(self._meshes, bodies.starts[:-1], bodies.starts[1:], strict=True)
        ]
        self.balls = Balls(bodies)
        self._poses: NDArray[np.floating[Any]] = bodies.poses
        self._chosen_rows: tuple[int, ...] = ()
        self._chosen_instances: list[Instances] = []
        self._chosen: list[Group] = []

    def set_poses(self, poses: NDArray[np.floating[Any]]) -> None:
        """Takes poses (n, 7) x y z w x y z of the authored frames, in scene order."""
        self._poses = poses
        for instances in self._instances + self._chosen_instances:
            instances.set_poses(poses)

    def set_colours(self, colours: Floats32) -> None:
        """Takes amounts of light (n, 3), in scene order."""
        for instances in self._instances:
            instances.set_colours(colours)

    def draw(self, frame: Mapping[str, Any], defines: Mapping[str, int]) -> None:
        """Draws all bodies in colour; `frame` holds the uniforms of the picture, `defines` what it has: SHADOWS as in
        `shadow.glsl`, AMBIENT as in `ambient.glsl`.
        """
        for which, group in enumerate(self._groups):
            if group.look != GLASS or self.plain:
                self._draw_group(which, frame, defines)

    def draw_glass(self, frame: Mapping[str, Any], context: Any) -> None:
        """Draws what one sees through, after all else: back sides, then front sides, over what is there."""
        groups = [which for which, group in enumerate(self._groups) if group.look == GLASS]
        if self.plain or not groups:
            return
        context.set_depth_mask(False)
        context.set_state(depth_test=True, blend=True, blend_func=("one", "src_alpha"), cull_face=True)
        for hidden in ("front", "back"):
            context.set_cull_face(hidden)
            # A back side that lies on the ground is behind it: which of them shows would be chance.
            context.set_state(polygon_offset_fill=hidden == "front")
            context.set_polygon_offset(1.0, 8.0)
            for which in groups:
                self._draw_group(which, {**frame, "u_side": -1.0 if hidden == "front" else 1.0}, {})
        context.set_state(cull_face=False, blend=False, polygon_offset_fill=False)
        context.set_depth_mask(True)

    def _draw_group(self, which: int, frame: Mapping[str, Any], defines: Mapping[str, int]) -> None:
        group, mesh = self._groups[which], self.balls.seen(which, self._poses, frame)
        look = 0 if self.plain else group.look
        shader = self._shaders.get("body.vert", "body.frag", PATTERN=group.pattern, LOOK=look, **defines)
        shader.set(frame)
        grain = ("i_extent", "i_number") if look == WOOD else ()
        group.draw(shader, ("a_position", "a_normal", "i_place", "i_turn", "i_scale", "i_colour", *grain), mesh)

    def draw_depth(self, frame: Mapping[str, Any]) -> None:
        """Draws all bodies as the lamp sees them."""
        texels = float(np.linalg.norm(frame["u_shadow_matrix"][0, :3])) * 0.5 / frame["u_shadow_texel"]
        for which, group in enumerate(self._groups):
            shader = self._shaders.get("depth.vert", "depth.frag", GLASS=int(group.look == GLASS))
            shader.set(frame)
            group.draw(shader, ("a_position", "i_place", "i_turn", "i_scale"), self.balls.cast(which, texels))

    def draw_facts(self, frame: Mapping[str, Any]) -> None:
        """Draws all bodies as `ambient.py` asks: normals and numbers."""
        shader = self._shaders.get("surface.vert", "surface.frag")
        shader.set(frame)
        for which, group in enumerate(self._groups):
            if group.look != GLASS or self.plain:
                mesh = self.balls.seen(which, self._poses, frame)
                group.draw(shader, ("a_position", "a_normal", "i_place", "i_turn", "i_scale", "i_number"), mesh)

    def choose(self, chosen: tuple[int, ...]) -> bool:
        """Chooses the bodies that `draw_chosen` draws; False if there are none to draw."""
        if chosen != self._chosen_rows:
            self._chosen_rows = chosen
            self._chosen_instances, self._chosen = [], []
            for which, mesh in enumerate(self._meshes):
                group = np.array([row for row in chosen if self._bodies.mesh[row] == which], dtype=np.int64)
                if len(group):
                    instances = Instances(self._bodies, group)
                    instances.set_poses(self._poses)
                    self._chosen_instances.append(instances)
                    self._chosen.append(Group(mesh, instances.rows(0, len(group))))
        return bool(self._chosen)

    def draw_ghosts(self, frame: Mapping[str, Any], colour: tuple[float, ...]) -> None:
        """Draws the chosen bodies in one colour that one sees through."""
        shader = self._shaders.get("ghost.vert", "ghost.frag")
        shader.set({**frame, "u_colour": colour})
        for group in self._chosen:
            group.draw(shader, ("a_position", "a_normal", "i_place", "i_turn", "i_scale"))

    def draw_chosen(self, frame: Mapping[str, Any], colour: tuple[float, ...], width: float) -> None:
        """Draws the chosen bodies in one colour, swollen by `width` pixels."""
        shader = self._shaders.get("outline.vert", "plain.frag")
        shader.set({**frame, "u_colour": colour, "u_width": width})
        for group in self._chosen:
            group.draw(shader, ("a_position", "a_outward", "i_place", "i_turn", "i_scale"))
