"""Draws all bodies: one draw call for each distinct mesh, one row of numbers for each body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from app.view.viewport.gl import Shader, Shaders, instance_buffer, rows
from app.view.viewport.meshes import BodySet, DrawMesh
from engine.arrays import Floats32, Ints


class MeshBuffers:
    """A mesh on the graphics card: `vertices` are its attributes by their names in the shaders."""

    def __init__(self, mesh: DrawMesh) -> None:
        self.pattern = mesh.pattern
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
        buffers = {"i_place": self._place, "i_turn": self._turn, "i_scale": self._scale, "i_colour": self._colour}
        return {name: rows(buffer, start, stop) for name, buffer in buffers.items()}


class Group:
    """Bodies of one mesh: what is bound to draw them all in one call."""

    def __init__(self, mesh: MeshBuffers, attributes: Mapping[str, Any]) -> None:
        self.pattern = mesh.pattern
        self._index = mesh.index
        self._attributes = {**mesh.vertices, **attributes}

    def draw(self, shader: Shader, names: tuple[str, ...]) -> None:
        """Draws them with a shader that takes the attributes `names`."""
        shader.bind({name: self._attributes[name] for name in names})
        shader.draw("triangles", self._index)


class BodyLayer:
    """The bodies of one scene: in colour, as depth for the lamp, and some of them swollen for an outline."""

    def __init__(self, bodies: BodySet, shaders: Shaders) -> None:
        self._bodies = bodies
        self._shaders = shaders
        self._meshes = [MeshBuffers(mesh) for mesh in bodies.meshes]
        self._instances = [Instances(bodies, bodies.order[: int(bodies.starts[-1])])] if self._meshes else []
        self._groups = [
            Group(mesh, instances.rows(int(start), int(stop)))
            for instances in self._instances
            for mesh, start, stop in zip(self._meshes, bodies.starts[:-1], bodies.starts[1:], strict=True)
        ]
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

    def draw(self, frame: Mapping[str, Any], shadows: int) -> None:
        """Draws all bodies in colour; `frame` holds the uniforms of the picture, `shadows` is as in `shadow.glsl`."""
        for group in self._groups:
            shader = self._shaders.get("body.vert", "body.frag", PATTERN=group.pattern, SHADOWS=shadows)
            shader.set(frame)
            group.draw(shader, ("a_position", "a_normal", "i_place", "i_turn", "i_scale", "i_colour"))

    def draw_depth(self, frame: Mapping[str, Any]) -> None:
        """Draws all bodies as the lamp sees them."""
        shader = self._shaders.get("depth.vert", "depth.frag")
        shader.set(frame)
        for group in self._groups:
            group.draw(shader, ("a_position", "i_place", "i_turn", "i_scale"))

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
