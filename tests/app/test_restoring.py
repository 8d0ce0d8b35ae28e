"""The question at a start about unsaved work: each by itself, and nothing is lost that was not discarded."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMessageBox, QPushButton

from app.document.document import Document
from app.document.journal import Journal, Leftover, leftovers
from app.view import start
from app.view.window import files
from app.view.window.main_window import MainWindow
from app.view.window.restoring import RestoreDialog
from engine.resources import scenes_dir

TITLES = ["one", "two", "three"]


def leave(folder: Path, title: str, scene: str | Path = "coins") -> Leftover:
    """Unsaved work of a process that was killed."""
    document = Document()
    document.load(scene)
    journal = Journal(document, folder)
    document.set_value("title", title)
    journal.write()
    journal.scribe.finish()
    stored = journal.run_file.parent.rename(folder / title)  # documents may lie at one address, one after the other
    for lock in folder.glob("*.lock"):
        lock.unlink()
    return next(found for found in leftovers(folder) if found.stored == stored)


def left(folder: Path) -> set[str]:
    """Titles of what would be offered at the next start."""
    return {found.title for found in leftovers(folder)}


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a start looks for unsaved work."""
    folder = tmp_path / "journal"
    monkeypatch.setattr(start, "leftovers", lambda: leftovers(folder))
    return folder


def answer(name: str, act: Callable[[RestoreDialog], object]) -> None:
    """Does something with the dialog as soon as it is there."""
    there = [each for each in QApplication.topLevelWidgets() if each.objectName() == name and each.isVisible()]
    if there:
        act(there[0])  # type: ignore[arg-type]
    else:
        QTimer.singleShot(20, lambda: answer(name, act))


def button(dialog: RestoreDialog, text: str) -> QPushButton:
    return next(each for each in dialog.findChildren(QPushButton) if each.text() == text)


def choose(dialog: RestoreDialog, *titles: str) -> None:
    table = dialog.table
    table.clearSelection()
    for title in titles:
        (item,) = table.findItems(title, Qt.MatchFlag.MatchExactly)
        item.setSelected(True)


def press_discard(dialog: RestoreDialog, meant: bool = True) -> None:
    def click(box: object) -> None:
        assert isinstance(box, QMessageBox)
        next(each for each in box.buttons() if each.text() == ("Discard" if meant else "Cancel")).click()

    answer("discard", click)
    button(dialog, "Discard…").click()


def test_one_work_is_restored_and_the_others_stay(window: MainWindow, journal: Path) -> None:
    for title in TITLES:
        leave(journal, title)
    answer("restore", lambda dialog: (choose(dialog, "two"), button(dialog, "Restore").click()))
    start._begin(window, "pool_break")
    window.journal.scribe.finish()
    assert window.document.title == "two" and window.document.is_modified
    assert left(journal) == {"one", "three"}
    assert "pool_break was not opened" in window.status.message


@pytest.mark.parametrize("leaving", ["Escape", "close", "Later"])
def test_whoever_decides_later_loses_nothing_and_gets_the_scene_that_was_asked_for(
    window: MainWindow, journal: Path, leaving: str
) -> None:
    for title in TITLES:
        leave(journal, title)
    ways: dict[str, Callable[[RestoreDialog], object]] = {
        "Escape": lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape),
        "close": lambda dialog: dialog.close(),
        "Later": lambda dialog: button(dialog, "Later").click(),
    }
    answer("restore", ways[leaving])
    start._begin(window, "block_drop")
    assert window.document.name == "block_drop" and not window.document.is_modified
    assert left(journal) == set(TITLES)


def test_discarding_asks_and_takes_only_what_is_selected(qtbot, stored, journal: Path) -> None:
    works = [leave(journal, title) for title in TITLES]
    dialog = RestoreDialog(None, works)  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.open()
    choose(dialog, "one", "three")
    assert not button(dialog, "Restore").isEnabled(), "there is one window"
    press_discard(dialog, meant=False)
    assert left(journal) == set(TITLES)
    press_discard(dialog)
    assert left(journal) == {"two"} and dialog.isVisible()
    assert dialog.selected == [0] and button(dialog, "Restore").isEnabled()
    press_discard(dialog)
    assert left(journal) == set() and not dialog.isVisible() and dialog.chosen is None


