"""How far the simulation should have come by now, and whether it keeps up."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

WINDOW = 0.5  # [s of the wall] over which the achieved speed is measured
TOLERANCE = 0.1  # [s of the wall] of lag that is still caught up; beyond it the lag is written off
SLACK = 0.05  # fraction of the target speed that may be missed without being called behind


class Pacer:
    """Ties simulation time to the wall's clock at a chosen speed.

    While it keeps up, the simulation is where `due` says: a short delay is caught up. A longer one is written off
    (resync), so that a scene that was heavy for a second does not race afterwards; the flag `behind` says so.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._speed = 1.0
        self._anchor = (0.0, 0.0)  # (wall, simulation) times that correspond
        self._history: deque[tuple[float, float]] = deque()
        self._time = 0.0
        self._late_until = -math.inf
        self.written_off = 0.0  # [s] of simulation time given up since the start

    @property
    def speed(self) -> float:
        """Simulated seconds a second; inf: as fast as possible."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Change the speed from now on. Raises ValueError unless it is above zero."""
        if not speed > 0.0:
            raise ValueError(f"speed must be above zero, not {speed:g}")
        if speed != self._speed:
            self._speed = speed
            self.start(self._time)

    def start(self, simulation_time: float) -> None:
        """Begin, or begin anew after a pause or a jump in time."""
        now = self._clock()
        self._anchor = (now, simulation_time)
        self._time = simulation_time
        self._history.clear()
        self._history.append((now, simulation_time))
        self._late_until = -math.inf
        self.written_off = 0.0

    def due(self) -> float:
        """Simulation time that should be reached by now."""
        if math.isinf(self._speed):
            return math.inf
        return self._anchor[1] + self._speed * (self._clock() - self._anchor[0])

    def advanced(self, simulation_time: float) -> None:
        """Note that the simulation has come to `simulation_time`; writes off what cannot be caught up."""
        now = self._clock()
        self._time = simulation_time
        self._history.append((now, simulation_time))
        while len(self._history) > 2 and now - self._history[1][0] >= WINDOW:
            self._history.popleft()
        lag = self.due() - simulation_time
        if math.isfinite(lag) and lag > TOLERANCE * self._speed:
            self.written_off += lag
            self._anchor = (now, simulation_time)
            self._late_until = now + WINDOW

    @property
    def achieved(self) -> float:
        """Simulated seconds a second over the last half second; nan until a quarter of a second has been seen."""
        if not self._history:
            return math.nan
        (wall_0, time_0), (wall_1, time_1) = self._history[0], self._history[-1]
        if wall_1 - wall_0 < 0.5 * WINDOW:
            return math.nan
        return (time_1 - time_0) / (wall_1 - wall_0)

    @property
    def behind(self) -> bool:
        """Whether the simulation cannot keep up with the speed that was asked for."""
        if math.isinf(self._speed):
            return False
        return self._clock() < self._late_until or self.achieved < (1.0 - SLACK) * self._speed
