"""What an import has to say: what was not understood, left out or changed, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.importing.xml_file import Place
from engine.scene.problems import Problem, SceneError


@dataclass(frozen=True)
class Remark:
    """One thing that came over otherwise than it was said, or not at all; without a line it is about the whole."""

    file: str
    line: int | None
    element: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.element}: {self.message}".replace("\n", " ")


@dataclass
class Remarks:
    """Gathers remarks in the order in which they come up; the same is said once."""

    file: str
    said: dict[Remark, None] = field(default_factory=dict)

    def add(self, place: Place | None, element: str, message: str) -> None:
        """Says what happened to an element; a place of None is the whole file."""
        file, line = (self.file, None) if place is None else place
        self.said[Remark(file, line, element, message)] = None

    def not_negative(self, place: Place | None, element: str, name: str, key: str, value: float) -> float:
        """The value, or 0 where it is less, which nothing in a scene may be."""
        if value < 0.0:
            self.add(place, element, f'"{name}" loses its {key} of {value:g}: 0 is the least that there is')
        return max(value, 0.0)

    def __iter__(self) -> Iterator[Remark]:
        """In the order of the files' lines; what is about the whole comes last."""
        files = {name: row for row, name in enumerate(dict.fromkeys(remark.file for remark in self.said))}
        return iter(sorted(self.said, key=lambda one: (one.line is None, files[one.file], one.line or 0)))


def failure(place: Place | None, message: str, hint: str, file: str = "") -> SceneError:
    """The error of a model that cannot be imported at all."""
    name, line = (file, None) if place is None else place
    return SceneError([Problem(name or None, line, "", message, hint)])
