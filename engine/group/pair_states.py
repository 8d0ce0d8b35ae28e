"""The state of a pair is one word, and this is how it changes (Mirtich 1996, 8.1). Every change passes through here.

    free        left to impulses
    settling    left to impulses, and its last hits, QUIET_HITS of them, were quiet microcollisions
    held        a lasting contact: its group's constraint forces keep it
    held off    left to impulses until HOLD_OFF_FALLS falls through its envelope after SINCE

    event               | free     | settling | held     | held off |
    lay still           | held     | held     | held     | held off | they lie on each other when first looked at
    settled             | free     | held     | held     | held off | so many quiet hits in a row
    touched group       | held     | held     | held     | held off | a quiet hit on a body that is held already
    near in group       | held     | held     | held     | held off | within reach, and slow, where a group makes a step
    constraints only    | held     | held     | held     | held off | a quiet hit where the scene wants no impulses
    pressed             | held     | held     | held     | held     | it closes, and no hit can part it
    gap opened          | free     | settling | free     | held off |
    came fast           | free     | settling | free     | held off | faster than a microcollision
    bore nothing        | free     | settling | free     | held off | for longer than a hop
    face beside         | free     | settling | free     | held off | the neighbour of its triangle is nearer
    shook               | free     | free     | free     | held off | what it lies on does
    no step held        | free     | settling | held off | held off | none was short enough to keep its gap
    no forces           | free     | settling | held     | held off | none exist: it takes an impulse, and is held on
    not finite          | free     | settling | held     | held off | a body of it is stopped, and moves no more
    crushed             | free     | settling | held     | held off | likewise
    torn                | free     | settling | held     | held off | likewise
    quiet hit           | settling | settling | held     | held off |
    loud hit            | free     | free     | held     | held off |
    time up             | free     | settling | held     | free     | of what is held off
    met                 | held     | held     | held     | held     | in penalty contact, and in a first-order world

What is held bears on from the impulses of its last step, and begins with none; leaving changes no velocity.
"""

from __future__ import annotations

from engine.collision.pairs.checks import check_now
from engine.events import cancel
from engine.impulse.envelope import fall_time
from engine.kernel import kernel
from engine.model.model import Floats, Model
from engine.model.state import (
    BORE_AT,
    HEAP_SIZE,
    PAIR_ENVELOPE,
    PAIR_FREE,
    PAIR_HELD,
    PAIR_HELD_OFF,
    PAIR_SETTLING,
    PAIR_STATE,
    PATCH_POINTS,
    QUIET_HITS,
    SINCE,
    SOON_SIZE,
    State,
)
from engine.tolerances import HOLD_OFF_FALLS

# Events besides the reasons of the journal: those that switch no paradigm, and one that is not told.
QUIET_HIT = 17
LOUD_HIT = 18
TIME_UP = 19
MET = 20


_F, _S, _H, _O = PAIR_FREE, PAIR_SETTLING, PAIR_HELD, PAIR_HELD_OFF
_NEXT = (  # by event, and in it by state
    (_F, _S, _H, _O),  # nothing
    (_H, _H, _H, _O),  # lay still
    (_F, _H, _H, _O),  # settled
    (_H, _H, _H, _O),  # touched group
    (_H, _H, _H, _O),  # near in group
    (_H, _H, _H, _O),  # constraints only
    (_F, _S, _F, _O),  # gap opened
    (_F, _S, _F, _O),  # came fast
    (_F, _S, _F, _O),  # bore nothing
    (_F, _S, _F, _O),  # face beside
    (_F, _S, _O, _O),  # no step held
    (_H, _H, _H, _H),  # pressed
    (_F, _F, _F, _O),  # shook
    (_F, _S, _H, _O),  # no forces
    (_F, _S, _H, _O),  # not finite
    (_F, _S, _H, _O),  # crushed
    (_F, _S, _H, _O),  # torn
    (_S, _S, _H, _O),  # quiet hit
    (_F, _F, _H, _O),  # loud hit
    (_F, _S, _H, _F),  # time up
    (_H, _H, _H, _H),  # met
)


@kernel
def next_state(word: int, event: int) -> int:
    """The state of a pair in state `word` after an event: a reason of the journal, or one of those above."""
    return _NEXT[event][word]


@kernel
def state_of(settings: Floats, state: State, row: int, t: float) -> int:
    """The state of pair `row` at time t: what was held off is free when its time is up."""
    word, pairs = state.links[row, PAIR_STATE], state.pairs
    if word == PAIR_HELD_OFF:
        until = pairs[row, SINCE] + HOLD_OFF_FALLS * fall_time(settings, pairs[row, PAIR_ENVELOPE])
        if t >= until:
            return next_state(word, TIME_UP)
    return word


@kernel
def change_state(model: Model, state: State, row: int, t: float, event: int) -> bool:
    """An event happens to pair `row` at time t. Does its paradigm change?

    What is held waits for nothing on the heap any more, for its group looks after it; what is left is checked at once.
    """
    links = state.links
    before = links[row, PAIR_STATE]
    word = state_of(model.settings, state, row, t)
    after = next_state(word, event)
    if event == QUIET_HIT and after == PAIR_SETTLING:
        links[row, QUIET_HITS] += 1
    elif after != PAIR_SETTLING:
        links[row, QUIET_HITS] = 0
    if after == before:
        return False
    links[row, PAIR_STATE] = after
    state.pairs[row, SINCE] = t
    if after != PAIR_HELD and before != PAIR_HELD:
        return False
    state.patches[row, PATCH_POINTS] = 0.0
    if after != PAIR_HELD:
        check_now(model, state, row, t)
        return True
    state.pairs[row, BORE_AT] = t
    waits = model.tags.shape[0] + row
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = cancel(state.heap, state.keys, state.place, state.rank, size, waits)
    size = state.counts[SOON_SIZE]
    state.counts[SOON_SIZE] = cancel(state.soon, state.soon_keys, state.soon_place, state.rank, size, waits)
    return True
