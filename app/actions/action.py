"""An action: one row of the table that menus, tool bar, keys and palette come from; and when it can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.actions.host import Facts, Host

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
