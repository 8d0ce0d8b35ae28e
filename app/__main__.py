"""The command line: `carom` opens the app; all other commands but `open` need no window."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.arguments import count, drawing, duration, positive, rate, size, table, with_suffix
from app.signals import Ended, ended_by_signals
from engine.scene.problems import SceneError

if TYPE_CHECKING:
    from engine.scene.schema import Scene

USAGE_ERROR = 2
INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot be carried out; the text is the one line to say."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 for an error, 2 for wrong usage, 130 after Ctrl+C, 143 after
    `kill`."""
    options = _parser().parse_args(_with_command(sys.argv[1:] if arguments is None else arguments))
    try:
        with ended_by_signals():
            code: int = options.command(options)
            sys.stdout.flush()
        return code
    except KeyboardInterrupt as ended:
        print("carom: stopped", file=sys.stderr)
        return ended.status if isinstance(ended, Ended) else INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if getattr(options, "debug", False):
            raise
        print(_one_line(error), file=sys.stderr)
        return 1


def _with_command(arguments: Sequence[str]) -> list[str]:
    """`carom FILE` is `carom open FILE`, as file managers call it."""
    first = next((word for word in arguments if not word.startswith("-")), "")
    return ["open", *arguments] if first.endswith((".toml", ".carom")) else list(arguments)


def _one_line(error: Exception) -> str:
    if isinstance(error, SceneError):  # one line for each problem, each with its place
        return str(error)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    elif not isinstance(error, (CommandError, ValueError, RuntimeError)):
        text = f"{type(error).__name__}: {text} (--debug shows where)"
    return f"carom: {text}"


# --- arguments ----------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks of errors")
    parser = argparse.ArgumentParser(
        prog="carom",
        description="A laboratory for rigid-body contact. Without a command: opens the app.",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"carom {_version()}")
    parser.set_defaults(command=_open, scene=None, trust=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", parents=[common])
        sub.set_defaults(command=command)
        return sub

    scene = "a scene file, or the bare name of a bundled scene"
    window = add("open", _open, "open the app on a scene")
    window.add_argument("scene", metavar="SCENE", help=f"{scene}, or a run that was saved (FILE.carom)")
    _add_trust(window)
    _add_run(add("run", _run, "simulate a scene without a window"), scene)
    _add_record(add("record", _record, "record a scene as a video, without a window or a screen"), scene)
    replay = add("replay", _replay, "run a recording again, and name the first event that differs")
    replay.add_argument("file", metavar="FILE.carom", type=Path, help="what `carom run --record` wrote")
    _add_import(add("import", _import, "make a scene of a robot: URDF, or MJCF"))
    check = add("check", _check, "look for everything that is wrong with scenes")
    check.add_argument("scenes", metavar="SCENE", nargs="+", help=scene)
    _add_bench(add("bench", _bench, "measure a named table, ours beside a paper's"))
    add("warm", _warm, "compile all kernels, so that the next start is quick")
    return parser


def _add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the Python of the scene's controllers, now and later if it is the same",
    )


def _add_run(parser: argparse.ArgumentParser, scene: str) -> None:
    _add_trust(parser)
    parser.add_argument("scene", metavar="SCENE", help=scene)
    parser.add_argument(
        "--until", metavar="T", type=duration, help="seconds to simulate, 0 or more (default: what the scene says)"
    )
    parser.add_argument("--contact", metavar="MODE", help="kind of contact: impulse, constraint, hybrid or penalty")
    parser.add_argument(
        "--set", metavar="PATH=VALUE", action="append", default=[], dest="settings",
        help="change a value of the scene, such as body.cue.velocity=[8,0,0]; as often as wanted",
    )  # fmt: skip
    parser.add_argument("--sample", metavar="HZ", type=positive, help="samples a second in FILE (default: 100)")
    parser.add_argument(
        "--out", metavar="FILE", type=table, help="write poses and velocities to a .csv or .parquet file"
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=partial(with_suffix, ".carom"),
        help="write the run to a file for `carom replay`",
    )
    parser.add_argument("--json", action="store_true", help="print the end state as one JSON object")


