"""Files by the File menu: what is shown is what is saved, nothing is replaced unasked, and failing destroys nothing."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QFileDialog, QMessageBox

from app.document.document import read_scene
from app.view.forms.saving import with_ending
from app.view.plots import export
from app.view.viewport import image_file
from app.view.window import files
from app.view.window.main_window import MainWindow
from engine.control.trust import is_trusted
from engine.resources import scenes_dir

SCENES, RUNS = "Carom scenes (*.toml);;All files (*)", "Carom runs (*.carom)"
PICTURES = "Pictures (*.png *.jpg *.jpeg)"
Type = Callable[..., list[str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Type:
    """Types names into file dialogs, one after the other, then calls them off; replaces files if that is the answer.

    It returns what will be asked.
    """

    def type_(*names: Path, replaces: bool = False) -> list[str]:
        left, asked = list(names), []

        def question(_parent: object, _title: str, text: str, *_: Any) -> QMessageBox.StandardButton:
            asked.append(text)
            return QMessageBox.StandardButton.Yes if replaces else QMessageBox.StandardButton.Cancel

        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(left.pop(0)) if left else "", ""))
        monkeypatch.setattr(QMessageBox, "question", question)
        return asked

    return type_


@pytest.mark.parametrize(("answer", "title"), [("save", "My edit"), ("discard", "Coins")])
def test_a_file_that_is_opened_again_is_read_after_the_answer(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, title: str
) -> None:
    """It showed the scene from before it was saved, and saving that lost the edits."""
    mine = tmp_path / "mine.toml"
    mine.write_bytes((scenes_dir() / "coins.toml").read_bytes())
    window.files.open_path(mine)
    first = window.document.title
    window.document.set_value("title", "My edit")
    monkeypatch.setattr(files, "ask_unsaved", lambda *_: answer)
    assert window.files.open_path(mine)
    expected = title if answer == "save" else first
    assert window.document.title == read_scene(mine).title == expected and not window.document.is_modified


def test_a_file_that_is_gone_after_the_answer_loses_nothing(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, told = tmp_path / "mine.toml", []
    mine.write_bytes((scenes_dir() / "coins.toml").read_bytes())
    window.files.open_path("block_drop")
    window.document.set_value("title", "My edit")
    monkeypatch.setattr(files, "ask_unsaved", lambda *_: mine.unlink() or "discard")
    monkeypatch.setattr(files, "ask", lambda dialog: told.append(dialog.windowTitle()))
    assert not window.files.open_path(mine)
    assert told and window.document.title == "My edit" and window.document.is_modified


@pytest.mark.parametrize(
    ("name", "filters", "chosen", "written"),
    [
        ("mine", SCENES, "", "mine.toml"),
        ("mine.toml", SCENES, "", "mine.toml"),
        ("MINE.TOML", SCENES, "", "MINE.TOML"),
        ("my scene 1.5", SCENES, "All files (*)", "my scene 1.5.toml"),
        ("a.carom", SCENES, "", "a.carom.toml"),
        ("coins run 0.5", RUNS, RUNS, "coins run 0.5.carom"),
        ("scene.toml", RUNS, "", "scene.toml.carom"),
        ("pic.jpeg", PICTURES, "", "pic.jpeg"),
        ("pic", ";;".join(export.KINDS.values()), export.KINDS[".svg"], "pic.svg"),
        ("pic.csv", ";;".join(export.KINDS.values()), export.KINDS[".svg"], "pic.csv"),
    ],
)
def test_a_name_gets_the_ending_that_it_lacks(name: str, filters: str, chosen: str, written: str) -> None:
    assert with_ending(Path("/a.b") / name, filters, chosen) == Path("/a.b") / written


@pytest.mark.parametrize(
    ("save", "name", "there"),
    [
        ("save_as", "mine", "mine.toml"),
        ("save_as", "version 1.5", "version 1.5.toml"),
        ("save_run", "run", "run.carom"),
        ("save_run", "run 0.5", "run 0.5.carom"),
        ("screenshot", "pic", "pic.png"),
        ("screenshot", "pic.jpg", "pic.jpg"),
    ],
)
def test_a_file_that_is_there_is_replaced_only_if_that_is_wanted(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path, typed: Type, save: str, name: str, there: str
) -> None:
    """The dialogs of the platforms ask about the name that was typed, without its ending."""
    window.files.open_path("block_drop")
    ready()
    (tmp_path / there).write_text("precious")
    question = [f"{there} is there already. Replace it?"]
    asked = typed(tmp_path / name)
    getattr(window.files, save)()
    assert asked == question and (tmp_path / there).read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == [there]
    asked = typed(tmp_path / name, tmp_path / f"other {name}")
    getattr(window.files, save)()
    assert asked == question and (tmp_path / there).read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((there, f"other {there}")), "asked again"
    asked = typed(tmp_path / name, replaces=True)
    getattr(window.files, save)()
    assert asked == question and (tmp_path / there).read_bytes() != b"precious"


def test_an_export_of_a_plot_asks_about_the_name_with_its_ending(
    window: MainWindow, tmp_path: Path, typed: Type
) -> None:
    (tmp_path / "energy.csv").write_text("precious")
    asked = typed(tmp_path / "energy")
    export.ask_and_export(window, "energy", lambda path: path.write_text("values"))
    assert asked == ["energy.csv is there already. Replace it?"]
    assert (tmp_path / "energy.csv").read_text() == "precious"


def test_a_screenshot_that_fails_leaves_the_picture_that_was_there(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path, typed: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: the picture was empty after it, and nobody said why."""
    window.files.open_path("block_drop")
    ready()
    picture, told = tmp_path / "pic.png", []
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(0xFF0000)
    assert image.save(str(picture))
    before = picture.read_bytes()

    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(image_file, "replace_file", fill)
    monkeypatch.setattr(files, "tell", lambda _window, *said: told.append(said))
    typed(picture, replaces=True)
    window.files.screenshot()
    assert told == [("The picture was not saved", f"{picture} cannot be written: No space left on device")]
    assert picture.read_bytes() == before and list(tmp_path.iterdir()) == [picture]


