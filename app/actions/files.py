"""The File menu: scenes on disk, and what is written from them."""

from __future__ import annotations

from app.actions.action import Action, ready, scene_open

FILE: tuple[Action, ...] = (
    Action("file.new", "New scene", lambda h: h.files.new(), ("Ctrl+N",), "mdi6.file-plus-outline"),
    Action("file.open", "Open…", lambda h: h.files.open(), ("Ctrl+O",), "mdi6.folder-open-outline"),
    Action(
        "file.gallery",
        "Gallery",
        lambda h: h.files.show_gallery(),
        ("Ctrl+G",),
        "mdi6.view-grid-outline",
        hint="Scenes that come with Carom",
    ),
    Action("file.save", "Save", lambda h: h.files.save(), ("Ctrl+S",), "mdi6.content-save-outline", scene_open, "save"),
    Action(
        "file.save_as", "Save as…", lambda h: h.files.save_as(), ("Ctrl+Shift+S",), enabled=scene_open, group="save"
    ),
    Action(
        "file.record",
        "Record video…",
        lambda h: h.files.record(),
        ("Ctrl+F12",),
        "mdi6.record-circle",
        ready,
        "picture",
        hint="Render an MP4 in simulation time, at any size and rate",
    ),
    Action(
        "file.screenshot",
        "Screenshot…",
        lambda h: h.files.screenshot(),
        ("F12",),
        "mdi6.camera-outline",
        scene_open,
        "picture",
    ),
    Action("file.quit", "Quit", lambda h: h.files.quit(), ("Ctrl+Q",), group="quit"),
)
