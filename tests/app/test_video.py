"""Videos: the right number of pictures at exactly the right times, showing what the world was then; or no file."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from PyQt6.QtWidgets import QApplication

import app
from app.view.recording.pictures import Extras
from app.view.recording.video import VideoError, frame_count, frame_rate, frame_time, record, shot_count
from app.view.viewport.camera import CameraState, project
from app.view.viewport.offscreen import OffscreenError, OffscreenRenderer
from engine.recording.inputs import Input
from engine.scene.schema import Scene
from engine.world import World

ROOT = Path(app.__file__).resolve().parent.parent
SIZE = (320, 240)
MAGENTA = "#ff00ff"


def thrown_ball(**more: Any) -> Scene:
    """A ball that flies through the picture, spinning, and lands."""
    ball = {
        "name": "ball",
        "shape": {"sphere": {"radius": 0.15}},
        "position": (-1.0, 0.0, 0.5),
        "velocity": (2.5, 0.0, 2.0),
        "angular_velocity": (3.0, 5.0, 1.0),
        "colour": MAGENTA,
    }
    floor = {"name": "floor", "shape": {"plane": {}}, "motion": "fixed"}
    side = {"name": "side", "position": (0.0, -5.0, 1.2), "target": (0.0, 0.0, 0.6)}
    top = {"name": "top", "position": (0.0, -0.1, 6.0), "fov": 30.0}
    return Scene.model_validate({"format": 1, "title": "Thrown", "body": [ball, floor], "camera": [side, top], **more})


def read(path: Path) -> tuple[list[NDArray[np.uint8]], list[Fraction]]:
    """All pictures of a video, and when they are shown."""
    with av.open(str(path)) as container:
        frames = list(container.decode(video=0))
    times = [Fraction(frame.pts) * Fraction(frame.time_base) for frame in frames if frame.pts is not None]
    return [frame.to_ndarray(format="rgb24") for frame in frames], times


def ball_in(picture: NDArray[np.uint8]) -> tuple[float, float]:
    """The middle of what is magenta."""
    red, green, blue = np.moveaxis(picture.astype(int), 2, 0)
    rows, columns = np.nonzero((red > green + 40) & (blue > green + 40))
    assert len(rows) > 40
    return 0.5 * float(columns.min() + columns.max() + 1), 0.5 * float(rows.min() + rows.max() + 1)


def check_ball(scene: Scene, pictures: list[NDArray[np.uint8]], times: list[float], camera: str) -> None:
    """In five pictures the ball's pixels are where its pose at their times projects, within 2 pixels."""
    which = next(each for each in scene.camera if each.name == camera)
    view = CameraState(which.position, which.target, which.up, which.fov)
    world = World(scene)
    for k in np.linspace(0, len(times) - 1, 5).astype(int):
        world.advance_to(times[k])
        expected = project(world.body("ball").position, view, (pictures[k].shape[1], pictures[k].shape[0]))
        assert ball_in(pictures[k]) == pytest.approx(expected[:2], abs=2.0)


# --- what is recorded ---------------------------------------------------------------------------------------------


def test_pictures_and_their_times(qapp: QApplication, tmp_path: Path) -> None:
    shares: list[float] = []
    count = record(thrown_ball(), tmp_path / "a.mp4", 0.5, 30, SIZE, progress=shares.append)
    pictures, times = read(tmp_path / "a.mp4")
    assert count == len(pictures) == 15
    assert times == [Fraction(k, 30) for k in range(15)]
    assert pictures[0].shape == (240, 320, 3)
    assert shares == pytest.approx([(k + 1) / 15 for k in range(15)])
    check_ball(thrown_ball(), pictures, [k / 30 for k in range(15)], "side")
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_a_part_of_a_run_in_slow_motion(qapp: QApplication, tmp_path: Path) -> None:
    count = record(thrown_ball(), tmp_path / "slow.mp4", 0.5, 30, SIZE, "side", start=0.3, speed=0.5)
    pictures, times = read(tmp_path / "slow.mp4")
    assert count == len(pictures) == 12 and times == [Fraction(k, 30) for k in range(12)]
    check_ball(thrown_ball(), pictures, [0.3 + k / 60 for k in range(12)], "side")
    assert frame_time(3, Fraction(30), 0.3, 0.1) == 0.31, "rounded once"
    for span in ((0.5, 0.5), (-0.1, 1.0), (0.0, float("inf"))):
        with pytest.raises(VideoError, match="is not possible"):
            shot_count(*span, 1.0, 30)
    with pytest.raises(VideoError, match="a speed of 0"):
        shot_count(0.0, 1.0, 0.0, 30)


