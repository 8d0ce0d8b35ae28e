"""Records a video in a process of its own, so that the window never waits for it.

`python -m app.view.record_job` reads one JSON object from standard input (`RecordJob`) and prints the share done, one
number a line; its last line is "done" or "failed: " and what went wrong.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.scene.schema import Scene


@dataclass(frozen=True)
class RecordJob:
    """What to record, as plain values."""

    scene: dict[str, Any]
    folder: str | None  # where the scene's mesh files are
    out: str
    until: float  # [s]
    fps: int
    size: tuple[int, int]
    camera: str | dict[str, Any] | None  # a camera's name, a `CameraState` as a dict, or the scene's first

    @classmethod
    def of(
        cls, scene: Scene, out: Path, until: float, fps: int, size: tuple[int, int], camera: object
    ) -> RecordJob:
        """The job of recording `scene` from its start."""
        plain: Any = camera if camera is None or isinstance(camera, str) else asdict(camera)  # type: ignore[call-overload]
        folder = None if scene.folder is None else str(scene.folder)
        return cls(scene.model_dump(mode="json", exclude_none=True), folder, str(out), until, fps, size, plain)

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def main() -> int:
    from app.view import video  # first: it decides how OpenGL is reached
    from app.view.viewport.camera import CameraState
    from app.view.viewport.views import named_camera

    data = json.load(sys.stdin)
    folder = None if data["folder"] is None else Path(data["folder"])
    scene = Scene.model_validate(data["scene"]).model_copy(update={"folder": folder})
    camera = data["camera"]
    if isinstance(camera, str):
        camera = named_camera(scene, camera)
    elif camera is not None:
        camera = CameraState(**{key: tuple(v) if isinstance(v, list) else v for key, v in camera.items()})

    def progress(fraction: float) -> bool:
        print(f"{fraction:.4f}", flush=True)
        return False

    try:
        video.record(scene, Path(data["out"]), data["until"], data["fps"], tuple(data["size"]), camera, progress)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"failed: {error}".replace("\n", "; "), flush=True)
        return 1
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
