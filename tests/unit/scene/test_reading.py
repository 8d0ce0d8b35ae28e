"""Scene files that are wrong: every problem at once, each at its line, and never anything but a SceneError."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import load_scene
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Body, Scene

BROKEN = Path(__file__).parents[2] / "data" / "broken"
BALL = '[[body]]\nname = "ball"\nshape = { sphere = { radius = 0.1 } }\n'


def without_parser_words(line: str) -> str:
    """What the TOML parser itself says differs between versions of Python; the place does not."""
    return line.partition(" at column ")[0].partition("is not TOML")[0] if "is not TOML" in line else line


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_broken_files_say_what_is_wrong_and_where(path: Path) -> None:
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    found = str(caught.value).replace(f"{path}:", f"{path.name}:").splitlines()
    assert [*map(without_parser_words, found)] == [*map(without_parser_words, expected)]


def test_there_are_enough_kinds_of_broken_files() -> None:
    assert len(list(BROKEN.glob("*.toml"))) >= 20


def test_every_problem_names_file_line_and_what_would_be_right() -> None:
    for path in BROKEN.glob("*.toml"):
        with pytest.raises(SceneError) as caught:
            load_scene(path)
        for problem in caught.value.problems:
            assert problem.file == str(path)
            assert problem.line is not None
            assert 1 <= problem.line <= path.read_bytes().count(b"\n") + 1
            assert problem.message
            assert problem.hint
            assert "\n" not in str(problem)


def problems(text: str) -> list[str]:
    with pytest.raises(SceneError) as caught:
        parse_scene(text.encode(), "s.toml")
    return str(caught.value).splitlines()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="no such file"):
        load_scene(tmp_path / "missing.toml")
    with pytest.raises(SceneError, match="is a folder"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match='did you mean "dominos"'):
        load_scene("dominoes")
    with pytest.raises(SceneError, match="no such file"):
        load_scene("a\0b")


def test_all_pairs_on_the_heap_only_for_a_few_bodies() -> None:
    many = "".join(BALL.replace('"ball"', f'"b{k}"') + f"position = [{k}, 0, 0]\n" for k in range(800))
    said = problems('format = 1\n[world]\nbroad_phase = "none"\n' + many)
    assert said == [
        's.toml:3: world.broad_phase: "none" keeps all 319,600 pairs of 800 bodies on the heap '
        '("hierarchical_hash", or at most 200,000 pairs)'
    ]


def test_a_wrong_body_does_not_hide_what_is_wrong_with_the_others() -> None:
    text = "format = 1\n" + BALL + "mass = -1\n" + 2 * BALL.replace("ball", "twin") + 'material = "gone"\n'
    assert problems(text) == [
        "s.toml:5: body.ball.mass: is -1 (more than 0 kg)",
        's.toml:9: body.twin.position: starts 0.2 m inside body "twin" (at least 0.2 m further along [0, 0, -1])',
        's.toml:10: body.twin.name: another body is called "twin" too (a name of its own)',
        's.toml:12: body.twin.material: there is no material "gone" (there are none)',
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[world]\ngravity = [\n  0,\n  0, # down\n  nan,\n]\n", 6),
        ("world.gravity = [0, 0, nan]\n", 2),
        ("world = { envelope = 0.1, gravity = [0, 0, nan] }\n", 2),
        (BALL + "[body.motion.spinner]\naxis = [0, 0, 1]\n# fast\nrate = nan\n", 8),
        ("[[body]]\nname = 'a'\n[body.shape.sphere]\nradius = nan\n" + BALL, 5),
        (BALL + "[[body]]\nname = 'a'\nshape.sphere.radius = nan\n", 7),
        ('[material."white oak"]\nfriction = nan\n', 3),
        ("[material]\nlist = {}\ntable = { friction = nan }\n", 4),
        ("body = [\n { name = 'a', shape = { sphere = { radius = 1 } } },\n { name = 'b', mass = nan },\n]\n", 4),
    ],
)
def test_lines_in_every_way_to_write_a_table(text: str, line: int) -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene(("format = 1\n" + text).encode(), "s.toml")
    assert line in [problem.line for problem in caught.value.problems if "nan" in problem.message]


def test_files_with_a_byte_order_mark_and_with_foreign_line_ends() -> None:
    text = ("format = 1\n" + BALL).replace("\n", "\r\n").encode()
    assert parse_scene(b"\xef\xbb\xbf" + text, "s.toml") == parse_scene(text, "s.toml")


def test_a_small_scene_is_a_short_file() -> None:
    scene = parse_scene(("format = 1\n" + BALL).encode(), "s.toml")
    assert scene.body[0].motion == "free"
    assert scene.world.contact == "hybrid"
    assert scene.world.gravity == (0.0, 0.0, -9.81)


def test_overlaps_respect_groups_and_scripted_bodies() -> None:
    group = 'group = "pile"\n'
    assert parse_scene(("format = 1\n" + BALL + group + BALL.replace("ball", "two") + group).encode(), "s.toml")
    fixed = 'motion = "fixed"\n'
    assert parse_scene(("format = 1\n" + BALL + fixed + BALL.replace("ball", "two") + fixed).encode(), "s.toml")
    shaken = "motion = { oscillator = { direction = [2, 0, 0], amplitude = 0.15, frequency = 1, phase = 1.5707963 } }\n"
    apart = "position = [-0.1, 0, 0]\n"
    assert parse_scene(("format = 1\n" + BALL + apart + BALL.replace("ball", "two") + shaken).encode(), "s.toml")


PIECES = [
    "format = 1\n",
    BALL,
    "[world]\n",
    "gravity = [0, 0, -9.81]\n",
    "mass = 1\n",
    "[[pair]]\n",
    "[body.shape]\n",
    "x",
]
PIECES += [
    "= ",
    '"""',
    "[",
    "]",
    "{",
    "}",
    "\n",
    "#",
    "'",
    "1979-05-27",
    "1e999",
    "0x",
    "\\u0000",
    "\0",
    "é",
    "true",
    ",",
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=60))
def test_nothing_but_a_scene_or_a_scene_error_comes_out(text: str) -> None:
    try:
        scene = parse_scene(text.encode("utf-8", "surrogatepass"), "s.toml", overlaps=False)
    except SceneError as error:
        assert error.problems
        assert all(problem.line is not None for problem in error.problems)
    else:
        assert isinstance(scene, Scene)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted(Body.model_fields)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FIELDS), VALUES.filter(lambda value: value is not None))
def test_any_value_in_any_field_of_a_body(field: str, value: object) -> None:
    import tomlkit

    body = {"name": "ball", "shape": {"sphere": {"radius": 0.1}}} | {field: value}
    try:
        text = tomlkit.dumps({"format": 1, "body": [body]})
    except (ValueError, TypeError, tomlkit.exceptions.TOMLKitError):
        return  # TOML has no way to say it
    try:
        parse_scene(text.encode("utf-8", "surrogatepass"), "s.toml", overlaps=False)
    except SceneError as error:
        assert error.problems


def test_a_material_has_a_look_and_one_that_is_none_is_told() -> None:
    scene = parse_scene(b'format = 1\n[material.oak]\nlook = "wood"\n', "s.toml")
    assert scene.material["oak"].look == "wood"
    assert parse_scene(b"format = 1\n[material.oak]\n", "s.toml").material["oak"].look == "plain"
    (said,) = problems('format = 1\n[material.oak]\nlook = "wooden"\n')
    assert said.startswith("s.toml:3:") and "material.oak.look" in said
    assert '"wooden"' in said and '"wood"' in said
