"""The text of a scene file: a fresh one, or an edit of the one that is there which keeps its comments.

An old text is a row of sections: a preamble, then `[world]`, `[material.wood]`, `[[body]]`, each with the comments
above it. A section whose values are unchanged keeps its text to the letter; elsewhere only what differs is edited.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import tomlkit

from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.sections import Section, edit_section, list_key, split_sections
from engine.scene.values import Value

SINGLE_PARTS = ("note", "world")
LIST_PARTS = ("pair", "body", "repeat", "joint", "controller", "camera")
_ALWAYS = ("name", "friction", "restitution")  # written even where they have their default values


def scene_text(scene: Scene, old: str = "") -> str:
    """The text of a scene's file; `old` is the text whose comments are to be kept, if there is any."""
    if old.strip():
        # Editing is verified, not trusted: exotic ways to write TOML end in a fresh text instead of a wrong one.
        with suppress(SceneError, tomlkit.exceptions.TOMLKitError, ValueError, RecursionError):
            text = _edit(scene, old)
            if parse_scene(text.encode("utf-8"), "", scene.folder, overlaps=False) == scene:
                return text
    return _fresh(scene)


# --- a fresh text -------------------------------------------------------------------------------------------------


def _fresh(scene: Scene) -> str:
    texts = [_preamble(scene)]
    texts += [_table(f"[{part}]", short) for part in SINGLE_PARTS if (short := short_data(getattr(scene, part)))]
    texts += [_table(f"[material.{_key(name)}]", short_data(value)) for name, value in scene.material.items()]
    texts += [_table(f"[[{part}]]", short_data(item)) for part in LIST_PARTS for item in getattr(scene, part)]
    return "\n".join(texts)


def _preamble(scene: Scene) -> str:
    return f"format = {scene.format}\n" + (f"title = {show_toml(scene.title)}\n" if scene.title else "")


def _table(header: str, data: Mapping[str, Any]) -> str:
    return "\n".join([header, *_pairs(data)]) + "\n"


def short_data(value: Value) -> dict[str, Any]:
    """A part of a scene as plain data, without most of what has its default value."""
    full, short = value.model_dump(exclude_none=True), _changed(value)
    return {key: short.get(key, full[key]) for key in full if key in short or key in _ALWAYS}


def _changed(value: Value) -> dict[str, Any]:
    return value.model_dump(exclude_none=True, exclude_defaults=True)


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {show_toml(value)}" for key, value in table.items()]


def _key(name: str) -> str:
    bare = bool(name) and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if bare else show_toml(name)


