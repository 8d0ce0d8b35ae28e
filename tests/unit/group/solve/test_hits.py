"""What still flies in is stopped where it does, as far as that goes on, and nothing else is touched."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.end_gaps import least_within
from engine.group.solve.hits import flies_in, stop_points
from engine.group.work import Work
from tests.groups import H, inverse_mass, jacobian, resting

pytestmark = pytest.mark.plain
GROUND = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}}
MANY = 10_000


def column(n: int, times: float) -> tuple[Work, float]:
    """n balls on each other, at rest, but for the uppermost, which comes down so many times as fast as it may; how fast
    one may come [m/s]."""
    balls = [
        {
            "name": f"b{k}",
            "shape": {"sphere": {"radius": 0.1}},
            "position": [0.0, 0.0, 0.1 + 0.2 * k + 1e-4 * (k + 1)],
        }
        for k in range(n)
    ]
    work = resting(GROUND, *balls).work
    points = slice(0, work.sizes[wk.CONTACTS])
    gap, envelope = work.notes[points, wk.GAP_AT], work.notes[points, wk.ENVELOPE_AT]
    may = 2.0 / H * np.min([g - least_within(e, g) for g, e in zip(gap, envelope, strict=True)])
    work.contacts[points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = work.contacts[points, wk.TARGET] = 0.0
    work.twists[:, wk.V_END : wk.V_END + 6] = 0.0
    work.twists[np.argmax(work.body[:n]), wk.V_END + 2] = -times * may
    return work, float(may)


def velocities(work: Work) -> np.ndarray:
    return work.twists[: work.sizes[wk.BODIES], wk.V_END : wk.V_END + 6].copy()


@pytest.mark.parametrize("times", [0.9, 1.9, 5.0, 40.0])
def test_a_hit_goes_on_as_far_as_something_flies_in(times: float) -> None:
    work, may = column(20, times)
    before = velocities(work)
    assert flies_in(work, H) == (times > 1.0)
    made, ends = stop_points(work, MANY, MANY, inf)
    assert ends
    assert made == 0 if times < 1.0 else 0 < made < MANY
    assert not flies_in(work, H)
    after = velocities(work)
    p = work.contacts[: work.sizes[wk.CONTACTS], wk.IMPULSE_AT : wk.IMPULSE_AT + 3]
    assert np.all(p[:, 0] >= 0.0)
    change = inverse_mass(work) @ jacobian(work).T @ p.ravel()
    assert after.ravel() == pytest.approx(before.ravel() + change, abs=1e-12)
    assert (after**2).sum() <= (before**2).sum()
    struck = np.abs(after[np.argsort(work.body[:20]), 2]) > 0.0  # from the lowest on
    assert struck[-1] and np.array_equal(struck, np.sort(struck)), "from above, none is passed over"
    assert struck.sum() == 1 if times < 1.0 else struck.sum() > 1
    assert struck.sum() < 20 or times > 5.0, "what rests far below knows nothing of it"


def test_it_ends_where_it_may_go_no_further() -> None:
    work, _ = column(20, 5.0)
    assert flies_in(work, H)
    assert stop_points(work, 2, MANY, inf) == (2, False)
    assert flies_in(work, H)


def test_where_hits_are_at_many_points_none_is_stopped_by_itself() -> None:
    work, may = column(20, 5.0)
    work.twists[np.argsort(work.body[:20]), wk.V_END + 2] = -5.0 * may * np.arange(1, 21)  # faster than the one below
    assert flies_in(work, H)
    before = velocities(work)
    assert stop_points(work, MANY, 8, inf) == (0, False)
    assert np.array_equal(velocities(work), before)
    made, ends = stop_points(work, MANY, 20, inf)
    assert ends and made > 20


def test_nothing_is_left_to_do_a_second_time() -> None:
    work, _ = column(20, 5.0)
    assert flies_in(work, H)
    stop_points(work, MANY, MANY, inf)
    assert stop_points(work, MANY, MANY, inf) == (0, True)


@pytest.mark.parametrize("small", [1e-3, 1e-6])
def test_what_bears_a_hit_is_asked_again_until_it_changes_by_little(small: float) -> None:
    work, may = column(6, 40.0)
    assert flies_in(work, H)
    roughly, _ = stop_points(work, MANY, MANY, inf)
    work, _ = column(6, 40.0)
    assert flies_in(work, H)
    made, ends = stop_points(work, MANY, MANY, small * may)
    assert ends and made > roughly
    points = slice(0, work.sizes[wk.CONTACTS])
    u = jacobian(work) @ velocities(work).ravel()
    bears = work.contacts[points, wk.IMPULSE_AT] > 0.0
    assert bears.any()
    assert np.abs(u[::3][bears]).max() < 20 * small * may, "they are stopped"
