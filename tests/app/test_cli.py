"""The command line as a person uses it: output, exit codes, one-line errors, nothing half written."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arro3.io import read_parquet

from app.__main__ import _open, _parser, _with_command, main
from app.simulation.files import TABLES
from engine import World, load_scene
from engine.model.model import MASS

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "tests" / "data" / "broken"
SLOW = 'format = 1\n[world]\nuntil = 1e6\n[[body]]\nname = "floor"\nmotion = "fixed"\nshape = { plane = {} }\n'
SLOW += '[[body]]\nname = "ball"\nshape = { sphere = { radius = 0.1 } }\nposition = [0, 0, 0.2]\n'


def carom(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


def test_check_prints_every_problem_of_every_broken_file(capsys: pytest.CaptureFixture[str]) -> None:
    paths = sorted(BROKEN.glob("*.toml"))
    assert main(["check", *map(str, paths)]) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    for path in paths:
        mine = [line for line in lines if line.startswith(f"{path}:")]
        assert len(mine) == len(path.with_suffix(".txt").read_text().splitlines())
        assert all(line.split(":")[1].isdecimal() for line in mine)
    assert len(lines) == sum(len(path.with_suffix(".txt").read_text().splitlines()) for path in paths)


@pytest.mark.parametrize("command", ["check", "run", "open", "record"])
def test_broken_files_give_one_line_each_and_no_traceback(command: str, tmp_path: Path) -> None:
    path = BROKEN / "no_such_material.toml"
    result = carom(command, str(path), *([str(tmp_path / "x.mp4")] if command == "record" else []))
    assert result.returncode == 1
    text = result.stdout + result.stderr
    assert text == f'{path}:7: body.ball.material: there is no material "oka" (did you mean "oak"?)\n'
    assert os.listdir(tmp_path) == []


def test_check_is_silent_about_good_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "pool_break", str(ROOT / "scenes" / "dominos.toml")]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "dominoes"], 1, 'dominoes: no such file (did you mean "dominos"?)'),
        (["run", "pool_break", "--contact", "springs"], 1, 'world.contact: is "springs" ("impulse" or'),
        (["run", "four_bar", "--contact", "penalty"], 1, 'world.contact: "penalty" cannot hold joints'),
        (["run", "pool_break", "--set", "body.cu.mass=1"], 1, 'there is no body "cu" (did you mean "cue"?)'),
        (["run", "pool_break", "--set", "body.cue.position=[0.635,0,0.03]"], 1, 'inside body "cue"'),
        (["run", "pool_break", "--out", "/no/such/folder/x.csv"], 1, "carom: /no/such/folder: no such folder"),
        (["record", "pool_break", "x.mp4", "--camera", "side"], 1, "no camera 'side' (cameras: main, above)"),
        (["open", "dominoes"], 1, "no such file"),
    ],
)
def test_errors_are_one_line(arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["run"],
        ["run", "pool_break", "--until", "-1"],
        ["run", "pool_break", "--until", "soon"],
        ["run", "pool_break", "--out", "x.xlsx"],
        ["record", "pool_break", "x.avi"],
        ["record", "pool_break", "x.mp4", "--size", "big"],
        ["bench", "thesis", "--plot", "x.jpg"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_samples_without_a_file_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pool_break", "--sample", "10"]) == 2
    assert "--out" in capsys.readouterr().err


def test_run_json_prints_exactly_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pool_break", "--until", "0.4", "--json", "--set", "body.cue.velocity=[5, 0, 0]"]) == 0
    out, _ = capsys.readouterr()
    data = json.loads(out)
    assert list(data) == [
        "time", "bodies", "joints", "contacts", "forces", "energy", "smallest_gap", "stopped", "counters", "wall",
        "digest",
    ]  # fmt: skip
    assert data["time"] == 0.4
    energy = data["energy"]
    parts = ["kinetic", "potential", "elastic", "interpolation"]
    assert list(energy) == [*parts, "total", "dissipated", "work", "dissipated_by"]
    assert sum(energy[part] for part in parts) == pytest.approx(energy["total"])
    assert list(energy["dissipated_by"]) == ["sliding", "impact", "resistance", "damping", "numerics"]
    assert sum(energy["dissipated_by"].values()) == pytest.approx(energy["dissipated"])
    assert list(data["bodies"]) == [body.name for body in load_scene("pool_break").body]
    assert list(data["bodies"]["cue"]) == [
        "position", "orientation", "velocity", "angular_velocity", "paradigm", "asleep",
    ]  # fmt: skip
    assert data["smallest_gap"] > 0
    assert data["wall"] > 0
    from engine.scene.paths import set_path

    world = World(set_path(load_scene("pool_break"), "body.cue.velocity", [5, 0, 0]))
    world.advance_to(0.4)
    assert data["digest"] == world.digest
    assert data["bodies"]["cue"]["position"] == world.body("cue").position.tolist()


def test_run_json_of_what_sleeps_says_so_and_what_it_bears(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "stack_of_books", "--until", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    books = {name: body for name, body in data["bodies"].items() if body["paradigm"] != "scripted"}
    assert len(books) == 10 and all(body["asleep"] for body in books.values())
    assert not any(body["asleep"] for name, body in data["bodies"].items() if name not in books)
    assert data["forces"]["normal"] == pytest.approx(sum(row["normal_force"] for row in data["contacts"]))
    assert data["forces"]["friction"] == pytest.approx(sum(row["friction_force"] for row in data["contacts"]))
    world = World(load_scene("stack_of_books"))
    mass = sum(world.model.bodies[world.row(name), MASS] for name in books)
    lowest = [row for row in data["contacts"] if not books.keys() >= set(row["bodies"])]
    assert sum(row["normal_force"] for row in lowest) == pytest.approx(9.81 * mass, rel=0.01)


@pytest.mark.parametrize("until", [0.8159276872727163, 0.8051010890002944])
def test_run_ends_at_its_time_to_the_bit(until: float, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "block_drop", "--until", repr(until), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"] == until


def test_run_until_0_gives_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "bowling", "--until", "0", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["time"] == 0.0
    pins = [body for name, body in data["bodies"].items() if body["asleep"]]
    assert len(pins) == 10
    start = {body.name: body.position for body in load_scene("bowling").bodies}
    assert tuple(data["bodies"]["ball"]["position"]) == pytest.approx(start["ball"])
    assert main(["run", "free_tumble", "--until", "0"]) == 0
    assert "0 s in" in capsys.readouterr().out


def test_run_json_of_a_scene_without_contacts_is_valid_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "free_tumble", "--until", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["smallest_gap"] is None


@pytest.mark.parametrize("ending", TABLES)
def test_run_writes_samples_and_changes_no_bit(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"poses{ending}"
    assert main(["run", "pool_break", "--until", "0.25", "--sample", "30", "--out", str(out), "--json"]) == 0
    sampled = json.loads(capsys.readouterr().out)
    assert main(["run", "pool_break", "--until", "0.25", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == sampled["digest"]
    if ending == ".csv":
        with out.open(newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = read_parquet(out).read_all().to_struct_array().to_pylist()
    count = len(sampled["bodies"])
    times = [float(row["time"]) for row in rows[::count]]
    assert times == [0.0, *(k / 30 for k in range(1, 8)), 0.25]
    cue = [row for row in rows if row["body"] == "cue"][-1]
    assert [float(cue[key]) for key in ("x", "y", "z")] == sampled["bodies"]["cue"]["position"]
    assert [float(cue[key]) for key in ("wx", "wy", "wz")] == sampled["bodies"]["cue"]["angular_velocity"]
    assert os.listdir(tmp_path) == [out.name]


def test_run_speaks_to_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pool_break", "--until", "0.1"]) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("pool_break: 0.1 s in ")
    assert "collisions" in out


def test_bench_lists_and_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    listed, _ = capsys.readouterr()
    assert listed.startswith("thesis:\n  table_7_1 ")
    assert main(["bench", "thesis", "--only", "table_6_1", "--repeats", "1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    numbers = json.loads(out)
    assert list(numbers) == ["table_6_1"]
    assert [row["volume"] for row in numbers["table_6_1"]["rows"]] == pytest.approx([8000.0, 10.0])
    assert main(["bench", "thesis", "--only", "table_6_1", "--repeats", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Volume integrals of simple solids (Mirtich 1996, table 6.1)")
    assert "thesis [us]" in out and "tetrahedron" in out
    assert err.startswith("Measuring volume integrals of simple solids ...")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["thesi"], "carom: there is no bench 'thesi' (there is thesis, bowling, redon, subset_sum)\n"),
        (["thesis", "--only", "table_9"], "carom: thesis has no part 'table_9' (there are table_7_1, "),
    ],
)
def test_bench_names_what_there_is(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_bench_draws_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ["bench", "thesis", "--repeats", "1", "--only", "figure_7_8"]
    drawn = tmp_path / "rate.svg"
    assert main([*only, "--plot", str(drawn)]) == 0
    text = drawn.read_text()
    for words in ("figure 7.8", "time [s]", "collision checks a second [Hz]", "in bins of 10 ms", "thesis"):
        assert words in text
    assert main([*only, "--only", "table_6_1", "--json", "--plot", str(tmp_path / "a" / "b")]) == 0
    assert (tmp_path / "a" / "b" / "figure_7_8.svg").read_text() == text, "same numbers, same file"
    assert sorted(os.listdir(tmp_path)) == ["a", "rate.svg"]
    assert os.listdir(tmp_path / "a" / "b") == ["figure_7_8.svg"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "table_6_1", "--plot", "x.svg"], "nothing of what is measured has a figure"),
        (
            ["--plot", "x.svg"],
            "--plot x.svg is for one figure of figure_2_5, figure_7_8, figure_2_16, figure_7_21, figure_7_22: "
            "--only names it",
        ),
        (["--only", "figure_7_8", "--plot", "/no/such/x.png"], "carom: /no/such: no such folder"),
    ],
)
def test_what_cannot_be_drawn_is_said_at_once(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "thesis", *arguments]) == 1
    out, err = capsys.readouterr()
    assert message in err
    assert out == "" and len(err.splitlines()) == 1


def test_bench_repeats_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "thesis", "--repeats", "0"])
    assert "'0' is not a whole number from 1 to 10000" in capsys.readouterr().err


def test_a_scene_without_an_end_asks_for_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.toml"
    path.write_text("format = 1\n")
    assert main(["run", str(path)]) == 1
    assert "give --until T" in capsys.readouterr().err


@pytest.mark.parametrize("ending", TABLES)
def test_ctrl_c_leaves_nothing_half_written(ending: str, tmp_path: Path) -> None:
    scene, out = tmp_path / "slow.toml", tmp_path / f"out{ending}"
    scene.write_text(SLOW)
    command = [sys.executable, "-m", "app", "run", str(scene), "--out", str(out), "--sample", "100"]
    # What starts the tests in the background may ignore Ctrl+C, and a child would inherit that.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        signal.signal(signal.SIGINT, heard)
        try:
            while process.poll() is None and not list(tmp_path.glob(f".{out.name}.*")):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "carom: stopped"
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == ["slow.toml"]


def test_tracebacks_only_with_debug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(source: str) -> None:
        raise ZeroDivisionError("a mistake\nof ours")

    monkeypatch.setattr("engine.scene.reading.load_scene", fail)
    assert main(["check", "pool_break"]) == 1
    assert capsys.readouterr().err == "carom: ZeroDivisionError: a mistake of ours (--debug shows where)\n"
    for arguments in (["--debug", "check", "pool_break"], ["check", "pool_break", "--debug"]):
        with pytest.raises(ZeroDivisionError):
            main(arguments)


def test_without_a_screen_open_says_what_works(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main([]) == 1
    assert "carom record pool_break out.mp4" in capsys.readouterr().err


def test_help_needs_neither_numba_nor_qt() -> None:
    code = "import sys; from app.__main__ import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'numba', 'PyQt6', 'numpy', 'trimesh', 'vispy', 'rich', 'matplotlib'}\n"
    code += "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "record" in result.stdout
    assert result.stderr.strip() == "[]"


@pytest.mark.parametrize("words", [["a.toml"], ["--debug", "dir/a.toml"], ["a.toml", "--trust"]])
def test_a_file_alone_is_opened(words: list[str]) -> None:
    options = _parser().parse_args(_with_command(words))
    assert options.command is _open and options.scene.endswith("a.toml")
    assert _with_command(["run", "a.toml"]) == ["run", "a.toml"]


def test_a_recorded_run_replays_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.carom"
    assert main(["run", "pool_break", "--until", "0.3", "--record", str(file), "--json"]) == 0
    recorded = json.loads(capsys.readouterr().out)
    assert main(["replay", str(file)]) == 0
    out, _ = capsys.readouterr()
    assert "the same to the bit" in out and "0.3 s" in out
    world = World(load_scene("pool_break"))
    world.advance_to(0.3)
    assert recorded["digest"] == world.digest, "recording changes no bit"


def test_a_damaged_recording_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.carom"
    assert main(["run", "dominos", "--until", "2", "--record", str(file), "--json"]) == 0
    data = bytearray(file.read_bytes())
    data[len(data) * 2 // 3] ^= 4
    file.write_bytes(data)
    capsys.readouterr()
    assert main(["replay", str(file)]) == 1
    out, _ = capsys.readouterr()
    assert "the same to the bit" in out and "cut off or damaged" in out


def test_a_folder_is_no_file_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out.csv"
    folder.mkdir()
    assert main(["run", "pool_break", "--until", "0.1", "--out", str(folder)]) == 1
    assert capsys.readouterr().err.splitlines() == [f"carom: {folder}: is a folder, and a file is to be written"]


def test_a_folder_does_not_hide_a_bundled_scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "coins").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["check", "coins"]) == 0


def test_what_controllers_print_is_no_part_of_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.py").write_text("class Controller:\n    def act(self, world):\n        print('hello')\n")
    (tmp_path / "x.toml").write_text(
        'format = 1\n[[body]]\nname = "a"\nshape = { sphere = { radius = 0.1 } }\n'
        '[[controller]]\nname = "c"\nfile = "c.py"\nrate = 10\n'
    )
    assert main(["run", str(tmp_path / "x.toml"), "--until", "0.2", "--json", "--trust"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["time"] == 0.2 and "hello" in err


def test_what_is_no_recording_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.carom").write_text("format = 1")
    assert main(["replay", str(tmp_path / "x.carom")]) == 1
    assert capsys.readouterr().err.splitlines() == [f"carom: {tmp_path}/x.carom: this is no recording of Carom"]
