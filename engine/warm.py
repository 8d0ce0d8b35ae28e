"""Compiling the engine before anyone waits for it: in child processes that fill the cache, part by part, with progress.

The parts of `PARTS` are compiled side by side, by as many children as there are processors; a child that has finished
one takes the next, and has typed already what it has in common with it. What a scene needs is there long before all is.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from engine.kernel import cache_root, module_key, remove_old_versions
from engine.tolerances import GROUP_STEP, LONGEST_WAIT

if TYPE_CHECKING:
    from engine.scene.schema import Scene
    from engine.world import World


class Part(NamedTuple):
    """A part that is compiled apart."""

    seconds: float  # about how long it takes: only ratios matter
    kernels: int  # about how many it has
    needs: frozenset[str] = frozenset()  # parts that must be there before
    kin: str = ""  # the part that it has most kernels in common with: who has compiled that has typed them


PARTS = {
    "loop": Part(24.0, 275),
    "narrow": Part(10.0, 125),
    "group": Part(28.0, 235),
    "tasks": Part(12.0, 120),
    "world": Part(14.0, 130, frozenset({"loop", "narrow"})),
    "penalty": Part(6.0, 60, kin="group"),
    "first_order": Part(12.0, 120, kin="group"),
    "solvers": Part(20.0, 105),
}
"""The most urgent first."""

ENTRANCES = ("engine.world", "engine.analysis.methods")
"""All kernels of the engine are in these modules and in what they import."""

MOST_CHILDREN = 4  # more parts than this are seldom left to begin
HEARTBEAT = 0.2  # [s] without news after which a caller gets its turn all the same
TYPED = 0.7  # of a part's time goes into its kernels one by one, the rest into the machine code of all


class WarmUpError(RuntimeError):
    """A child could not compile the kernels; the text ends with what it said."""


@dataclass(frozen=True)
class Progress:
    """What has just been compiled, and how much of the work is done, 0 to 1 and never less than before."""

    kernel: str
    fraction: float
    done: Mapping[str, float] = field(default_factory=dict)  # the same by part

    @property
    def ready(self) -> frozenset[str]:
        """Parts that are there."""
        return frozenset(part for part, done in self.done.items() if done == 1.0)

    def work(self) -> float:
        """What has been done, in the seconds of `PARTS`."""
        return sum(PARTS[part].seconds * done for part, done in self.done.items())

    def work_left(self, parts: Iterable[str]) -> float:
        """What is left to do of some parts, likewise."""
        return sum(PARTS[part].seconds * (1.0 - self.done.get(part, 0.0)) for part in parts)


def parts_of(scene: Scene) -> frozenset[str]:
    """The parts that a scene needs to run."""
    step = {"penalty": {"penalty"}, "impulse": {"group", "tasks"} if scene.joint else set()}
    if scene.world.order == 1:
        step = {scene.world.contact: {"first_order", "tasks"}}
    return frozenset({"loop", "narrow", "world"} | step.get(scene.world.contact, {"group", "tasks"}))


def is_warm() -> bool:
    """Has everything been compiled on this machine, from these very sources?"""
    return ready_parts() == frozenset(PARTS)


def ready_parts() -> frozenset[str]:
    """The parts that have been compiled on this machine, from these very sources."""
    return frozenset(part for part in PARTS if _marker(part).is_file())


def warm(progress: Callable[[str, float], object], parts: Iterable[str] = tuple(PARTS)) -> dict[str, float]:
    """Compile some parts, by default all. Calls `progress` after each kernel; returns the seconds that each took.

    Kernels that were in the cache already are not in the answer. Raises WarmUpError.
    """
    seconds: dict[str, float] = {}
    for done in warm_in_child(seconds, parts):
        if done.kernel or done.fraction == 1.0:
            progress(done.kernel, done.fraction)
    return seconds


def warm_in_child(seconds: dict[str, float] | None = None, parts: Iterable[str] = tuple(PARTS)) -> Iterator[Progress]:
    """Compile some parts in child processes and yield after each kernel; closing the iterator ends the children.

    The machine code of a part takes many seconds, so it also yields with no kernel, several times a second: a caller
    who has changed its mind need not wait. Fills `seconds` with what each kernel took. Raises WarmUpError.
    """
    wanted = [part for part in PARTS if part in frozenset(parts)]
    if not ready_parts().issuperset(wanted):
        _check_folder()
        remove_old_versions()
    tally = _Tally(seconds if seconds is not None else {}, wanted, dict.fromkeys(ready_parts(), 1.0))
    yield from _run_children([part for part in wanted if part not in tally.done], tally)
    yield replace(tally.progress(), fraction=1.0)


def _check_folder() -> None:
    """Raise WarmUpError if what is compiled could not be kept: it would take minutes at each start."""
    try:
        cache_root().mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=cache_root()).close()
    except OSError as error:
        raise WarmUpError(
            f"the kernels that are compiled cannot be kept in {cache_root().parents[1]} ({error.strerror}): "
            "set CAROM_CACHE_DIR to a folder that can be written"
        ) from error


def _marker(part: str) -> Path:
    """The file that says that a part has been compiled from these sources for this processor."""
    import llvmlite.binding

    digest = hashlib.blake2b(llvmlite.binding.get_host_cpu_name().encode(), digest_size=10)
    for module in (__name__, *ENTRANCES):
        digest.update(module_key(module).encode())
    return cache_root() / f"warm-{part}-{digest.hexdigest()}"


# --- the parent ----------------------------------------------------------------------------------------------------


@dataclass
class _Tally:
    """What the children have said so far."""

    seconds: dict[str, float]
    wanted: list[str]
    done: dict[str, float] = field(default_factory=dict)  # how much of each part, 0 to 1
    fraction: float = 0.0

    def take(self, said: dict[str, Any]) -> Progress:
        """Note what a child says."""
        part, name = said["part"], said.get("kernel", "")
        if name:
            self.seconds[name] = self.seconds.get(name, 0.0) + said["seconds"]
            self.done[part] = min(self.done.get(part, 0.0) + TYPED / PARTS[part].kernels, TYPED)
        else:
            self.done[part] = 1.0
            _marker(part).parent.mkdir(parents=True, exist_ok=True)
            _marker(part).touch()
        return self.progress(name)

    def progress(self, kernel: str = "") -> Progress:
        """As far as it is known now."""
        now = Progress(kernel, 0.0, dict(self.done))
        left, whole = now.work_left(self.wanted), sum(PARTS[part].seconds for part in self.wanted)
        self.fraction = max(self.fraction, min(1.0 - left / whole, 0.99))
        return replace(now, fraction=self.fraction)


def _run_children(parts: list[str], tally: _Tally) -> Iterator[Progress]:
    """Have the parts compiled by children, side by side, until all are."""
    lines: queue.Queue[tuple[_Child, str | None]] = queue.Queue()
    count = min(os.cpu_count() or 1, MOST_CHILDREN, len(parts))
    left = list(parts)
    children = [_Child(lines) for _ in range(count)]
    idle = list(children)
    try:
        working = len(children)
        while working:
            idle = [child for child in idle if not child.give(left, tally.progress().ready)]
            try:
                child, line = lines.get(timeout=HEARTBEAT)
            except queue.Empty:
                yield tally.progress()
                continue
            if line is None:
                working -= 1
                child.check()
                continue
            said = json.loads(line)
            yield tally.take(said)
            if said.get("done"):
                idle.append(child)
    finally:
        for child in children:
            child.end()


class _Child:
    """A process that compiles one part after the other; what it says comes as (child, line), None at its end."""

    def __init__(self, lines: queue.Queue[tuple[_Child, str | None]]) -> None:
        # A file: a pipe would have to be read while the child writes. `end` closes it.
        self._complaint = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = _start_child(self._complaint)
        self._given: set[str] = set()
        self._reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self._reader.start()

    def give(self, left: list[str], ready: frozenset[str]) -> bool:
        """Give it the next part that can be begun, or word that none is left. False: it has to wait."""
        stdin = self._process.stdin
        assert stdin is not None
        able = [one for one in left if PARTS[one].needs <= ready]
        if left and not able:
            return False
        part = min(able, key=self._is_strange, default=None)
        with contextlib.suppress(OSError):  # it has ended: `check` says why
            if part is None:
                stdin.close()
            else:
                left.remove(part)
                self._given.add(part)
                stdin.write(part + "\n")
                stdin.flush()
        return True

    def _is_strange(self, part: str) -> bool:
        """Would it have to type what the part has in common with its kin?"""
        return bool(PARTS[part].kin) and PARTS[part].kin not in self._given

    def check(self) -> None:
        """Raise WarmUpError if it has failed."""
        if self._process.wait() != 0:
            self._complaint.seek(0)
            said = self._complaint.read().strip().splitlines() or ["no reason given"]
            raise WarmUpError(f"the kernels could not be compiled: {said[-1]}")

    def end(self) -> None:
        """Stop it if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        self._reader.join()
        self._complaint.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _read(self, lines: queue.Queue[tuple[_Child, str | None]]) -> None:
        stream = self._process.stdout
        assert stream is not None
        with stream:
            for line in stream:
                lines.put((self, line))
        lines.put((self, None))


