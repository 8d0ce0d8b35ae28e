"""Processes that are killed while they write: `python -m tests.fuzz.kills --count 1000 --seed 0`, or `make kills`.

A child is forked, begins to write, and is killed (SIGKILL) at a random moment. Then nothing may be lost or half: a
scene's file holds one of the scenes that were saved, a recording opens up to its last keyframe and is the same when
it runs again, and machine code is there whole or is compiled anew.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCENE = """format = 1
title = "{title}"

[[body]]
name = "floor"
shape = {{ plane = {{}} }}
motion = "fixed"

[[body]]
name = "ball"
shape = {{ sphere = {{ radius = 0.1 }} }}
position = [0, 0, 1]
"""
KERNEL = """
from engine.kernel import kernel

@kernel
def inner(x: float) -> float:
    return x * 2

@kernel
def outer(x: float) -> float:
    return inner(x) + 1
"""
HEAD_ONLY = "no keyframe yet"


class Kills:
    """Kills children, and counts what they left."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.left: Counter[str] = Counter()
        self._draw, self._folder = random.Random(seed), folder
        self._scene: Any = None

    def save(self) -> None:
        """While a scene is saved over another, with its comments."""
        from engine.scene.reading import parse_scene
        from engine.scene.writing import save_scene

        path = self._folder / "saved.toml"
        path.write_text("# mine\n" + SCENE.format(title="0"), encoding="utf-8")
        scene = parse_scene(path.read_bytes(), path.name, self._folder)

        def work() -> None:
            for k in range(1, 1_000_000):
                save_scene(scene.model_copy(update={"title": str(k) * 1000}), path)

        self._kill(work, 0.1)
        content = path.read_bytes()
        title = parse_scene(content, path.name, self._folder).title
        assert content.startswith(b"# mine\n")
        assert title in ("0", title[: len(title) // 1000] * 1000), "it is none of those that were saved"
        self._sweep("save")

    def record(self) -> None:
        """While a run is recorded, as `carom run --record` does."""
        from app.simulation.batch import run_scene
        from engine.recording.carom_file import read_recording
        from engine.replay import verify
        from engine.scene.reading import parse_scene

        path = self._folder / "run.carom"
        if self._scene is None:
            self._scene = parse_scene(SCENE.format(title="run").encode(), "run.toml", self._folder)
            run_scene(self._scene, 0.5)  # its machine code is loaded once
        self._kill(lambda: run_scene(self._scene, 1e5, record=path), 0.1, path)
        try:
            recording = read_recording(path)
        except ValueError as error:
            assert "ends before it begins" in str(error) or "no recording" in str(error), error
            assert path.stat().st_size < 1000, error
            self.left[HEAD_ONLY] += 1
            return
        if not recording.marks:
            self.left[HEAD_ONLY] += 1
            return
        assert len(recording.marks) - 1 in recording.keyframes
        verdict = verify(recording)
        assert not verdict.difference, verdict.difference
        self.left["keyframes"] += len(recording.keyframes)

    def keep(self) -> None:
        """While machine code is written into the cache, by two keys and over what is there."""
        from engine.code_cache import _OneFileEach

        folder = self._folder / "kept"
        folder.mkdir(exist_ok=True)
        codes, made = _OneFileEach(str(folder), "kernel"), {key: (key, b"code" * 50_000) for key in ("a", "b")}

        def work() -> None:
            while True:
                for key, code in made.items():
                    codes.save((key,), code)

        self._kill(work, 0.02)
        for key, code in made.items():
            try:
                found = codes.load((key,))
            except OSError:
                self.left["code not there"] += 1
                continue
            assert found == code
        self._sweep("keep")

    def compile(self) -> None:
        """While kernels are compiled into an empty cache; then they are asked."""
        cache = Path(tempfile.mkdtemp(dir=self._folder))
        os.environ["CAROM_CACHE_DIR"] = str(cache)

        def ask() -> None:
            path = cache / "kernels_of_a_test.py"
            path.write_text(KERNEL, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[path.stem] = module
            spec.loader.exec_module(module)
            assert module.outer(1.5) == 4.0

        self._kill(ask, 2.0)
        self.left["compiled by then"] += bool(list(cache.rglob("*.nbc")))
        assert _wait(_fork(ask)) == 0, "the cache that was left could not be used"
        self.left["files half written"] += sum(not path.name.endswith(".nbc") for path in cache.rglob("*.nbc*"))

    def _kill(self, work: Callable[[], object], most: float, begun: Path | None = None) -> None:
        """Fork a child that works, and kill it within `most` seconds; from when a file is there, if one is named."""
        if begun is not None:
            begun.unlink(missing_ok=True)
        child = _fork(work)
        while begun is not None and not begun.exists() and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(1e-4)
        time.sleep(most * self._draw.random() ** 2)
        os.kill(child, signal.SIGKILL)
        code = _wait(child)
        assert code in (0, -signal.SIGKILL), f"the child failed by itself: {code}"
        self.left["killed" if code else "had ended before"] += 1

    def _sweep(self, what: str) -> None:
        """Count and remove the files that killed writers leave beside theirs: nobody reads them."""
        for path in [*self._folder.glob(".*.part"), *self._folder.glob("kept/*.nbc.*")]:
            self.left[f"files that nobody reads, {what}"] += 1
            path.unlink()


KINDS = ("save", "record", "keep", "compile")


def _fork(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _wait(child: int) -> int:
    """Its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(kind: str, count: int, seed: int) -> int:
    """So many kills of a kind; the number of findings, which are printed."""
    found = 0
    with tempfile.TemporaryDirectory(prefix="carom-kills-") as folder:
        kills = Kills(seed, Path(folder))
        gc.freeze()
        for number in range(count):
            try:
                getattr(kills, kind)()
            except Exception:
                found += 1
                print(f"{kind} {number} of seed {seed}:", traceback.format_exc(), flush=True)
    print(f"{kind}: {count} kills, {dict(kills.left)}, {found} findings", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[], help=", ".join(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000, help="kills of each kind")
    options = parser.parse_args()
    return 1 if sum(run(kind, options.count, options.seed) for kind in options.kinds or KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
