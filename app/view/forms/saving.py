"""Where to save: the name gets the ending that it lacks, and what is there already is replaced only if that is wanted.

The dialogs of the platforms ask about the name as it was typed, and see an ending in any dot.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from PyQt6.QtWidgets import QFileDialog, QMessageBox, QWidget


def ask_where(parent: QWidget, title: str, proposal: Path, filters: str) -> Path | None:
    """Where to save; None if nowhere. filters: as Qt writes them, "Pictures (*.png *.jpg);;All files (*)"."""
    later = QFileDialog.Option.DontConfirmOverwrite
    while True:
        name, chosen = QFileDialog.getSaveFileName(parent, title, str(proposal), filters, "", later)
        if not name:
            return None
        proposal = with_ending(Path(name), filters, chosen)
        if may_replace(parent, title, proposal):
            return proposal


def with_ending(path: Path, filters: str, chosen: str = "") -> Path:
    """A path with one of the endings of some filters: its own, or else the first one of the filter that is chosen."""
    known = _endings(filters)
    if path.suffix.lower() in known:
        return path
    return Path(f"{path}{(_endings(chosen) or known)[0]}")


def may_replace(parent: QWidget, title: str, path: Path) -> bool:
    """Asks about a file that is there already."""
    if not os.path.isfile(path):
        return True
    button = QMessageBox.StandardButton
    text, offered = f"{path.name} is there already. Replace it?", button.Yes | button.Cancel
    return QMessageBox.question(parent, title, text, offered, button.Cancel) == button.Yes


def _endings(filters: str) -> list[str]:
    return re.findall(r"\*(\.\w+)", filters)
