"""The little of OpenGL that the viewport needs beyond vispy's gloo: programs from shader files, and its backends.

This is the seam round the drawing library: only this module, the layers that draw, the two canvases (on the screen and
off it) and the hidden context know vispy.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from ctypes import c_void_p
from functools import cache
from typing import Any

import numpy as np

from engine.arrays import Floats32
from engine.resources import assets_dir

# PyOpenGL reads this when it is imported: checking every single call for errors would cost more than the calls.
import OpenGL  # isort: skip

OpenGL.ERROR_CHECKING = False

import vispy  # noqa: E402
from OpenGL import GL  # noqa: E402
from OpenGL.raw.GL.VERSION.GL_2_0 import glVertexAttribPointer  # noqa: E402  # PyOpenGL's own looks after arrays
from vispy import gloo  # noqa: E402

TRIANGLES, TRIANGLE_STRIP = int(GL.GL_TRIANGLES), int(GL.GL_TRIANGLE_STRIP)

RGBA8 = 0x8058  # GL_RGBA8 and GL_DEPTH24_STENCIL8, which gloo's names do not reach
DEPTH24_STENCIL8 = 0x88F0
_SIZES = {"float": 1, "vec2": 2, "vec3": 3, "vec4": 4}  # numbers of an attribute


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
    """A program from two files of `assets/shaders`. What it was given last stays, and is not sent again.

    gloo compiles it and sends its uniforms. Its attributes are set and drawn here: gloo would take a fifth of a
    millisecond for a draw, and a picture has a dozen.
    """

    def __init__(self, vertex: str, fragment: str, defines: Mapping[str, int]) -> None:
        head = "#version 120\n" + "".join(f"#define {name} {value}\n" for name, value in defines.items())
        self._program = gloo.Program(head + _source(vertex), head + _source(fragment))
        self._uniforms = {name for kind, _, name in self._program.variables if kind == "uniform"}
        self._sizes = {name: _SIZES[word] for kind, word, name in self._program.variables if kind == "attribute"}
        self._places: dict[str, int] = {}
        self._given: dict[str, object] = {}
        self._bound: dict[str, Any] = {}

    def set(self, values: Mapping[str, Any]) -> None:
        """Sets those of the uniforms `values` that it declares; matrices are given for column vectors."""
        given = self._given
        for name in self._uniforms.intersection(values):
            value, before = values[name], given.get(name)
            plain = isinstance(value, (tuple, float)) and type(value) is type(before)
            if value is not before and not (plain and value == before):
                given[name] = value
                matrix = isinstance(value, np.ndarray) and value.shape == (4, 4)
                self._program[name] = value.T if matrix else value

    def bind(self, buffers: Mapping[str, Any]) -> None:
        """Takes attributes from these buffers."""
        self._bound.update(buffers)

    def draw(self, mode: int, index: Any = None) -> None:
        """Draws what is bound, in the order of an index buffer if there is one. mode: OpenGL's number of it."""
        context = gloo.get_current_canvas().context
        parser = context.shared.parser
        for thing in (self._program, index, *self._bound.values()):
            if thing is not None:
                context.glir.associate(thing.glir)
        context.flush_commands()
        program = parser.get_object(self._program.id)
        program.activate()
        for kind, texture, unit in program._samplers.values():
            GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
            GL.glBindTexture(kind, texture)
        if not self._places:
            places = {name: GL.glGetAttribLocation(program.handle, name) for name in self._sizes}
            self._places = {name: place for name, place in places.items() if place >= 0}  # what something hangs on
        vertices, instances = self._point(parser)
        if index is None:
            GL.glDrawArraysInstanced(mode, 0, vertices, instances)
        else:
            GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, parser.get_object(index.id).handle)
            GL.glDrawElementsInstanced(mode, index.size, GL.GL_UNSIGNED_INT, None, instances)

    def _point(self, parser: Any) -> tuple[int, int]:
        """Points the attributes to what is bound; how many vertices there are, and how many instances."""
        vertices, instances = 0, 1
        divisors = parser.env.setdefault("divisors", {})  # of the arrays that are enabled; gloo forgets it in time
        for name, place in self._places.items():
            buffer = self._bound[name]
            divisor = getattr(buffer, "divisor", None) or 0
            if divisor:
                instances = buffer.size
            else:
                vertices = buffer.size
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, parser.get_object(buffer.id).handle)
            offset = c_void_p(buffer.offset)
            glVertexAttribPointer(place, self._sizes[name], GL.GL_FLOAT, False, buffer.stride, offset)
            if divisors.get(place) != divisor:
                divisors[place] = divisor
                GL.glEnableVertexAttribArray(place)
                GL.glVertexAttribDivisor(place, divisor)
        return vertices, instances


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
