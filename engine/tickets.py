"""Work that several threads share: rounds of tasks, of which each thread takes the next one, ticket by ticket.

A thread opens a *round* of so many tasks, and whoever helps takes tickets until none is left; it does so itself, and
waits for what others have begun. Nobody waits for a helper that has not come: the round is done without it. A task that
needs others done before it waits until so many of the round are. As tickets are taken in their order, these have been
begun then, and the wait has an end.

What is computed must not depend on who does a task: tasks that may be done at the same time write to different places.
Then the bits are the same for any number of threads.
"""

from __future__ import annotations

from engine.arrays import Ints
from engine.atomic import add_atomic, exchange_atomic, load_atomic, pause, sleep_briefly, store_atomic, yield_thread
from engine.kernel import kernel

_LINE = 16  # entries: two cache lines, so that what one thread writes is not in the way of what another reads

# Entries of a board, int64.
QUEUE = _LINE  # kind of the round, how many tasks it has, and how many have been taken
FINISHED = 2 * _LINE  # tasks of the round that are done
QUIT = 3 * _LINE  # 1: helpers leave
MOST_HELPERS = 4 * _LINE  # threads that may help
HELPERS = MOST_HELPERS + 1  # and that do
SHARED = HELPERS + 1  # 1: there was a round that is worth helpers
WORTH = SHARED + 1  # rounds of fewer tasks are not
BOARD_WIDTH = 5 * _LINE

_BITS = 28  # of the queue for each of its counts
_COUNT = (1 << _BITS) - 1

MOST_ALONE = 256
"""Tasks of a round that one thread does as fast alone: what another has written must come out of its cache. Two share
the steps of 10,000 balls in 0.85 of the time, and those of 1,000 in 1.2 times as much."""

_SPINS = 300  # looks at a number before the processor is offered to other threads, some 10 us
_YIELDS = 3_000  # and before a helper sleeps between looks, some milliseconds


@kernel
def open_round(board: Ints, kind: int, tasks: int) -> None:
    """Begin a round of so many tasks of a kind, which is 1 to 127; the last round must be over."""
    if tasks >= board[WORTH]:
        board[SHARED] = 1
    store_atomic(board, FINISHED, 0)
    store_atomic(board, QUEUE, (kind << _BITS | tasks) << _BITS)


@kernel
def lacks_helpers(board: Ints) -> bool:
    """Was there a round worth helpers, and could there be more of them?"""
    return board[SHARED] == 1 and board[HELPERS] < board[MOST_HELPERS]


@kernel
def waiting_kind(board: Ints) -> int:
    """The kind of the round that has tasks to be taken; 0: there is none."""
    queue = load_atomic(board, QUEUE)
    return queue >> 2 * _BITS if queue & _COUNT < queue >> _BITS & _COUNT else 0


@kernel
def take_ticket(board: Ints, kind: int) -> int:
    """The next task of a round of this kind; -1: there is none."""
    while True:
        queue = load_atomic(board, QUEUE)
        ticket = queue & _COUNT
        if queue >> 2 * _BITS != kind or ticket >= queue >> _BITS & _COUNT:
            return -1
        if exchange_atomic(board, QUEUE, queue, queue + 1):
            return ticket


@kernel
def finish_task(board: Ints) -> None:
    """A task whose ticket was taken is done."""
    add_atomic(board, FINISHED, 1)


@kernel
def await_tasks(board: Ints, tasks: int) -> None:
    """Wait until so many tasks of the round are done."""
    looks = 0
    while load_atomic(board, FINISHED) < tasks:
        looks += 1
        if looks < _SPINS:
            pause()
        else:
            yield_thread()


@kernel
def await_round(board: Ints) -> int:
    """Wait, as a helper, until there are tickets: of what kind; 0: helpers are to leave."""
    looks = 0
    while load_atomic(board, QUIT) == 0:
        kind = waiting_kind(board)
        if kind != 0:
            return kind
        looks += 1
        if looks < _SPINS:
            pause()
        elif looks < _YIELDS:
            yield_thread()
        else:
            sleep_briefly()
    return 0
