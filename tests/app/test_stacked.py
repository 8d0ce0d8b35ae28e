"""What has been dissipated, by cause: areas that add up to what the world says is lost."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.ledger import Ledger
from app.simulation.messages import Batch
from app.view.plots.chart import Chart
from app.view.plots.energy import LOSSES, EnergyPanel
from engine import World
from tests.scenes import ball, body, floor, scene


@pytest.fixture
def played(qtbot: QtBot) -> tuple[EnergyPanel, World]:
    """A block that slides to a stop and a ball that bounces."""
    block = body("block", {"box": [0.4, 0.4, 0.05]}, (0, 0, 0.025), velocity=[2.0, 0, 0])
    world, ledger = World(scene(floor(), block, ball("ball", (0, 2, 0.4)))), Ledger()
    ledger.start(0.0)
    while world.time < 0.6:
        world.advance_to(world.time + 1.0 / 60.0)
        ledger.sample(world, world.events(), world.contacts())
    told = ledger.take()
    assert told is not None
    panel = EnergyPanel()
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.show()
    panel.feed(Batch(1, 1, *told))
    panel.refresh(world.time)
    return panel, world


def heights(chart: Chart) -> list[float]:
    """Where each curve ends."""
    return [float(line.getData()[1][-1]) for line in chart._lines]


def test_parts_lie_on_each_other_up_to_the_whole(played: tuple[EnergyPanel, World], tmp_path: Path) -> None:
    panel, world = played
    chart, energy = panel.charts[1], world.energy()
    parts = [energy[curve.name] for curve in LOSSES]
    assert parts[0] > 0.0 and parts[1] > 0.0, "it slid and it bounced"
    np.testing.assert_allclose(heights(chart), np.cumsum(parts), rtol=1e-12)
    assert heights(chart)[-1] == pytest.approx(energy["dissipated"], rel=1e-9)
    assert all(line.opts["fillLevel"] == 0.0 for line in chart._lines)
    low, high = chart.plot.getViewBox().viewRange()[1]
    assert low <= 0.0 and high > energy["dissipated"]
    chart.export_table(tmp_path / "t.csv")
    last = list(csv.reader((tmp_path / "t.csv").open(encoding="utf-8")))[-1]
    assert [float(value) for value in last[1:]] == pytest.approx(parts), "each part is exported for itself"


def test_a_part_that_is_switched_off_is_not_counted(played: tuple[EnergyPanel, World]) -> None:
    panel, world = played
    chart, energy = panel.charts[1], world.energy()
    key = chart._keys[0]
    key._on = False
    key.toggled.emit(False)
    assert heights(chart)[1] == pytest.approx(energy["impact"])
