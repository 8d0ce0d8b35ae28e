"""The process that makes a video for the window: `python -m app.view.recording.worker`.

It reads one JSON object (`describe_job`) from standard input and prints the share done, one number a line; its last
line is "done", or "failed: " and what went wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from app.view.recording import video
from app.view.recording.pictures import Extras
from app.view.viewport.camera import CameraState
from app.view.viewport.offscreen import OffscreenError
from engine.control.python_file import ControllerError
from engine.recording.inputs import Input, from_json, to_json
from engine.scene.problems import SceneError
from engine.scene.schema import Scene


def describe_job(
    scene: Scene,
    out: Path,
    until: float,
    fps: float,
    size: tuple[int, int],
    camera: CameraState | None,
    inputs: Sequence[Input],
    python: Literal["run", "off"] = "off",
    start: float = 0.0,
    speed: float = 1.0,
    extras: Extras | None = None,
) -> str:
    """The job of recording `scene` from its start with these inputs, for the other process."""
    return json.dumps(
        {
            "scene": scene.model_dump(mode="json", exclude_none=True),
            "folder": None if scene.folder is None else str(scene.folder),
            "out": str(out),
            "until": until,
            "fps": fps,
            "size": size,
            "camera": None if camera is None else asdict(camera),
            "inputs": to_json(list(inputs)),
            "python": python,
            "start": start,
            "speed": speed,
            "extras": asdict(extras or Extras()),
        }
    )


def run_job(job: str) -> None:
    """Records; raises what `video.record` raises."""
    data = json.loads(job)
    folder = None if data["folder"] is None else Path(data["folder"])
    scene = Scene.model_validate(data["scene"]).model_copy(update={"folder": folder})
    camera = None
    if data["camera"] is not None:
        seen = data["camera"]
        camera = CameraState(tuple(seen["position"]), tuple(seen["target"]), tuple(seen["up"]), float(seen["fov"]))
    width, height = data["size"]

    def progress(share: float) -> bool:
        print(f"{share:.4f}", flush=True)
        return False

    video.record(
        scene,
        Path(data["out"]),
        data["until"],
        data["fps"],
        (width, height),
        camera,
        progress,
        from_json(data["inputs"]),
        data["python"],
        data["start"],
        data["speed"],
        Extras(**data["extras"]),
    )


def main() -> int:
    """Runs the job on standard input."""
    try:
        run_job(sys.stdin.read())
    except (OSError, video.VideoError, OffscreenError, SceneError, ControllerError) as error:
        print("failed: " + "; ".join(str(error).splitlines()), flush=True)
        return 1
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
