"""Videos: a scene simulated and drawn picture by picture, in simulation time, into an H.264 MP4. Needs no window.

Picture k shows the world at exactly start + k * speed / fps seconds, however long it takes to compute or to draw.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.view.recording.pictures import Extras, Pictures
from app.view.viewport.camera import CameraState
from app.view.viewport.offscreen import OffscreenError
from app.view.viewport.views import named_camera
from engine.recording.inputs import Input
from engine.scene.schema import Scene
from engine.world import World

if TYPE_CHECKING:
    from av.container import OutputContainer

Picture = NDArray[np.uint8]
Progress = Callable[[float], bool | None]

_APPROACH = 0.1  # [s] between looks at whether to go on, before the first picture
DEFAULT_UNTIL = 5.0
"""Seconds that a scene is recorded for when neither it nor anybody else says how long."""
SLOWEST, FASTEST = 1e-6, 1e3  # simulated seconds a second
BT709 = 1
"""The colour space of today's screens, as H.264 numbers it."""


class VideoError(RuntimeError):
    """A video cannot be made; the text says why and what would help."""


def frame_rate(fps: float | str | Fraction) -> Fraction:
    """A rate in pictures a second as a fraction: 60, 29.97, "30000/1001". VideoError unless it makes sense."""
    try:
        rate = Fraction(fps).limit_denominator(10000)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise VideoError(f"{fps} is not a frame rate (for example 60)") from None
    if not Fraction(1, 10) <= rate <= 1000:
        raise VideoError(f"{fps} frames a second is not possible (from 0.1 to 1000)")
    return rate


def frame_count(until: float, fps: float | str | Fraction) -> int:
    """How many pictures a video of `until` seconds has. VideoError if there is no such video."""
    if not 0.0 < until < 1e7:
        raise VideoError(f"a video of {until:g} s is not possible")
    return max(ceil(Fraction(until).limit_denominator(10**9) * frame_rate(fps)), 1)


def frame_time(k: int, rate: Fraction, start: float = 0.0, speed: float = 1.0) -> float:
    """When picture k is taken [s]."""
    return float(_exact(start) + k * _exact(speed) / rate)  # rounded once


def _exact(number: float) -> Fraction:
    """As it was typed: 0.1 is a tenth."""
    return Fraction(number).limit_denominator(10**9)


def shot_count(start: float, until: float, speed: float, fps: float | str | Fraction) -> int:
    """How many pictures show a run from one time until another [s] at a speed. VideoError if there is no such video."""
    if not 0.0 <= start < until < inf:
        raise VideoError(f"a video from {start:g} s until {until:g} s is not possible")
    if not SLOWEST <= speed <= FASTEST:
        raise VideoError(f"a speed of {speed:g} is not possible (from {SLOWEST:g} to {FASTEST:g})")
    return frame_count(float((_exact(until) - _exact(start)) / _exact(speed)), fps)