def _start_child(complaint: IO[str]) -> subprocess.Popen[str]:
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "engine.warm"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaint,
        text=True,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            # Typing makes ten thousand messages that nobody reads; their colours cost a twentieth of its time.
            "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
        },
    )


# --- a child -------------------------------------------------------------------------------------------------------


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    """Compile the parts that standard input names, one after the other, and say on standard output what is done."""
    from engine import entries
    from engine.compiler import watch

    # What compiling makes stays, or goes by its count: looking for reference cycles as usual takes a tenth of the time.
    gc.set_threshold(*(100 * each for each in gc.get_threshold()))
    compile_part = {
        "loop": entries.compile_loop,
        "narrow": entries.compile_narrow,
        "group": entries.compile_group,
        "tasks": entries.compile_tasks,
        "world": _compile_world,
        "penalty": entries.compile_penalty,
        "first_order": entries.compile_first_order,
        "solvers": entries.compile_solvers,
    }
    for line in sys.stdin:
        part = line.strip()
        with watch(partial(_tell, part)):
            compile_part[part]()
        _say(part=part, done=True)


def _tell(part: str, kernel: str, seconds: float) -> None:
    _say(part=part, kernel=kernel, seconds=seconds)


def _compile_world() -> None:
    """What is around the loop, by running it: building a world, reading it, pulling and stopping a body."""
    from engine.model.state import POSITION

    world = _make_world()
    world.advance_to(0.3)
    world.change("world.gravity", (0.0, 0.0, -9.0))
    world.pull("ball", (0.0, 0.0, 0.1), (0.0, 0.0, 1.0))
    world.advance_events(200)
    world.release()
    world.advance_to(world.time + 0.1)
    read_everything(world)
    world.distance("box", "pair")
    broken = world.snapshot()
    broken.state.arcs[0, POSITION] = nan
    world.restore(broken)
    world.advance_to(world.time + LONGEST_WAIT * GROUP_STEP)
    _compile_around()


