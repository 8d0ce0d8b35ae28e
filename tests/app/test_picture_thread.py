"""Pictures drawn in a thread, while other threads draw others in OpenGL contexts of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.view.viewport.camera import CameraState
from app.view.viewport.meshes import body_set
from app.view.viewport.offscreen import OffscreenRenderer
from app.view.viewport.painted import PaintedCanvas, Surface
from app.view.viewport.picture_thread import Order, PictureThread
from app.view.viewport.quality import FINEST, SLOW_LEVELS
from app.view.viewport.renderer import Renderer
from engine.scene.schema import Scene

SIZE = (48, 32)
FRONT = CameraState((0.0, -6.0, 2.5), (0.0, 0.0, 0.5))


def one_ball(radius: float) -> Scene:
    return Scene.model_validate({"format": 1, "body": [{"name": "ball", "shape": {"sphere": {"radius": radius}}}]})


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can: what is luck otherwise happens at once."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("qapp", "hasty")
def test_a_film_and_the_window_are_drawn_at_the_same_time() -> None:
    """What one draws goes to its own context, whatever another is just about."""
    shown = Renderer()
    shown.set_bodies(body_set(one_ball(0.5)))
    order = Order(shown.still(), FRONT, SIZE, SLOW_LEVELS[-1], 1.0)
    window, second = PictureThread(), PictureThread()
    try:
        alone = window.draw(order).result(60)
        with OffscreenRenderer(one_ball(1.0), SIZE, FRONT) as film:
            first = film.render()
            for _ in range(20):
                under_way = [thread.draw(order) for thread in (window, second)]
                assert np.array_equal(film.render(), first)
                assert all(np.array_equal(picture.result(60), alone) for picture in under_way)
    finally:
        window.close()
        second.close()


@pytest.mark.parametrize(("shape", "left", "right"), [((200, 100), 0, 99), ((50, 100), 25, 74), ((101, 100), 0, 99)])
def test_a_picture_of_another_shape_is_not_stretched(
    qtbot: QtBot, shape: tuple[int, int], left: int, right: int
) -> None:
    """Until the one of the new shape is there, what is in the middle stands where it will be."""
    parent = QWidget()
    qtbot.addWidget(parent)
    surface = Surface(parent, lambda: None)
    surface.resize(100, 100)
    image = QImage(*shape, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff0000"))
    surface.show_image(image)
    seen = surface.grab().toImage()
    red = [x for x in range(100) if seen.pixelColor(x, 50) == QColor("#ff0000")]
    assert (red[0], red[-1]) == (left, right)


@pytest.fixture
def canvas(qtbot: QtBot) -> Iterator[PaintedCanvas]:
    """A canvas with a ball, at rest."""
    parent = QWidget()
    qtbot.addWidget(parent)
    renderer = Renderer()
    renderer.set_bodies(body_set(one_ball(0.5)))
    made = PaintedCanvas(parent, renderer, lambda: FRONT, pytest.fail)
    made.native.resize(*SIZE)
    parent.show()
    qtbot.waitUntil(lambda: not made.pending, timeout=20_000)
    yield made
    made.close()


@pytest.mark.parametrize("slow", [False, True])
def test_after_a_step_the_picture_is_coarse_and_then_fine(qtbot: QtBot, canvas: PaintedCanvas, slow: bool) -> None:
    """However long the fine one takes, and whatever is asked for in the meantime."""
    shown: list[bool] = []
    canvas._thread.drawn.connect(lambda order, _picture, _seconds: shown.append(order.quality is FINEST))
    canvas._is_slow = slow
    canvas.request(moving=True)
    qtbot.waitUntil(lambda: len(shown) == 1, timeout=20_000)
    canvas.request(moving=False)
    # The thread tells one listener after the other: the canvas may know before the test does.
    qtbot.waitUntil(lambda: canvas._shown is FINEST and not canvas.pending and shown[-1], timeout=20_000)
    assert shown[0] is False


def test_what_was_asked_for_unseen_is_drawn_when_it_is_seen(qtbot: QtBot, canvas: PaintedCanvas) -> None:
    """As when the colours change under the gallery."""
    parent = canvas.native.parentWidget()
    assert parent is not None
    parent.hide()
    canvas.request(moving=False)
    qtbot.wait(50)
    assert canvas.pending
    parent.show()
    qtbot.waitUntil(lambda: not canvas.pending, timeout=20_000)
