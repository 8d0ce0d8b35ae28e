"""Draws all bodies: one draw call for each distinct mesh, one row of numbers for each body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from app.view.viewport.gl import instance_buffer, load_program, rows, set_uniforms
from app.view.viewport.meshes import BodySet, DrawMesh

Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]


class MeshBuffers:
    """A mesh on the graphics card."""

    def __init__(self, mesh: DrawMesh) -> None:
        self.pattern = mesh.pattern
        self.position = gloo.VertexBuffer(np.ascontiguousarray(mesh.vertices))
        self.normal = gloo.VertexBuffer(np.ascontiguousarray(mesh.normals))
        self.outward = gloo.VertexBuffer(np.ascontiguousarray(mesh.outward))
        self.index = gloo.IndexBuffer(np.ascontiguousarray(mesh.faces, dtype=np.uint32).ravel())


class Instances:
    """Rows of numbers, one a drawn body, in the order of `rows` of a body set."""

    def __init__(self, bodies: BodySet, order: Ints) -> None:
        self._order = order
        self.place = instance_buffer(np.zeros((len(order), 3), dtype=np.float32))
        self.turn = instance_buffer(np.zeros((len(order), 4), dtype=np.float32))
        self.scale = instance_buffer(bodies.scale[order])
        self.colour = instance_buffer(bodies.colours[order])

    def set_poses(self, poses: NDArray[np.floating[Any]]) -> None:
        """Takes poses (n, 7) of all bodies, in scene order."""
        chosen = poses[self._order].astype(np.float32)
        self.place.set_data(np.ascontiguousarray(chosen[:, :3]))
        self.turn.set_data(np.ascontiguousarray(chosen[:, 3:]))

    def set_colours(self, colours: Floats32) -> None:
        """Takes amounts of light (n, 3) of all bodies, in scene order."""
        self.colour.set_data(np.ascontiguousarray(colours[self._order]))


class BodyLayer:
    """The bodies of one scene: in colour, as depth for the lamp, and some of them swollen for an outline."""

    def __init__(self, bodies: BodySet) -> None:
        self._bodies = bodies
        self._meshes = [MeshBuffers(mesh) for mesh in bodies.meshes]
        self._drawn = bodies.order[: int(bodies.starts[-1])] if len(bodies.meshes) else bodies.order[:0]
        self._all = Instances(bodies, self._drawn) if len(self._drawn) else None
        self._colour_programs: dict[tuple[int, int], gloo.Program] = {}
        self._depth_program: gloo.Program | None = None
        self._outline_program: gloo.Program | None = None
        self._poses: NDArray[np.floating[Any]] = bodies.poses
        self._chosen: list[tuple[int, Instances]] = []
        self._chosen_rows: tuple[int, ...] = ()

    def set_poses(self, poses: NDArray[np.floating[Any]]) -> None:
        """Takes poses (n, 7) x y z w x y z of the authored frames, in scene order."""
        self._poses = poses
        if self._all is not None:
            self._all.set_poses(poses)
        for _, instances in self._chosen:
            instances.set_poses(poses)

    def set_colours(self, colours: Floats32) -> None:
        """Takes amounts of light (n, 3), in scene order."""
        if self._all is not None:
            self._all.set_colours(colours)

    def draw(self, frame: Mapping[str, Any], shadows: int) -> None:
        """Draws all bodies in colour; `frame` holds the uniforms of the picture, `shadows` is as in `shadow.glsl`."""
        for which, buffers in enumerate(self._meshes):
            program = self._colour_program(buffers.pattern, shadows)
            set_uniforms(program, frame)
            self._draw_mesh(program, which, ("position", "normal"), ("place", "turn", "scale", "colour"))

    def draw_depth(self, frame: Mapping[str, Any]) -> None:
        """Draws all bodies as the lamp sees them."""
        if self._depth_program is None:
            self._depth_program = load_program("depth.vert", "depth.frag")
        set_uniforms(self._depth_program, frame)
        for which in range(len(self._meshes)):
            self._draw_mesh(self._depth_program, which, ("position",), ("place", "turn", "scale"))

    def choose(self, chosen: tuple[int, ...]) -> bool:
        """Chooses the bodies that `draw_chosen` draws; False if there are none to draw."""
        if chosen != self._chosen_rows:
            self._chosen_rows = chosen
            self._chosen = []
            for which in range(len(self._meshes)):
                group = np.array([row for row in chosen if self._bodies.mesh[row] == which], dtype=np.int64)
                if len(group):
                    instances = Instances(self._bodies, group)
                    instances.set_poses(self._poses)
                    self._chosen.append((which, instances))
        return bool(self._chosen)

    def draw_chosen(self, frame: Mapping[str, Any], colour: tuple[float, ...], width: float) -> None:
        """Draws the chosen bodies in one colour, swollen by `width` pixels."""
        if self._outline_program is None:
            self._outline_program = load_program("outline.vert", "plain.frag")
        program = self._outline_program
        set_uniforms(program, {**frame, "u_colour": colour, "u_width": width})
        for which, instances in self._chosen:
            self._bind(program, self._meshes[which], ("position", "outward"))
            for name in ("place", "turn", "scale"):
                program[f"i_{name}"] = getattr(instances, name)
            program.draw("triangles", self._meshes[which].index)

    def _colour_program(self, pattern: int, shadows: int) -> gloo.Program:
        key = (pattern, shadows)
        if key not in self._colour_programs:
            defines = ({"PATTERN": pattern} if pattern else {}) | ({"SHADOWS": shadows} if shadows else {})
            self._colour_programs[key] = load_program("body.vert", "body.frag", defines)
        return self._colour_programs[key]

    def _bind(self, program: gloo.Program, buffers: MeshBuffers, names: tuple[str, ...]) -> None:
        for name in names:
            program[f"a_{name}"] = getattr(buffers, name)

    def _draw_mesh(
        self, program: gloo.Program, which: int, per_vertex: tuple[str, ...], per_body: tuple[str, ...]
    ) -> None:
        assert self._all is not None
        start, stop = int(self._bodies.starts[which]), int(self._bodies.starts[which + 1])
        self._bind(program, self._meshes[which], per_vertex)
        for name in per_body:
            program[f"i_{name}"] = rows(getattr(self._all, name), start, stop)
        program.draw("triangles", self._meshes[which].index)