def _add_record(parser: argparse.ArgumentParser, scene: str) -> None:
    _add_trust(parser)
    parser.add_argument("scene", metavar="SCENE", help=scene)
    parser.add_argument("out", metavar="OUT.mp4", type=partial(with_suffix, ".mp4"), help="the video to write")
    parser.add_argument("--until", metavar="T", type=positive, help="seconds to record (default: what the scene says)")
    parser.add_argument("--from", metavar="T", type=duration, default=0.0, dest="start", help="when it begins")
    parser.add_argument("--speed", metavar="X", type=positive, default=1.0, help="simulated seconds a second")
    parser.add_argument("--fps", metavar="N", type=rate, default=Fraction(60), help="frames a second (default: 60)")
    parser.add_argument("--size", metavar="WxH", type=size, default=(1280, 720), help="pixels (default: 1280x720)")
    parser.add_argument("--camera", metavar="NAME", help="one of the scene's cameras (default: the first)")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="a URDF or MJCF file")
    parser.add_argument("out", metavar="OUT.toml", type=partial(with_suffix, ".toml"), help="the scene to write")
    base = parser.add_mutually_exclusive_group()
    base.add_argument("--fixed", dest="base", action="store_const", const="fixed", help="a URDF's base stands still")
    base.add_argument(
        "--floating", dest="base", action="store_const", const="floating",
        help="a URDF's base moves freely (default: if it has mass)",
    )  # fmt: skip
    parser.add_argument(
        "--ground", action=argparse.BooleanOptionalAction, help="a ground under a URDF (default: if its base floats)"
    )
    parser.add_argument("--up", choices=("x", "y", "z"), default="z", help="a URDF's axis that is up (default: z)")


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="what to measure (without: lists what there is)")
    parser.add_argument(
        "--only", metavar="PART", action="append", default=[], help="one table or figure of it; as often as wanted"
    )
    parser.add_argument("--repeats", metavar="N", type=count, default=20, help="runs behind a time (default: 20)")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
    parser.add_argument(
        "--plot", metavar="FILE", type=drawing, help="draw its figure into a .svg or .png; into a folder where several"
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("carom")
    except PackageNotFoundError:
        return "(not installed)"


# --- commands -----------------------------------------------------------------------------------------------------


def _open(options: argparse.Namespace) -> int:
    from engine.scene.reading import find_scene, load_scene

    path: Path | None = None
    if options.scene is not None and Path(options.scene).suffix == ".carom":
        from engine.recording.carom_file import read_recording

        path = Path(options.scene)
        read_recording(path)
    elif options.scene is not None:
        path = find_scene(options.scene)
        _trust(load_scene(path, overlaps=False), options)  # what is wrong is said here, before a window opens
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise CommandError(
            "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set); "
            f"`carom record {options.scene or 'pool_break'} out.mp4` needs none"
        )
    from app.view.start import run_app

    return run_app(None if path is None else str(path))


def _check(options: argparse.Namespace) -> int:
    from engine.scene.reading import load_scene

    _prepare(True, {"narrow"})  # overlaps are found by the engine
    wrong = False
    for source in options.scenes:
        try:
            load_scene(source)
        except SceneError as error:
            wrong = True
            print(error)
    return 1 if wrong else 0


def _run(options: argparse.Namespace) -> int:
    if options.sample and not options.out:
        return _usage("--sample says how often --out FILE is written, and needs it")
    scene = _load(options)
    from app.simulation.batch import describe, run_scene, summary_text

    until = _until(options, scene)
    for path in (options.out, options.record):
        if path is not None and not path.parent.is_dir():
            raise CommandError(f"{path.parent}: no such folder")
        if path is not None and path.is_dir():
            raise CommandError(f"{path}: is a folder, and a file is to be written")
    _cut_meshes(scene)
    # What controllers print is beside what is asked for.
    with _bar(f"Simulating {options.scene}", options.json) as progress, contextlib.redirect_stdout(sys.stderr):
        world = run_scene(scene, until, progress, options.out, options.sample or 100.0, options.record)
    if options.json:
        import json

        print(json.dumps(describe(world), allow_nan=False))
    else:
        print(summary_text(world, options.scene))
    return 0


def _record(options: argparse.Namespace) -> int:
    from engine.scene.reading import load_scene

    scene = load_scene(options.scene, overlaps=False)
    _trust(scene, options)
    scene = _ready(scene, False)
    names = [camera.name for camera in scene.camera]
    if options.camera is not None and options.camera not in names:
        raise CommandError(f"{options.scene} has no camera {options.camera!r} (cameras: {', '.join(names) or 'none'})")
    _cut_meshes(scene)
    from app.view.recording.video import record

    with _bar(f"Recording {options.out}", False) as progress:
        record(
            scene, options.out, options.until, options.fps, options.size, options.camera, progress,
            start=options.start, speed=options.speed,
        )  # fmt: skip
    return 0


def _replay(options: argparse.Namespace) -> int:
    from engine.recording.carom_file import read_recording
    from engine.replay import verify

    recording = read_recording(options.file)
    with _bar(f"Replaying {options.file}", False) as progress:
        verdict = verify(recording, progress)
    if verdict.difference:
        print(f"{options.file}: {verdict.difference}; the {verdict.marks} digests before it agree")
        return 1
    print(f"{options.file}: the same to the bit, {verdict.event} events in {verdict.time:g} s, {verdict.marks} digests")
    if recording.lost:
        print(f"{options.file}: cut off or damaged after that time: its last {recording.lost} bytes cannot be read")
        return 1
    return 0


def _import(options: argparse.Namespace) -> int:
    from engine.importing.model_file import import_model, report_lines, write_imported

    if not options.out.parent.is_dir():
        raise CommandError(f"{options.out.parent}: no such folder")
    _prepare(False, {"narrow"})  # overlaps are found by the engine
    imported = import_model(options.model, options.base, options.ground, options.up)
    write_imported(imported, options.out)
    print("\n".join(report_lines(imported.remarks)))
    print(f"{options.out}: {len(imported.scene.bodies)} bodies, {len(imported.scene.joint)} joints")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from engine.experiments.catalogue import BENCHES

    if options.name is None:
        for bench, parts in BENCHES.items():
            print(f"{bench}:")
            for name, part in parts.items():
                print(f"  {name:<16}{part.text}")
        return 0
    if options.name not in BENCHES:
        return _usage(f"there is no bench {options.name!r} (there is {', '.join(BENCHES)})")
    parts = BENCHES[options.name]
    unknown = [part for part in options.only if part not in parts]
    if unknown:
        return _usage(f"{options.name} has no part {unknown[0]!r} (there are {', '.join(parts)})")
    chosen = list(dict.fromkeys(options.only or parts))
    drawings = _drawings(options.plot, [name for name in chosen if parts[name].drawn])
    from app.simulation.bench import print_table

    _prepare(options.json)
    numbers = {}
    for name in chosen:
        with _bar(f"Measuring {parts[name].text}", options.json) as progress:
            table = parts[name].measure(options.repeats, progress)
        if options.json:
            numbers[name] = table.to_json()
        else:
            print_table(table)
        if name in drawings:
            from app.simulation.figure import draw_table

            draw_table(table, drawings[name])
    if options.json:
        import json

        print(json.dumps(numbers, allow_nan=False))
    return 0


def _drawings(plot: Path | None, figures: list[str]) -> dict[str, Path]:
    """Where --plot puts each figure; a folder is made if need be."""
    if plot is None:
        return {}
    if not figures:
        raise CommandError("--plot: nothing of what is measured has a figure")
    if plot.suffix and not plot.is_dir():
        if len(figures) > 1:
            raise CommandError(f"--plot {plot} is for one figure of {', '.join(figures)}: --only names it")
        if not plot.parent.is_dir():
            raise CommandError(f"{plot.parent}: no such folder")
        return {figures[0]: plot}
    plot.mkdir(parents=True, exist_ok=True)
    return {name: plot / f"{name}.svg" for name in figures}


def _warm(options: argparse.Namespace) -> int:
    from engine.warm import warm

    with _bar("Compiling", False) as progress:
        seconds = warm(lambda _kernel, share: progress(share))
    for kernel, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"{spent:8.2f} s  {kernel}")
    print(f"{sum(seconds.values()):8.2f} s  in {len(seconds)} kernels; all are ready now")
    return 0


