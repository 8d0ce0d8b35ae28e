"""What a step does with each of its pairs, points or bodies by itself, shared among threads: a task is some of them
(engine.rounds).

A task writes to the rows of its own pairs, points and bodies only, and to scratch that each thread has for itself:
what it finds does not depend on who does it, or when.
"""

from __future__ import annotations

from math import inf

from engine.group.arrivals import NOTHING, note_arrival, note_start
from engine.group.books import book_point
from engine.group.end_gaps import dips, measure_end, note_bulge
from engine.group.joints.ends import rows_needed
from engine.group.kept import keep_body, keep_pair
from engine.group.midway import find_pair_midway, lay_pair_midway
from engine.group.own_pairs import list_own_pairs
from engine.group.room import correction_rows, share_out_rows
from engine.group.start_points import find_pair_at_start, lay_pair_at_start
from engine.group.struck import look_whether_struck
from engine.group.tasks import (
    ARRIVAL_TASK,
    BEGIN_TASK,
    BEGUN_TASK,
    CHORD_TASK,
    DIP_TASK,
    END_TASK,
    FIND_TASK,
    KEEP_BODY_TASK,
    KEEP_PAIR_TASK,
    LAY_TASK,
    LIST_TASK,
    PAIR_ROUND,
    ROWS_TASK,
    START_TASK,
    STOPPED_TASK,
    STRUCK_TASK,
)
from engine.group.work import (
    BODIES,
    CONTACTS,
    IN_PLACE,
    JOINT_ROWS,
    MEETS,
    MORE_ROWS,
    PAIRS_HELD,
    SMALL,
    STEP_LENGTH,
    STEP_START,
    Work,
)
from engine.kernel import kernel, linked_kernel
from engine.model.model import Model
from engine.model.state import State
from engine.rounds import (
    TASK_FIRST,
    TASK_KIND,
    TASK_LAST,
    TASKS,
    add_batch,
    clear_tasks,
    finish_task,
    open_round,
    take_task,
)

_EACH = 32
"""A task has so many pairs, points or bodies: some ten microseconds, a hundred times what taking it costs."""


@kernel
def find_arrivals(model: Model, state: State, work: Work, h: float, small: float) -> int:
    """What comes in at the points of the group at the start of a step h, the most of NOTHING, HIT and BOUNCE; see
    note_arrival."""
    count = work.sizes[CONTACTS]
    work.link[STEP_LENGTH], work.link[SMALL] = h, small
    if count <= _EACH:
        return _arrive(model, work, 0, count)
    clear_tasks(work.rounds)
    add_batch(work.rounds, ARRIVAL_TASK, 0, count, _EACH)
    _share(model, state, work)
    found = NOTHING
    for task in range(work.rounds.board[TASKS]):
        found = max(found, int(work.rounds.told[task]))
    return found


@kernel
def note_starts(model: Model, state: State, work: Work, stopped: bool) -> None:
    """The points of the group as they are at its step's start; stopped: what they have taken by stopping hits, too."""
    count = work.sizes[CONTACTS]
    if count <= _EACH:
        _start(work, 0, count, stopped)
        return
    clear_tasks(work.rounds)
    add_batch(work.rounds, STOPPED_TASK if stopped else START_TASK, 0, count, _EACH)
    _share(model, state, work)


@kernel
def list_pairs(model: Model, state: State, work: Work, t: float) -> int:
    """List the pairs of the group's bodies at t, of so many that threads share it; of how many bodies, 0 or all. See
    list_own_pairs."""
    bodies = work.sizes[BODIES]
    if bodies <= _EACH:
        return 0
    work.link[STEP_START] = t
    clear_tasks(work.rounds)
    add_batch(work.rounds, LIST_TASK, 0, bodies, _EACH)
    _share(model, state, work)
    return int(bodies)


@kernel
def look_who_is_struck(model: Model, state: State, work: Work, t: float) -> None:
    """Which bodies of the group arrests at t have struck, into work.root; see look_whether_struck."""
    bodies = work.sizes[BODIES]
    work.link[STEP_START] = t
    if bodies <= _EACH:
        _look(model, state, work, 0, bodies)
        return
    clear_tasks(work.rounds)
    add_batch(work.rounds, STRUCK_TASK, 0, bodies, _EACH)
    _share(model, state, work)


