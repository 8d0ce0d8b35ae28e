"""The inspector's rows for keys: what holds at certain times, of a scripted motion or of a load."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PyQt6.QtWidgets import QPushButton

from app.view.forms.numbers import NumberBox, number_text
from app.view.forms.rows import Form
from app.view.inspector.page import Change, Page, Place
from engine.scene.paths import get_path
from engine.scene.schema import Scene

_OPEN = 6  # of more keys all but the last are folded
_MOST = 200  # keys that are shown as numbers


def add_key_forms(
    page: Page, title: str, path: Callable[[], str], count: int, add_values: Callable[[Form, Place], None]
) -> None:
    """A form for each of the `count` keys in the list at `path()`: its time, and what `add_values` puts under that.

    `add_values` gets the form and where a value of the key stands: `at("offset")()`.
    """
    if count > _MOST:
        page.form(f"{title}s").add_paragraph().setText(f"More than {_MOST} keys are edited in the scene's text")
        return
    for row in range(count):
        form = page.form(f"{title} {row}", folded=count > _OPEN and row < count - 1)
        at = _inside(path, row)
        if count > _OPEN:
            page.on_refresh(partial(_tell_time, page, form, f"{title} {row}", at("time")))
        page.bind(form, "Time", NumberBox("s"), at("time"), "s")
        add_values(form, at)


def _tell_time(page: Page, form: Form, title: str, path: Callable[[], str], scene: Scene) -> None:
    """Puts the time into the heading, which is all that is seen of a key that is folded."""
    time = page.shown(scene, lambda one: get_path(one, path()))
    form.set_title(f"{title}: {number_text(time)} s" if isinstance(time, float) else title)


def _inside(path: Callable[[], str], row: int) -> Place:
    return lambda name: lambda: f"{path()}[{row}].{name}"


def add_key_buttons(
    page: Page, path: Callable[[], str], is_last: str, hint: str = "", shorten: Change | None = None
) -> None:
    """Buttons that add a key to the list at `path()` and take one out.

    is_last: why no key can be taken out, "" if one can; hint: what taking one out does; shorten: how it is done, else
    the last one goes.
    """
    add, remove = QPushButton("Add key"), QPushButton("Remove last key")
    add.setToolTip("Like the last one, and as long after it as that is after the one before")
    remove.setEnabled(not is_last)
    remove.setToolTip(is_last or hint)
    page.add_list_buttons(
        page.form(""),
        path,
        (add, "add a key", lambda keys: [*keys, _next_key(keys)]),
        (remove, "remove the last key", shorten or (lambda keys: keys[:-1])),
    )


def _next_key(keys: list[Any]) -> dict[str, Any]:
    last = keys[-1]
    pause = last["time"] - keys[-2]["time"] if len(keys) > 1 else 1.0
    return {**last, "time": float(f"{last['time'] + pause:.10g}")}
