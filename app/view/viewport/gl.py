"""The little of OpenGL that the viewport needs beyond vispy's gloo: programs from shader files, and its backends.

This is the seam round the drawing library: only this module, the layers that draw, and the two canvases (on the screen
and off it) know vispy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.resources import assets_dir

# PyOpenGL reads this when it is imported: checking every single call for errors would cost more than the calls.
import OpenGL  # isort: skip

OpenGL.ERROR_CHECKING = False

import vispy  # noqa: E402
from vispy import gloo  # noqa: E402

RGBA8 = 0x8058  # GL_RGBA8 and GL_DEPTH24_STENCIL8, which gloo's names do not reach
DEPTH24_STENCIL8 = 0x88F0

Floats32 = NDArray[np.float32]


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


def load_program(vertex: str, fragment: str, defines: Mapping[str, int] | None = None) -> gloo.Program:
    """A program from two files of `assets/shaders`, each with `#define NAME value` lines put before it."""
    head = "#version 120\n" + "".join(f"#define {name} {value}\n" for name, value in (defines or {}).items())
    return gloo.Program(head + _source(vertex), head + _source(fragment))


def set_uniforms(program: gloo.Program, values: Mapping[str, Any]) -> None:
    """Sets those of `values` that the program declares; matrices are given for column vectors."""
    declared = {name for kind, _, name in program.variables if kind == "uniform"}
    for name in declared.intersection(values):
        value = values[name]
        if isinstance(value, np.ndarray) and value.shape == (4, 4):
            value = value.T
        program[name] = value


def instance_buffer(data: Floats32) -> gloo.VertexBuffer:
    """A buffer (n, 2 to 4) of which every instance takes one row."""
    return gloo.VertexBuffer(np.ascontiguousarray(data, dtype=np.float32), divisor=1)


def rows(buffer: gloo.VertexBuffer, start: int, stop: int) -> Any:
    """Rows of an instance buffer, to be bound as a whole."""
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