def test_the_dialog_says_what_each_work_is(qtbot, stored, tmp_path: Path) -> None:
    work = Leftover("Mine", tmp_path / "mine.toml", "mine", tmp_path, True, tmp_path, 0.0)
    lost = replace(work, title="Other", path=None, lost_run="a recording of format 5 (this Carom reads 6)")
    dialog = RestoreDialog(None, [work, lost], "pool_break")  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    rows = [dialog.table.topLevelItem(row) for row in (0, 1)]
    assert [[row.text(column) for column in (0, 1, 3)] for row in rows if row is not None] == [
        ["Mine", "", str(tmp_path / "mine.toml")],
        ["Other", "cannot be read", "in no file yet"],
    ]
    assert dialog.remark.text() == ""
    choose(dialog, "Other")
    assert "a recording of format 5" in dialog.remark.text()


def mesh_scene(folder: Path) -> Path:
    """A scene with a mesh, in a folder of its own."""
    document = Document()
    document.load("free_tumble")
    folder.mkdir()
    document.save_as(folder / "mine.toml")
    assert (folder / "meshes" / "t_handle.obj").is_file()
    return folder / "mine.toml"


def test_the_files_of_the_copy_serve_where_the_folder_of_the_scene_is_gone(
    qtbot, window: MainWindow, ready: Callable[[], None], journal: Path, tmp_path: Path
) -> None:
    work = leave(journal, "Hours of work", mesh_scene(tmp_path / "stick"))
    shutil.rmtree(tmp_path / "stick")
    with qtbot.captureExceptions() as raised:
        assert window.files.restore(work)
        window.journal.keep_instead_of(work)
        ready()
        window.journal.scribe.finish()
    assert not raised and not work.stored.exists()
    assert (window.journal.run_file.parent / "scene" / "meshes" / "t_handle.obj").is_file()
    there = tmp_path / "there"
    there.mkdir()
    assert window.files._write(there / "mine.toml")
    mesh = Path("meshes") / "t_handle.obj"
    assert (there / mesh).read_bytes() == (scenes_dir() / mesh).read_bytes()


def test_what_cannot_be_restored_stays_and_the_person_is_told_why(
    window: MainWindow, journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = leave(journal, "Hours of work", mesh_scene(tmp_path / "stick"))
    shutil.rmtree(tmp_path / "stick" / "meshes")
    shutil.rmtree(work.stored / "scene" / "meshes")
    told: list[str] = []
    monkeypatch.setattr(files, "tell", lambda _window, _title, text: told.append(text))
    assert not window.files.restore(work)
    for word in ("meshes/t_handle.obj", f"looked for in {tmp_path / 'stick'}.", f"stays in {work.stored},"):
        assert word in told[0]
    assert left(journal) == {"Hours of work"}


def test_a_scene_is_saved_without_a_file_that_is_gone_and_the_person_is_told(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.files.open_path(mesh_scene(tmp_path / "stick"))
    ready()
    shutil.rmtree(tmp_path / "stick" / "meshes")
    told: list[str] = []
    monkeypatch.setattr(files, "tell", lambda _window, _title, text: told.append(text))
    (tmp_path / "there").mkdir()
    assert window.files._write(tmp_path / "there" / "mine.toml")
    assert (tmp_path / "there" / "mine.toml").is_file() and not window.document.is_modified
    assert len(told) == 1 and "t_handle.obj" in told[0] and str(tmp_path / "there") in told[0]


def test_the_window_says_once_that_nothing_is_kept(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("coins")
    ready()
    said: list[str] = []
    window.journal.failed.connect(said.append)
    place = window.journal._stored.parent
    window.journal._stored = place / ("x" * 300)  # a name that no disk takes
    for title in ("Mine", "Mine again"):
        window.document.set_value("title", title)
        window.journal.write()
        window.journal.scribe.finish()
    qtbot.waitUntil(lambda: len(said) > 0, timeout=5000)
    assert len(said) == 1 and "name too long" in said[0]
    assert "a crash would lose it" in window.status.message
    assert window.status._saved.text() == "not saved, copy failed"
    window.journal._stored = place / "right"
    window.journal.write()
    window.journal.scribe.finish()
    qtbot.waitUntil(lambda: window.status._saved.text() == "not saved", timeout=5000)
    assert said[1:] == [""] and "copied again" in window.status.message
