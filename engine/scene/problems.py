"""What is wrong with a scene, said for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MOST_LETTERS = 600


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong; `field` is a path such as `body.cue.velocity`, `hint` says what would be right."""

    file: str | None
    line: int | None
    field: str
    message: str
    hint: str

    def __str__(self) -> str:
        place = "" if self.file is None else self.file + (": " if self.line is None else f":{self.line}: ")
        field = f"{_short(self.field)}: " if self.field else ""
        hint = f" ({_short(self.hint)})" if self.hint else ""
        return f"{place}{field}{_short(self.message)}{hint}".replace("\n", " ")


def _short(text: str) -> str:
    """Names and values that a file says may be of any length."""
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 3]}..."


class SceneError(ValueError):
    """A scene cannot be used. `problems` lists everything that was found; its text has one line for each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
