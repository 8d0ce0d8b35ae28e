"""One thread and many give the same bits: what is computed does not depend on who computes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine import World, helpers, load_scene
from engine.group.work import DOMAINS, Work
from engine.helpers import default_threads
from engine.model.model import Model
from engine.model.state import GROUP_STEPS, State
from engine.resources import scenes_dir
from engine.rounds import HELPERS, QUIT, WORTH
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.scenes import body, floor, scene

STEPS_A_SECOND = 240
GALLERY = sorted(file.stem for file in scenes_dir().glob("*.toml"))
SLOW = {"sphere_pile": 0.165, "convex_pile": 0.25, "domino_spiral": 0.2}
"""How far the largest scenes are run [s]: until a group of the piles is large."""
SHARED = {"sphere_pile", "convex_pile", "brick_wall", "card_house", "pool_break"}
"""Scenes with groups so large that there are tasks to share within that time."""


def eager(given: Scene, threads: int, worth: int = 8) -> World:
    """A world that calls for help as soon as there are a few tasks to share."""
    world = World(set_path(given, "world.threads", threads), python="run")
    world._desk.work.rounds.board[WORTH] = worth
    return world


def digest(given: Scene, threads: int, until: float, chunks: int = 1, worth: int = 8) -> tuple[str, dict[str, int]]:
    world = eager(given, threads, worth)
    for k in range(1, chunks + 1):
        world.advance_to(until * k / chunks)
    return world.digest, world.counters


def heap(rolling: float = 0.0, wide: int = 5) -> Scene:
    """Balls and cubes that fall onto each other: a group of some two hundred contacts, or more."""
    given = scene(
        floor(),
        *[
            body(
                f"b{i}{j}{k}",
                {"sphere": {"radius": 0.05}} if (i + j + k) % 3 else {"box": [0.09, 0.09, 0.09]},
                (0.11 * i + 0.013 * (k % 2), 0.11 * j + 0.007 * k, 0.06 + 0.11 * k),
            )
            for i in range(wide)
            for j in range(wide)
            for k in range(4)
        ],
        friction=0.4,
    )
    for what in ("rolling_resistance", "spinning_resistance"):
        given = set_path(given, f"material.m.{what}", rolling)
    return given


@pytest.mark.parametrize("rolling", [0.0, 1e-3])
def test_a_heap_is_the_same_to_the_bit_however_many_threads_share_its_steps(rolling: float) -> None:
    alone = digest(heap(rolling), 1, 0.4)
    assert alone[1]["group_sweeps"] > 1000
    assert digest(heap(rolling), 2, 0.4) == alone
    assert digest(heap(rolling), 5, 0.4, chunks=30) == alone


def test_a_heap_that_is_cut_into_domains_is_the_same_to_the_bit_however_many_threads_sweep_them() -> None:
    large = heap(wide=11)
    world = World(large)
    world.advance_to(0.3)
    assert world._desk.work.sizes[DOMAINS] > 2
    alone = digest(large, 1, 0.3)
    assert digest(large, 2, 0.3) == alone
    assert digest(large, 5, 0.3, chunks=10) == alone


def test_helpers_come_to_first_order_worlds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[int] = []
    load = helpers.load_help
    monkeypatch.setattr(helpers, "load_help", lambda *given: came.append(1) or load(*given))
    slow = set_path(heap(wide=11), "world.order", 1)
    alone = digest(slow, 1, 0.2)
    assert digest(slow, 2, 0.2) == alone
    assert came


def test_helpers_come_where_there_is_work_to_share_and_leave_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[int] = []
    load = helpers.load_help
    monkeypatch.setattr(helpers, "load_help", lambda *given: came.append(1) or load(*given))
    world = eager(heap(), 3)
    board = world._desk.work.rounds.board
    world.advance_to(0.05)
    assert not came  # everything still falls
    world.advance_to(0.4)
    assert came
    assert board[HELPERS] == 0 and board[QUIT] == 1
    came.clear()
    eager(heap(), 1).advance_to(0.4)
    World(set_path(heap(), "world.threads", 3)).advance_to(0.4)
    assert not came, "there is nobody, or not enough to do"


def test_helpers_come_for_every_large_step_of_a_run_in_slices_that_are_shorter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a window runs it: most calls meet no step at all, and none meets two."""
    helped: list[int] = []
    helping = helpers.Helpers._helping

    @contextmanager
    def watched(self: helpers.Helpers, model: Model, state: State, work: Work) -> Iterator[None]:
        before = int(state.counts[GROUP_STEPS])
        with helping(self, model, state, work):
            yield
        helped.append(int(state.counts[GROUP_STEPS]) - before)

    monkeypatch.setattr(helpers.Helpers, "_helping", watched)
    world = eager(heap(), 2)
    world.advance_to(0.3)
    helped.clear()
    for k in range(1, 401):
        world.advance_to(0.3 + 2.5e-4 * k)
    assert sum(helped) >= 0.1 * STEPS_A_SECOND - 1
    assert 0 not in helped, "and for nothing else"
    assert world.digest == digest(heap(), 2, 0.4)[0]


def test_the_number_of_threads_can_be_told_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_THREADS", "7")
    assert default_threads() == 7
    assert World(scene(floor()))._helpers.threads == 7
    assert World(set_path(scene(floor()), "world.threads", 2))._helpers.threads == 2
    for told in ("", "none", "0"):
        monkeypatch.setenv("CAROM_THREADS", told)
        assert default_threads() == min(len(os.sched_getaffinity(0)), 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_every_scene_of_the_gallery_is_the_same_for_one_two_and_eight_threads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[int] = []
    load = helpers.load_help
    monkeypatch.setattr(helpers, "load_help", lambda *given: came.append(1) or load(*given))
    until = SLOW.get(name, 1.0)
    alone = digest(load_scene(name), 1, until, worth=1)
    assert digest(load_scene(name), 2, until, worth=1) == alone
    assert digest(load_scene(name), 8, until, worth=1) == alone
    assert len(came) == 2 or name not in SHARED, "helpers of two threads and of eight"