def test_overlays_and_a_plot_are_in_the_pictures(qapp: QApplication, tmp_path: Path) -> None:
    size = (640, 480)
    plain, full = tmp_path / "plain.mp4", tmp_path / "full.mp4"
    record(thrown_ball(), plain, 0.1, 30, (size[0], size[1] - 134), "side")
    extras = Extras(("contacts", "forces", "velocities"), "energy")
    assert record(thrown_ball(), full, 0.1, 30, size, "side", extras=extras) == 3
    (_, _, bare), (_, _, picture) = read(plain)[0], read(full)[0]
    assert picture.shape == (480, 640, 3)
    above, below = picture[:346].astype(int), picture[346:]
    changed = (np.abs(above - bare).max(axis=2) > 40).sum()
    assert 100 < changed < 0.05 * above.size, "an arrow along the velocity, and nothing else"
    assert len(np.unique(below.reshape(-1, 3), axis=0)) > 30, "curves and words"
    record(thrown_ball(), full, 0.04, 30, SIZE, "side", extras=Extras(("paradigms",)))
    red, green, blue = read(full)[0][0].reshape(-1, 3).astype(int).T
    assert not ((red > green + 40) & (blue > green + 40)).any(), "in free flight it wears that colour, and not its own"


def test_without_a_display(tmp_path: Path) -> None:
    """The command line's way: a fresh process that has no screen to draw on."""
    code = (
        "import sys; from pathlib import Path; from app.view.recording.video import record;"
        "from engine.scene.schema import Scene;"
        "record(Scene.model_validate_json(sys.stdin.read()), Path(sys.argv[1]), 0.4, 25, (320, 240), 'top');"
        "assert 'PyQt6' not in sys.modules"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DISPLAY", "QT_", "WAYL"))}
    scene = thrown_ball()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.mp4")],
        input=scene.model_dump_json(exclude_none=True),
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    pictures, times = read(tmp_path / "a.mp4")
    assert times == [Fraction(k, 25) for k in range(10)]
    check_ball(scene, pictures, [k / 25 for k in range(10)], "top")


def test_videos_with_overlays_and_plots_one_after_the_other_without_a_display(tmp_path: Path) -> None:
    """In one process, light after dark, and a plain one between."""
    code = (
        "import sys; from pathlib import Path; from app.view.recording.video import record;"
        "from app.view.recording.pictures import Extras; from engine.scene.schema import Scene;"
        "scene = Scene.model_validate_json(sys.stdin.read()); full = ('contacts', 'velocities', 'cones'), 'energy';"
        "looks = Extras(*full), Extras(), Extras(*full, light=True), Extras(*full);"
        "[record(scene, Path(sys.argv[1]) / f'{k}.mp4', 0.1, 20, (640, 480), 'side', extras=look)"
        " for k, look in enumerate(looks)]"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DISPLAY", "QT_", "WAYL"))}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        input=thrown_ball().model_dump_json(exclude_none=True),
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "0.mp4").read_bytes() == (tmp_path / "3.mp4").read_bytes()
    dark, plain, light = (read(tmp_path / f"{k}.mp4")[0][0].astype(int) for k in range(3))
    assert light[380:].mean() > 200 > 80 > dark[380:].mean(), "the plot, too, has the colours of its video"
    assert plain.shape == dark.shape and np.abs(plain - dark).max() > 100


def test_odd_sizes_and_odd_rates(qapp: QApplication, tmp_path: Path) -> None:
    record(thrown_ball(), tmp_path / "odd.mp4", 0.2, "30000/1001", (161, 121))
    pictures, times = read(tmp_path / "odd.mp4")
    assert pictures[0].shape == (122, 162, 3)
    assert times == [Fraction(1001 * k, 30000) for k in range(6)]


def test_the_same_twice(qapp: QApplication, tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4"):
        record(thrown_ball(), tmp_path / name, 0.2, 30, SIZE)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_shadows_are_in_it(qapp: QApplication, tmp_path: Path) -> None:
    with OffscreenRenderer(thrown_ball(), SIZE) as renderer:
        with_shadow = renderer.render().astype(int).sum(axis=2)
        renderer.renderer.options.shadows = False
        without = renderer.render().astype(int).sum(axis=2)
    darker = with_shadow < without - 20
    assert 30 < np.count_nonzero(darker) < 0.2 * darker.size
    assert not (with_shadow > without + 20).any()


def test_inputs_of_an_earlier_run_are_given_again(qapp: QApplication, tmp_path: Path) -> None:
    scene = thrown_ball()
    world = World(scene)
    world.advance_to(0.1)
    world.pull("ball", (0.0, 0.0, 0.0), (-1.5, 0.0, 1.5))
    world.advance_to(0.3)
    inputs: list[Input] = world.inputs
    record(scene, tmp_path / "pulled.mp4", 0.5, 20, SIZE, inputs=inputs)
    world.advance_to(0.45)
    view = CameraState(scene.camera[0].position, scene.camera[0].target)
    expected = project(world.body("ball").position, view, SIZE)
    assert ball_in(read(tmp_path / "pulled.mp4")[0][9]) == pytest.approx(expected[:2], abs=2.0)


def test_the_scene_says_how_long(qapp: QApplication, tmp_path: Path) -> None:
    assert record(thrown_ball(world={"until": 0.1}), tmp_path / "a.mp4", fps=50, size=(64, 48)) == 5


# --- what is not --------------------------------------------------------------------------------------------------


def test_cancelling_leaves_nothing(qapp: QApplication, tmp_path: Path) -> None:
    assert record(thrown_ball(), tmp_path / "a.mp4", 1.0, 30, SIZE, progress=lambda share: share > 0.2) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError])
