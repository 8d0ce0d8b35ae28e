"""What the simulation thread is to do, and whom it tells."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, Protocol

from app.simulation.breaks import Met
from app.simulation.examining import Examined
from app.simulation.messages import Step
from app.simulation.rewind import StepBack

StepKind = Literal["frame", "event", "collision", "event_back", "collision_back"]


class Reports(Protocol):
    """What the worker tells the window besides frames and batches. Called on the simulation thread."""

    def on_state(self, state: str) -> None: ...
    def on_loaded(self, generation: int) -> None: ...
    def on_failed(self, text: str) -> None: ...
    def on_stepped(self, step: Step) -> None: ...
    def on_examined(self, examined: Examined | None) -> None: ...
    def on_met(self, met: tuple[Met, ...]) -> None: ...
    def on_noted(self, text: str) -> None: ...


@dataclass(slots=True)
class Goal:
    """What the world is being moved towards: an endless run, or single steps one after the other."""

    running: bool = False
    backwards: bool = False  # runs that way
    steps: deque[StepKind] = field(default_factory=deque)
    back: StepBack | None = None  # a step back that is under way
    until: float | None = None  # where the step of a frame that is under way ends [s]
    seek: float | None = None  # a time in the past to stand at [s]
    begun: float | None = None  # from where it goes there [s], if somebody waits for it to stand

    @property
    def sought(self) -> tuple[float, float] | None:
        """From where to where the run is gone through again [s]; None: nobody waits for it."""
        return None if self.seek is None or self.begun is None else (self.begun, self.seek)

    @property
    def is_idle(self) -> bool:
        return not (self.running or self.steps) and self.seek is None
