"""The past of a run: keyframes in bounded memory and what came from outside; any time of it comes back to the bit.

A time is reached from the keyframe before it by running the world again with the same inputs: keyframes stand so close
that this takes a moment. Controllers tick again meanwhile, so that they remember what they remembered. Where a run went
on in several ways, each is a branch: what came from outside is all that it takes, its keyframes make it quick to go
there.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from math import inf, nextafter
from time import perf_counter
from typing import Any, NamedTuple

from app.simulation.messages import Branch, WorldLike
from app.simulation.packing import Packing
from engine.recording.carom_file import Way
from engine.recording.contacts import FORCE_WINDOW

MEGABYTES = 256.0  # that keyframes may take by default
FIRST_SPACING = 0.25  # [s] of simulation between keyframes of a short run
FIRST_COST = 0.1  # [s] of computing after which there is one all the same: as long as going back there may take
KEEPING = 10.0  # but not before as many times what keeping one takes
AT_ONCE = 0.01  # [s] what takes longer to keep is packed by another thread
NEAR = 16  # snapshots between two keyframes while one goes back
INPUT_BYTES = 600  # memory that an input takes, about


class Keyframe(NamedTuple):
    time: float  # [s]
    given: int  # how many inputs there had been
    snapshot: Any
    events: float  # counters: how many there had been
    collisions: float

    @property
    def size(self) -> int:
        """Memory [bytes]."""
        return int(self.snapshot.nbytes)


def keyframe_of(world: WorldLike, given: int, packed: Any = None) -> Keyframe:
    """The world as it is, after the first `given` inputs. packed: its snapshot; None: it is packed now."""
    snapshot = world.snapshot().pack() if packed is None else packed
    return Keyframe(world.time, given, snapshot, world.counters["heap_pops"], world.counters["collisions"])


@dataclass(slots=True)
class Line:
    """One way that the run went, from its start to its end."""

    number: int
    keyframes: list[Keyframe] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    end: float = 0.0  # until when it is known [s]

    def copy(self) -> Line:
        """What is known by now."""
        return Line(self.number, list(self.keyframes), list(self.inputs), self.end)


def parting(a: Line, b: Line) -> float:
    """Until when two lines are the same [s]."""
    for one, other in zip(a.inputs, b.inputs, strict=False):
        if one != other:
            return float(min(one.time, other.time))
    shared = min(len(a.inputs), len(b.inputs))
    later = [line.inputs[shared].time for line in (a, b) if len(line.inputs) > shared]
    return float(min(a.end, b.end, *later))


class History:
    """Of one run. `note` follows it, `jump` goes back into it, `advance_to` lets it happen again."""

    def __init__(self, megabytes: float = MEGABYTES) -> None:
        self._most = megabytes * 1e6
        self._line = Line(1)
        self._others: list[Line] = []  # the ways that were left, oldest first
        self._created = 1
        self._times: tuple[float, ...] = ()
        self._input_times: tuple[float, ...] = ()
        self._branches: tuple[Branch, ...] = ()
        self._spacing, self._cost = FIRST_SPACING, FIRST_COST
        self._spent = 0.0  # what the world had computed for at the last keyframe [s]
        self._keeping = 0.0  # how long keeping one takes [s]
        self._packing: Packing | None = None  # the last one, if another thread packs it
        self._told = (0.0, -1.0, 0)
        self._near: list[Keyframe] = []  # between two keyframes, while one goes back from the later
        self._gap = 0.0  # between them [s]
        self._held: tuple[object, int] = (None, 0)  # what there is of everything, and the memory that it takes [bytes]
        self.news: list[str] = []
        """What had to be dropped, in words; whoever reads it empties it."""

    # --- what is known --------------------------------------------------------------------------------------------

    @property
    def end(self) -> float:
        """Until when the run is known [s]."""
        return self._line.end

    @property
    def times(self) -> tuple[float, ...]:
        """Of the keyframes [s]."""
        if len(self._times) != len(self._line.keyframes) or not self._times:
            self._times = tuple(keyframe.time for keyframe in self._line.keyframes)
        return self._times

    @property
    def size(self) -> int:
        """Memory that keyframes and inputs take [bytes]."""
        lines = (self._line, *self._others)
        frames = {id(frame): frame.size for line in lines for frame in line.keyframes}
        frames |= {id(frame): frame.size for frame in self._near}
        inputs = {id(entry) for line in lines for entry in line.inputs}
        return sum(frames.values()) + INPUT_BYTES * len(inputs)

    @property
    def held(self) -> int:
        """The same, added up again only when something has come or gone [bytes]."""
        lines = (self._line, *self._others)
        now = tuple((line.number, len(line.keyframes), len(line.inputs)) for line in lines), len(self._near)
        if self._held[0] != now:
            self._held = (now, self.size)
        return self._held[1]

    @property
    def input_times(self) -> tuple[float, ...]:
        """When something came from outside [s]."""
        if len(self._input_times) != len(self._line.inputs):
            self._input_times = tuple(entry.time for entry in self._line.inputs)
        return self._input_times

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What came from outside on the branch that the world is on."""
        return tuple(self._line.inputs)

    @property
    def branch(self) -> int:
        """The number of the branch that the world is on."""
        return self._line.number

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The other ways that the run went."""
        return self._branches

    def ways(self) -> list[Way]:
        """Every branch; the one that the world is on first."""
        return [Way(line.number, list(line.inputs), line.end) for line in (self._line, *self._others)]

    @property
    def current(self) -> Line:
        """The branch that the world is on, as it grows; another one where it goes another way."""
        return self._line

    def line(self) -> Line:
        """The same for whoever runs it again: it may be kept while this one goes on."""
        return self._line.copy()

    def lines(self) -> list[Line]:
        """The same of every branch, this one first."""
        return [line.copy() for line in (self._line, *self._others)]

    def is_past(self, world: WorldLike) -> bool:
        """Is more known of the run than the world has come to?"""
        return world.time < self.end or len(world.inputs) < len(self._line.inputs)

    @property
    def told(self) -> float:
        """Until when those who draw the run have heard of it [s]; before `end` after going over to another branch."""
        return self._told[0]

    def is_told(self, world: WorldLike) -> bool:
        """Have they heard of all that the world has come to?"""
        time, events, given = self._told
        if world.time != time:
            return world.time < time
        return world.counters["heap_pops"] <= events and len(world.inputs) <= given

    # --- following ------------------------------------------------------------------------------------------------

    def start(self, world: WorldLike) -> None:
        """A run begins here, of a world that nothing is known of."""
        self._others.clear()
        self._created, self._branches = 1, ()
        self._spacing, self._cost = FIRST_SPACING, FIRST_COST
        self._begin(world, 1)

    def _begin(self, world: WorldLike, number: int) -> None:
        self._line = Line(number, inputs=list(world.inputs), end=world.time)
        self._input_times, self._near = (), []
        self._told = (world.time, -1.0, 0)
        self._keep(world)

    def forget(self) -> None:
        """Let all go that is known."""
        self._others.clear()
        self._line = Line(1)
        self._near, self._input_times, self._times, self._packing = [], (), (), None

    def start_again(self, world: WorldLike) -> None:
        """The world is at its start again. What cannot come again by itself is kept as a branch."""
        if not self._line.inputs:
            self._begin(world, self._line.number)
        else:
            self._leave()
            self._begin(world, self._created)
        self._look_at_branches()

    def note(self, world: WorldLike) -> None:
        """The world has gone on, or has been told something."""
        if self.is_told(world):
            return
        self._told = (world.time, world.counters["heap_pops"], len(world.inputs))
        line = self._line
        if self.is_past(world):
            return
        line.inputs += world.inputs[len(line.inputs) :]
        line.end = world.time
        rest = KEEPING * self._keeping
        dear = sum(world.seconds.values()) >= self._spent + max(self._cost, rest)
        if dear or world.time >= line.keyframes[-1].time + max(self._spacing, rest):
            self._keep(world)

    # --- branches -------------------------------------------------------------------------------------------------

    def fork(self, world: WorldLike, given: int) -> None:
        """It goes another way from here on, after the first `given` inputs: the future that was known is a branch."""
        before = self._line
        self._leave()
        kept = [frame for frame in before.keyframes if frame.time <= world.time and frame.given <= given]
        self._line = Line(self._created, kept or before.keyframes[:1], list(world.inputs), world.time)
        self._input_times = self._times = ()
        self._near = []
        self._told = (world.time, -1.0, 0)
        self._fit()
        self._look_at_branches()

    def _leave(self) -> None:
        self._others.append(self._line)
        self._created += 1

    def switch(self, number: int) -> bool:
        """Go over to another branch; False if there is none of that number. The world has to follow, by `jump`."""
        found = next((line for line in self._others if line.number == number), None)
        if found is None:
            return False
        self._told = (min(self.told, parting(self._line, found)), -1.0, 0)
        self._others.remove(found)
        self._others.append(self._line)
        self._line = found
        self._input_times = self._times = ()
        self._near = []
        self._look_at_branches()
        return True

    def adopt(self, lines: list[Line]) -> None:
        """Take over what is known of this run from elsewhere: the first is the one to be on."""
        self._line, *self._others = lines
        self._created = max(line.number for line in lines)
        self._told = (0.0, -1.0, 0)
        self._input_times = self._times = ()
        self._near = []
        self._fit()
        self._look_at_branches()

    def _look_at_branches(self) -> None:
        others = sorted(self._others, key=lambda line: line.number)
        self._branches = tuple(
            Branch(line.number, parting(self._line, line), line.end, len(line.inputs)) for line in others
        )

    # --- going there ----------------------------------------------------------------------------------------------

    def jump(self, world: WorldLike, time: float, back: bool = False) -> None:
        """Put the world at the keyframe from which `time` [s] is reached, unless it is nearer itself.

        Nothing is left out that those who draw it have not heard of. back: times just before it will be asked for
        next, so `remember` keeps where the world comes by.
        """
        known = min(time, self.told) - FORCE_WINDOW  # so that forces averaged over the window are known
        keyframe = self._line.keyframes[max(bisect_right(self.times, known) - 1, 0)]
        near = [frame for frame in self._near if keyframe.time < frame.time <= known]
        if near:
            keyframe = near[-1]
        elif back:
            self._near, self._gap = [keyframe], (time - keyframe.time) / NEAR
        else:
            self._near = []
        given = len(world.inputs)
        if keyframe.time <= world.time <= min(time, self.told) and world.inputs == self._line.inputs[:given]:
            return
        self.restore(world, keyframe)

    def remember(self, world: WorldLike) -> None:
        """The world comes by here on its way to where one goes back from."""
        if self._near and world.time >= self._near[-1].time + self._gap:
            self._near.append(keyframe_of(world, len(world.inputs)))

    def jump_before(self, world: WorldLike, count: str, value: float) -> bool:
        """Put the world at the last keyframe at which a counter was less; at the start, and False, if none was."""
        counts = [f.events if count == "heap_pops" else f.collisions for f in self._line.keyframes]
        before = [k for k, there in enumerate(counts) if there < value]
        self.restore(world, self._line.keyframes[before[-1] if before else 0])
        return bool(before)

    def restore_before(self, world: WorldLike, time: float) -> None:
        """Put the world at the last keyframe before a time [s], or at the start."""
        before = [frame for frame in self._line.keyframes if frame.time < time]
        self.restore(world, before[-1] if before else self._line.keyframes[0])

    def restore(self, world: WorldLike, keyframe: Keyframe) -> None:
        """Put the world at a keyframe."""
        world.restore(keyframe.snapshot.unpack())
        world.inputs[:] = self._line.inputs[: keyframe.given]  # it may have come here another way

    def advance_to(self, world: WorldLike, time: float) -> None:
        """Run to `time` [s], giving the inputs that are known at theirs. Returns earlier only after an interrupt."""
        inputs = self._line.inputs
        while (given := len(world.inputs)) < len(inputs) and (entry := inputs[given]).time <= time:
            world.advance_to(max(entry.time, world.time))
            if world.time < entry.time or world.next_event_time <= entry.time:
                return
            if len(world.inputs) == given:  # else its controller has given it again
                world.give(entry)
        world.advance_to(time)

    def come_to_told(self, world: WorldLike) -> bool:
        """Run to where those who draw it have heard of it, which may be amid an instant; False after an interrupt."""
        time, events, _ = self._told
        before = nextafter(time, -inf)
        if world.time < before:
            self.advance_to(world, before)
            if world.time < before:
                return False
        while world.counters["heap_pops"] < events and world.next_event_time <= time:
            world.advance_events(1)
        return True

    def step_event(self, world: WorldLike, most: int = 1) -> int:
        """Let an event happen, or up to `most` if no more inputs are known; those before it are given. How many did."""
        inputs = self._line.inputs
        while (given := len(world.inputs)) < len(inputs) and world.next_event_time > inputs[given].time:
            world.advance_to(max(inputs[given].time, world.time))
            world.give(inputs[given])
        return world.advance_events(most if len(world.inputs) >= len(inputs) else 1)

    # --- memory ---------------------------------------------------------------------------------------------------

    def set_memory(self, megabytes: float) -> None:
        """What the past may take from now on; what is too much of it goes at once."""
        self._most = megabytes * 1e6
        if self._packing is not None:
            self._packing.wait()
        self._held = (None, 0)
        self._fit()

    def _keep(self, world: WorldLike) -> None:
        """Keep a keyframe here."""
        packing = 0.0 if self._packing is None else self._packing.wait()
        began, frames = perf_counter(), self._line.keyframes
        self._packing = Packing(world.snapshot(), frames[-1].size) if frames and self._keeping > AT_ONCE else None
        frames.append(keyframe_of(world, len(self._line.inputs), self._packing))
        self._keeping = perf_counter() - began + packing
        self._spent = sum(world.seconds.values())
        self._times = ()
        self._fit()

    def _fit(self) -> None:
        """Where memory ends, keyframes of branches that were left go first, from the oldest on: these are run again
        when somebody goes there. Then every other one of this branch goes, and they come half as often; at last
        whole branches."""
        for line in self._others:
            if self.size <= self._most:
                return
            if len(line.keyframes) > 1:
                line.keyframes = line.keyframes[:1]
                self.news.append(f"Branch {line.number} takes longer to go to: its keyframes had to make room")
        frames = self._line.keyframes
        while self.size > self._most and len(frames) > 2:
            frames[1:-1] = frames[2:-1:2]
            self._times = ()
            self._spacing *= 2.0
            self._cost *= 2.0
        while self.size > self._most and self._others:
            gone = self._others.pop(0)
            self.news.append(f"Branch {gone.number} is gone: the memory for the past is full")
            self._look_at_branches()
