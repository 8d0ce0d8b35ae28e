"""The File menu: scenes on disk, and what is written from them."""

from __future__ import annotations

from app.actions.action import Action, Menu, ready, scene_open

_row = Menu("file", lambda host: host.files)
_VIDEO = "Render an MP4 in simulation time, at any size and rate"

FILE: tuple[Action, ...] = (
    _row("new", "New scene", lambda f: f.new(), "Ctrl+N", "mdi6.file-plus-outline"),
    _row("open", "Open…", lambda f: f.open(), "Ctrl+O", "mdi6.folder-open-outline"),
    _row("gallery", "Gallery", lambda f: f.show_gallery(), "Ctrl+G", "mdi6.view-grid-outline",
         hint="Scenes that come with Carom"),
    _row("import_model", "Import…", lambda f: f.import_model(), "Ctrl+I", "mdi6.robot-industrial-outline",
         hint="A robot as URDF or MJCF"),
    _row("save", "Save", lambda f: f.save(), "Ctrl+S", "mdi6.content-save-outline", scene_open, "save"),
    _row("save_as", "Save as…", lambda f: f.save_as(), "Ctrl+Shift+S", "", scene_open, "save"),
    _row("save_run", "Save the run…", lambda f: f.save_run(), "Ctrl+Alt+S", "", ready, "save",
         "All of it in one file: the scene, what came from outside, and every branch"),
    _row("record", "Record video…", lambda f: f.record(), "Ctrl+F12", "mdi6.record-circle", ready, "picture", _VIDEO),
    _row("screenshot", "Screenshot…", lambda f: f.screenshot(), "F12", "mdi6.camera-outline", scene_open, "picture"),
    _row("quit", "Quit", lambda f: f.quit(), "Ctrl+Q", group="quit"),
)  # fmt: skip
