"""The little of OpenGL that the viewport needs beyond vispy's gloo: programs from shader files, and its backends.

This is the seam round the drawing library: only this module, the layers that draw, the two canvases (on the screen and
off it) and the hidden context know vispy.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from engine.arrays import Floats32
from engine.resources import assets_dir

# PyOpenGL reads this when it is imported: checking every single call for errors would cost more than the calls.
import OpenGL  # isort: skip

OpenGL.ERROR_CHECKING = False

import vispy  # noqa: E402
from vispy import gloo  # noqa: E402

RGBA8 = 0x8058  # GL_RGBA8 and GL_DEPTH24_STENCIL8, which gloo's names do not reach
DEPTH24_STENCIL8 = 0x88F0


class ThreadsOwn(threading.local):
    """A list of which every thread has its own; as much of a list as vispy asks of its canvases."""

    def __init__(self) -> None:
        self._items: list[Any] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __getitem__(self, where: Any) -> Any:
        return self._items[where]

    def __setitem__(self, where: Any, items: Any) -> None:
        self._items[where] = items


# OpenGL's current context belongs to a thread, but vispy has one current canvas for the process: two threads that draw
# would send their commands to each other's contexts.
gloo.context.canvasses = ThreadsOwn()


def use_window_backend() -> None:
    """Chooses Qt and the OpenGL of the desktop; instancing needs the latter."""
    vispy.use(app="pyqt6", gl="gl+")


def use_egl_backend() -> None:
    """Chooses the OpenGL of the desktop; the application of vispy's that goes with it is made by the caller."""
    vispy.use(gl="gl+")


@cache
def _source(name: str) -> str:
    text = (assets_dir() / "shaders" / name).read_text(encoding="utf-8")
    return re.sub(r'#include "([\w.]+)"', lambda match: _source(match.group(1)), text)


class Shader:
    """A program from two files of `assets/shaders`. What it was given last stays, and is not sent again."""

    def __init__(self, vertex: str, fragment: str, defines: Mapping[str, int]) -> None:
        head = "#version 120\n" + "".join(f"#define {name} {value}\n" for name, value in defines.items())
        self._program = gloo.Program(head + _source(vertex), head + _source(fragment))
        self._uniforms = {name for kind, _, name in self._program.variables if kind == "uniform"}
        self._given: dict[str, object] = {}

    def set(self, values: Mapping[str, Any]) -> None:
        """Sets those of the uniforms `values` that it declares; matrices are given for column vectors."""
        given = self._given
        for name in self._uniforms.intersection(values):
            value = values[name]
            if given.get(name) is not value:
                given[name] = value
                matrix = isinstance(value, np.ndarray) and value.shape == (4, 4)
                self._program[name] = value.T if matrix else value

    def bind(self, buffers: Mapping[str, Any]) -> None:
        """Takes attributes from these buffers."""
        given = self._given
        for name, buffer in buffers.items():
            if given.get(name) is not buffer:
                given[name] = buffer
                self._program[name] = buffer

    def draw(self, mode: str, index: Any = None) -> None:
        """Draws what is bound, in the order of an index buffer if there is one."""
        self._program.draw(mode, index)


class Shaders:
    """The programs of one OpenGL context, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Shader] = {}

    def get(self, vertex: str, fragment: str, **defines: int) -> Shader:
        """The program with `#define NAME value` lines put before both files; a value of 0 defines nothing."""
        wanted = {name: value for name, value in defines.items() if value}
        key = (vertex, fragment, *sorted(wanted.items()))
        if key not in self._made:
            self._made[key] = Shader(vertex, fragment, wanted)
        return self._made[key]


def instance_buffer(data: Floats32) -> gloo.VertexBuffer:
    """A buffer (n, 2 to 4) of which every instance takes one row."""
    return gloo.VertexBuffer(np.ascontiguousarray(data, dtype=np.float32), divisor=1)


def rows(buffer: gloo.VertexBuffer, start: int, stop: int) -> Any:
    """Some rows of an instance buffer; they stay valid while it keeps its size."""
    view = buffer[start:stop]
    view.divisor = 1  # gloo's views forget it
    return view


def corners() -> gloo.VertexBuffer:
    """The square of two triangles that fills clip space."""
    square: Iterable[tuple[int, int]] = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    return gloo.VertexBuffer(np.array(list(square), dtype=np.float32))


def handle(context: Any, thing: Any) -> int:
    """OpenGL's own name of a gloo object whose commands have been flushed."""
    return int(context.shared.parser.get_object(thing.id).handle)


def is_software() -> bool:
    """Whether the current context draws on the processor."""
    name = gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)
    return any(word in str(name).lower() for word in ("llvmpipe", "softpipe", "swrast", "swiftshader", "software"))
