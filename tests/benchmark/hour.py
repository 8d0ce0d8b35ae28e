"""Memory of the window in an hour's run of five hundred bodies: `make hour`, or `python -m tests.benchmark.hour`.

Balls that bounce without friction or loss in a closed box without gravity: nothing comes to rest, so that every
keyframe, plot and log has all there is to keep. The run is as fast as it can be. What the past takes stays below the
preference; what the process holds besides comes once, and does not grow with the run.

Figures are for reading, not for tests: no test asserts them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.memory import held

SIDE = 1.0  # [m] of the box
WALL = 0.05  # [m] of half its thickness


def gas(balls: int) -> str:
    """The scene, as a file says it."""
    half = 0.5 * SIDE + WALL
    walls = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            at, size = [0.0, 0.0, 0.0], [SIDE + 4 * WALL] * 3
            at[axis], size[axis] = side * half, 2 * WALL
            name = f"{'xyz'[axis]}{'01'[side > 0]}"
            walls.append(f'[[body]]\nname = "{name}"\nmotion = "fixed"\nshape = {{ box = {size} }}\nposition = {at}\n')
    return f"""format = 1
title = "Gas"

[world]
gravity = [0, 0, 0]

[material.hard]
friction = 0
restitution = 1

{"".join(walls)}
[[repeat]]
name = "ball"
shape = {{ sphere = {{ radius = 0.01 }} }}
material = "hard"
position = [0, 0, 0]
velocity = [0.3, 0.2, 0.1]
pour = {{ count = {balls}, size = [0.9, 0.9, 0.9], distance = 0.025, seed = 1 }}

[[pair]]
materials = ["hard", "hard"]
friction = 0
restitution = 1

[[camera]]
name = "main"
position = [1.4, -1.6, 1.1]
target = [0, 0, 0]
"""


def run(scene: Path, until: float, every: float) -> None:
    from PyQt6.QtCore import QTimer

    from app.simulation.simulation import AS_FAST_AS_POSSIBLE
    from app.view.start import make_application
    from app.view.window.main_window import MainWindow

    app = make_application(["carom-hour"])
    window = MainWindow()
    window.resize(1400, 900)
    window.show()
    window.files.open_path(str(scene))
    window.playback.set_speed(AS_FAST_AS_POSSIBLE)
    print(f"{'s':>6}{'keyframes':>11}{'past MB':>9}{'process MB':>12}", flush=True)
    told = [0.0]

    def look() -> None:
        frame = window.simulation.latest()
        if window.simulation.state == "paused":
            window.playback.toggle()
        if frame is None or frame.time < told[0]:
            return
        told[0] += every
        print(f"{frame.time:>6.0f}{len(frame.keyframes):>11}{frame.held / 1e6:>9.1f}{held() / 1e6:>12.0f}", flush=True)
        if frame.time >= until:
            app.exit(0)

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(100)
    app.exec()
    timer.stop()
    window.document.undo_stack.setClean()
    window.close()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", type=float, default=3600.0, help="length of the run [s]")
    parser.add_argument("--every", type=float, default=300.0, help="between two lines of the table [s]")
    parser.add_argument("--bodies", type=int, default=500)
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="carom-hour-") as home:
        os.environ.setdefault("CAROM_CACHE_DIR", str(Path.home() / ".cache" / "carom"))
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(Path(home) / name.lower())
        scene = Path(home) / "gas.toml"
        scene.write_text(gas(asked.bodies - 6), encoding="utf-8")
        run(scene, asked.until, asked.every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