def _prepare(quiet: bool, parts: Collection[str] = ()) -> None:
    """Compile some parts of the engine, by default all, before the first run on a machine, with a bar of its own."""
    from engine.warm import PARTS, ready_parts, warm

    parts = parts or tuple(PARTS)
    if not ready_parts() >= frozenset(parts):
        with _bar("Compiling, this once", quiet) as progress:
            warm(lambda _kernel, share: progress(share), parts)


def _cut_meshes(scene: Scene) -> None:
    """Cut concave meshes into convex pieces, once for each, and say so: it takes seconds."""
    from engine.geometry.decomposition import listen
    from engine.scene.body_shapes import prepare

    def say(text: str) -> None:
        if text:
            print(f"{text}…", file=sys.stderr, flush=True)

    with listen(say):
        prepare(scene)


def _usage(text: str) -> int:
    print(f"carom: {text}", file=sys.stderr)
    return USAGE_ERROR


def _load(options: argparse.Namespace) -> Scene:
    """The scene with what --contact and --set change, checked as a whole once these are in."""
    from engine.scene.paths import apply_setting, set_path
    from engine.scene.reading import load_scene

    scene = load_scene(options.scene, overlaps=False)
    _trust(scene, options)
    if options.contact is not None:
        scene = set_path(scene, "world.contact", options.contact)
    for setting in options.settings:
        scene = apply_setting(scene, setting)
    return _ready(scene, options.json)


