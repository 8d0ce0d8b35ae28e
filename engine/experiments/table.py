"""A table of measurements, to be printed, drawn or written as JSON: ours beside a paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.experiments.plot import Plot

Cell = str | float | int | None
Progress = Callable[[float], object]
"""Told the share that is done, 0 to 1."""


class Column(NamedTuple):
    """`key` names it in JSON; `form` is the format of its numbers, such as ".2f"."""

    key: str
    heading: str
    form: str = ""


class Table(NamedTuple):
    """Rows of cells; None where there is nothing to say. `series`: lists of numbers for JSON alone.

    `plot`: the same as a figure, where it is one.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()
    series: Mapping[str, list[float]] = MappingProxyType({})
    plot: Plot | None = None

    def texts(self) -> list[list[str]]:
        """The cells as they are printed."""
        return [[cell_text(cell, column.form) for cell, column in zip(row, self.columns)] for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """The numbers as they are, unrounded: a dictionary for each row."""
        keys = [column.key for column in self.columns]
        rows = [dict(zip(keys, row)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes), **self.series}


def cell_text(cell: Cell, form: str) -> str:
    """A cell in the format of its column; text stays as it is."""
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else format(cell, form)
