"""What a picture costs the window's thread, part by part: `make window`, or `python -m tests.benchmark.window`.

Scenes run in the real window. Mesa draws nothing meanwhile (GALLIUM_NOOP), as a card would that takes no time: what is
left is Python's and Qt's. Times are of the thread's processor, so that other load does not count; "composed" is how
often the whole window was put together for a picture.

Figures are for reading, not for tests: no test asserts a time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCENES = ("pool_break", "creature_war")
READY = 120.0  # [s] at most until a scene can run
BEGINNING = 2.0  # [s] that are not counted


class Parts:
    """How long some methods take in the window's thread, each less what others of them take within it."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._within: list[float] = []

    def watch(self, owner: type, name: str) -> None:
        """Takes the time of a method of a class from now on."""
        original, part = owner.__dict__[name], f"{owner.__name__}.{name}"

        def timed(*arguments: Any, **more: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                return original(*arguments, **more)
            began = time.thread_time()
            self._within.append(0.0)
            try:
                return original(*arguments, **more)
            finally:
                taken = time.thread_time() - began
                self.seconds[part] += taken - self._within.pop()
                self.calls[part] += 1
                if self._within:
                    self._within[-1] += taken

        setattr(owner, name, timed)


def watched() -> Parts:
    """The parts of the window that show most."""
    import pyqtgraph as pg

    from app.view.plots.legend import Key
    from app.view.plots.live import LivePlots
    from app.view.plots.strip import SwitchStrip
    from app.view.plots.timeline import Timeline
    from app.view.viewport.canvas import ViewCanvas
    from app.view.window.main_window import MainWindow

    parts = Parts()
    for owner in (pg.GraphicsView, Timeline, SwitchStrip, Key):
        parts.watch(owner, "paintEvent")
    for owner, name in ((LivePlots, "feed"), (LivePlots, "refresh"), (ViewCanvas, "on_draw"), (MainWindow, "_tick")):
        parts.watch(owner, name)
    return parts


def run(scene: str, seconds: float, parts: Parts) -> None:
    from PyQt6.QtWidgets import QApplication

    from app.view.window.main_window import MainWindow

    window = MainWindow()
    window.resize(1600, 1000)
    window.show()
    window.files.open_path(str(Path("scenes") / f"{scene}.toml"))

    def pass_time(until: float) -> None:
        while time.monotonic() < until:
            QApplication.processEvents()
            time.sleep(0.001)

    ready = time.monotonic() + READY
    while window.simulation.state != "paused" and time.monotonic() < ready:
        pass_time(time.monotonic() + 0.1)
    window.playback.toggle()
    composed: list[None] = []
    window.viewport.surface.frameSwapped.connect(lambda: composed.append(None))  # type: ignore[attr-defined]
    pass_time(time.monotonic() + BEGINNING)
    parts.seconds.clear()
    parts.calls.clear()
    composed.clear()
    began, at = time.thread_time(), time.monotonic()
    pass_time(at + seconds)
    taken, wall = time.thread_time() - began, time.monotonic() - at
    pictures = max(parts.calls["ViewCanvas.on_draw"], 1)
    print(f"{scene}: {pictures / wall:.1f} pictures a second, composed {len(composed) / pictures:.2f} times each")
    for part, spent in parts.seconds.most_common():
        print(f"  {1e3 * spent / pictures:7.2f} ms  {part}  ({parts.calls[part] / wall:.0f} a second)")
    print(f"  {1e3 * (taken - sum(parts.seconds.values())) / pictures:7.2f} ms  the rest, Qt's")
    print(f"  {1e3 * taken / pictures:7.2f} ms a picture", flush=True)
    window.document.undo_stack.setClean()
    window.close()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=SCENES)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="carom-window-") as home:
        os.environ["GALLIUM_NOOP"] = "1"
        os.environ.setdefault("CAROM_CACHE_DIR", str(Path.home() / ".cache" / "carom"))
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(Path(home) / name.lower())
        from app.view.start import make_application
        from app.view.viewport import scene_view

        scene_view.draws_in_software = lambda: False  # type: ignore[assignment]
        application = make_application(["carom-window"])
        parts = watched()
        for scene in asked.scenes:
            run(scene, asked.seconds, parts)
        application.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
