"""The inspector's page for several bodies: every row that all of them have, and what is typed there goes to all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from app.document.document import Document
from app.view.forms.numbers import MIXED
from app.view.inspector.body_page import BodyPage
from app.view.inspector.load_rows import add_load_rows, load_signature
from app.view.inspector.motion_rows import motion_signature
from app.view.inspector.page import Page
from app.view.inspector.shape_rows import shape_signature
from engine.scene.schema import Body, Scene

_MOST = 200  # that have rows


class BodiesPage(BodyPage):
    """The rows of one body's page, of all that are selected. Where their values differ a row says so.

    A row reads and writes through paths that begin with `_name`: it is each of the names in turn.
    """

    def __init__(self, document: Document) -> None:
        Page.__init__(self, document)
        scene = document.scene
        self._names = document.selection
        self._name = self._names[0]
        if len(self._names) > _MOST:
            self.form("").add_paragraph().setText(f"More than {_MOST} bodies are edited in the scene's text")
            return
        bodies = _bodies(scene, self._names)
        first = bodies[0]
        self._add_kind(self.form(""), scene)
        if _alike(_shape_signature, bodies):
            self._add_shape(first)
        self._add_pose()
        if not _alike(lambda body: body.motion_kind, bodies):
            return
        if first.motion_kind == "free":
            self._add_motion()
            if _alike(lambda body: (len(body.attached), body.centre_of_mass is None), bodies):
                self._add_mass(scene, first)
            if _alike(load_signature, bodies):
                add_load_rows(self, self._path, first)
        elif first.motion_kind != "fixed" and _alike(motion_signature, bodies):
            self._add_script(first)

    @classmethod
    def signature(cls, document: Document, scene: Scene) -> object:
        if len(document.selection) > _MOST:
            return document.selection
        rows = tuple(
            (_shape_signature(body), len(body.attached), load_signature(body), motion_signature(body))
            for body in _bodies(scene, document.selection)
        )
        return (document.selection, rows, tuple(scene.material))

    def heading(self, scene: Scene) -> str:
        return f"{len(self._names)} bodies"

    def caption(self, scene: Scene) -> str:
        names = self._names
        return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

    def subject(self, path: str) -> str:
        return f"{len(self._names)} bodies"

    def show_live(self, frame: Any) -> None:
        """Nothing of many bodies is shown live."""

    def shown(self, scene: Scene, read: Callable[[Scene], object]) -> object:
        return merged(read(alone) for alone in self._alone(scene))

    def edited(
        self,
        scene: Scene,
        path: Callable[[], str],
        value: object,
        read: Callable[[Scene], object],
        write: Callable[[object], object] | None,
    ) -> Scene:
        for _ in self._each():
            own = filled(value, read(scene)) if _has_gaps(value) else value
            scene = super().edited(scene, path, own, read, write)
        return scene

    def _each(self) -> Iterator[str]:
        """Each of the names, while paths begin with it."""
        for name in self._names:
            self._name = name
            yield name

    def _alone(self, scene: Scene) -> Iterator[Scene]:
        """The same with a scene for each in which there is no other body: it is found at once there."""
        known = {body.name: body for body in scene.body}
        for name in self._each():
            yield scene.model_copy(update={"body": (known[name],)})


def merged(values: Iterable[object]) -> object:
    """The one value that all are, or MIXED; of vectors, number by number. No more are asked for than it takes."""
    rest = iter(values)
    found = next(rest)
    for value in rest:
        found = _merged(found, value)
        if found is MIXED or (_has_gaps(found) and all(part is MIXED for part in found)):  # type: ignore[attr-defined]
            break
    return found


def _merged(one: object, other: object) -> object:
    if one == other:
        return one
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        return [_merged(a, b) for a, b in zip(one, other)]
    return MIXED


def filled(value: object, own: object) -> object:
    """A vector with a body's own numbers where nothing was typed."""
    return [old if new is MIXED else new for new, old in zip(value, own, strict=True)]  # type: ignore[call-overload]


def _has_gaps(value: object) -> bool:
    return isinstance(value, list) and MIXED in value


def _bodies(scene: Scene, names: Sequence[str]) -> list[Body]:
    known = {body.name: body for body in scene.body}
    return [known[name] for name in names]


def _alike(of: Callable[[Body], object], bodies: Sequence[Body]) -> bool:
    return len({of(body) for body in bodies}) == 1


def _shape_signature(body: Body) -> object:
    return (shape_signature(body.shape), body.motion == "free")
