"""The card tells how long it took, once for each picture that was timed."""

from __future__ import annotations

import pytest
from OpenGL import GL
from PyQt6.QtWidgets import QApplication

from app.view.viewport import stopwatch
from app.view.viewport.hidden import HiddenContext, hidden_surface
from app.view.viewport.quality import LEVELS
from app.view.viewport.stopwatch import Stopwatch


@pytest.mark.parametrize("tells", [True, False])
def test_each_picture_is_told_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tells: bool) -> None:
    if not tells:  # OpenGL 2.1 alone need not
        monkeypatch.setattr(stopwatch, "glInitTimerQueryARB", lambda: False)
    surface = hidden_surface()  # it has to last as long as the context
    context = HiddenContext(surface)
    try:
        watch = Stopwatch()
        assert watch.read() is None
        for quality in LEVELS[:3]:
            watch.start(quality)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            assert GL.glGetError() == 0
            assert watch.stop() > 0.0
            GL.glFinish()
            timed = watch.read()
            assert GL.glGetError() == 0
            assert timed is not None and timed[0] is quality and 0.0 <= timed[1] < 1.0
            assert watch.read() is None
    finally:
        context.close()
