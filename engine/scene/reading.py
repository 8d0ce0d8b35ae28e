"""Reading a scene file: TOML in, a `Scene` out, or everything that is wrong with it at once. No code is ever run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.scene.checks import (
    check_contact,
    check_control,
    check_heap,
    check_ignored,
    check_joints,
    check_names,
    check_shapes,
    check_starts,
    field_name,
)
from engine.scene.controllers import check_files
from engine.scene.gallery import bundled_scenes
from engine.scene.limits import (
    BODIES,
    PROBLEMS,
    SCENE_BYTES,
    TooMuch,
    check_file,
    check_limits,
    check_text,
    total_bodies,
)
from engine.scene.lines import Lines
from engine.scene.messages import Finding, findings, suggest
from engine.scene.overlaps import find_overlaps
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import FORMAT, SCENE_PARTS, Scene

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_LISTS = ("body", "pair", "repeat", "joint", "controller", "camera")


def load_scene(source: str | Path, overlaps: bool = True) -> Scene:
    """The scene in a TOML file, or the bundled scene of that bare name.

    Raises SceneError with every problem that was found. `overlaps=False` leaves out the one check that needs compiled
    kernels: whether bodies start inside each other.
    """
    path = find_scene(source)
    return parse_scene(_read_bytes(path), str(source) if path == Path(source) else str(path), path.parent, overlaps)


def find_scene(source: str | Path) -> Path:
    """The file that `source` names: a path, or else a bundled scene; SceneError if there is neither."""
    path = Path(source)
    bundled = dict(bundled_scenes())
    if str(source) in bundled and not (_exists(path) and path.is_file()):  # a folder may be called so
        return bundled[str(source)]
    if _exists(path):
        return path
    hint = suggest(source, bundled, "bundled scenes")
    raise SceneError([Problem(str(source), None, "", "no such file", hint)])


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # names that the file system does not even take
        return False


def _read_bytes(path: Path) -> bytes:
    try:
        check_file(path, SCENE_BYTES)
        return path.read_bytes()
    except TooMuch as error:
        hint = "a scene file, *.toml" if error.message == "is a folder" else error.hint
        raise SceneError([Problem(str(path), None, "", error.message, hint)]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SceneError([Problem(str(path), None, "", f"cannot be read: {reason}", "a readable file")]) from None


def parse_scene(source: bytes, file: str, folder: Path | None = None, overlaps: bool = True) -> Scene:
    """The scene in the text of a file; `file` is what messages call it, `folder` is where its meshes lie."""
    document = _parse(source, file)
    if not document:
        raise SceneError([Problem(file, 1, "", "the file is empty", f"a scene starts with format = {FORMAT}")])
    found, scene = _validate(document, folder, overlaps)
    if scene is None or found:
        lines = Lines(source)
        problems = [
            Problem(file, lines.find(finding.loc), field_name(document, finding.loc), finding.message, finding.hint)
            for finding in found
        ]
        raise SceneError(_first(sorted(problems, key=lambda problem: problem.line or 0)))
    return scene


def _first(problems: list[Problem]) -> list[Problem]:
    """As many of the problems as a person would read."""
    if len(problems) <= PROBLEMS:
        return problems
    last = problems[PROBLEMS - 1]
    more = f"this and {len(problems) - PROBLEMS:,} more problems"
    return [*problems[: PROBLEMS - 1], Problem(last.file, last.line, "", more, "right once those above are")]


def _parse(source: bytes, file: str) -> dict[str, Any]:
    try:
        check_text(source)
        return tomllib.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        message = f"byte {source[error.start]:#04x} is not UTF-8"
        raise SceneError([Problem(file, line, "", message, "text saved as UTF-8")]) from None
    except TooMuch as error:
        raise SceneError([Problem(file, error.line, "", error.message, error.hint)]) from None
    except ValueError as error:  # TOMLDecodeError, and integers of thousands of digits
        raise SceneError([_syntax_problem(str(error), source, file)]) from None


def _syntax_problem(message: str, source: bytes, file: str) -> Problem:
    match = _PLACE.search(message)
    hint = "see toml.io for the syntax"
    if "integer string conversion" in message:
        return Problem(file, _line_where(source, rb"\d"), "", "holds a number of too many digits", "a smaller number")
    line = int(match[1]) if match and match[1] else source.rstrip().count(b"\n") + 1
    column = f" at column {match[2]}" if match and match[2] else ""
    text = message[: match.start()] if match else message
    return Problem(file, line, "", f"is not TOML{column}: {text[:1].lower()}{text[1:]}", hint)


def _line_where(source: bytes, pattern: bytes) -> int:
    """The line that has most of something."""
    counts = [len(re.findall(pattern, line)) for line in source.splitlines()]
    return counts.index(max(counts)) + 1


def _validate(document: dict[str, Any], folder: Path | None, overlaps: bool) -> tuple[list[Finding], Scene | None]:
    """What is wrong, and the scene if its parts are right each by itself.

    Parts that are wrong are left out for the checks that need a whole scene, so that these see what is left.
    """
    found = _unknown_parts(document)
    known = {name: value for name, value in document.items() if name in SCENE_PARTS}
    wrong = _schema_findings(known)
    rows = {part: _right_rows(known, part, wrong) for part in _LISTS}
    scene = _scene_of_right_parts(known, wrong, rows, folder)
    if beyond := [_move(finding, rows) for finding in check_limits(scene)]:
        wrong += beyond
        rows = {part: _right_rows(known, part, wrong) for part in _LISTS}
        scene = _scene_of_right_parts(known, wrong, rows, folder)
    found += wrong
    if (count := total_bodies(scene)) > BODIES:
        found.append(Finding(("repeat",), f"{count:,} bodies in all", f"at most {BODIES:,}"))
        return found, None
    names = check_names(document)
    shapes = check_shapes(scene)
    whole = list(shapes)
    if overlaps:
        misshapen = {finding.loc[:2] for finding in shapes}
        kept = {
            part: [row for row in range(len(getattr(scene, part))) if (part, row) not in misshapen]
            for part in ("body", "repeat")
        }
        whole += [_move(finding, kept) for finding in find_overlaps(_with_rows(scene, kept))]
    found += (
        names
        + list(check_joints(document, scene.bodies))
        + list(check_control(document, scene))
        + list(check_ignored(document, scene.bodies))
        + check_heap(scene)
        + check_contact(scene)
        + [_move(finding, rows) for finding in [*check_starts(scene), *check_files(scene), *whole]]
    )
    return found, None if found else scene


def _unknown_parts(document: dict[str, Any]) -> list[Finding]:
    names = [name for name in document if name not in SCENE_PARTS]
    return [Finding((name,), "unknown key", suggest(name, SCENE_PARTS, "known keys")) for name in names]


def _schema_findings(document: dict[str, Any]) -> list[Finding]:
    try:
        Scene.model_validate(document)
    except ValidationError as error:
        return findings(error, Scene)
    return []


def _right_rows(document: dict[str, Any], part: str, wrong: list[Finding]) -> list[int]:
    if any(finding.loc == (part,) for finding in wrong):
        return []
    bad = {finding.loc[1] for finding in wrong if finding.loc[0] == part and len(finding.loc) > 1}
    return [row for row in range(len(document.get(part, ()))) if row not in bad]


def _scene_of_right_parts(
    document: dict[str, Any], wrong: list[Finding], rows: dict[str, list[int]], folder: Path | None
) -> Scene:
    bad = {finding.loc[0] for finding in wrong}
    parts: dict[str, Any] = {name: value for name, value in document.items() if name not in bad}
    parts |= {part: [document[part][row] for row in right] for part, right in rows.items() if right}
    table = document.get("material")
    if "material" in bad and isinstance(table, dict):
        wrong_names = {finding.loc[1] for finding in wrong if finding.loc[0] == "material" and len(finding.loc) > 1}
        parts["material"] = {name: value for name, value in table.items() if name not in wrong_names}
    return Scene.model_validate(parts | {"format": FORMAT, "folder": folder})


def _with_rows(scene: Scene, rows: dict[str, list[int]]) -> Scene:
    return scene.model_copy(
        update={part: tuple(getattr(scene, part)[row] for row in kept) for part, kept in rows.items()}
    )


def _move(finding: Finding, rows: dict[str, list[int]]) -> Finding:
    """The finding about the n-th of the kept entries of a part as one about the entry in row `rows[part][n]`."""
    if finding.loc[0] not in rows:
        return finding
    part, row, *rest = finding.loc
    return finding._replace(loc=(part, rows[str(part)][int(row)], *rest))