def _compile_around() -> None:
    """What Python asks of joints, loads, sleepers and a full table of pairs, without a step of a contact group."""
    from engine.collision.pair_table import grow_pairs
    from engine.desk import make_desk
    from engine.kernel import compile_for
    from engine.motion.arcs import evolve
    from engine.motion.loads import mean_couple
    from engine.motion.motion import is_finite_motion
    from engine.recording.joints import read_joints
    from engine.recording.observe import sum_springs
    from engine.scene.build import build
    from engine.scene.schema import Scene

    box = {"shape": {"box": [0.1, 0.1, 0.1]}}
    door = {"name": "hinge", "kind": "hinge", "bodies": ["door"], "point": [0.0, 0.0, 1.0], "axis": [0.0, 1.0, 0.0]}
    bodies = [
        box | {"name": "door", "position": [0.2, 0.0, 1.0]},
        box | {"name": "sleeper", "position": [1.0, 0.0, 1.0], "asleep": True},
        box | {"name": "pushed", "position": [2.0, 0.0, 1.0], "force": [1.0, 0.0, 0.0]},
    ]
    joint = door | {"spring": {"stiffness": 1.0}, "damping": 0.1}
    built = build(Scene.model_validate({"format": 1, "title": "Warm-up", "body": bodies, "joint": [joint]}))
    model, state, desk = built.model, built.state, make_desk(len(bodies), built.model.joints)
    read_joints(model, state, 0.0, desk.work)
    flow = desk.cluster.linked.flow
    sum_springs(model.bodies, model.tags, state.arcs, model.joints, state.joints, flow, 0.0)
    compile_for(is_finite_motion, evolve(model.bodies, model.tags, state.arcs, 0, 0.0))  # of a body that is crushed
    compile_for(mean_couple, model.bodies, 0, (1.0, 0.0, 0.0, 0.0), 0.0, 1.0)
    grow_pairs(state)


def _make_world() -> World:
    from engine.scene.schema import Scene
    from engine.world import World

    shapes: list[dict[str, Any]] = [
        {"name": "ball", "shape": {"sphere": {"radius": 0.1}}},
        {"name": "pill", "shape": {"capsule": {"radius": 0.05, "length": 0.2}}},
        {"name": "box", "shape": {"box": [0.1, 0.2, 0.3]}},
        {"name": "die", "shape": {"rounded_box": {"size": [0.2, 0.2, 0.2], "radius": 0.02}}},
        {
            "name": "tetrahedron",
            "shape": {"convex": {"vertices": [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]]}},
        },
    ]
    free = [body | {"position": [0.4 * k, 0.0, 0.3], "velocity": [-1.0, 0.0, 0.0]} for k, body in enumerate(shapes)]

    def moved(name: str, motion: dict[str, Any], x: float, z: float) -> dict[str, Any]:
        return {"name": name, "motion": motion, "shape": {"box": [0.5, 0.5, 0.1]}, "position": [x, 0.0, z]}

    pieces = [{"shape": {"box": [0.1, 0.1, 0.1]}, "position": [x, 0.0, 0.0]} for x in (-0.1, 0.1)]
    others: list[dict[str, Any]] = [
        {"name": "ground", "motion": "fixed", "shape": {"plane": {}}},
        moved("platter", {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 1.0}}, -1.0, 0.1),
        moved("piston", {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.1, "frequency": 1.0}}, -2.0, 0.3),
        {"name": "pair", "motion": "fixed", "shape": {"compound": {"pieces": pieces}}, "position": [-4.0, 0.0, 0.3]},
        moved("lift", {"keyframes": {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.0, 0.0, 0.1]}]}}, -3.0, 0.3),
    ]
    world = {"contact": "impulse"}  # it needs neither step of contact groups
    return World(Scene.model_validate({"format": 1, "title": "Warm-up", "world": world, "body": free + others}))


def read_everything(world: World) -> None:
    """Ask a world for all that the window asks of it."""
    world.contact_problem()
    world.poses()
    world.twists()
    world.energy()
    world.momentum()
    world.forces()
    world.heap()
    world.events()
    world.restore(world.snapshot())


if __name__ == "__main__":
    main()
