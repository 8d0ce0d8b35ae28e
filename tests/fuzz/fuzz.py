"""The fuzzer: `python -m tests.fuzz.fuzz scenes --count 1000 --seed 0`, or `make fuzz` for all kinds, until stopped.

What is fed in is either taken or refused by one of the errors that are meant for people. Anything else - another
exception, a signal, more than SECONDS of computing or BYTES - is a finding, told with the seed that makes it again.
"""

from __future__ import annotations

import argparse
import logging
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from engine.scene.problems import SceneError
from tests.fuzz.mutations import NUMBERS, VALUES, mutate_bytes, mutate_text

SECONDS = 10.0
BYTES = 2 << 30
SCENES = Path(__file__).parents[2] / "scenes"


class Finding(NamedTuple):
    seed: int
    what: str
    trace: str
    content: bytes


class SlowError(Exception):
    """It took longer than it may."""


def scene_texts() -> list[str]:
    """The bundled scenes, and a small one of every shape, layout, motion, joint and load."""
    everything = (Path(__file__).parent / "everything.toml").read_text(encoding="utf-8")
    return [everything] * 12 + [path.read_text(encoding="utf-8") for path in sorted(SCENES.glob("*.toml"))]


def feed_scene(seed: int, overlaps: bool = False) -> bytes:
    """Reads a mutated scene. Raises SceneError, of which every problem has a file and a line, or nothing."""
    from engine.scene.reading import parse_scene

    source = mutate_text(seed, scene_texts()).encode("utf-8", "surrogatepass")
    _feed(source, lambda: parse_scene(source, "fuzz.toml", SCENES, overlaps))
    return source


def feed_mesh(seed: int) -> bytes:
    """Looks at a mutated mesh, as reading a scene does, by what the process of its own runs."""
    import random

    from engine.scene import mesh_work

    suffix = random.Random(seed).choice(sorted(mesh_files()))
    data = mutate_bytes(seed, mesh_files()[suffix])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mesh{suffix}"
        path.write_bytes(data)
        for kind in ("surface", "hull", "pieces"):
            try:
                _feed(data, lambda kind=kind: mesh_work.look(str(path), "1.0", kind))  # type: ignore[misc]
            except mesh_work.RefusedError:
                continue
    return data


def mesh_files() -> dict[str, list[bytes]]:
    """Small meshes by suffix: a box, a ball, a ring, and what is degenerate."""
    global _meshes
    if not _meshes:
        import trimesh

        ring = trimesh.creation.torus(0.5, 0.2, major_sections=8, minor_sections=6)
        solids = [trimesh.creation.box(), trimesh.creation.icosphere(1), ring]
        for suffix in (".obj", ".stl", ".ply", ".glb"):
            _meshes[suffix] = [_bytes(solid.export(file_type=suffix[1:])) for solid in solids]
        _meshes[".stl"].append(_bytes(solids[0].export(file_type="stl_ascii")))
        _meshes[".ply"].append(_bytes(solids[0].export(file_type="ply", encoding="ascii")))
    return _meshes


_meshes: dict[str, list[bytes]] = {}


def _bytes(content: Any) -> bytes:
    return content if isinstance(content, bytes) else str(content).encode()


def feed_setting(seed: int) -> bytes:
    """A mutated `--set PATH=VALUE` on the scene of everything."""
    import random

    from engine.scene.paths import apply_setting, get_path
    from engine.scene.reading import parse_scene

    draw = random.Random(seed)
    global _scene
    if _scene is None:
        _scene = parse_scene(scene_texts()[0].encode(), "everything.toml", SCENES, overlaps=False)
    words = ["body", "world", "material", "repeat", "joint", "camera", "note", "title", "wood", "ball", "position"]
    words += [
        "shape",
        "sphere",
        "radius",
        "[0]",
        "[9]",
        "[-1]",
        "",
        "grid",
        "count",
        "gravity",
        "mass",
        "motor",
        "velocity",
    ]
    known = ["body.ball.position", "body.ball.mass", "world.gravity", "world.envelope", "material.wood.friction"]
    known += ["repeat.tower.stack.count", "joint.hinge.position", "body.ball.shape.sphere.radius", "body.box.shape"]
    path = draw.choice(known) if draw.random() < 0.6 else ".".join(draw.choices(words, k=draw.randrange(1, 6)))
    text = f"{path}={draw.choice((draw.choice(NUMBERS), draw.choice(VALUES), 'x' * 10 ** draw.randrange(5)))}"
    if draw.random() < 0.2:
        text = mutate_text(seed, [text])
    try:
        apply_setting(_scene, text)
        get_path(_scene, path)
    except SceneError:
        pass
    return text.encode("utf-8", "surrogatepass")


_scene: Any = None


