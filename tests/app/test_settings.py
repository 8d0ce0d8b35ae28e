"""Whatever the settings hold, the window can be made: what cannot be read takes its default or is left out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PyQt6.QtCore import QByteArray, QSettings

from app.document.settings import history_megabytes, read_setting, recent_files, remember_file
from app.view.plots.choices import Choice, read_choices
from app.view.window.main_window import MainWindow

LONG = f"/{'x' * 300}.toml"
BAD = {
    "layout/left_tab": ("two", "1.5", "", ["1", "2"], "99999999999999", QByteArray(b"\0")),
    "layout/bottom_tab": ("two",),
    "layout/columns": ("wide", 5, QByteArray(b"garbage")),
    "layout/window": ("wide", QByteArray(b"garbage")),
    "layout/panels": (["left", "right"],),
    "recent": (LONG, 5, "", QByteArray(b"\xff"), ["a\0b", LONG], [1, 2]),
    "folder": (LONG, ["/tmp", "/var"], 5, "a\0b"),
    "history_megabytes": ("nan", "many", ["1", "2"], ""),
    "scheme": (["light", "dark"], 5),
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in BAD.items() for value in values])
def test_the_window_is_made_whatever_an_entry_holds(
    qtbot, stored: QSettings, kernels: None, key: str, value: object
) -> None:
    stored.setValue(key, value)
    window = MainWindow()
    qtbot.addWidget(window)
    assert window.workspace._left.currentIndex() == 0 and window.workspace.shown_panels()
    assert window.files._folder().is_dir() and recent_files() == []
    assert history_megabytes() == 256.0
    window.close()


def test_an_entry_of_another_type_takes_its_default(stored: QSettings) -> None:
    cases: tuple[tuple[object, type, object, object], ...] = (
        ("7", int, 1, 7),
        ("7.5", int, 1, 1),
        ("7.5", float, 1.0, 7.5),
        (["1", "2"], int, 1, 1),
        ("a b", str, "", "a b"),
        (["a", "b"], str, "c", "c"),
        ("a", list, [], ["a"]),
        (["a", "b"], list, [], ["a", "b"]),
        (QByteArray(b"a"), list, ["c"], ["c"]),
        (QByteArray(b"a"), QByteArray, QByteArray(), QByteArray(b"a")),
        (None, str, "c", "c"),
    )
    for value, kind, default, expected in cases:
        stored.setValue("a", value)
        assert read_setting("a", kind, default) == expected, (value, kind)
    assert read_setting("nothing", str, "c") == "c"


@pytest.mark.parametrize(
    ("value", "megabytes"), [("inf", 65536.0), ("-inf", 1.0), ("nan", 256.0), ("-5", 1.0), ("64", 64.0)]
)
def test_memory_is_a_number_within_its_bounds(stored: QSettings, value: str, megabytes: float) -> None:
    stored.setValue("history_megabytes", value)
    assert math.isclose(history_megabytes(), megabytes)


def test_a_recent_file_that_nobody_may_look_at_is_left_out(
    stored: QSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder of somebody else: it took the window, and saving, with it."""
    mine, denied = tmp_path / "mine.toml", tmp_path / "denied" / "a.toml"
    mine.touch()
    stat = Path.stat

    def refuse(path: Path, **how: bool) -> object:
        if "denied" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", refuse)
    stored.setValue("recent", [str(denied), str(mine)])
    assert recent_files() == [mine]
    remember_file(mine)
    assert recent_files() == [mine]


def test_choices_of_a_plot_that_cannot_be_understood_are_left_out() -> None:
    good = '["body", ["a"], "speed"]'
    (speed,) = read_choices(f"[{good}]")
    assert speed == Choice("body", ("a",), "speed")
    for bad in ('["body", [1], "speed"]', '["body", ["a", "b"], "speed"]', '["pair", ["a"], "gap"]', '[["a"], [], ""]'):
        assert read_choices(f"[{bad}, {good}]") == [speed], bad
    for nothing in ("", "5", "[5]", "{}", "null", '["body"]'):
        assert read_choices(nothing) == []
