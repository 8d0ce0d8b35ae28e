"""A controller's Python file: loading it, calling it, and what it remembers, which is plain data."""

from __future__ import annotations

import json
import traceback
from pathlib import Path
from typing import Any

_DEEPEST = 50  # lists and tables in each other


class ControllerError(RuntimeError):
    """A controller cannot go on; the text says in which file and line, and why."""


class PythonFile:
    """The class `Controller` of a file, loaded anew when the file has changed; its state lives on."""

    def __init__(self, path: Path, bodies: tuple[str, ...], joints: tuple[str, ...], settings: dict[str, Any]) -> None:
        self.path = path
        self.memory: str | None = None  # its state as JSON; None before its first tick
        self._given = {"bodies": bodies, "joints": joints, "settings": settings}
        self._stamp: tuple[int, int] | None = None
        self._code: bytes | None = None
        self._controller: Any = None

    def act(self, world: object) -> None:
        """Call it with a world. Raises ControllerError, and remembers nothing of a call that failed."""
        controller = self._loaded()
        try:
            if self.memory is not None:
                controller.state = json.loads(self.memory)
            controller.act(world)
            state = controller.state
        except (Exception, SystemExit) as error:
            self._controller = None
            raise self._problem(error) from error
        self.memory = self._remembered(state)

    def restore(self, memory: str | None) -> None:
        """Go on from what it remembered at some time."""
        self.memory = memory
        self._controller = None

    def _loaded(self) -> Any:
        self._look()
        if self._controller is None:
            assert self._code is not None
            spaces: dict[str, Any] = {"__name__": self.path.stem, "__file__": str(self.path)}
            try:
                exec(compile(self._code, str(self.path), "exec"), spaces)
                self._controller = self._made(spaces)
            except ControllerError:
                raise
            except (Exception, SystemExit) as error:
                raise self._problem(error) from error
        return self._controller

    def _made(self, spaces: dict[str, Any]) -> Any:
        kind = spaces.get("Controller")
        if not isinstance(kind, type) or not callable(getattr(kind, "act", None)):
            raise ControllerError(f"{self.path.name}: has no class Controller with a method act(self, world)")
        made: Any = object.__new__(kind)
        made.state = {}
        for name, value in self._given.items():
            setattr(made, name, value)
        made.__init__()
        return made

    def _look(self) -> None:
        """Read the file if it has changed. One that is away for a moment, being saved, stays what it was."""
        try:
            found = self.path.stat()
            stamp = (found.st_mtime_ns, found.st_size)
            if stamp != self._stamp:
                code = self.path.read_bytes()
                self._stamp = stamp
                if code != self._code:
                    self._code, self._controller = code, None
        except OSError as error:
            if self._code is None:
                raise ControllerError(f"{self.path}: {error.strerror or error}") from error

    def _remembered(self, state: Any) -> str:
        """A state as JSON, from which it comes back the same; ControllerError if it is no plain data."""
        if wrong := _wrong(state, "self.state", 0):
            self._controller = None
            raise ControllerError(f"{self.path.name}: {wrong} (plain data are numbers, texts, lists and dicts)")
        return json.dumps(state)

    def _problem(self, error: BaseException) -> ControllerError:
        line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(self.path) else None
        for frame in traceback.extract_tb(error.__traceback__):
            line = frame.lineno if frame.filename == str(self.path) else line
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, KeyError) and len(error.args) == 1:  # which says no more than the repr of its text
            text = str(error.args[0])
        what = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return ControllerError(f"{self.path.name}:{line}: {what}" if line else f"{self.path.name}: {what}")


def _wrong(value: Any, name: str, depth: int) -> str:
    """What of a value is no plain data; "" if all is."""
    if depth > _DEEPEST:
        return f"{name} goes on too deeply"
    if isinstance(value, int):
        return "" if _can_be_written(value) else f"{name} is a number of too many digits"
    if value is None or isinstance(value, (float, str)):
        return ""
    if isinstance(value, list):
        return next(filter(None, (_wrong(item, f"{name}[{k}]", depth + 1) for k, item in enumerate(value))), "")
    if isinstance(value, dict):
        if others := [key for key in value if not isinstance(key, str)]:
            return f"{name} has the key {others[0]!r}, which is no text"
        return next(filter(None, (_wrong(item, f"{name}[{key!r}]", depth + 1) for key, item in value.items())), "")
    return f"{name} is a {type(value).__name__}"


def _can_be_written(value: int) -> bool:
    try:
        return bool(str(value))
    except ValueError:  # Python refuses to write integers of thousands of digits
        return False
