"""An action: one row of the table that menus, tool bar, keys and palette come from; and when it can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.actions.host import Facts, Host

Part = TypeVar("Part")
MENUS = ("File", "Edit", "Add", "Simulation", "View", "Overlays", "Analyse", "Help")


def always(_facts: Facts) -> bool:
    return True


def scene_open(facts: Facts) -> bool:
    return facts.scene_open


def ready(facts: Facts) -> bool:
    return facts.scene_open and facts.ready


def selected(facts: Facts) -> bool:
    return facts.scene_open and facts.selected > 0


def one_selected(facts: Facts) -> bool:
    return facts.scene_open and facts.selected == 1


@dataclass(frozen=True)
class Action:
    """One thing that a person can do."""

    id: str
    text: str
    run: Callable[[Host], object]
    keys: tuple[str, ...] = ()
    icon: str = ""
    enabled: Callable[[Facts], bool] = always
    group: str = ""  # actions of one group stand together in their menu, between lines
    hint: str = ""  # one sentence, where the text does not say enough
    checked: Callable[[Facts], bool] | None = None
    label: Callable[[Facts], str] | None = None  # the text, where it depends on the facts
    toolbar: bool = False

    @property
    def menu(self) -> str:
        """Title of its menu, which its id begins with."""
        return self.id.partition(".")[0].capitalize()


@dataclass(frozen=True)
class Menu(Generic[Part]):
    """Makes the actions of one menu, all of which one part of the window carries out."""

    name: str  # which the ids of its actions begin with
    part: Callable[[Host], Part]

    def __call__(
        self,
        name: str,
        text: str,
        run: Callable[[Part], object],
        keys: str = "",  # with blanks between them
        icon: str = "",
        enabled: Callable[[Facts], bool] = always,
        group: str = "",
        hint: str = "",
        checked: Callable[[Facts], bool] | None = None,
        label: Callable[[Facts], str] | None = None,
        toolbar: bool = False,
    ) -> Action:
        """A row for what `run` does; the rest as in `Action`."""
        identifier, part = f"{self.name}.{name}", self.part
        return Action(
            identifier, text, lambda host: run(part(host)), tuple(keys.split()), icon, enabled, group, hint,
            checked, label, toolbar,
        )  # fmt: skip
