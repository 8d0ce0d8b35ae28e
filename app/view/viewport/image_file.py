"""Pictures as files, which hold the old picture or the new one whatever happens."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice
from PyQt6.QtGui import QImage

from engine.files import replace_file


def write_image(path: Path, image: QImage) -> None:
    """Write a picture in the format that the file's ending names. Raises OSError."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, path.suffix.removeprefix(".")):
        raise OSError(f"no picture can be written as {path.name}: one ends in .png or .jpg")
    replace_file(path, bytes(buffer.data().data()))
