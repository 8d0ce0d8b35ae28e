"""Rounds of tasks: each is done once, whoever helps, and no batch before the one that it waits for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.arrays import Ints
from engine.atomic import add_atomic
from engine.kernel import kernel
from engine.rounds import (
    BATCH_END,
    HELPERS,
    MOST_HELPERS,
    QUIT,
    TASK_FIRST,
    TASK_KIND,
    TASK_LAST,
    TASKS,
    THREAD,
    WORTH,
    Rounds,
    add_batch,
    await_round,
    clear_tasks,
    enter_round,
    finish_task,
    lacks_helpers,
    make_rounds,
    note_step,
    of_thread,
    open_round,
    take_task,
)

KIND = 3
BATCH = 10  # tasks: those of a batch wait for all of the batch before


@kernel
def _take_part(rounds: Rounds, counts: Ints, early: Ints) -> int:
    """Count how often each task is done, and note one that is begun before the batch before is done; how many were
    done here."""
    done = 0
    while True:
        task = take_task(rounds)
        if task < 0:
            return done
        for before in range(task // BATCH * BATCH):
            if counts[before] == 0:
                early[0] = 1
        add_atomic(counts, task, 1)
        finish_task(rounds)
        done += 1


@kernel
def _lead(rounds: Rounds, counts: Ints, early: Ints, many: int, tasks: int) -> int:
    """Open so many rounds, every other one of fewer tasks; how many were done here, -1: one was done twice, or not."""
    done = 0
    for n in range(many):
        own = tasks if n % 2 == 0 else tasks // 3
        clear_tasks(rounds)
        for k in range(tasks):
            counts[k] = 0
        for first in range(0, own, BATCH):
            add_batch(rounds, n, first, min(first + BATCH, own), 1)
        open_round(rounds, KIND)
        done += _take_part(rounds, counts, early)
        for k in range(tasks):
            if counts[k] != (1 if k < own else 0):
                return -1
    return done


@kernel
def _help(rounds: Rounds, counts: Ints, early: Ints) -> int:
    done = 0
    while await_round(rounds) == KIND:
        done += _take_part(rounds, counts, early)
    return done


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_every_task_is_done_once_and_in_its_batch(helpers: int) -> None:
    many, tasks = 2_000, 37
    rounds, counts, early = make_rounds(tasks, helpers + 1), np.zeros(tasks, np.int64), np.zeros(1, np.int64)
    _lead(rounds, counts, early, 1, 1)  # compiled
    rounds.board[HELPERS] = helpers
    with ThreadPoolExecutor(helpers + 1) as pool:
        helping = [pool.submit(_help, of_thread(rounds, 1 + n), counts, early) for n in range(helpers)]
        done = _lead(rounds, counts, early, many, tasks)
        rounds.board[QUIT] = 1
        helped = sum(one.result(60) for one in helping)
    assert early[0] == 0
    assert done >= 0
    assert done + helped == many // 2 * (tasks + tasks // 3)


@pytest.mark.plain
def test_helpers_are_lacked_by_steps_like_those_that_could_have_used_them() -> None:
    rounds = make_rounds(25, 2)

    def make_step(bodies: int, tasks: int) -> None:
        clear_tasks(rounds)
        add_batch(rounds, 1, 0, tasks, 1)
        open_round(rounds, KIND)
        note_step(rounds, bodies)

    rounds.board[WORTH] = 25
    make_step(60, 24)
    assert not lacks_helpers(rounds, 60)
    make_step(60, 25)
    assert lacks_helpers(rounds, 60) and lacks_helpers(rounds, 30) and lacks_helpers(rounds, 200)
    assert not lacks_helpers(rounds, 29) and not lacks_helpers(rounds, 0)
    make_step(20, 5)
    assert lacks_helpers(rounds, 60), "what a smaller group does tells nothing"
    make_step(60, 24)
    assert not lacks_helpers(rounds, 60), "it is worth them no longer"


@pytest.mark.plain
def test_one_thread_does_all_of_a_round_and_says_that_it_could_have_used_another() -> None:
    rounds, counts, early = make_rounds(25, 1), np.zeros(25, np.int64), np.zeros(1, np.int64)
    board = rounds.board
    board[WORTH] = 25
    assert _lead(rounds, counts, early, 3, 25) == 25 + 8 + 25
    note_step(rounds, 60)
    assert not lacks_helpers(rounds, 60)  # nobody may help
    board[MOST_HELPERS] = 1
    assert lacks_helpers(rounds, 60)
    board[HELPERS] = 1
    assert not lacks_helpers(rounds, 60)  # all are there
    assert take_task(rounds) == -1
    board[QUIT] = 1
    assert await_round(rounds) == 0


@pytest.mark.plain
def test_tasks_are_of_a_kind_and_do_some_of_what_it_is_about() -> None:
    rounds = make_rounds(10, 1)
    add_batch(rounds, 5, 0, 7, 3)
    add_batch(rounds, 6, 2, 2, 1)  # nothing to do
    add_batch(rounds, 7, 4, 6, 1)
    assert rounds.board[TASKS] == 5
    assert rounds.tasks[:5, [TASK_KIND, TASK_FIRST, TASK_LAST]].tolist() == [
        [5, 0, 3],
        [5, 3, 6],
        [5, 6, 7],
        [7, 4, 5],
        [7, 5, 6],
    ]
    assert rounds.tasks[0, BATCH_END] == 3
    assert rounds.tasks[3, BATCH_END] == 5
    clear_tasks(rounds)
    open_round(rounds, KIND)
    assert take_task(rounds) == -1


@pytest.mark.plain
def test_a_thread_takes_its_own_share_first_and_then_what_others_have_left() -> None:
    leads = make_rounds(8, 2)
    helps = of_thread(leads, 1)
    assert (leads.own[THREAD], helps.own[THREAD]) == (0, 1)
    leads.board[HELPERS] = 1
    add_batch(leads, 0, 0, 8, 1)
    open_round(leads, KIND)
    assert await_round(helps) == KIND
    assert [take_task(leads) for _ in range(3)] == [0, 1, 2]
    assert [take_task(helps) for _ in range(5)] == [4, 5, 6, 7, 3]


@pytest.mark.plain
def test_who_comes_late_takes_nothing_of_the_next_round() -> None:
    leads = make_rounds(8, 2)
    late = of_thread(leads, 1)
    leads.board[HELPERS] = 1
    add_batch(leads, 0, 0, 4, 1)
    open_round(leads, KIND)
    assert enter_round(late) == KIND
    for task in range(4):
        assert take_task(leads) == task
        finish_task(leads)
    assert take_task(leads) == -1
    clear_tasks(leads)
    add_batch(leads, 0, 0, 8, 1)
    open_round(leads, KIND + 1)
    assert take_task(late) == -1
    assert await_round(late) == KIND + 1
    assert take_task(late) == 4


@pytest.mark.plain
def test_who_comes_after_a_round_takes_no_part_in_it() -> None:
    leads = make_rounds(8, 2)
    leads.board[HELPERS] = 1
    add_batch(leads, 0, 0, 1, 1)
    open_round(leads, KIND)
    assert take_task(leads) == 0
    finish_task(leads)
    leads.board[HELPERS] = 0
    clear_tasks(leads)
    add_batch(leads, 0, 0, 8, 1)
    open_round(leads, KIND)  # alone
    helps = of_thread(leads, 1)
    leads.board[QUIT] = 1
    assert await_round(helps) == 0
    leads.board[QUIT], leads.board[HELPERS] = 0, 1
    open_round(leads, KIND)
    assert await_round(helps) == KIND
