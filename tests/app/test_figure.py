"""Figures of benches: every style on every axis becomes a picture, whole or not at all."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from app.simulation.figure import draw_table
from engine.experiments.plot import Axis, Plot, Series, Span
from engine.experiments.table import Column, Table

X = (1.0, 10.0, 100.0)


def table_of(plot: Plot | None) -> Table:
    return Table("t", "Errors & steps", (Column("a", "a"),), [(1,)], plot=plot)


def plot_of(log: bool) -> Plot:
    series = (
        Series("lines", X, (1e-9, 1e-3, 1e2)),
        Series("steps", X, (1e-6, math.nan, 1e-2), "steps"),
        Series("points", X, (1e-5, 0.0, 1e-1), "points"),
        Series("the paper's", X[:1], (1e-4,), "paper"),
    )
    return Plot(Axis("condition number", log), Axis("error [m]", log), series, (Span("worth a look", 5.0, 20.0),))


@pytest.mark.parametrize("log", [False, True])
def test_pictures_show_what_they_are_given(log: bool, tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    draw_table(table_of(plot_of(log)), path)
    picture = imread(path)[:, :, :3]
    assert picture.shape[:2] == (800, 1280)
    for colour in (0x0072B2, 0xD55E00, 0x009E73, 0x6B7280, 0xF3EAD2):
        wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255]) / 255.0
        assert (np.abs(picture - wanted).max(axis=2) < 0.01).sum() > 30, f"{colour:06x} is not to be seen"
    draw_table(table_of(plot_of(log)), tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == path.read_bytes()


def test_words_stay_words_in_svg(tmp_path: Path) -> None:
    draw_table(table_of(plot_of(True)), tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    for words in ("Errors &amp; steps", "condition number", "error [m]", "lines", "the paper's", "worth a look"):
        assert words in text


def test_what_cannot_be_drawn_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="t is a table without a figure"):
        draw_table(table_of(None), tmp_path / "x.svg")
    broken = Plot(Axis("x"), Axis("y"), (Series("uneven", (1.0, 2.0), (1.0,)),))
    with pytest.raises(ValueError, match="same first dimension"):
        draw_table(table_of(broken), tmp_path / "x.svg")
    assert os.listdir(tmp_path) == []
