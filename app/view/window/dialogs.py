"""Small dialogs: unsaved changes, what is wrong with a scene, an error nobody expected, about."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from PyQt6.QtCore import PYQT_VERSION_STR, QT_VERSION_STR, QSize, Qt
from PyQt6.QtGui import QFont, QGuiApplication
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.view.layouts import caption, hbox, heading, vbox
from app.view.theme import colours, icon
from engine.scene.problems import Problem

Answer = Literal["save", "discard", "cancel"]


def ask(dialog: QDialog) -> int:
    """What a person answers. The dialog is gone then: a window keeps its children for as long as it lives."""
    try:
        return dialog.exec()
    finally:
        dialog.deleteLater()


def ask_unsaved(parent: QWidget, title: str) -> Answer:
    """Asks what to do with edits that were not saved."""
    box = QMessageBox(parent)
    box.setObjectName("unsaved")
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle("Unsaved changes")
    box.setText(f"Save the changes to “{title}”?")
    box.setInformativeText("They are lost otherwise.")
    button = QMessageBox.StandardButton
    box.setStandardButtons(button.Save | button.Discard | button.Cancel)
    box.setDefaultButton(button.Save)
    answers: dict[int, Answer] = {button.Save.value: "save", button.Discard.value: "discard"}
    return answers.get(ask(box), "cancel")


def ask_discard(parent: QWidget, works: Sequence[str]) -> bool:
    """Asks whether unsaved work is to be given up for good."""
    box = QMessageBox(parent)
    box.setObjectName("discard")
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle("Discard unsaved work")
    box.setText("Discard this unsaved work?")
    box.setInformativeText(f"{', '.join(works)} cannot be brought back then.")
    discard = box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    ask(box)
    return box.clickedButton() is discard


def ask_trust(parent: QWidget, files: Sequence[Path]) -> bool:
    """Asks whether the Python files of a scene may run."""
    box = QMessageBox(parent)
    box.setObjectName("trust")
    box.setWindowTitle("This scene runs Python")
    box.setText("This scene runs Python.")
    names = ", ".join(f"“{path.name}”" for path in files)
    box.setInformativeText(
        f"{names} may do on this computer whatever you may. Run a scene's Python only if you know where it is from. "
        "Without it the scene opens all the same, and its motors keep what it says."
    )
    run = box.addButton("Trust and run", QMessageBox.ButtonRole.AcceptRole)
    without = box.addButton("Open without it", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(without)
    ask(box)
    return box.clickedButton() is run


def tell(parent: QWidget, title: str, text: str) -> None:
    """Says that something could not be done, and why."""
    box = QMessageBox(parent)
    box.setObjectName("message")
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(title)
    box.setText(title)
    box.setInformativeText(text)
    ask(box)


class ProblemsDialog(QDialog):
    """Everything that is wrong with a scene file, with lines. What was open before stays open."""

    def __init__(self, parent: QWidget, name: str, problems: Sequence[Problem]) -> None:
        super().__init__(parent)
        self.setObjectName("problems")
        self.setWindowTitle("This scene cannot be opened")
        self.resize(820, 360)
        count = len(problems)
        head = heading(f"{name} has {count} {'problem' if count == 1 else 'problems'}", 1.25)
        text = caption("Nothing else has changed. Fix the file and open it again.")
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setHeaderLabels(["Line", "Where", "What is wrong", "What would be right"])
        self.table.setWordWrap(True)
        for problem in problems:
            line = "" if problem.line is None else str(problem.line)
            row = QTreeWidgetItem([line, problem.field, problem.message, problem.hint])
            row.setSizeHint(0, QSize(40, 26))
            for column in range(4):
                row.setToolTip(column, row.text(column))
            self.table.addTopLevelItem(row)
        for column, width in enumerate((52, 190, 300)):
            self.table.setColumnWidth(column, width)
        buttons = _copy_and_close(self, "Copy", "\n".join(map(str, problems)))
        vbox(self, head, text, self.table, buttons, margins=(20, 18, 20, 16), spacing=8)


class CrashDialog(QDialog):
    """An error that nobody expected. The document stays open; the details can be copied."""

    def __init__(self, parent: QWidget | None, summary: str, details: str) -> None:
        super().__init__(parent)
        self.setObjectName("crash")
        self.setWindowTitle("Something went wrong")
        self.resize(720, 380)
        text = QLabel(f"{summary}\n\nYour scene is still open and a copy of it is kept. This is a bug in Carom.")
        text.setWordWrap(True)
        box = QPlainTextEdit(details)
        box.setReadOnly(True)
        box.setFont(QFont("DejaVu Sans Mono", 9))
        buttons = _copy_and_close(self, "Copy details", details)
        head = heading("Something went wrong", 1.25)
        vbox(self, head, text, box, buttons, margins=(20, 18, 20, 16), spacing=10)


class AboutDialog(QDialog):
    """What this is, which version, on top of what, under which licence."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle("About Carom")
        picture = QLabel()
        picture.setPixmap(icon("mdi6.billiards", colours().accent).pixmap(56, 56))
        what = QLabel(f"Version {carom_version()}.  A desktop laboratory for rigid-body contact.")
        parts = f"Python {platform.python_version()}, Qt {QT_VERSION_STR}, PyQt {PYQT_VERSION_STR}"
        more = caption(
            "After B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems (1996),\n"
            "and D. Baraff, Dynamic Simulation of Non-penetrating Rigid Bodies (1992).\n\n"
            f"Free software under the GNU General Public License, version 3 or later.\n{parts}"
        )
        picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        words = vbox(None, heading("Carom", 2.0), what, more, spacing=6)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        vbox(self, hbox(None, picture, words, spacing=20), buttons, margins=(26, 24, 26, 18), spacing=18)


def carom_version() -> str:
    """The version that is installed, or that of the checkout."""
    try:
        return version("carom")
    except PackageNotFoundError:
        return "of a checkout"


def _copy_and_close(dialog: QDialog, title: str, text: str) -> QDialogButtonBox:
    """A button of that title that copies `text` to the clipboard, and one that closes the dialog, as Enter does."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    copy = buttons.addButton(title, QDialogButtonBox.ButtonRole.ActionRole)
    close, clipboard = buttons.button(QDialogButtonBox.StandardButton.Close), QGuiApplication.clipboard()
    if copy is not None and close is not None and clipboard is not None:
        close.setDefault(True)
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: clipboard.setText(text))
    buttons.rejected.connect(dialog.reject)
    return buttons
