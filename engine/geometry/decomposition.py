"""Closed concave meshes as convex pieces, by CoACD (Wei and others 2022), which cuts where concavity is worst.

The pieces follow the surface to about CONCAVITY of the mesh's size. Cutting takes seconds, so its results are kept in
the user's cache folder, named after the mesh's content: the same mesh gives the same pieces, today and tomorrow.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.arrays import Floats
from engine.geometry.errors import GeometryError
from engine.geometry.hull_tree import compound
from engine.geometry.shapes import Mesh, Shape, convex
from engine.kernel import cache_root

CONCAVITY = 0.03
"""How far a piece's hull may stand off the true surface, as a part of the mesh's size [1]."""

_listeners: list[Callable[[str], None]] = []


def decompose(mesh: Mesh, name: str = "a mesh") -> Shape:
    """A closed mesh as a shape with convex pieces, its mass and looks those of the mesh.

    `name` is what listeners are told. Raises GeometryError if it cannot be cut.
    """
    path = _cache_path(mesh)
    clouds = _read(path)
    if clouds is None:
        tell(f"Cutting {name} into convex pieces")
        clouds = _cut(mesh, name)
        _write(path, clouds)
        tell("")
    return replace(compound([convex(cloud) for cloud in clouds]), solid=mesh)


def is_decomposed(mesh: Mesh) -> bool:
    """Whether `decompose` finds its result in the cache, so that it is quick."""
    return _cache_path(mesh).is_file()


@contextmanager
def listen(listener: Callable[[str], None]) -> Iterator[None]:
    """While in the block, call `listener` with one line when a cut begins, and with "" when it has ended."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(text: str) -> None:
    """Say this line to whoever listens."""
    for listener in _listeners:
        listener(text)


def _cut(mesh: Mesh, name: str) -> list[Floats]:
    """Corners of the pieces, (n, 3) each."""
    import coacd

    coacd.set_log_level("off")
    try:
        # Half of CoACD's usual search costs half the time and hardly a piece more.
        parts = coacd.run_coacd(
            coacd.Mesh(mesh.vertices, mesh.faces),
            threshold=CONCAVITY,
            preprocess_mode="off",  # that is for meshes that are not closed
            resolution=1000,
            mcts_iterations=60,
            mcts_nodes=10,
            seed=1,
        )
    except Exception as problem:  # a C++ library, which says no more than that it failed
        raise GeometryError(f"{name} cannot be cut into convex pieces: {problem}") from problem
    clouds = [np.asarray(vertices, dtype=np.float64) for vertices, _ in parts]
    if not clouds:
        raise GeometryError(f"{name} cannot be cut into convex pieces")
    return clouds


def _cache_path(mesh: Mesh) -> Path:
    digest = hashlib.blake2b(f"coacd {version('coacd')} {CONCAVITY}".encode(), digest_size=16)
    digest.update(np.ascontiguousarray(mesh.vertices).tobytes())
    digest.update(np.ascontiguousarray(mesh.faces).tobytes())
    return cache_root().parents[1] / "pieces" / f"{digest.hexdigest()}.npz"


def _read(path: Path) -> list[Floats] | None:
    try:
        with np.load(path, allow_pickle=False) as archive:
            points, bounds = archive["points"], archive["bounds"]
    except (OSError, ValueError, KeyError, EOFError):
        return None
    return [points[start:end] for start, end in pairwise(bounds.tolist())]


def _write(path: Path, clouds: list[Floats]) -> None:
    """Whole or not at all; a cache that cannot be written is no reason to fail."""
    new = path.with_suffix(f".{os.getpid()}.npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        bounds = np.cumsum([0, *(len(cloud) for cloud in clouds)])
        np.savez_compressed(new, points=np.concatenate(clouds), bounds=bounds)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
