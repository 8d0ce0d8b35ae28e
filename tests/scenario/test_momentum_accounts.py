"""What the world reports of forces and impulses accounts for every change of momentum, of every free body by itself.

m dv = gravity + impulses + forces, and the same of angular momentum about its own centre, over 50 ms of every gallery
scene; as parts of what its weight gives in that time, at the centre and at its rim.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import World, load_scene
from engine.model import model as m
from tests.momentum import Account

WINDOW = 0.05
FIRST_ORDER = {"assembly"}
"""Nothing has momentum there: its forces are held against drag in tests/unit/first_order."""
SCENES = sorted({path.stem for path in (Path(__file__).parents[2] / "scenes").glob("*.toml")} - FIRST_ORDER)
LARGE = {"brick_wall", "coin_shower", "domino_spiral", "vibrating_feeder"}
THOUSANDS = {"convex_pile", "sphere_pile"}
"""Of bodies, in too many events to look at the forces after each."""


def check_accounts(name: str, since: float) -> None:
    """By body: `lost` [N s], [N m s] is what nothing accounts for."""
    world = World(load_scene(name))
    account = Account(world)
    lost = account.run(since, since + WINDOW)
    rows = world.model.bodies[account.free]
    scale = rows[:, m.MASS] * (np.linalg.norm(world.scene.world.gravity) or 1.0) * WINDOW
    scale *= 1e-6
    assert (np.abs(lost[:, :3]) < scale[:, None]).all()
    assert (np.abs(lost[:, 3:]) < (scale * rows[:, m.RADIUS])[:, None]).all()


@pytest.mark.parametrize("since", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("name", [name for name in SCENES if name not in LARGE | THOUSANDS])
def test_forces_and_impulses_account_for_every_change_of_momentum(name: str, since: float) -> None:
    check_accounts(name, since)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LARGE))
def test_they_do_in_a_crowd(name: str) -> None:
    check_accounts(name, 0.1)
