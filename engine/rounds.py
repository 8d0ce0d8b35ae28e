"""Work that several threads share: rounds of tasks, in batches that may be done in any order and at the same time.

A thread opens a *round*, and whoever helps takes tasks of it until none is left; it does so itself, and waits for what
others have begun. Nobody waits for a helper that has not come: the round is done without it. A batch begins when all
before it is done. Of each batch a thread has its share, the same one in every round that has such a batch, so that what
it writes stays in its own cache; it takes those first, and then what others have not yet begun.

What is computed must not depend on who does a task: tasks that may be done at the same time write to different places.
Then the bits are the same for any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.atomic import add_atomic, exchange_atomic, load_atomic, pause, sleep_briefly, store_atomic, yield_thread
from engine.kernel import kernel

_LINE = 16  # entries: two cache lines, so that what one thread writes is not in the way of what another reads

# Entries of a board, int64.
ROUND = _LINE  # number of the round, and its kind
FINISHED = 2 * _LINE  # tasks of the round that are done
QUIT = 3 * _LINE  # 1: helpers leave
TASKS = 4 * _LINE  # of the round
MOST_HELPERS = TASKS + 1  # threads that may help
HELPERS = MOST_HELPERS + 1  # and that do
WORTH = HELPERS + 1  # rounds of fewer tasks are not worth helpers
SHARED = WORTH + 1  # 1: there was a round that is, since `note_step`
LIKE = SHARED + 1  # the last step that had one was of so many bodies; 0: there is none
BOARD_WIDTH = 5 * _LINE

# Columns of a round's tasks, int64.
TASK_KIND = 0
TASK_FIRST = 1  # it does these, of what its kind is about
TASK_LAST = 2  # up to here
BATCH_END = 3  # of the first task of a batch: the first one of the next
TASK_WIDTH = 4

# Entries of what a thread knows for itself, int64.
THREAD = 0  # which of them it is; 0: the one that opens rounds
IN_ROUND = 1  # the round that it takes part in; ALONE: nobody else does
BATCH = 2  # first task of the batch that it is at
TRIED = 3  # how many of its tasks it has looked at
OWN_WIDTH = 4

ALONE = 0
_KINDS = 128  # of rounds at most; 0: there has been none

MOST_ALONE = 25
"""Tasks of a round that one thread does as fast alone: what another has written must come out of its cache. Two share
the steps of 1,000 balls, which have some 150, in 0.7 of the time; those of 300 in 0.8."""

_SPINS = 300  # looks at a number before the processor is offered to other threads, some 10 us
_YIELDS = 3_000  # and before a helper sleeps between looks, some milliseconds


class Rounds(NamedTuple):
    """What threads need to share rounds of tasks."""

    board: Ints  # (BOARD_WIDTH,)
    tasks: Ints  # (tasks, TASK_WIDTH) of the round
    claims: Ints  # (tasks,) twice the number of the round, and one more: it has been taken
    told: Floats  # (tasks,) what tasks have found, for those who ask for all
    own: Ints  # (OWN_WIDTH,) of this thread


def make_rounds(tasks: int, threads: int) -> Rounds:
    """Rounds of up to so many tasks, for so many threads."""
    board = np.zeros(BOARD_WIDTH, dtype=np.int64)
    board[MOST_HELPERS], board[WORTH] = threads - 1, MOST_ALONE
    return Rounds(
        board=board,
        tasks=np.zeros((tasks, TASK_WIDTH), dtype=np.int64),
        claims=np.zeros(tasks, dtype=np.int64),
        told=np.zeros(tasks),
        own=np.zeros(OWN_WIDTH, dtype=np.int64),
    )


def of_thread(rounds: Rounds, thread: int) -> Rounds:
    """The same rounds, for another thread, which takes part from the next one on."""
    own = np.zeros_like(rounds.own)
    own[THREAD], own[IN_ROUND] = thread, rounds.board[ROUND]
    return rounds._replace(own=own)


@kernel
def clear_tasks(rounds: Rounds) -> None:
    """The next round has no task yet."""
    rounds.board[TASKS] = 0


@kernel
def add_batch(rounds: Rounds, kind: int, first: int, last: int, each: int) -> None:
    """A batch of tasks of a kind that do first .. last - 1, so many each, once all tasks so far are done."""
    start = count = rounds.board[TASKS]
    for begin in range(first, last, each):
        rounds.tasks[count, TASK_KIND] = kind
        rounds.tasks[count, TASK_FIRST], rounds.tasks[count, TASK_LAST] = begin, min(begin + each, last)
        count += 1
    if count > start:
        rounds.tasks[start, BATCH_END] = rounds.board[TASKS] = count


@kernel
def open_round(rounds: Rounds, kind: int) -> None:
    """Begin a round of a kind, which is 1 to 127, with the tasks that there are; the last round must be over."""
    board, tasks = rounds.board, rounds.board[TASKS]
    if tasks >= board[WORTH]:
        ask_for_helpers(rounds)
    if board[HELPERS] == 0:
        rounds.own[IN_ROUND], rounds.own[BATCH] = ALONE, 0
        return
    number = board[ROUND] // _KINDS + 1
    for task in range(tasks):
        rounds.claims[task] = 2 * number
    store_atomic(board, FINISHED, 0)
    store_atomic(board, ROUND, _KINDS * number + kind)
    enter_round(rounds)


@kernel
def ask_for_helpers(rounds: Rounds) -> None:
    """There is work worth helpers in this step."""
    rounds.board[SHARED] = 1


@kernel
def note_step(rounds: Rounds, bodies: int) -> None:
    """A step of so many bodies has been made."""
    board = rounds.board
    if board[SHARED] == 1:
        board[LIKE] = bodies
    elif bodies >= board[LIKE]:
        board[LIKE] = 0
    board[SHARED] = 0


@kernel
def lacks_helpers(rounds: Rounds, bodies: int) -> bool:
    """Will a step of so many bodies have rounds worth helpers, going by the last ones, and could there be more?"""
    board = rounds.board
    return 0 < board[LIKE] <= 2 * bodies and board[HELPERS] < board[MOST_HELPERS]


@kernel
def enter_round(rounds: Rounds) -> int:
    """This thread takes part in the round that there is; its kind."""
    own = rounds.own
    own[IN_ROUND] = load_atomic(rounds.board, ROUND)
    own[BATCH] = own[TRIED] = 0
    return own[IN_ROUND] % _KINDS


@kernel
def take_task(rounds: Rounds) -> int:
    """The next task for this thread, once all that it waits for is done; -1: there is none.

    A thread that comes late may find the tasks of the next round here: it can claim none of them, and leaves.
    """
    own, claims = rounds.own, rounds.claims
    if own[IN_ROUND] == ALONE:
        own[BATCH] += 1
        return own[BATCH] - 1 if own[BATCH] <= rounds.board[TASKS] else -1
    open_claim = 2 * (own[IN_ROUND] // _KINDS)
    while own[BATCH] < rounds.board[TASKS]:
        first, end = own[BATCH], rounds.tasks[own[BATCH], BATCH_END]
        count = end - first
        share = count * own[THREAD] // (rounds.board[HELPERS] + 1)
        while own[TRIED] < count:
            task = first + (share + own[TRIED]) % count
            own[TRIED] += 1
            if claims[task] == open_claim and exchange_atomic(claims, task, open_claim, open_claim + 1):
                return task
        if end <= first or not _await_batch(rounds, end):
            break
        own[BATCH], own[TRIED] = end, 0
    return -1


@kernel
def finish_task(rounds: Rounds) -> None:
    """A task that was taken is done."""
    if rounds.own[IN_ROUND] != ALONE:
        add_atomic(rounds.board, FINISHED, 1)


@kernel
def _await_batch(rounds: Rounds, tasks: int) -> bool:
    """Wait until so many tasks of the round are done; False: it is over."""
    looks = 0
    while load_atomic(rounds.board, FINISHED) < tasks:
        if load_atomic(rounds.board, ROUND) != rounds.own[IN_ROUND]:
            return False
        looks += 1
        if looks < _SPINS:
            pause()
        else:
            yield_thread()
    return True


@kernel
def await_round(rounds: Rounds) -> int:
    """Wait, as a helper, for a round that this thread has not taken part in: of what kind; 0: helpers are to leave."""
    looks = 0
    while load_atomic(rounds.board, QUIT) == 0:
        if load_atomic(rounds.board, ROUND) != rounds.own[IN_ROUND]:
            return enter_round(rounds)
        looks += 1
        if looks < _SPINS:
            pause()
        elif looks < _YIELDS:
            yield_thread()
        else:
            sleep_briefly()
    return 0
