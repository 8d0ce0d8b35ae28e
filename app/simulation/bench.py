"""Tables of measurements as text, as wide as they need to be where no screen limits them."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from engine.experiments.table import Table

_WIDE = 200  # columns, for a file or a pipe


def print_table(table: Table) -> None:
    """Print a table on standard output, its notes under it."""
    grid = Grid(title=Text(table.title), title_justify="left")
    for k, column in enumerate(table.columns):
        grid.add_column(Text(column.heading), justify="right" if column.form else "left", no_wrap=k == 0)
    for row in table.texts():
        grid.add_row(*(Text(cell) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    console.print(grid)
    for note in table.notes:
        console.print(Text(note))
    console.print()