def _trust(scene: Scene, options: argparse.Namespace) -> None:
    """Trust the Python of a scene if --trust says so; but for the window, which asks, UntrustedError if nobody has."""
    from engine.control.trust import trust
    from engine.scene.controllers import python_files, runnable

    if options.trust:
        trust(python_files(scene))
    elif options.command is not _open:
        runnable(scene, "ask")


def _ready(scene: Scene, quiet: bool) -> Scene:
    """A scene that is right as a whole, with all compiled that it needs."""
    from engine.scene.checks import find_problems
    from engine.warm import parts_of

    problems = find_problems(scene, overlaps=False)
    if not problems:
        _prepare(quiet, parts_of(scene))
        problems = find_problems(scene)
    if problems:
        raise SceneError(problems)
    return scene


def _until(options: argparse.Namespace, scene: Scene) -> float:
    until: float | None = scene.world.until if options.until is None else options.until
    if until is None:
        raise CommandError(f"{options.scene} does not say how long it runs: give --until T")
    return until


# --- progress -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _bar(text: str, quiet: bool) -> Iterator[Callable[[float], bool]]:
    """Progress on standard error, with the time left where that is a screen; gives progress(share) -> cancel?"""
    if not sys.stderr.isatty():
        yield (lambda share: False) if quiet else _quarters(text)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(text, total=1.0)

        def progress(share: float) -> bool:
            bars.update(task, completed=share)
            return False

        yield progress


def _quarters(text: str) -> Callable[[float], bool]:
    """Progress for a log: a line at the start and one for each quarter that is done."""
    told = 0
    print(f"{text} ...", file=sys.stderr, flush=True)

    def progress(share: float) -> bool:
        nonlocal told
        if int(4.0 * share) > told:
            told = int(4.0 * share)
            print(f"{text}: {25 * told} %", file=sys.stderr, flush=True)
        return False

    return progress


if __name__ == "__main__":
    sys.exit(main())