def record(
    scene: Scene,
    out: str | Path,
    until: float | None = None,
    fps: float | str | Fraction = 60,
    size: tuple[int, int] = (1280, 720),
    camera: CameraState | str | None = None,
    progress: Progress | None = None,
    inputs: Sequence[Input] = (),
    python: Literal["ask", "run", "off"] = "ask",
    start: float = 0.0,
    speed: float = 1.0,
    extras: Extras | None = None,
) -> int:
    """Simulates a scene from its start and writes it to the MP4 `out`; returns the number of pictures.

    until: seconds (default: the scene's own, else 5). size: width and height; an odd one gets one more row or column of
    pixels in the file, as H.264 wants pairs. camera: a state, or the name of one of the scene's. progress: called with
    the share done, 0..1; when it returns True the recording is cancelled, and 0 is returned. inputs: what came from
    outside in an earlier run (`World.inputs`), given again at their times. python: as in `World`. start: when the first
    picture is taken [s]. speed: simulated seconds a second. extras: what is seen beside the bodies. The file appears
    when it is complete, or not at all. VideoError and OffscreenError say what cannot be done.
    """
    path = Path(out)
    end = until or scene.world.until or DEFAULT_UNTIL
    rate, count = frame_rate(fps), shot_count(start, end, speed, fps)
    view = _find_camera(scene, camera)
    _check_place(path)
    partial = path.with_name(f"{path.name}.part")
    try:
        with (
            Pictures(scene, size, view, extras or Extras(), start, end) as pictures,
            VideoFile(partial, size, rate, scene.title) as file,
        ):
            run = _Run(World(scene, python), inputs)
            for time in np.arange(0.0, start, _APPROACH):
                run.go_to(float(time))
                if progress is not None and progress(time / end):
                    return 0
            for k in range(count):
                run.go_to(frame_time(k, rate, start, speed))
                file.add(pictures.take(run.world))
                if progress is not None and progress((start + (k + 1) / count * (end - start)) / end):
                    return 0
            file.finish()
        os.replace(partial, path)
    except OSError as error:
        raise VideoError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made
            partial.unlink()
    return count


class _Run:
    """A world that is given what came from outside, at its times."""

    def __init__(self, world: World, inputs: Sequence[Input]) -> None:
        self.world, self._inputs, self._given = world, inputs, 0

    def go_to(self, time: float) -> None:
        upto = self._given
        while upto < len(self._inputs) and self._inputs[upto].time <= time:
            upto += 1
        self.world.replay(self._inputs[self._given : upto], time)
        self._given = upto


class VideoFile:
    """An H.264 MP4 being written: pictures of `size` (width, height), picture k shown at k / rate seconds."""

    def __init__(self, path: Path, size: tuple[int, int], rate: Fraction, title: str = "") -> None:
        import av

        self._av = av
        self._size = size
        self._next = 0
        self._container: OutputContainer = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        if title:
            self._container.metadata["title"] = title
        stream: Any = self._container.add_stream("libx264", rate=rate)
        stream.width, stream.height = size[0] + size[0] % 2, size[1] + size[1] % 2
        stream.pix_fmt = "yuv420p"
        stream.time_base = 1 / rate
        stream.codec_context.time_base = 1 / rate
        stream.codec_context.colorspace = BT709
        stream.codec_context.color_primaries = BT709
        stream.codec_context.color_trc = BT709
        stream.options = {"preset": "fast", "crf": "17"}
        self._stream = stream
        self._time_base = 1 / rate

    def add(self, picture: Picture) -> None:
        """Appends a picture (height, width, 3)."""
        width, height = self._size
        if picture.shape != (height, width, 3):
            raise VideoError(f"a picture of {picture.shape[1]}x{picture.shape[0]} does not fit into {width}x{height}")
        if width % 2 or height % 2:
            picture = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        frame = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709")
        frame.pts = self._next
        frame.time_base = self._time_base
        self._next += 1
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def finish(self) -> None:
        """Writes what the encoder still holds; without it the file is of no use."""
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()

    def __enter__(self) -> VideoFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._container.close()


def _find_camera(scene: Scene, camera: CameraState | str | None) -> CameraState | None:
    if not isinstance(camera, str):
        return camera
    try:
        return named_camera(scene, camera)
    except KeyError as error:
        raise VideoError(str(error.args[0])) from None


def _check_place(path: Path) -> None:
    """Finds out before an hour of simulation whether the file can be written after it."""
    if path.suffix.lower() != ".mp4":
        raise VideoError(f"{path.name}: videos are MP4 files (call it {path.stem or 'video'}.mp4)")
    if os.path.isdir(path):
        raise VideoError(f"{path} is a folder")
    if not os.path.isdir(path.parent):
        raise VideoError(f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise VideoError(f"the folder {path.parent} cannot be written to")


__all__ = [
    "OffscreenError",
    "VideoError",
    "VideoFile",
    "frame_count",
    "frame_rate",
    "frame_time",
    "record",
    "shot_count",
]