def feed_recording(seed: int) -> bytes:
    """A mutated recording. ValueError is how it says that it is none."""
    from engine.recording.carom_file import read_recording

    data = mutate_bytes(seed, [recording()])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.carom"
        path.write_bytes(data)
        try:
            read_recording(path)
        except ValueError as error:
            assert "\n" not in str(error) and str(path) in str(error), f"says {error!r}"
    return data


def recording() -> bytes:
    """A short recording, without the engine: its chunks are as the engine writes them."""
    import base64
    import json
    import zlib

    import numpy as np

    from engine.recording.carom_file import _HEAD, _KEYFRAME, _MARKS, FORMAT
    from engine.recording.chunks import ChunkWriter

    head = {
        "format": FORMAT,
        "scene": "format = 1\n",
        "files": {"a.obj": base64.b64encode(b"v 0 0 0").decode()},
        "model": "m",
    }
    with tempfile.TemporaryDirectory() as folder:
        writer = ChunkWriter(Path(folder) / "run.carom")
        writer.add(_HEAD, zlib.compress(json.dumps(head).encode()))
        for k in range(3):
            writer.add(_MARKS, zlib.compress(json.dumps([[0.1 * k, k, 0, 0, "digest"]]).encode()))
            writer.add(_KEYFRAME, np.arange(20.0).tobytes())
        writer.close()
        return (Path(folder) / "run.carom").read_bytes()


def _feed(source: bytes, work: Callable[[], object]) -> None:
    try:
        work()
    except SceneError as error:
        for problem in error.problems:
            assert problem.file, f"a problem without a file: {problem}"
            assert problem.line is not None and 1 <= problem.line <= source.count(b"\n") + 1, f"no line: {problem}"
            assert len(str(problem)) < 2000, f"a problem of {len(str(problem))} letters"


def feed_world(seed: int) -> bytes:
    """Runs a random world, which is to hold against what is measured outside of it."""
    from tests.fuzz.worlds import run_world

    wrong = run_world(seed)
    assert not wrong, "; ".join(wrong)
    return b""


KINDS: dict[str, Callable[[int], bytes]] = {
    "scenes": feed_scene,
    "meshes": feed_mesh,
    "settings": feed_setting,
    "recordings": feed_recording,
    "worlds": feed_world,
}
LONGER = {"worlds": 330.0}
"""Seconds of computing that a kind may take instead of SECONDS."""


def hunt(kind: str, seeds: range | Any, until: float = float("inf")) -> tuple[Counter[str], list[Finding]]:
    """Feeds in one mutation for each seed; how many there were, and what was found."""

    def too_slow(*_: object) -> None:
        raise SlowError

    counts: Counter[str] = Counter()
    found: list[Finding] = []
    held = _most_held()
    before = signal.signal(signal.SIGPROF, too_slow)
    try:
        for seed in seeds:
            if time.monotonic() > until:
                break
            counts["fed"] += 1
            start = time.monotonic()
            signal.setitimer(signal.ITIMER_PROF, LONGER.get(kind, SECONDS))
            try:
                KINDS[kind](seed)
            except BaseException as error:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                if isinstance(error, KeyboardInterrupt):
                    raise
                found.append(Finding(seed, f"{type(error).__name__}: {str(error)[:200]}", traceback.format_exc(), b""))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
            most = _most_held()
            if most > max(BYTES, held):
                found.append(Finding(seed, f"{most >> 20} MB were held", "", b""))
            held = max(held, most)
            counts["slowest ms"] = max(counts["slowest ms"], int(1000 * (time.monotonic() - start)))
    finally:
        signal.signal(signal.SIGPROF, before)
    return counts, found


def _most_held() -> int:
    """The most memory that this process and those that it ended have held at once [bytes]."""
    return 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[], help=", ".join(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000, help="mutations of each kind in a round")
    parser.add_argument("--rounds", type=int, default=1, help="0: until it is stopped")
    options = parser.parse_args()
    logging.disable()  # what trimesh says of such files is heard by nobody: it runs in a process of its own
    resource.setrlimit(resource.RLIMIT_AS, (2 * BYTES, 2 * BYTES))
    seed, rounds, total = options.seed, 0, 0
    while options.rounds == 0 or rounds < options.rounds:
        for kind in options.kinds or KINDS:
            counts, found = hunt(kind, range(seed, seed + options.count))
            total += len(found)
            print(
                f"{kind} from {seed}: {dict(counts)}, {len(found)} findings, {_most_held() >> 20} MB at most",
                flush=True,
            )
            for finding in found[:10]:
                print(
                    f"  {kind} {finding.seed}: {finding.what}\n    " + "\n    ".join(finding.trace.splitlines()[-8:-1])
                )
        seed, rounds = seed + options.count, rounds + 1
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
