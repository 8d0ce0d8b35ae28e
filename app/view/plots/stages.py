"""What a simulated second costs: computing time by stage, and how much each stage has to do."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import LOG_FROM_ZERO
from app.view.plots.chart import Chart
from app.view.plots.legend import Curve
from app.view.plots.metered import MeteredCurves, MeteredPanel
from engine.scene.schema import Scene
from engine.stages import STAGES, STEPS

WINDOWS = (0.05, 0.02, 0.1, 0.5)
EVENTS = tuple(stage for stage in STAGES if stage not in STEPS)


def _cost(stage: str, colour: int, what: str) -> Curve:
    return Curve(stage.replace("_", " "), "s/s", colour, f"Compute time per simulated second: {what}")


COSTS = (
    *(_cost(stage, colour, STAGES[stage]) for colour, stage in enumerate(EVENTS)),
    _cost("groups", -1, "steps of contact groups"),
)
STEP_COSTS = tuple(
    _cost("other" if stage == STEPS[0] else stage, colour, STAGES[stage])
    for colour, stage in enumerate(STEPS, start=-1)
)
WORK = {
    "heap_pops": Curve("events", "/s", 0, "Events per simulated second"),
    "box_updates": Curve("box updates", "/s", 1, "Swept boxes updated in the broad phase"),
    "pairs_made": Curve("new pairs", "/s", 3, "Pairs whose swept boxes began to overlap"),
    "feature_steps": Curve("feature steps", "/s", 2, "Steps of the closest-feature search"),
}


class StageCurves(MeteredCurves):
    """Costs by stage, of the steps of contact groups by part, and counts of work."""

    def __init__(self, window: float) -> None:
        super().__init__(window, len(COSTS), len(STEP_COSTS), len(WORK))

    def feed(self, batch: Batch) -> None:
        samples, (costs, steps_of, work) = batch.samples, self.histories
        names = [*(f"seconds_{stage}" for stage in (*EVENTS, *STEPS)), *WORK]
        begin, end, rates = self.meter.add(samples["time"], np.stack([samples[name] for name in names]))
        apart = len(EVENTS), len(EVENTS) + len(STEPS)
        steps = rates[apart[0] : apart[1]]
        costs.append(begin, end, np.vstack([rates[: apart[0]], steps.sum(axis=0)]))
        steps_of.append(begin, end, steps)
        work.append(begin, end, rates[apart[1] :])


class StagePanel(MeteredPanel[StageCurves]):
    """Three charts with one time axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        own = StageCurves(WINDOWS[0])
        costs, steps, work = own.histories
        charts = [
            Chart("Compute time", COSTS, costs, steps=True, windows=WINDOWS),
            Chart("Contact groups", STEP_COSTS, steps, steps=True, windows=WINDOWS),
            Chart("Work", tuple(WORK.values()), work, steps=True, scale=LOG_FROM_ZERO, windows=WINDOWS),
        ]
        super().__init__(own, charts, parent, stretch=(1, 1, 1))

    def curves_of_pinned(self, scene: Scene) -> None:
        """None: a pinned run is computed beside this one, so that its times would say nothing of its cost."""
