"""A TOML text as a row of sections, each a table with the comments above it, and how one section is edited."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tomlkit
import tree_sitter
from tomlkit.container import Container, OutOfOrderTableProxy
from tomlkit.items import AoT, Array, InlineTable, Table

from engine.scene.lines import key_names, parse_toml

Show = Callable[[Any], str]


@dataclass(frozen=True)
class Section:
    """A top-level table with the tables inside it; the preamble before the first table has part ""."""

    part: str
    comments: str  # the lines above its header, blank ones included
    body: str  # header and everything after it
    data: dict[str, Any]

    @property
    def loose(self) -> str:
        """The comments that an empty line sets apart from the header: they stay if the section goes."""
        head, gap, _ = self.comments.rpartition("\n\n")
        return head + gap if head.strip() else ""


def split_sections(text: str) -> list[Section]:
    """The sections of a TOML text, preamble first; joined they are the text again."""
    lines = [line + "\n" for line in text.split("\n")]  # splitlines() would break at characters that TOML does not
    lines[-1] = lines[-1].removesuffix("\n")
    root = parse_toml(text.encode("utf-8"))
    headers = [node for node in root.children if node.type in ("table", "table_array_element")]
    tops = [node for node in headers if not _is_nested(node)]
    last_pairs = [_last_row(node) for node in root.children if node.type == "pair"]
    starts, ends = [0], [max(last_pairs, default=-1)]
    for node in tops:
        starts.append(node.start_point[0])
        ends.append(0)
    for node in headers:
        owner = max(row for row, start in enumerate(starts) if row == 0 or start <= node.start_point[0])
        ends[owner] = max(ends[owner], _last_row(node))
    cuts = [0] + [_cut(lines, ends[row - 1] + 1, starts[row]) for row in range(1, len(starts))] + [len(lines)]
    sections = []
    for row, start in enumerate(starts):
        body = "".join(lines[max(start, cuts[row]) : cuts[row + 1]])
        part = "" if row == 0 else key_names(tops[row - 1])[0]
        sections.append(Section(part, "".join(lines[cuts[row] : start]), body, tomllib.loads(body)))
    return sections


def _is_nested(node: tree_sitter.Node) -> bool:
    """Whether a header continues the list entry before it: `[body.shape]` after `[[body]]`."""
    names = key_names(node)
    return len(names) > 1 and names[0] in ("body", "pair", "repeat", "joint", "controller", "camera")


def _last_row(node: tree_sitter.Node) -> int:
    """The row on which the last value of a pair or of a table ends."""
    if node.type == "pair":
        values = [child for child in node.children if child.type != "comment"]
        return int(values[-1].end_point[0])
    rows = [_last_row(child) for child in node.children if child.type == "pair"]
    return max([int(node.start_point[0]), *rows])


def _cut(lines: list[str], start: int, stop: int) -> int:
    """Where, between the last value of a section and the next header, the next section's comments begin."""
    for row in range(start, stop):
        if not lines[row].strip():
            while row < stop and not lines[row].strip():
                row += 1
            return row
    return start


def list_key(part: str, data: Mapping[str, Any]) -> object:
    """What tells the entries of a list apart."""
    if part == "pair":
        names = data.get("materials", ())
        return frozenset(names) if isinstance(names, (list, tuple)) else None
    return data.get("name", "main")


def edit_section(section: Section, full: Mapping[str, Any], missing: Mapping[str, Any], show: Show) -> str | None:
    """The section's text with the values of `full`, None if nothing of it is left.

    `missing` holds what to add where the section has the table for it; tables may hold lists of one table.
    """
    document = tomlkit.parse(section.body)
    changed = _sync(document, full, missing, show)
    if not changed:
        return section.comments + section.body
    if section.part and not document.unwrap().get(section.part):
        return None
    return section.comments + tomlkit.dumps(document)


def _sync(table: Any, full: Mapping[str, Any], missing: Mapping[str, Any], show: Show) -> bool:
    """Edit a table in place: change what differs, drop what is gone, add what is missing."""
    changed = False
    for key in list(table):
        old, more = table[key], missing.get(key, {})
        if key not in full:
            del table[key]
            changed = True
        elif isinstance(old, AoT) and len(old) == 1 and len(full[key]) == 1:
            changed |= _sync(old[0], full[key][0], more[0] if more else {}, show)
        elif _is_table(old) and isinstance(full[key], Mapping):
            changed |= _sync(old, full[key], more if isinstance(more, Mapping) else {}, show)
        elif _plain(old) != _listed(full[key]):
            _replace(table, key, old, full[key], show)
            changed = True
    for key, value in missing.items():
        if key not in table and not (isinstance(value, Mapping) and _is_root(table)):
            table.add(key, tomlkit.value(show(value)))
            changed = True
    return changed


def _is_root(table: Any) -> bool:
    """Tables that are missing at the top become sections of their own."""
    return isinstance(table, tomlkit.TOMLDocument)


def _replace(table: Any, key: str, old: Any, new: Any, show: Show) -> None:
    if isinstance(old, Array) and isinstance(new, (list, tuple)) and len(old) == len(new):
        if all(isinstance(value, float) for value in new):
            for row, value in enumerate(new):
                if old[row] != value:
                    old[row] = tomlkit.value(show(value))
            return
    if isinstance(old, (Table, AoT, OutOfOrderTableProxy)):
        del table[key]
        table.add(key, tomlkit.value(show(new)))
    else:
        table[key] = tomlkit.value(show(new))


def _is_table(value: Any) -> bool:
    return isinstance(value, (Table, InlineTable, Container, OutOfOrderTableProxy))


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def _listed(value: Any) -> Any:
    """Tuples as lists, all the way down: as TOML reads them."""
    if isinstance(value, Mapping):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value
