"""What used to end in a traceback, a signal or a wait without end is refused, in a line that says where and why."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import numpy as np
import pytest

from engine.scene import apart, limits
from engine.scene.body_shapes import prepare
from engine.scene.layouts import Pour
from engine.scene.mesh_bodies import look
from engine.scene.problems import SceneError
from engine.scene.reading import load_scene, parse_scene
from engine.scene.schema import Scene

BODY = '[[body]]\nname = "a"\n'
BALL = BODY + "shape = { sphere = { radius = 0.1 } }\n"


def refused(text: str, folder: Path | None = None) -> str:
    """The only problem of a scene, which has a line, without its file; found within seconds."""
    start = time.monotonic()
    with pytest.raises(SceneError) as caught:
        parse_scene(("format = 1\n" + text).encode(), "s.toml", folder, overlaps=False)
    assert time.monotonic() - start < 10.0
    lines = str(caught.value).splitlines()
    assert len(lines) == 1, lines
    assert len(lines[0]) < 2000
    assert caught.value.problems[0].line is not None
    return lines[0].removeprefix("s.toml:")


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [40, 900, 100_000])
@pytest.mark.parametrize("form", ["[", "{ a = ", "lists", "a."])
def test_deep_nesting_was_a_recursion_error_in_lines(levels: int, form: str) -> None:
    value = {"lists": "[" * levels + "]" * levels, "a.": f"{{ {'a.' * levels}a = 1 }}"}.get(form, form * levels)
    assert refused(f"\ntitle = {value}\n").startswith("3: is nested too deeply (at most 32 ")


def test_brackets_in_texts_and_comments_are_no_levels() -> None:
    text = "#" + "[" * 100 + '\ntitle = "' + "[" * 100 + '"\nnote.text = """\n' + "{ a = " * 100 + '"""\n'
    assert parse_scene(("format = 1\n" + text + BALL).encode(), "s.toml", overlaps=False).title == "[" * 100


def test_long_words_were_compared_for_minutes() -> None:
    assert "unknown key" in refused("n" * 200_000 + " = 1\n")
    names = "".join(f"[material.m{k}]\n" for k in range(3000))
    bodies = "".join(f'[[body]]\nname = "b{k}"\nmaterial = "n"\nshape = {{ box = [1, 1, 1] }}\n' for k in range(1000))
    with pytest.raises(SceneError) as caught:
        parse_scene(f"format = 1\n{names}{bodies}".encode(), "s.toml", overlaps=False)
    assert len(caught.value.problems) == limits.PROBLEMS
    assert "this and 800 more problems" in str(caught.value)


def test_many_keys_and_entries_took_gigabytes() -> None:
    assert "has 300,000 keys (at most 200,000)" in refused("".join(f"a{k} = 1\n" for k in range(299_999)))
    assert refused("title = [" + "1," * 600_000 + "]\n").startswith("2: has 600,000 entries (at most 500,000)")


def test_files_that_never_end(tmp_path: Path) -> None:
    pipe, huge, loop = (tmp_path / name for name in ("pipe.toml", "huge.toml", "loop.toml"))
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    loop.symlink_to(loop)
    for path, said in (
        (pipe, "is a pipe or a device"),
        (Path("/dev/zero"), "is a pipe or a device"),
        (huge, "has 1,099,511,627,776 bytes (at most 8,388,608)"),
        (loop, "no such file"),
        (tmp_path / ("n" * 5000), "no such file"),
    ):
        with pytest.raises(SceneError, match=said.replace("(", r"\(").replace(")", r"\)")):
            load_scene(path, overlaps=False)


# --- numbers and counts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shape = { sphere = { radius = 1e200 } }", "at most 1e+30 m"),
        ("shape = { sphere = { radius = 1e9 } }", "is 1000000000.0 (at most 1e+07 m)"),
        ("shape = { sphere = { radius = 1e-12 } }", "is 1e-12 (1e-08 m or more)"),
        ("shape = { box = [1, 1, 1e-9] }", "is 1e-09 (1e-08 m or more)"),
        ("shape = { box = [10, 1, 1e-7] }", "is 1e+08 times as long as it is thin"),
        (f"shape = {{ sphere = {{ radius = 1 }} }}\nposition = [0, {'9' * 400}, 0]", "a number in m"),
        ("shape = { sphere = { radius = 1 } }\nvelocity = [1e8, 0, 0]", "at most 1e+06 m/s"),
        ("shape = { sphere = { radius = 1 } }\nmass = 1e300", "at most 1e+30 kg"),
    ],
)
def test_absurd_sizes_were_overflows_and_hangs(text: str, said: str) -> None:
    assert said in refused(BODY + text + "\n")


def test_gravity_of_1e12_never_came_back() -> None:
    assert refused("[world]\ngravity = [0, 0, -1e12]\n" + BALL).startswith("3: world.gravity[2]: is -1000000000000.0")


@pytest.mark.parametrize(("envelope", "said"), [("1e-15", "1e-08 m or more"), ("10", "and a free body 0.2 m long")])
def test_absurd_envelopes_never_came_back(envelope: str, said: str) -> None:
    assert said in refused(f"[world]\nenvelope = {envelope}\n{BALL}")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{ time = 0 }, { time = 1e-6, offset = [10, 0, 0] }", "is 10 m away from the key before, 1e-06 s later"),
        ("{ time = 0 }, { time = 1e-12 }", "is 1e-12 s after the key before"),
        ("{ time = 1e9 }, { time = 2e9 }", "is 1000000000.0 (at most 1e+08 s)"),
    ],
)
def test_absurd_keyframes_never_came_back(keys: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene(f"format = 1\n{BALL}motion = {{ keyframes = {{ keys = [{keys}] }} }}".encode(), "s", None, False)
    assert said in str(caught.value)


def test_mass_ratios_beyond_1e9_never_came_back() -> None:
    light = '[[body]]\nname = "b"\nmass = 1e-4\nshape = { box = [1, 1, 1] }\n'
    said = "8: body.b.mass: weighs 0.0001 kg, and another body 1e+06 kg (at least 0.001 kg)"
    assert said in refused(BALL + "mass = 1e6\n" + light)
    parse_scene(f"format = 1\n{BALL}mass = 1e4\n{light}".encode(), "s.toml", overlaps=False)


def test_huge_counts_were_overflow_and_memory_errors() -> None:
    repeat = '[[repeat]]\nname = "r"\nshape = { sphere = { radius = 0.01 } }\n'
    assert "9223372036854775807" in refused(repeat + "ring = { count = 9223372036854775807, radius = 1 }\n")
    assert "makes 8000000000000 bodies" in refused(
        repeat + "grid = { count = [20000, 20000, 20000], spacing = [1, 1, 1] }\n"
    )
    many = "".join(repeat.replace('"r"', f'"r{k}"') + "stack = { count = 20000, step = [1, 0, 0] }\n" for k in range(6))
    assert refused(many).endswith("repeat: 120,000 bodies in all (at most 100,000)")
    refused(repeat + "stack = { count = 3, step = [1e308, 0, 0], degrees = 1e308 }\n".replace("1e308, 0", "1, 0"))


def test_cells_of_a_large_pour_were_all_listed() -> None:
    pour = Pour(count=3, size=(1e4, 1e4, 1e4), distance=0.01, seed=1)  # 1e18 of them
    assert len(pour.places()) == 3
    with pytest.raises(ValueError):
        Pour(count=3, size=(1e308, 1, 1), distance=5e-324)


# --- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape",
    [
        "revolved = { profile = [[1, 1], [1, 0]] }",
        "convex = { vertices = [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0.5,0.5,1e-10]] }",
        "cone = { radius = 1, height = 1e-7, top_radius = 1e-7 }",
        "compound = { pieces = [{ shape = { convex = { vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,0]] } } }] }",
    ],
)
def test_flat_hulls_and_rims_out_of_order_lost_their_line(shape: str) -> None:
    assert refused(BODY + f"shape = {{ {shape} }}\n").startswith("4: body.a.shape.")


# --- meshes -----------------------------------------------------------------------------------------------------------

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def mesh(folder: Path, content: str | bytes, name: str = "m.obj") -> str:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return BODY + f'shape = {{ mesh = {{ file = "{name}" }} }}\n'


@pytest.mark.parametrize(
    "content",
    [
        TETRAHEDRON.replace("1", "1e200", 1),
        TETRAHEDRON.replace("v 1 0 0", "v 1e-12 0 0")
        .replace("v 0 1 0", "v 0 1e-12 0")
        .replace("v 0 0 1", "v 0 0 1e-12"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n",
        TETRAHEDRON.replace("f 1 3 2", "f 0 0 0"),
        TETRAHEDRON.replace("v 0 0 1", "v nan 0 1"),
    ],
    ids=["coordinates of 1e200", "coordinates of 1e-12", "two triangles back to back", "a zero face", "nan"],
)
def test_odd_meshes_were_index_and_value_errors(content: str, tmp_path: Path) -> None:
    assert refused(mesh(tmp_path, content), tmp_path).startswith("4: body.a.shape.mesh.file: ")


def glb(accessor: str) -> bytes:
    text = (
        '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],'
        '"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],'
        f'"accessors":[{{"componentType":5126,"type":"VEC3",{accessor}}}]}}'
    ).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


@pytest.mark.parametrize("accessor", ['"count":-3', '"count":300000000'])
def test_counts_of_a_glb_were_a_value_error_and_a_hang(accessor: str, tmp_path: Path) -> None:
    assert refused(mesh(tmp_path, glb(accessor), "m.glb"), tmp_path).startswith("4: body.a.shape.mesh.file: ")


def test_mesh_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.obj")
    (tmp_path / "loop.obj").symlink_to("loop.obj")
    (tmp_path / "folder.obj").mkdir()
    for name, said in (
        ("pipe.obj", "is a pipe or a device"),
        ("loop.obj", "there is no file"),
        ("folder.obj", "is a folder"),
        ("n" * 190 + "/" + "m" * 9, "is no mesh"),
        ("n" * 400 + ".obj", "has 404 letters"),
    ):
        assert said in refused(BODY + f'shape = {{ mesh = {{ file = "{name}" }} }}\n', tmp_path)


def test_a_mesh_that_is_known_costs_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "m.obj").write_text(TETRAHEDRON)
    first = look(tmp_path / "m.obj", 3.0, "hull")
    assert not first.wrong
    np.testing.assert_allclose(first.volume, 27.0 / 6.0)
    monkeypatch.setattr("engine.scene.mesh_bodies.work_apart", None)
    monkeypatch.setattr("engine.scene.mesh_bodies._known", {})
    assert look(tmp_path / "m.obj", 3.0, "hull") == first


BOW_TIE = "\n".join(
    ["v 0 0 0", "v 2 2 0", "v 2 0 0", "v 0 2 0", "v 0 0 1", "v 2 2 1", "v 2 0 1", "v 0 2 1"]
    + ["f 1 2 3", "f 1 3 4", "f 5 7 6", "f 5 8 7", "f 1 6 2", "f 1 5 6", "f 2 7 3", "f 2 6 7", "f 3 8 4", "f 3 7 8"]
    + ["f 4 5 1", "f 4 8 5", ""]
)


def test_a_bow_tie_ended_the_whole_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever cutting it does now, this process goes on, and it is pieces or a problem."""
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    text = mesh(tmp_path, BOW_TIE).replace('"m.obj"', '"m.obj", concave = true')
    try:
        prepare(parse_scene(("format = 1\n" + text).encode(), "s.toml", tmp_path, overlaps=False))
    except SceneError as error:
        assert "body.a.shape.mesh.file" in str(error)


def test_a_crash_of_the_other_process_is_a_problem_of_the_mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    text = mesh(tmp_path, TETRAHEDRON).replace('"m.obj"', '"m.obj", concave = true')
    scene: Scene = parse_scene(("format = 1\n" + text).encode(), "s.toml", tmp_path, overlaps=False)
    monkeypatch.setattr(apart, "_wait", lambda process, until: (process.kill(), process.wait(), -11)[2])
    with pytest.raises(SceneError, match=r"body\.a\.shape\.mesh\.file: m\.obj made the program .* crash \(SIGSEGV\)"):
        prepare(scene)


def test_work_that_is_called_off_leaves_no_process() -> None:
    start = time.monotonic()
    with pytest.raises(apart.CalledOffError), apart.cancellable(lambda: True):
        apart.work_apart("m.obj", "look", "m.obj", "1.0", "hull")
    assert time.monotonic() - start < 2.0
