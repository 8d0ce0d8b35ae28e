"""What a step's contacts take is what its bodies lose: two sums, one of forces and one of energies."""

from __future__ import annotations

import pytest

from engine.group import work as wk
from engine.group.books import book_points
from engine.group.solve import impulses
from tests.groups import H, energy, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(("spoilt", "closes"), [(1.0, True), (1.01, False)])
def test_a_force_that_is_spoilt_by_one_percent_opens_the_balance(
    spoilt: float, closes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(work: wk.Work) -> None:
        work.contacts[:, wk.IMPULSE_AT + 1] *= spoilt
        work.contacts[:, wk.IMPULSE_AT + 2] *= spoilt
        book_points(work)

    monkeypatch.setattr(impulses, "book_points", spoil)
    sliding = body(
        "low", {"box": [0.4, 0.2, 0.2]}, (0, 0, 0.1005), velocity=[1.0, 0.5, 0], angular_velocity=[0, 0, 3.0]
    )
    carried = body("high", {"box": [0.2, 0.2, 0.2]}, (0.05, 0, 0.3010), velocity=[0.2, 0, 0])
    group = resting(floor(), sliding, carried, friction=0.3, envelope=1e-3)
    begun = energy(group, wk.X, wk.V)
    least = impulses.least_change(group.model.settings)
    impulses.solve_step(group.model, group.state, group.work, 0.0, H, False, least)
    lost = begun - float(group.work.poses[: group.bodies, wk.PURE_ENERGY].sum())
    taken = float(group.work.notes[: group.points, wk.LOST : wk.LOST + 4].sum())
    assert lost > 1e-3 * begun
    assert (abs(lost - taken) < 1e-9 * lost) == closes
