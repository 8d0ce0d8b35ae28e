"""Foreign geometry code in a process of its own, which may crash, run out of memory or take for ever, and dies alone.

The process is `python -m engine.scene.mesh_work SECONDS TASK WORDS`. It answers with one line
of JSON. It costs a second to start, so what it finds out is remembered by its callers.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.geometry.errors import GeometryError
from engine.scene.limits import GEOMETRY_SECONDS, PATIENCE

_LOOK = 0.02  # [s] from one look at the process to the next
_thread = threading.local()


class CalledOffError(Exception):
    """The person who waited called the work off."""


@contextmanager
def cancellable(cancelled: Callable[[], bool]) -> Iterator[None]:
    """While in the block, work that this thread waits for ends with CalledOffError once `cancelled` says True."""
    before = getattr(_thread, "cancelled", None)
    _thread.cancelled = cancelled
    try:
        yield
    finally:
        _thread.cancelled = before


def check_called_off() -> None:
    """Raise CalledOffError if this thread's work was called off: for just before what cannot be taken back."""
    cancelled = getattr(_thread, "cancelled", None)
    if cancelled is not None and cancelled():
        raise CalledOffError


def work_apart(name: str, task: str, *words: str, seconds: float = GEOMETRY_SECONDS) -> dict[str, Any]:
    """What a task of `engine.scene.mesh_work` answers. `name` is what messages call the file.

    It may compute for so many seconds, and last a few times as long: other programs may be running.

    Raises GeometryError if it refuses, crashes, or needs more time or memory than it may have.
    """
    places = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "engine.scene.mesh_work", f"{seconds:g}", task, *words]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, env=surroundings
        )
        try:
            code = _wait(process, time.monotonic() + PATIENCE * seconds)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        out.seek(0)
        told = out.read().decode("utf-8", "replace").strip()
    if code in (None, -signal.SIGXCPU):
        raise GeometryError(f"{name} took longer than {seconds:g} s: use fewer triangles")
    try:
        answer: dict[str, Any] = json.loads(told.splitlines()[-1])
    except (IndexError, ValueError):
        raise GeometryError(f"{name} {_say_end(code or 0)}") from None
    return answer


def _wait(process: subprocess.Popen[bytes], until: float) -> int | None:
    """Its exit code, or None when time is up."""
    while time.monotonic() < until:
        try:
            return process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            check_called_off()
    return None


def _say_end(code: int) -> str:
    if code == -signal.SIGKILL:
        return "needed more memory than there is"
    how = signal.Signals(-code).name if -code in signal.valid_signals() else f"exit code {code}"
    return f"made the program that reads and cuts meshes crash ({how}): its surface may cross itself"
