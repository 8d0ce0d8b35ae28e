"""The status bar says what is known, and nothing of what is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PyQt6.QtWidgets import QLabel, QProgressBar, QToolButton
from pytestqt.qtbot import QtBot

from app.view.window import status
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
    frame: Any = SimpleNamespace(time=time, touching=contacts, sought=None)
    bar.show_frame(frame)
    assert bar._contacts.text() == said


def test_how_far_a_run_is_gone_through_again_is_told_if_it_takes_a_while(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[bool] = []
    bar = StatusBar(lambda: stopped.append(True))
    qtbot.addWidget(bar)
    bar.show()
    clock = [10.0]
    monkeypatch.setattr(status.time, "monotonic", lambda: clock[0])
    frame: Any = SimpleNamespace(time=3.0, touching=[], sought=(2.0, 6.0))
    bar.show_frame(frame)
    assert bar.again.isHidden(), "most looks into the past take no time"
    clock[0] += 0.4
    bar.show_frame(frame)
    assert bar.again.isVisible()
    assert [label.text() for label in bar.again.findChildren(QLabel)] == ["running again to 6.00 s: 25%"]
    (shown,) = bar.again.findChildren(QProgressBar)
    assert shown.value() == 0.25 * shown.maximum()
    line = QLabel(bar).sizeHint().height()
    assert bar.again.sizeHint().height() <= line, "it takes no height from the picture, nor moves it where it comes"
    bar.again.findChildren(QToolButton)[0].click()
    assert stopped == [True]
    bar.show_frame(SimpleNamespace(time=3.0, touching=[], sought=None))  # type: ignore[arg-type]
    assert bar.again.isHidden()
