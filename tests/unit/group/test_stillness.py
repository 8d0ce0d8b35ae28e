"""What is shaken to and fro is still; what the least net force that counts moves on is not, nor what is fast."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.group import work as wk
from engine.group.bodies import calm_speed
from engine.group.stillness import has_been_still, look_whether_still, stir
from engine.model import model as m
from engine.model import state as s
from engine.tolerances import NET_SMALL, STILL_STEPS
from tests.groups import G, Group, H, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
BOX = 1
SIZE = 0.1


def box() -> Group:
    return resting(floor(), body("box", {"box": [SIZE, SIZE, SIZE]}, (0, 0, 0.0505)), envelope=1e-3)


def found_still(
    group: Group, where: Callable[[int], float], speed: float = 0.0, steps: float = 2 * STILL_STEPS
) -> bool:
    """After so many steps, before each of which the box is so far along x and after which it is so fast."""
    start = float(group.work.poses[0, wk.X])
    group.work.twists[0, wk.V_END] = speed
    for k in range(int(steps) + 1):
        group.work.poses[0, wk.X] = start + where(k)
        look_whether_still(group.model, group.state, group.work, 0, k * H, H)
    group.work.poses[0, wk.X] = start
    return has_been_still(group.model, group.state, BOX)


def test_what_is_shaken_to_and_fro_is_still() -> None:
    by = 0.2 * NET_SMALL * G * (STILL_STEPS * H) ** 2
    assert by / H > NET_SMALL * G * STILL_STEPS * H, "it is faster than the least net force makes it"
    assert found_still(box(), lambda k: by * (-1) ** k)


@pytest.mark.parametrize(("part", "still"), [(0.5, True), (2.0, False)])
def test_what_a_net_force_moves_on_is_not(part: float, still: bool) -> None:
    assert found_still(box(), lambda k: 0.5 * part * NET_SMALL * G * (k * H) ** 2, steps=STILL_STEPS + 1) == still


def test_what_turns_is_not() -> None:
    group = box()
    assert found_still(group, lambda k: 0.0)
    stir(group.state, BOX, 0.0)
    group.state.rest[BOX, s.LOOKED] = -1.0
    angle = 2.0 * NET_SMALL * G * (STILL_STEPS * H) ** 2 / group.model.bodies[BOX, m.RADIUS]
    turned = [0.5 * angle * k / STILL_STEPS for k in range(int(2 * STILL_STEPS))]
    for k, half in enumerate(turned):
        group.work.poses[0, wk.Q + 1] = half  # about x, nearly
        look_whether_still(group.model, group.state, group.work, 0, k * H, H)
    assert not has_been_still(group.model, group.state, BOX)


def test_what_is_fast_is_neither_slow_nor_still_however_near_it_stays() -> None:
    group = box()
    calm = calm_speed(group.model.settings, SIZE)
    assert found_still(group, lambda k: 0.0, speed=0.9 * calm)
    assert group.state.rest[BOX, s.CALM_SINCE] == 0.0
    assert not found_still(group, lambda k: 0.0, speed=1.1 * calm)
    assert group.state.rest[BOX, s.CALM_SINCE] == pytest.approx((2 * STILL_STEPS + 1) * H)


def test_it_is_still_no_sooner_than_it_has_been_looked_at_twice() -> None:
    assert not found_still(box(), lambda k: 0.0, steps=STILL_STEPS - 1)
