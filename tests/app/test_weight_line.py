"""The weight of bodies is a line in the plot of contact forces: what lies at rest has its normal force on it."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.simulation.ledger import Ledger
from app.simulation.messages import Batch
from app.simulation.weights import weights_of
from app.view.plots.live import LivePlots
from engine import World
from tests.scenes import body, floor, scene

SIDE, DENSITY, G = 0.2, 700.0, 9.81
WEIGHT = SIDE**3 * DENSITY * G


def box(name: str, x: float) -> dict[str, object]:
    return body(name, {"box": [SIDE, SIDE, SIDE]}, (x, 0.0, 0.5 * SIDE), density=DENSITY)


@pytest.fixture
def plots(qtbot: QtBot) -> LivePlots:
    plots = LivePlots()
    qtbot.addWidget(plots.forces)
    plots.forces.resize(600, 200)
    plots.forces.show()
    return plots


def play(plots: LivePlots, world: World, until: float) -> None:
    ledger = Ledger()
    ledger.start(world.time)
    while world.time < until:
        world.advance_to(world.time + 1.0 / 60.0)
        ledger.sample(world, world.events(), world.contacts())
    told = ledger.take()
    assert told is not None
    plots.feed([Batch(1, 1, *told)])
    plots.forces.set_weights(weights_of(world))
    plots.refresh()


def test_a_box_at_rest_presses_by_the_weight_that_is_shown(plots: LivePlots) -> None:
    world = World(scene(floor(), box("left", 0.0), box("right", 1.0)))
    play(plots, world, 0.5)
    (chart,) = plots.forces.charts
    for rows, names, weight in (((), (), 2.0 * WEIGHT), ((1,), ("left",), WEIGHT), ((1, 2), ("left", "right"), None)):
        plots.set_selection(rows, names)
        level, values = chart.level, chart.history.at(0.45)
        assert level == pytest.approx(2.0 * WEIGHT if weight is None else weight, rel=1e-9)
        assert values is not None
        assert values[2 if rows else 0] == pytest.approx(level, rel=0.01)
        assert values[3 if rows else 1] < 0.01 * level, "friction is apart: none holds it"
    low, high = chart.plot.getViewBox().viewRange()[1]
    assert low < level < high


def test_there_is_no_line_for_what_has_no_weight(plots: LivePlots) -> None:
    world = World(scene(floor(), box("one", 0.0)))
    play(plots, world, 0.1)
    chart = plots.forces.charts[0]
    plots.set_selection((0,), ("floor",))
    assert chart.level is None and not chart._level.isVisible() and not chart.level_key.text
    plots.set_selection((1,), ("{odd}",))
    assert chart.level_key.text.startswith("weight of {odd} 54.9") and chart._level.isVisible()
    plots.forces.set_weights(None)
    assert chart.level is None
