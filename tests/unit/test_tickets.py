"""Rounds of tasks: each is done once, whoever helps, and none before those that it waits for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.arrays import Ints
from engine.atomic import add_atomic, store_atomic
from engine.kernel import kernel
from engine.tickets import (
    BOARD_WIDTH,
    HELPERS,
    MOST_HELPERS,
    QUIT,
    await_round,
    await_tasks,
    finish_task,
    lacks_helpers,
    open_round,
    take_ticket,
)

KIND = 3
STAGE = 10  # tasks: those of a stage wait for all of the stage before


@kernel
def _take_part(board: Ints, counts: Ints, early: Ints, me: int) -> int:
    """Count what each task finds done of the stage before; how many tasks were done here."""
    done = 0
    while True:
        ticket = take_ticket(board, KIND)
        if ticket < 0:
            return done
        first = ticket // STAGE * STAGE
        await_tasks(board, first)
        for before in range(first):
            if counts[before] == 0:
                early[0] = 1
        add_atomic(counts, ticket, 1)
        finish_task(board)
        done += 1


@kernel
def _lead(board: Ints, counts: Ints, early: Ints, rounds: int, tasks: int) -> int:
    done = 0
    for _ in range(rounds):
        for k in range(tasks):
            store_atomic(counts, k, 0)
        open_round(board, KIND, tasks)
        done += _take_part(board, counts, early, 0)
        await_tasks(board, tasks)
        for k in range(tasks):
            if counts[k] != 1:
                return -1
    return done


@kernel
def _help(board: Ints, counts: Ints, early: Ints) -> int:
    done = 0
    while await_round(board) == KIND:
        done += _take_part(board, counts, early, 1)
    return done


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_every_task_is_done_once_and_in_its_stage(helpers: int) -> None:
    rounds, tasks = 2_000, 37
    board, counts = np.zeros(BOARD_WIDTH, dtype=np.int64), np.zeros(tasks, dtype=np.int64)
    early = np.zeros(1, dtype=np.int64)
    _lead(board, counts, early, 1, 1)  # compiled
    with ThreadPoolExecutor(helpers + 1) as pool:
        helping = [pool.submit(_help, board, counts, early) for _ in range(helpers)]
        done = _lead(board, counts, early, rounds, tasks)
        board[QUIT] = 1
        helped = sum(one.result(60) for one in helping)
    assert early[0] == 0
    assert done >= 0
    assert done + helped == rounds * tasks


@pytest.mark.plain
def test_one_thread_does_all_of_a_round_and_says_that_it_could_have_used_another() -> None:
    board, counts, early = np.zeros(BOARD_WIDTH, dtype=np.int64), np.zeros(25, dtype=np.int64), np.zeros(1, np.int64)
    assert _lead(board, counts, early, 3, 25) == 75
    assert not lacks_helpers(board)  # nobody may help
    board[MOST_HELPERS] = 1
    assert lacks_helpers(board)
    board[HELPERS] = 1
    assert not lacks_helpers(board)  # all are there
    assert take_ticket(board, KIND) == -1
    board[QUIT] = 1
    assert await_round(board) == 0


@pytest.mark.plain
def test_a_ticket_is_for_tasks_of_its_kind_only() -> None:
    board = np.zeros(BOARD_WIDTH, dtype=np.int64)
    open_round(board, KIND, 2)
    assert await_round(board) == KIND
    assert take_ticket(board, KIND + 1) == -1
    assert [take_ticket(board, KIND) for _ in range(3)] == [0, 1, -1]
