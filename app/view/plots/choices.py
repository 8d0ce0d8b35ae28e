"""What a person chose to plot: quantities of bodies, pairs and joints, by their names. No widgets here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PyQt6.QtCore import QMimeData

from app.simulation.watching import KINDS, QUANTITIES, Kind, Quantity, Subject
from engine.scene.joints import WITH_POSITION
from engine.scene.schema import Scene

MIME = "application/x-carom-quantities"
JOINT_UNITS = {"hinge": ("rad", "rad/s", "N m"), "slider": ("m", "m/s", "N")}


class Choice(NamedTuple):
    """One curve: a quantity of one body, of the two of a pair, or of a joint."""

    kind: Kind
    names: tuple[str, ...]
    quantity: str

    @property
    def text(self) -> str:
        """What its curve is called."""
        return f"{' – '.join(self.names)}, {self.quantity}"

    @property
    def column(self) -> int:
        """Its place in WATCHED.values."""
        return [quantity.name for quantity in QUANTITIES[self.kind]].index(self.quantity)

    def subject(self, scene: Scene) -> Subject | None:
        """Whose it is in a scene; None if that is not there."""
        if self.kind == "joint":
            known = [joint.name for joint in scene.joint]
        else:
            known = [body.name for body in scene.bodies]
        if any(name not in known for name in self.names):
            return None
        return Subject(self.kind, *(known.index(name) for name in self.names))

    def unit(self, scene: Scene) -> str:
        """Its unit in a scene that has it."""
        if self.kind != "joint":
            return QUANTITIES[self.kind][self.column].unit
        (kind,) = (joint.kind for joint in scene.joint if joint.name == self.names[0])
        return JOINT_UNITS[kind][self.column]


class Offer(NamedTuple):
    """A subject by its names, and all that can be plotted of it."""

    kind: Kind
    names: tuple[str, ...]

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return QUANTITIES[self.kind]

    def choice(self, quantity: str) -> Choice:
        return Choice(self.kind, self.names, quantity)


def offers_of(scene: Scene, bodies: Sequence[str], joint: int) -> list[Offer]:
    """What the selection can be plotted of: its bodies, of two the pair, too; else a joint with a position."""
    if bodies:
        pair = [Offer("pair", tuple(bodies))] if len(bodies) == 2 else []
        return [*pair, *(Offer("body", (name,)) for name in bodies)]
    if joint >= 0 and scene.joint[joint].kind in WITH_POSITION:
        return [Offer("joint", (scene.joint[joint].name,))]
    return []


def write_choices(choices: Iterable[Choice]) -> str:
    """As text, for the settings and for drags."""
    return json.dumps([[choice.kind, list(choice.names), choice.quantity] for choice in choices])


def read_choices(text: str) -> list[Choice]:
    """Those of a text that `write_choices` wrote; nothing where it cannot be understood."""
    try:
        listed = [Choice(kind, tuple(names), quantity) for kind, names, quantity in json.loads(text)]
    except (ValueError, TypeError):
        return []
    return [one for one in listed if one.kind in KINDS and _is_whole(one)]


def _is_whole(choice: Choice) -> bool:
    """Does it name as many as its kind has, and a quantity of them?"""
    named = len(choice.names) == (2 if choice.kind == "pair" else 1) and all(isinstance(n, str) for n in choice.names)
    return named and choice.quantity in [quantity.name for quantity in QUANTITIES[choice.kind]]


def drag_data(kind: Kind, names: Sequence[str], quantities: Sequence[str] = ()) -> QMimeData:
    """What a drag carries: quantities of a subject, or the subject alone, to choose from when it is dropped."""
    data = QMimeData()
    said = {"kind": kind, "names": list(names), "quantities": list(quantities)}
    data.setData(MIME, json.dumps(said).encode())
    return data


def dropped(data: QMimeData | None) -> tuple[list[Choice], list[str], Kind]:
    """What was dropped: choices where quantities were dragged, else the names, and what they are."""
    said = {} if data is None or not data.hasFormat(MIME) else json.loads(bytes(data.data(MIME).data()))
    kind, names = said.get("kind", "body"), said.get("names", [])
    return [Choice(kind, tuple(names), quantity) for quantity in said.get("quantities", [])], names, kind