@kernel
def find_points_at_start(model: Model, state: State, work: Work, first: int, last: int, t: float) -> None:
    """Points of the pairs first .. last - 1 at the start of the group's step; see find_pair_at_start."""
    work.link[STEP_START] = t
    if last - first <= _EACH:
        _begin(model, state, work, first, last)
        return
    clear_tasks(work.rounds)
    add_batch(work.rounds, BEGIN_TASK, first, last, _EACH)
    _share(model, state, work)


@kernel
def lay_points_at_start(model: Model, state: State, work: Work, first: int, last: int, t: float) -> None:
    """And their rows."""
    work.link[STEP_START] = t
    if last - first <= _EACH:
        _load(model, state, work, first, last)
        return
    clear_tasks(work.rounds)
    add_batch(work.rounds, BEGUN_TASK, first, last, _EACH)
    _share(model, state, work)


@kernel
def find_points_midway(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Rows for the points of the group's pairs in the middle of its step. work.sizes[NEEDED]: how many they take."""
    held = work.sizes[PAIRS_HELD]
    work.sizes[JOINT_ROWS] = 0
    work.sizes[MORE_ROWS] = correction_rows(held) + rows_needed(model.joints, work)
    work.link[STEP_START], work.link[STEP_LENGTH] = t, h
    if held <= _EACH:
        _find(model, state, work, 0, held)
        share_out_rows(work)
        meets = _lay(model, state, work, 0, held)
    else:
        clear_tasks(work.rounds)
        add_batch(work.rounds, FIND_TASK, 0, held, _EACH)
        add_batch(work.rounds, ROWS_TASK, 0, 1, 1)
        add_batch(work.rounds, LAY_TASK, 0, held, _EACH)
        _share(model, state, work)
        meets = inf
        for task in range(work.rounds.board[TASKS]):
            if work.rounds.tasks[task, TASK_KIND] == LAY_TASK:
                meets = min(meets, work.rounds.told[task])
    work.link[MEETS] = min(work.link[MEETS], meets)
    work.sizes[IN_PLACE] = 0


@kernel
def measure_ends(model: Model, state: State, work: Work, t: float, h: float) -> float:
    """Measure the group's pairs at the end of its step. By how much one lacks there what was foreseen at most, as a
    part of its envelope [1]."""
    held = work.sizes[PAIRS_HELD]
    work.link[STEP_START], work.link[STEP_LENGTH] = t, h
    if held <= _EACH:
        return _measure(model, state, work, 0, held)
    clear_tasks(work.rounds)
    add_batch(work.rounds, END_TASK, 0, held, _EACH)
    _share(model, state, work)
    most = 0.0
    for task in range(work.rounds.board[TASKS]):
        most = max(most, work.rounds.told[task])
    return most


@kernel
def count_dips(model: Model, state: State, work: Work, t: float, h: float) -> int:
    """How many pairs come too near within the step."""
    held = work.sizes[PAIRS_HELD]
    work.link[STEP_START], work.link[STEP_LENGTH] = t, h
    if held == 0:
        return 0
    if held <= _EACH:
        _leave_chords(model, work, 0, work.sizes[BODIES])
        return _count(model, state, work, 0, held)
    clear_tasks(work.rounds)
    add_batch(work.rounds, CHORD_TASK, 0, work.sizes[BODIES], _EACH)
    add_batch(work.rounds, DIP_TASK, 0, held, _EACH)
    _share(model, state, work)
    count = 0
    for task in range(work.rounds.board[TASKS]):
        count += int(work.rounds.told[task])
    return count


@kernel
def keep_step(model: Model, state: State, work: Work, t: float, h: float) -> float:
    """Bodies and pairs keep what they do in a step h from t on that was found good; the smallest gap of its pairs at
    its end [m]."""
    bodies, held = work.sizes[BODIES], work.sizes[PAIRS_HELD]
    work.link[STEP_START], work.link[STEP_LENGTH] = t, h
    if bodies <= _EACH and held <= _EACH:
        _keep_bodies(model, state, work, 0, bodies)
        return _keep_pairs(model, state, work, 0, held)
    clear_tasks(work.rounds)
    add_batch(work.rounds, KEEP_BODY_TASK, 0, bodies, _EACH)
    add_batch(work.rounds, KEEP_PAIR_TASK, 0, held, _EACH)
    _share(model, state, work)
    least = inf
    for task in range(work.rounds.board[TASKS]):
        if work.rounds.tasks[task, TASK_KIND] == KEEP_PAIR_TASK:
            least = min(least, work.rounds.told[task])
    return least


@kernel
def _share(model: Model, state: State, work: Work) -> None:
    """Have the tasks done, by this thread and those that help."""
    open_round(work.rounds, PAIR_ROUND)
    take_part_with_pairs(model, state, work)


@linked_kernel
def take_part_with_pairs(model: Model, state: State, work: Work) -> int:
    """Do tasks of pairs until all have been taken; how many. Leaves in Work.told what they have found."""
    tasks = work.rounds.tasks
    done = 0
    while True:
        task = take_task(work.rounds)
        if task < 0:
            return done
        kind, first, last = tasks[task, TASK_KIND], tasks[task, TASK_FIRST], tasks[task, TASK_LAST]
        told = 0.0
        if kind == FIND_TASK:
            _find(model, state, work, first, last)
        elif kind == ROWS_TASK:
            share_out_rows(work)
        elif kind == LAY_TASK:
            told = _lay(model, state, work, first, last)
        elif kind == ARRIVAL_TASK:
            told = float(_arrive(model, work, first, last))
        elif kind == START_TASK:
            _start(work, first, last, False)
        elif kind == STOPPED_TASK:
            _start(work, first, last, True)
        elif kind == LIST_TASK:
            _list(model, state, work, first, last)
        elif kind == STRUCK_TASK:
            _look(model, state, work, first, last)
        elif kind == BEGIN_TASK:
            _begin(model, state, work, first, last)
        elif kind == BEGUN_TASK:
            _load(model, state, work, first, last)
        elif kind == END_TASK:
            told = _measure(model, state, work, first, last)
        elif kind == CHORD_TASK:
            _leave_chords(model, work, first, last)
        elif kind == KEEP_BODY_TASK:
            _keep_bodies(model, state, work, first, last)
        elif kind == KEEP_PAIR_TASK:
            told = _keep_pairs(model, state, work, first, last)
        else:
            told = float(_count(model, state, work, first, last))
        work.rounds.told[task] = told
        finish_task(work.rounds)
        done += 1


@kernel
def _arrive(model: Model, work: Work, first: int, last: int) -> int:
    found = NOTHING
    for k in range(first, last):
        found = max(found, note_arrival(model, work, k, work.link[STEP_LENGTH], work.link[SMALL]))
    return found


@kernel
def _start(work: Work, first: int, last: int, stopped: bool) -> None:
    for k in range(first, last):
        if stopped:
            book_point(work, k)
        note_start(work, k, stopped)


@kernel
def _list(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for at in range(first, last):
        list_own_pairs(model, state, work, at, work.link[STEP_START])


@kernel
def _look(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for at in range(first, last):
        look_whether_struck(model, state, work, at, work.link[STEP_START])


@kernel
def _begin(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for p in range(first, last):
        find_pair_at_start(model, state, work, p, work.link[STEP_START])


@kernel
def _load(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for p in range(first, last):
        lay_pair_at_start(model, state, work, p, work.link[STEP_START])


@kernel
def _find(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for p in range(first, last):
        find_pair_midway(model, state, work, p, work.link[STEP_START], work.link[STEP_LENGTH])


@kernel
def _lay(model: Model, state: State, work: Work, first: int, last: int) -> float:
    meets = inf
    for p in range(first, last):
        meets = min(meets, lay_pair_midway(model, state, work, p, work.link[STEP_START], work.link[STEP_LENGTH]))
    return meets


@kernel
def _measure(model: Model, state: State, work: Work, first: int, last: int) -> float:
    most = 0.0
    for p in range(first, last):
        most = max(most, measure_end(model, state, work, p, work.link[STEP_START], work.link[STEP_LENGTH]))
    return most


@kernel
def _leave_chords(model: Model, work: Work, first: int, last: int) -> None:
    for at in range(first, last):
        note_bulge(model.bodies, work, at, work.link[STEP_LENGTH])


@kernel
def _count(model: Model, state: State, work: Work, first: int, last: int) -> int:
    count = 0
    for p in range(first, last):
        count += int(dips(model, state, work, p, work.link[STEP_START], work.link[STEP_LENGTH]))
    return count


@kernel
def _keep_bodies(model: Model, state: State, work: Work, first: int, last: int) -> None:
    for at in range(first, last):
        keep_body(model, state, work, at, work.link[STEP_START], work.link[STEP_LENGTH])


@kernel
def _keep_pairs(model: Model, state: State, work: Work, first: int, last: int) -> float:
    least = inf
    for p in range(first, last):
        least = min(least, keep_pair(model, state, work, p, work.link[STEP_START], work.link[STEP_LENGTH]))
    return least
