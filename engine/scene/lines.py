"""Where each key of a TOML document stands: tomllib gives values and no places, tree-sitter gives places."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator

import tree_sitter
import tree_sitter_toml

Path = tuple[str | int, ...]

_HEADERS = ("table", "table_array_element")
_KEYS = ("bare_key", "quoted_key", "dotted_key")


class Lines:
    """Line numbers (from 1) of the keys, tables and array entries of a document that tomllib could read."""

    def __init__(self, source: bytes) -> None:
        self._lines: dict[Path, int] = {(): 1}
        self._rows: dict[Path, int] = {}  # entries so far of each array of tables
        for node in parse_toml(source).children:
            if node.type == "pair":
                self._add_pair((), node)
            elif node.type in _HEADERS:
                self._add_table(node)

    def find(self, path: Iterable[str | int]) -> int:
        """Line of `path`, or of the innermost part of it that the document contains."""
        steps = tuple(path)
        while steps not in self._lines:
            steps = steps[:-1]
        return self._lines[steps]

    def _add(self, path: Path, node: tree_sitter.Node) -> None:
        self._lines.setdefault(path, node.start_point[0] + 1)

    def _add_table(self, node: tree_sitter.Node) -> None:
        names = key_names(node)
        path: Path = ()
        for name in names[:-1]:
            path = self._current((*path, name))
            self._add(path, node)
        path = (*path, names[-1])
        self._add(path, node)
        if node.type == "table_array_element":
            self._rows[path] = self._rows.get(path, -1) + 1
            path = (*path, self._rows[path])
            self._add(path, node)
        for child in node.children:
            if child.type == "pair":
                self._add_pair(path, child)

    def _current(self, path: Path) -> Path:
        """A header that goes through an array of tables means its latest entry."""
        return (*path, self._rows[path]) if path in self._rows else path

    def _add_pair(self, path: Path, node: tree_sitter.Node) -> None:
        for name in key_names(node):
            path = (*path, name)
            self._add(path, node)
        for child in node.children:
            self._add_value(path, child)

    def _add_value(self, path: Path, node: tree_sitter.Node) -> None:
        if node.type == "inline_table":
            for child in node.children:
                if child.type == "pair":
                    self._add_pair(path, child)
        elif node.type == "array":
            values = [child for child in node.named_children if child.type != "comment"]
            for row, child in enumerate(values):
                self._add((*path, row), child)
                self._add_value((*path, row), child)


def parse_toml(source: bytes) -> tree_sitter.Node:
    """Syntax tree of a TOML document."""
    language = tree_sitter.Language(tree_sitter_toml.language())
    return tree_sitter.Parser(language).parse(source).root_node


def key_names(node: tree_sitter.Node) -> tuple[str, ...]:
    """The names in the key of a pair or in the header of a table."""
    key = next(child for child in node.children if child.type in _KEYS)
    return tuple(_simple_names(key))


def _simple_names(key: tree_sitter.Node) -> Iterator[str]:
    text = (key.text or b"").decode("utf-8", "replace")
    if key.type == "bare_key":
        yield text
    elif key.type == "quoted_key":
        yield str(tomllib.loads(f"name = {text}")["name"])
    else:
        for child in key.children:
            if child.type in _KEYS:
                yield from _simple_names(child)