@pytest.mark.parametrize("save", ["save_run", "screenshot"])
def test_a_folder_that_is_not_there_is_told_in_words(
    window: MainWindow,
    ready: Callable[[], None],
    tmp_path: Path,
    typed: Type,
    monkeypatch: pytest.MonkeyPatch,
    save: str,
) -> None:
    window.files.open_path("block_drop")
    ready()
    told: list[str] = []
    monkeypatch.setattr(files, "tell", lambda _window, _title, text: told.append(text))
    typed(tmp_path / "nowhere" / "mine")
    getattr(window.files, save)()
    (text,) = told
    assert text.startswith(str(tmp_path / "nowhere" / "mine.")) and text.endswith(
        "cannot be written: No such file or directory"
    )


def test_undo_after_saving_elsewhere_stays_with_the_new_file(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    """It went back to the old folder: the controller there ran, and the one beside the file made saving impossible."""
    window.files.open_path("cart_pole")
    ready()
    window.document.set_value("title", "Changed")
    window.document.save_as(tmp_path / "mine.toml")
    window.document.undo()
    ready()
    assert window.playback._loaded is not None and window.playback._loaded.folder == tmp_path
    controller = tmp_path / "cart_pole.py"
    assert is_trusted(controller), "the very Python that ran before"
    controller.write_text(controller.read_text() + "\n# mine\n")
    window.document.set_value("title", "Changed again")
    assert window.files.save() and read_scene(tmp_path / "mine.toml").title == "Changed again"
    assert controller.read_text().endswith("# mine\n")


def test_a_mesh_that_is_added_to_a_saved_scene_is_copied_beside_it(window: MainWindow, tmp_path: Path) -> None:
    mesh = next((scenes_dir() / "meshes").glob("*.obj"))
    window.files.new()
    window.document.save_as(tmp_path / "mine.toml")
    window.editing.add_mesh_file(mesh)
    assert window.document.scene.folder == tmp_path
    assert (tmp_path / mesh.name).read_bytes() == mesh.read_bytes()
