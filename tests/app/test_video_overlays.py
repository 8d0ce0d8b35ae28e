"""What is drawn over the bodies of a video is what the window draws at the same instant, with the same legends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.view.recording.drawn import Drawn
from app.view.recording.legends import Legends
from app.view.recording.pictures import OVERLAYS, Extras, Pictures
from app.view.theme import colours
from app.view.viewport.overlays import Overlay
from app.view.viewport.renderer import Options
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from tests.app.test_timeline import run_until, settle

SIZE = (640, 480)


def said(card: object) -> list[str]:
    """What a card says, hidden lines left out."""
    return [label.text() for label in card.findChildren(QLabel) if label.text() and not label.isHidden()]


@pytest.mark.parametrize("name", ["coins", "see_saw"])
def test_the_window_and_a_video_draw_the_same(
    qtbot: QtBot, window: MainWindow, ready: Callable[[], None], name: str
) -> None:
    window.files.open_path(name)
    ready()
    run_until(qtbot, window, 0.5)
    time = settle(qtbot, window)
    for overlay in OVERLAYS:
        window.looks.toggle_overlay(overlay)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.boxes is not None and f.heap is not None)

    def shown() -> dict[str, Overlay]:
        return {name: one for name, one in window.viewport.overlays.items() if "gizmo" not in name}

    world = World(load_scene(name))
    world.advance_to(float(np.nextafter(time, 0.0)))
    # A pause may be amid the events of one instant.
    world.advance_events(int(window.playback.frame.counters["heap_pops"]) - world.event, until=time)
    legends = Legends((1600, 1000), light=False)
    options = Options()
    Drawn(OVERLAYS, world.scene, window.viewport.camera.height, colours(), legends).draw(world, options)
    # What the overlays need comes with the next frames, each in its own time.
    qtbot.waitUntil(lambda: set(options.overlays) == set(shown()))
    for key, overlay in options.overlays.items():
        other = shown()[key]
        assert (overlay.colour, overlay.width, overlay.arrows, overlay.through) == (
            other.colour, other.width, other.arrows, other.through
        ), key  # fmt: skip
        for ours, theirs in ((overlay.first, other.first), (overlay.second, other.second)):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * window.viewport.camera.height, err_msg=key)
    painted = window.viewport._renderer.options.painted
    assert options.painted is not None and np.array_equal(options.painted, painted)
    over = window.overlays
    for ours, theirs in (
        (legends.forces, over.forces.legend),
        (legends.cones, over.cones.legend),
        (legends.boxes, over.boxes.legend),
        (legends.pairs, over.pairs),
        (legends.paradigms, over.legend),
    ):
        assert said(ours) == said(theirs)
    legends.close()


def test_legends_are_painted_over_the_picture_and_go_with_what_they_tell_of(qapp: QApplication) -> None:
    scene = load_scene("block_drop")
    world = World(scene)
    with (
        Pictures(scene, SIZE, None, Extras(), 0.0, 1.0) as plain,
        Pictures(scene, SIZE, None, Extras(("forces", "cones")), 0.0, 1.0) as full,
    ):
        corner = (slice(SIZE[1] - 120, None), slice(SIZE[0] - 260, None))
        above = (slice(0, 90), slice(SIZE[0] - 200, None))
        bare, picture = plain.take(world), full.take(world)
        assert np.array_equal(bare[corner], picture[corner]), "no forces, no legend of them"
        assert not np.array_equal(bare[above], picture[above])
        world.advance_to(1.0)
        bare, picture = plain.take(world), full.take(world)
        assert not np.array_equal(bare[corner], picture[corner])
        left = (slice(None), slice(0, SIZE[0] // 3))
        assert np.array_equal(bare[left], picture[left]), "and nothing beside them"
    with Pictures(scene, (320, 240), None, Extras(("cones",)), 0.0, 1.0) as small:
        small.take(World(scene))
        assert small._legends is not None and not small._legends.cones.isHidden()
        bare = np.zeros((240, 320, 3), np.uint8)
        assert small._legends.over(bare) is bare, "they would hide so small a picture"
