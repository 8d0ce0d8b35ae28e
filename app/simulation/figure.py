"""Drawing the figure of a bench into a file: no window, and the same file for the same numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from app.simulation.files import whole_file
from engine.experiments.plot import Plot, Series
from engine.experiments.table import Table

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Of Okabe and Ito (2008): colour-blind people can tell them apart."""
_GREY = "#6b7280"
_LOOK: Any = {  # to matplotlib's types a dictionary of ever other literals
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _GREY,
    "svg.hashsalt": "carom",  # the ids in the file come from it: without, they are new each time
    "svg.fonttype": "none",
}


def draw_table(table: Table, path: Path) -> None:
    """Draw the table's plot into a file ending in .svg or .png, which appears when it is complete.

    ValueError if the table has no plot, OSError if the file cannot be written.
    """
    if table.plot is None:
        raise ValueError(f"{table.name} is a table without a figure")
    kind = path.suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with matplotlib.rc_context(_LOOK):
        figure = _figure(table.title, table.plot)
        with whole_file(path) as partial:
            figure.savefig(partial, format=kind, dpi=160, metadata=metadata)


def _figure(title: str, plot: Plot) -> Figure:
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=11.5, pad=12)
    axes.set_xlabel(plot.x.label)
    axes.set_ylabel(plot.y.label)
    for axis, scale, set_scale in ((axes.xaxis, plot.x, axes.set_xscale), (axes.yaxis, plot.y, axes.set_yscale)):
        set_scale("log" if scale.log else "linear")
        if not scale.log:
            axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.grid(color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for span in plot.spans:
        axes.axvspan(span.begin, span.end, color="#f3ead2", zorder=0, label=span.name)
    ours = [series for series in plot.series if series.style != "paper"]
    for k, series in enumerate(ours):
        _draw_series(axes, series, COLOURS[k % len(COLOURS)])
    for series in plot.series:
        if series.style == "paper":
            _draw_series(axes, series, _GREY)
    if not plot.y.log and all(y >= 0.0 for series in plot.series for y in series.y if math.isfinite(y)):
        axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False)
    return figure


def _draw_series(axes: Axes, series: Series, colour: str) -> None:
    if series.style == "steps":
        axes.step(series.x, series.y, where="post", color=colour, linewidth=1.2, label=series.name)
    elif series.style == "paper":
        mark = "D" if len(series.x) == 1 else ""
        axes.plot(series.x, series.y, "--", marker=mark, color=colour, linewidth=1.4, label=series.name)
    else:
        line = "" if series.style == "points" else "-"
        axes.plot(series.x, series.y, line, marker="o", markersize=3.5, color=colour, linewidth=1.4, label=series.name)
