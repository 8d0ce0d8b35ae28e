"""The picture of the app for the README: `python -m app.view.picture OUT.png [SCENE] [SECONDS]`, under a display."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtWidgets import QApplication

from app.view.start import make_application
from app.view.theme import theme
from app.view.viewport.camera import CameraState
from app.view.window.playback import Playback

SIZE = (1600, 1000)
SETTLE = 3.0  # [s] until the viewport has drawn at its best
NEAR = CameraState((-0.55, -1.25, 0.72), (0.38, 0.03, -0.06), fov=34.0)
"""Of the pool break: what the balls look like, and where they meet."""


def wait(app: QApplication, ready: Callable[[], bool], seconds: float = 60.0) -> None:
    """Lets the window live until `ready`; TimeoutError if it never is."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError("the window did not get there")
        app.processEvents()
        time.sleep(0.005)


def reached(playback: Playback, seconds: float) -> bool:
    """Whether the frame that is shown is of this time [s] or later."""
    frame = playback.frame
    return frame is not None and frame.time >= seconds


def take(out: Path, scene: str, seconds: float, select: str) -> None:
    """Opens the real window, plays a scene for some simulated seconds, and writes what is on the screen."""
    app = make_application()
    from app.view.window.main_window import MainWindow

    theme().apply("dark")
    window = MainWindow()
    window.workspace.columns.setSizes([250, 1010, 340])
    window.workspace.rows.setSizes([650, 260])
    window.setGeometry(0, 0, *SIZE)
    window.show()
    window.files.open_path(scene)
    if select:
        window.document.select((select,))
    wait(app, lambda: window.playback.frame is not None)
    for step in range(1, round(60 * seconds) + 1):  # step by step: the same picture however slow the machine
        window.playback.step_frame()
        wait(app, partial(reached, window.playback, (step - 0.5) / 60))
    if scene == "pool_break":
        window.viewport.camera = NEAR
    settled = time.monotonic() + SETTLE
    wait(app, lambda: time.monotonic() > settled)
    screen = window.screen()
    if screen is None:
        raise RuntimeError("there is no screen")
    picture = screen.grabWindow(window.winId())
    if not picture.save(str(out)):
        raise OSError(f"cannot write {out}")
    window.close()


def main(arguments: list[str]) -> int:
    """Takes the picture that the README shows, unless told otherwise."""
    out = Path(arguments[0]) if arguments else Path("carom.png")
    scene = arguments[1] if len(arguments) > 1 else "pool_break"
    seconds = float(arguments[2]) if len(arguments) > 2 else 0.6
    take(out, scene, seconds, "cue" if scene == "pool_break" else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
