"""The journal: unsaved work is kept in time, whatever becomes of the files, and the old copy stays until a new one."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QCoreApplication

from app.document.document import Document
from app.document.journal import Journal, Leftover, leftovers
from app.simulation.history import History
from app.simulation.run_journal import RunJournal
from engine import World
from engine.recording import carom_file
from engine.scene.reading import load_scene


@pytest.fixture
def document(stored: Any) -> Document:
    document = Document()
    document.load("coins")
    return document


def keep(document: Document, folder: Path, run: bool = False) -> Journal:
    """A journal that has kept what is unsaved, as of a process that was killed."""
    journal = Journal(document, folder)
    document.set_value("title", "Hours of work")
    journal.write()
    if run:
        follower, world, history = RunJournal(journal), World(document.scene), History()
        follower.begin(document.scene)
        history.start(world)
        history.advance_to(world, 0.5)
        history.note(world)
        follower.follow(history)
    journal.scribe.finish()
    for lock in folder.glob("*.lock"):
        lock.unlink()
    return journal


def fill_disk(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Nothing can be written below `folder` any more."""
    make = tempfile.mkstemp

    def refuse(*arguments: Any, **named: Any) -> tuple[int, str]:
        if Path(named["dir"]).is_relative_to(folder):
            raise OSError(28, "No space left on device")
        return make(*arguments, **named)

    monkeypatch.setattr(tempfile, "mkstemp", refuse)


def restored(work: Leftover, folder: Path) -> Journal:
    """The journal of a document that has brought work back."""
    document = Document()
    journal = Journal(document, folder)
    scene = work.read()
    assert scene is not None
    document.restore(scene, work.path, work.name, work.modified)
    journal.keep_instead_of(work)
    journal.scribe.finish()
    return journal


def test_who_edits_without_a_break_is_kept_all_the_same(
    qtbot: Any, document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.document.journal._DELAY", 300)
    journal = Journal(document, tmp_path)
    for number in range(20):
        document.set_value("title", f"Edit {number}")
        qtbot.wait(100)
    journal.scribe.finish()
    (kept,) = tmp_path.rglob("scene.toml")
    assert int(load_scene(kept, overlaps=False).title.split()[1]) >= 15
    journal.close()


def test_a_slow_disk_is_given_the_latest_only(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, free, written = Journal(document, tmp_path), threading.Event(), list[str]()
    monkeypatch.setattr("app.document.journal.keep_scene", lambda scene, _path: written.append(scene.title))
    journal.scribe.do(lambda: free.wait(10.0))
    for number in range(5):
        document.set_value("title", f"Edit {number}")
        journal.write()
    free.set()
    journal.scribe.finish()
    assert written == ["Edit 4"]
    journal.close()


def test_the_old_copy_stays_until_there_is_a_new_one(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(document, tmp_path / "old")
    (work,) = leftovers(tmp_path / "old")
    with monkeypatch.context() as patch:
        fill_disk(patch, tmp_path / "new")
        journal = restored(work, tmp_path / "new")
        assert work.read() == document.scene and len(leftovers(tmp_path / "old")) == 1
    journal.write()
    journal.scribe.finish()
    assert leftovers(tmp_path / "old") == [] and list((tmp_path / "new").rglob("scene.toml"))
    journal.close()


def test_a_folder_in_which_nothing_could_be_kept_is_no_work(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_disk(monkeypatch, tmp_path)
    keep(document, tmp_path)
    assert leftovers(tmp_path) == [] and list(tmp_path.iterdir()) == []


def test_work_is_offered_without_a_run_that_cannot_be_read(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(document, tmp_path / "old", run=True)
    (work,) = leftovers(tmp_path / "old")
    assert work.run is not None and work.lost_run == ""
    monkeypatch.setattr(carom_file, "FORMAT", carom_file.FORMAT + 1)
    (work,) = leftovers(tmp_path / "old")
    assert work.run is None and work.lost_run.startswith("a recording of format")
    assert work.words == "“Hours of work” with a run that cannot be read" and work.read() == document.scene
    restored(work, tmp_path / "new").close()
    assert leftovers(tmp_path / "old") == []


@pytest.mark.parametrize("content", [b"", b"not a run any more" * 100])
def test_a_damaged_run_takes_no_scene_with_it(document: Document, tmp_path: Path, content: bytes) -> None:
    journal = keep(document, tmp_path)
    journal.run_file.write_bytes(content)
    (work,) = leftovers(tmp_path)
    assert work.run is None and work.lost_run and work.read() == document.scene


def with_controller(folder: Path) -> Document:
    """A document with a controller, in a folder of its own."""
    document = Document()
    document.load("cart_pole")
    folder.mkdir()
    document.save_as(folder / "mine.toml")
    return document


def test_a_controller_that_was_edited_is_kept_with_the_scene(stored: Any, tmp_path: Path) -> None:
    document = with_controller(tmp_path / "mine")
    journal = keep(document, tmp_path / "kept")
    control = tmp_path / "mine" / document.scene.controller[0].file
    control.write_text(control.read_text() + "\n# edited\n")
    document.set_value("title", "Later")
    journal.write()
    journal.scribe.finish()
    (kept,) = (tmp_path / "kept").rglob("*.py")
    assert kept.read_text().endswith("# edited\n")
    assert "Later" in kept.with_name("scene.toml").read_text()
    journal.close()


def test_a_scene_is_kept_though_a_file_that_it_names_is_gone(stored: Any, tmp_path: Path) -> None:
    document = with_controller(tmp_path / "mine")
    keep(document, tmp_path / "kept")
    (tmp_path / "mine" / document.scene.controller[0].file).unlink()
    (work,) = leftovers(tmp_path / "kept")
    scene = work.read()
    assert scene == document.scene and scene is not None
    assert scene.folder == work.own_folder, "the copy has the file"
    (tmp_path / "kept").rename(tmp_path / "elsewhere")
    journal = Journal(document, tmp_path / "kept")
    document.set_value("title", "Later")
    journal.write()
    journal.scribe.finish()
    (kept,) = (tmp_path / "kept").rglob("scene.toml")
    assert "Later" in kept.read_text(), "though it lacks the file"
    journal.close()


def test_it_is_told_once_why_nothing_is_kept(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, told = Journal(document, tmp_path), list[str]()
    journal.failed.connect(told.append)

    def write() -> None:
        journal.write()
        journal.scribe.finish()

    with monkeypatch.context() as patch:
        fill_disk(patch, tmp_path)
        for title in ("One", "Two"):
            document.set_value("title", title)
            write()
    write()
    write()
    QCoreApplication.processEvents()
    assert told == ["No space left on device", ""]
    journal.close()
