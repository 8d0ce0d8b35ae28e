"""Trying a step: what ends too near is corrected or refused, and so is what dips on the way."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.end_gaps import least_gap
from engine.group.gaps import try_step
from engine.group.solve.impulses import least_change, solve_step
from engine.model import state as s
from engine.tolerances import BAND_LOW
from tests.groups import G, Group, H, energy, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
ENVELOPE = 1e-3
PLENTY = 1e9
"""Energy that no step needs [J]."""


def box_at(gap: float, shape: dict[str, object] | None = None) -> Group:
    """A box over a floor, so many envelopes high, and its end velocities found."""
    height = 0.05 + gap * ENVELOPE
    group = resting(floor(), body("box", shape or {"box": [0.2, 0.2, 0.1]}, (0, 0, height)), envelope=ENVELOPE)
    solve_step(group.model, group.state, group.work, 0.0, H, False, least_change(group.model.settings))
    return group


def try_(group: Group, ceiling: float = PLENTY) -> int:
    return try_step(group.model, group.state, group.work, 0.0, H, ceiling)


def gap_at_end(group: Group) -> float:
    return float(group.state.pairs[group.work.pair[0], s.GAP])


@pytest.mark.parametrize(
    ("before", "least"), [(1.0, 0.02), (0.02, 0.02), (0.01, 0.01), (1e-6, 1e-6)], ids=lambda x: f"{x}"
)
def test_the_least_gap_is_a_part_of_the_envelope_or_what_there_was(before: float, least: float) -> None:
    found = least_gap(ENVELOPE, before * ENVELOPE)
    assert found == pytest.approx(least * ENVELOPE, rel=1e-6)
    assert found <= before * ENVELOPE


@pytest.mark.parametrize("gap", [0.03, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_what_lies_in_its_envelope_may_go_on(gap: float) -> None:
    group = box_at(gap)
    assert try_(group) == 0
    # Below the band it is lifted to it, inside it stays, above it may sink, but not out of it.
    after = gap_at_end(group) / ENVELOPE
    if gap < BAND_LOW:
        assert after == pytest.approx(BAND_LOW, rel=1e-3)
    elif gap <= 0.75:
        assert after == pytest.approx(gap, rel=1e-6)
    else:
        assert 0.74 < after < gap - 0.05


def test_poses_at_the_end_are_those_of_the_mean_velocities() -> None:
    group = box_at(0.5)
    twists, poses = group.work.twists, group.work.poses
    twists[0, wk.V : wk.V + 3] = [0.3, 0.0, 0.0]
    twists[0, wk.V_END : wk.V_END + 3] = [0.1, 0.2, 0.0]
    assert try_(group) == 0
    assert poses[0, wk.X_END : wk.X_END + 3] - poses[0, wk.X : wk.X + 3] == pytest.approx([0.2 * H, 0.1 * H, 0.0])


@pytest.mark.parametrize("speed", [0.05, 0.2, 0.4])
def test_what_would_sink_is_corrected_or_refused(speed: float) -> None:
    """Velocities that the solver would not leave: half an envelope is 0.24 m/s for half a step's mean."""
    group = box_at(0.5)
    group.work.twists[0, [wk.V + 2, wk.V_END + 2]] = -speed
    sinks = speed * H > 0.48 * ENVELOPE
    points = group.work.sizes[wk.CORRECTED]
    bad = try_(group)
    assert (group.work.sizes[wk.CORRECTED] > points) == sinks
    assert bad == 0
    assert gap_at_end(group) > least_gap(ENVELOPE, 0.5 * ENVELOPE)
    lift = float(group.work.twists[0, wk.V_PSEUDO + 2])
    assert (lift > 0.0) == sinks


def test_without_energy_for_it_nothing_is_lifted_and_nothing_is_slowed_down() -> None:
    """No force would have done it."""
    group = box_at(0.1)
    before = group.work.twists[0, wk.V_END : wk.V_END + 6].copy()
    assert group.work.twists[0, wk.V_PSEUDO + 2] > 0.0
    assert try_(group, ceiling=energy(group, wk.X, wk.V)) == 0
    assert group.work.twists[0, wk.V_PSEUDO + 2] == pytest.approx(0.0, abs=1e-9)
    assert group.work.twists[0, wk.V_END : wk.V_END + 6] == pytest.approx(before, abs=0.0)
    assert gap_at_end(group) == pytest.approx(0.1 * ENVELOPE, rel=1e-6)


@pytest.mark.parametrize(("start", "bad"), [(-0.05, 0), (-1.0, 1)])
def test_what_dips_on_the_way_is_seen(start: float, bad: int) -> None:
    """Down first and up again: the gap at the end is what it was."""
    group = box_at(0.5)
    group.work.twists[0, wk.V + 2], group.work.twists[0, wk.V_END + 2] = start, -start
    assert (try_(group) > 0) == bool(bad)
    assert gap_at_end(group) == pytest.approx(0.5 * ENVELOPE, rel=1e-6)


@pytest.mark.parametrize(("speed", "bad"), [(1.5, 0), (2.4, 1)])
def test_a_short_dip_is_seen(speed: float, bad: int) -> None:
    """In the first tenth of a step, by how joints bend its path: velocities at both ends and what is a quarter of the
    step later tell nothing of it. With u = -speed and the flow -5 u / 3 it is h (u s - 5 u / 3 (3 s^2 - 2 s^3))."""
    group = box_at(0.5)
    group.work.twists[0, [wk.V + 2, wk.V_END + 2]] = -speed
    group.work.twists[0, wk.V_FLOW + 2] = speed * 5.0 / 3.0
    s = np.linspace(0.0, 1.0, 1001)
    gap = 0.5 * ENVELOPE - H * speed * (s - 5.0 / 3.0 * (3.0 * s**2 - 2.0 * s**3))
    assert (gap.min() < 0.02 * ENVELOPE) == bool(bad)
    assert gap[250:].min() > 0.49 * ENVELOPE
    assert (try_(group) > 0) == bool(bad)


def test_a_corner_that_passes_below_on_the_way_is_seen() -> None:
    """A thin plank on edge that turns by a quarter: clear at both ends, not between."""
    group = box_at(0.5, {"box": [0.1, 0.2, 0.1]})
    quarter = 0.5 * np.pi / H
    group.work.twists[0, [wk.W + 1, wk.W_END + 1]] = quarter
    group.work.twists[0, [wk.V + 2, wk.V_END + 2]] = 0.0
    assert try_(group) > 0


def test_the_energy_at_the_end_is_no_more_than_allowed() -> None:
    """Half of what lifting the box into its band takes lifts it half as far."""
    group = box_at(0.05)
    had = energy(group, wk.X, wk.V)
    mass = 1.0 / group.work.twists[0, wk.INV_M]
    allowed = had + 0.5 * mass * G * 0.2 * ENVELOPE
    assert try_(group, ceiling=allowed) == 0
    assert energy(group, wk.X_END, wk.V_END) == pytest.approx(allowed, rel=1e-12)
    assert gap_at_end(group) == pytest.approx(0.15 * ENVELOPE, rel=1e-4)
