"""The status bar says what is known, and nothing of what is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.view.window.status import StatusBar


@pytest.mark.parametrize(
    ("time", "contacts", "said"),
    [(0.0, [], ""), (0.0, [1, 2], "2 contacts"), (0.5, [], "0 contacts"), (0.5, [1], "1 contact")],
)
def test_contacts_are_counted_once_the_engine_has_looked(
    qtbot: QtBot, time: float, contacts: list[int], said: str
) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    frame: Any = SimpleNamespace(time=time, contacts=contacts)
    bar.show_frame(frame)
    assert bar._contacts.text() == said