def test_trouble_on_the_way_leaves_nothing(qapp: QApplication, tmp_path: Path, trouble: type[BaseException]) -> None:
    def fail(share: float) -> bool:
        raise trouble

    with pytest.raises(trouble):
        record(thrown_ball(), tmp_path / "a.mp4", 1.0, 30, SIZE, progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_stays_until_the_new_one_is_complete(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("older")
    record(thrown_ball(), tmp_path / "a.mp4", 1.0, 30, SIZE, progress=lambda share: True)
    assert (tmp_path / "a.mp4").read_text() == "older"


def test_a_process_that_has_no_display_names_what_is_missing(tmp_path: Path) -> None:
    code = (
        "import app.view.viewport.offscreen as offscreen\n"
        "try: offscreen._make_egl_canvas()\n"
        "except offscreen.OffscreenError as error: print(error)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "EGL_PLATFORM": "surfaceless", "PYOPENGL_PLATFORM": "egl"}
    environment["LIBGL_DRIVERS_PATH"] = environment["__EGL_VENDOR_LIBRARY_DIRS"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert "cannot draw without a window" in done.stdout and "libegl1" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"out": "a.avi"}, "MP4"),
        ({"out": "nowhere/a.mp4"}, "no folder"),
        ({"fps": 0.0}, "frame"),
        ({"fps": "fast"}, "frame"),
        ({"fps": float("nan")}, "frame"),
        ({"until": -1.0}, "not possible"),
        ({"camera": "nobody"}, r"side, top"),
        ({"size": (8, 8)}, "from 16"),
        ({"size": (100000, 100)}, "from 16"),
    ],
)
def test_what_cannot_be_done_is_said(qapp: QApplication, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    wanted: dict[str, Any] = {"out": "a.mp4", "until": 0.1, "fps": 30, "size": SIZE} | changes
    wanted["out"] = tmp_path / wanted["out"]
    with pytest.raises((VideoError, OffscreenError), match=words):
        record(thrown_ball(), **wanted)
    assert list(tmp_path.iterdir()) == []


def test_times_are_exact() -> None:
    ntsc = Fraction(30000, 1001)
    assert [frame_time(k, ntsc) for k in range(180)] == [float(k / ntsc) for k in range(180)]
    assert frame_count(3.0, 60) == 180
    assert frame_count(0.001, 60) == 1
    assert frame_count(1.0, 29.97) == 30
    assert frame_count(1.05, 10) == 11
    assert frame_count(9e6, 120) == 1_080_000_000, "counted, not listed"
    assert frame_rate("30000/1001") == Fraction(30000, 1001)
