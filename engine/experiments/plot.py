"""A figure as plain numbers: what a table of measurements shows at a glance. Nothing draws here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Style = Literal["line", "steps", "points", "paper"]
"""`steps`: the value of a bin, from its x to the next one's. `paper`: dashed, in grey: what a paper says."""


class Axis(NamedTuple):
    """`label` ends in the unit, such as "time [s]". A `log` axis shows only what is above 0."""

    label: str
    log: bool = False


class Series(NamedTuple):
    """A curve: `x` and `y` are of one length; a y that is not finite leaves a hole."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: Style = "line"


class Span(NamedTuple):
    """A stretch of the x axis that is worth a look."""

    name: str
    begin: float
    end: float


class Plot(NamedTuple):
    """Curves over common axes."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    spans: tuple[Span, ...] = ()
