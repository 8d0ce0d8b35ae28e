"""What is known of a sleeper without a step of its own; whole runs are in tests/scenario/test_sleepers.py."""

from __future__ import annotations

import pytest

from engine import World
from engine.group.sleepers import knows_loads
from engine.model import state as s
from tests.scenes import body, floor, scene

pytestmark = pytest.mark.plain


def test_what_lies_on_the_awake_is_known_to_bear_something() -> None:
    """One that begins asleep, and that nobody has looked at, is not."""
    boxes = [body(name, {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505 + 0.1005 * k)) for k, name in enumerate("ab")]
    world = World(scene(floor(), *boxes, envelope=1e-3))
    state, row = world._state, world.row("b")
    assert not knows_loads(state, row)
    world.advance_to(0.02)
    state.arcs[row, s.HELD] = s.ASLEEP
    assert state.arcs[world.row("a"), s.HELD] == s.STEPPING
    assert knows_loads(state, row)
