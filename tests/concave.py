"""Concave bodies and meshes for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.geometry.shapes import Mesh

L_SHAPE: dict[str, Any] = {
    "compound": {
        "pieces": [
            {"shape": {"box": [0.3, 0.1, 0.1]}, "position": [0.15, 0.0, 0.05]},
            {"shape": {"box": [0.1, 0.1, 0.3]}, "position": [0.05, 0.0, 0.25]},
        ]
    }
}
DUMBBELL: dict[str, Any] = {
    "compound": {
        "pieces": [
            {"shape": {"sphere": {"radius": 0.06}}, "position": [0.1, 0.0, 0.0]},
            {
                "shape": {"capsule": {"radius": 0.03, "length": 0.2}},
                "orientation": {"axis": [0.0, 1.0, 0.0], "degrees": 90.0},
            },
            {"shape": {"sphere": {"radius": 0.08}}, "position": [-0.1, 0.0, 0.0]},
        ]
    }
}
HOOK: dict[str, Any] = {
    "extrusion": {
        "rings": [
            [[-0.15, -0.15], [0.15, -0.15], [0.15, 0.15], [0.05, 0.15]]
            + [[0.05, -0.05], [-0.05, -0.05], [-0.05, 0.15], [-0.15, 0.15]]
        ],
        "height": 0.1,
    }
}


def circle(radius: float, corners: int) -> list[list[float]]:
    """A regular polygon as a ring."""
    angles = 2.0 * np.pi * np.arange(corners) / corners
    return (radius * np.column_stack([np.cos(angles), np.sin(angles)])).tolist()


LETTER_O: dict[str, Any] = {"extrusion": {"rings": [circle(0.15, 12), circle(0.08, 12)], "height": 0.08}}


def dish(radius: float = 1.0, around: int = 32, rings: int = 8, opening: float = 1.2) -> Mesh:
    """A spherical dish on the origin: an open mesh of revolution, up to the polar angle `opening`."""
    polar = np.linspace(0.0, opening, rings + 1)[1:, None]
    turn = 2.0 * np.pi * np.arange(around) / around
    rim = np.stack(
        [
            np.sin(polar) * np.cos(turn),
            np.sin(polar) * np.sin(turn),
            np.broadcast_to(1.0 - np.cos(polar), (rings, around)),
        ],
        axis=-1,
    )
    vertices = radius * np.concatenate([np.zeros((1, 3)), rim.reshape(-1, 3)])
    k, after = np.arange(around), (np.arange(around) + 1) % around
    faces = [np.stack([np.zeros(around, dtype=int), 1 + k, 1 + after], axis=1)]
    for ring in range(rings - 1):
        here, there = 1 + ring * around, 1 + (ring + 1) * around
        faces.append(np.stack([here + k, there + k, there + after], axis=1))
        faces.append(np.stack([here + k, there + after, here + after], axis=1))
    return Mesh(vertices, np.concatenate(faces))


def grid(nx: int, ny: int, step: float) -> Mesh:
    """A flat mesh of 2 nx ny triangles about the origin, facing up."""
    x, y = (np.arange(nx + 1) - 0.5 * nx) * step, (np.arange(ny + 1) - 0.5 * ny) * step
    u, v = np.meshgrid(x, y, indexing="ij")
    vertices = np.stack([u, v, np.zeros_like(u)], axis=-1).reshape(-1, 3)
    at = (np.arange(nx)[:, None] * (ny + 1) + np.arange(ny)).ravel()
    corner, diagonal = at + ny + 1, at + ny + 2
    faces = np.concatenate([np.stack([at, corner, diagonal], 1), np.stack([at, diagonal, at + 1], 1)])
    return Mesh(vertices, faces)


def save(mesh: Mesh, path: Path) -> dict[str, Any]:
    """Write a mesh file; the shape that means its true surface."""
    import trimesh

    trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).export(path)
    return {"mesh": {"file": path.name, "concave": True}}
