"""The past of a run: keyframes in bounded memory and what came from outside; any time of it comes back to the bit.

A time is reached from the keyframe before it by running the world again with the same inputs. Controllers tick again
meanwhile, so that they remember what they remembered.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from app.simulation.messages import WorldLike
from engine.recording.contacts import FORCE_WINDOW

MEGABYTES = 256.0  # that keyframes may take by default
FIRST_SPACING = 0.25  # [s] of simulation between keyframes of a short run


@dataclass(frozen=True, slots=True)
class _Keyframe:
    time: float
    given: int  # how many inputs there had been
    snapshot: Any


class History:
    """Of one run. `note` follows it, `approach` goes back into it, `advance_to` lets it happen again."""

    def __init__(self, megabytes: float = MEGABYTES) -> None:
        self._most = megabytes * 1e6
        self._keyframes: list[_Keyframe] = []
        self._inputs: list[Any] = []
        self._told: tuple[float, ...] = ()
        self._spacing = FIRST_SPACING
        self._size = 0
        self.end = 0.0
        """Until when the run is known [s]."""

    @property
    def times(self) -> tuple[float, ...]:
        """Of the keyframes [s]."""
        return tuple(keyframe.time for keyframe in self._keyframes)

    @property
    def size(self) -> int:
        """Memory that the keyframes take [bytes]."""
        return self._size

    @property
    def input_times(self) -> tuple[float, ...]:
        """When something came from outside [s]."""
        if len(self._told) != len(self._inputs):
            self._told = tuple(entry.time for entry in self._inputs)
        return self._told

    def start(self, world: WorldLike) -> None:
        """A run begins here."""
        self._keyframes.clear()
        self._inputs, self._told = list(world.inputs), ()
        self._spacing, self._size, self.end = FIRST_SPACING, 0, world.time
        self._keep(world)

    def note(self, world: WorldLike) -> None:
        """The world has gone on, or has been told something."""
        if world.time < self.end or len(world.inputs) < len(self._inputs):
            return
        self._inputs += world.inputs[len(self._inputs) :]
        self.end = world.time
        if world.time >= self._keyframes[-1].time + self._spacing:
            self._keep(world)

    def is_past(self, world: WorldLike) -> bool:
        """Is more known of the run than the world has come to?"""
        return world.time < self.end or len(world.inputs) < len(self._inputs)

    def fork(self, world: WorldLike, given: int) -> None:
        """It goes another way from here on, after the first `given` inputs: the future that was known is forgotten."""
        self._inputs, self._told, self.end = list(world.inputs), (), world.time
        while len(self._keyframes) > 1 and (self._keyframes[-1].time > self.end or self._keyframes[-1].given > given):
            self._size -= self._keyframes.pop().snapshot.nbytes

    def jump(self, world: WorldLike, time: float) -> None:
        """Put the world at the keyframe from which `time` [s] is reached, unless it is nearer itself."""
        place = bisect_right(self.times, time - FORCE_WINDOW) - 1  # so that forces averaged over the window are known
        keyframe = self._keyframes[max(place, 0)]
        if keyframe.time <= world.time <= time:
            return
        world.restore(keyframe.snapshot)
        world.inputs[:] = self._inputs[: keyframe.given]  # those of the same instant may have come after it

    def advance_to(self, world: WorldLike, time: float) -> None:
        """Run to `time` [s], giving the inputs that are known at theirs. Returns earlier only after an interrupt."""
        while (given := len(world.inputs)) < len(self._inputs) and (entry := self._inputs[given]).time <= time:
            world.advance_to(max(entry.time, world.time))
            if world.time < entry.time or world.next_event_time <= entry.time:
                return
            if len(world.inputs) == given:  # else its controller has given it again
                world.give(entry)
        world.advance_to(time)

    def step_event(self, world: WorldLike) -> int:
        """Let one event happen, giving the inputs that are known before it; how many did."""
        while (given := len(world.inputs)) < len(self._inputs) and world.next_event_time > self._inputs[given].time:
            world.advance_to(self._inputs[given].time)
            world.give(self._inputs[given])
        return world.advance_events(1)

    def _keep(self, world: WorldLike) -> None:
        """Keep a keyframe here. Where memory ends, every other one goes, and they come half as often."""
        snapshot = world.snapshot()
        self._keyframes.append(_Keyframe(world.time, len(self._inputs), snapshot))
        self._size += snapshot.nbytes
        while self._size > self._most and len(self._keyframes) > 2:
            self._keyframes[1:-1] = self._keyframes[2:-1:2]
            self._size = sum(keyframe.snapshot.nbytes for keyframe in self._keyframes)
            self._spacing *= 2.0
