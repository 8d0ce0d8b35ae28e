"""Who may lie down beside others that move: a pile falls asleep from the ground up."""

from __future__ import annotations

import pytest

from engine import World
from engine.group.lying_down import _keep_awake
from engine.model import state as s
from tests.groups import Group, gathered
from tests.scenes import body, floor, scene

pytestmark = pytest.mark.plain


def tower() -> Group:
    """Three boxes on each other, whose loads are known."""
    boxes = [body(name, {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505 + 0.1005 * k)) for k, name in enumerate("abc")]
    world = World(scene(floor(), *boxes, envelope=1e-3))
    world.advance_to(0.02)
    return gathered(world)


@pytest.mark.parametrize(
    ("rests", "may_lie"),
    [((1, 1, 1), (1, 1, 1)), ((1, 1, 0), (1, 1, 0)), ((1, 0, 1), (1, 0, 0)), ((0, 1, 1), (0, 0, 0))],
)
def test_what_lies_on_what_moves_stays_awake(rests: tuple[int, ...], may_lie: tuple[int, ...]) -> None:
    group = tower()
    assert group.bodies == 3
    for name, one in zip("abc", rests, strict=True):
        group.work.root[group.state.members[group.world.row(name), s.LOCAL]] = one
    while _keep_awake(group.model, group.state, group.work):
        pass
    found = [int(group.work.root[group.state.members[group.world.row(name), s.LOCAL]]) for name in "abc"]
    assert found == list(may_lie)
