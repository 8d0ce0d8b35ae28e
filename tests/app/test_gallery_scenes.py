"""Every scene of the gallery opens in the window: its tree is whole, and each kind of body has its page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.view.window.main_window import MainWindow
from engine.scene.gallery import bundled_scenes


def rows(window: MainWindow) -> int:
    """Entries under the groups of the tree."""
    groups = [window.tree.topLevelItem(k) for k in range(window.tree.topLevelItemCount())]
    return sum(group.childCount() for group in groups if group is not None)


@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes()])
def test_it_opens(window: MainWindow, ready: Callable[[], None], name: str) -> None:
    window.files.open_path(name)
    ready()
    scene = window.document.scene
    parts = (scene.body, scene.repeat, scene.joint, scene.controller, scene.material, scene.pair)
    assert rows(window) == sum(map(len, parts))
    kinds = {body.shape.kind: body.name for body in scene.body}
    for one in kinds.values():
        window.document.select((one,))
        assert window.document.selection == (one,)
    for one in {joint.kind: joint.name for joint in scene.joint}.values():
        window.document.set_focus(f"joint.{one}")
        assert window.inspector.page is not None and window.inspector.page.heading(scene) == one
    frame = window.playback.frame
    assert frame is not None and len(frame.poses) == len(scene.bodies)