def show_toml(value: Any) -> str:
    """A value as TOML; whole numbers are written without a point, since a scene may say 8 for 8.0."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_pairs(value)) + " }" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(show_toml(item) for item in value) + "]"
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15 and not (value == 0.0 and math.copysign(1.0, value) < 0)
        return str(int(value)) if whole else repr(value)
    return tomlkit.item(value).as_string()


# --- an edit of the old text --------------------------------------------------------------------------------------


def _edit(scene: Scene, old: str) -> str:
    sections = split_sections(old.replace("\r\n", "\n"))
    full = scene.model_dump(exclude_none=True)
    missing = _missing(scene, sections)
    texts: list[str | None] = [None] * len(sections)
    for row, section in enumerate(sections):
        if section.part not in LIST_PARTS:
            there = section.data.get("material", {})
            materials = {name: value for name, value in missing["material"].items() if name in there}
            texts[row] = edit_section(section, full, missing | {"material": materials}, show_toml)
    additions = _new_sections(scene, missing, sections)
    for part in LIST_PARTS:
        rows = [row for row, section in enumerate(sections) if section.part == part]
        if not any(part in section.data for section in sections if section.part == ""):
            _edit_list(getattr(scene, part), part, sections, rows, texts, additions)
    text = _join(sections, texts, additions)
    if not old.endswith("\n\n"):
        text = text.rstrip("\n") + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in old else text


def _as_told(full: Any, changed: Any, old: Any) -> Any:
    """A value without those of its defaults that the old text leaves out too, in lists of tables as well."""
    if isinstance(full, Mapping) and isinstance(old, Mapping):
        changed = changed if isinstance(changed, Mapping) else {}
        return {
            key: _as_told(value, changed.get(key), old.get(key))
            for key, value in full.items()
            if key in old or key in changed
        }
    if isinstance(full, (list, tuple)) and isinstance(old, (list, tuple)) and len(full) == len(old):
        changed = changed if isinstance(changed, (list, tuple)) and len(changed) == len(full) else [None] * len(full)
        return [_as_told(*values) for values in zip(full, changed, old, strict=True)]
    return full if changed is None else changed


def _missing(scene: Scene, sections: Sequence[Section]) -> dict[str, Any]:
    """What differs from its default and is nowhere in the old text, by part: to be added."""
    missing: dict[str, Any] = {part: _changed(getattr(scene, part)) for part in SINGLE_PARTS}
    missing |= {"title": scene.title} if scene.title else {}
    there = _materials(sections)
    missing["material"] = {name: _changed(value) for name, value in scene.material.items() if name in there}
    for section in sections:
        if section.part not in LIST_PARTS:
            _take_away(missing, section.data)
    missing.setdefault("material", {})
    return missing


def _materials(sections: Sequence[Section]) -> set[str]:
    return {name for section in sections for name in section.data.get("material", {})}


def _take_away(missing: dict[str, Any], there: Mapping[str, Any]) -> None:
    for key, value in there.items():
        if isinstance(missing.get(key), dict) and isinstance(value, Mapping):
            _take_away(missing[key], value)
        if not isinstance(missing.get(key), dict) or not isinstance(value, Mapping) or not missing[key]:
            missing.pop(key, None)


def _new_sections(scene: Scene, missing: Mapping[str, Any], sections: Sequence[Section]) -> dict[int, list[str]]:
    """Texts of tables that the old text has no place for, by the row of the section that they follow."""
    there = {key for section in sections for key in section.data}
    materials = _materials(sections)
    texts = [_table(f"[{part}]", missing[part]) for part in SINGLE_PARTS if missing.get(part) and part not in there]
    additions = {0: texts} if texts else {}
    last = max((row for row, section in enumerate(sections) if section.part == "material"), default=0)
    for name in scene.material:
        if name not in materials:
            text = _table(f"[material.{_key(name)}]", short_data(scene.material[name]))
            additions.setdefault(last, []).append(text)
    return additions


def _edit_list(
    items: Sequence[Value],
    part: str,
    sections: Sequence[Section],
    rows: Sequence[int],
    texts: list[str | None],
    additions: dict[int, list[str]],
) -> None:
    """Give each item the text of its old section, edited. Sections keep their places, new ones follow a neighbour."""
    old_of = _match(items, part, [sections[row] for row in rows])
    slots = sorted(rows[old] for old in old_of.values())
    free = iter(slots)
    after = slots[0] - 1 if slots else (rows[-1] if rows else len(sections) - 1)
    for row, item in enumerate(items):
        if row in old_of:
            section, after = sections[rows[old_of[row]]], next(free)
            full = {part: [_as_told(item.model_dump(exclude_none=True), _changed(item), section.data[part][0])]}
            lacking = _changed(item)
            _take_away(lacking, section.data[part][0])
            texts[after] = edit_section(section, full, {part: [lacking]}, show_toml)
            if texts[after] is None:
                texts[after] = section.comments + _table(f"[[{part}]]", short_data(item))
        else:
            additions.setdefault(after, []).append(_table(f"[[{part}]]", short_data(item)))


def _match(items: Sequence[Value], part: str, old: Sequence[Section]) -> dict[int, int]:
    """Which old section each item continues: the one with its name, else the one in its row (it was renamed)."""
    keys = [list_key(part, section.data[part][0]) for section in old]
    found: dict[int, int] = {}
    for row, item in enumerate(items):
        key = list_key(part, item.model_dump(include={"name", "materials"}))
        if key in keys and keys.index(key) not in found.values():
            found[row] = keys.index(key)
    used = set(found.values())
    for row in range(min(len(items), len(old))):
        if row not in found and row not in used:
            found[row] = row
    return found


def _join(sections: Sequence[Section], texts: Iterable[str | None], additions: Mapping[int, Sequence[str]]) -> str:
    pieces = [_separate(additions.get(-1, ()))]
    for row, (section, text) in enumerate(zip(sections, texts)):
        pieces.append(section.loose if text is None else text)
        if row in additions:
            before = "".join(pieces)
            gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
            pieces.append(gap + _separate(additions[row]))
    return "".join(pieces)


def _separate(texts: Iterable[str]) -> str:
    return "".join(text + "\n" for text in texts)
