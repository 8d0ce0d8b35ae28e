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
from engine.recording.events import EVENT_KINDS
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.tolerances import STIRRED_BY
from tests.momentum import lost_part, wakes_next
from tests.scenes import body, floor, scene

ACCOUNTED = 1e-6
FIRST_ORDER = {"assembly"}
"""Nothing has momentum there: its forces are held against drag in tests/unit/first_order."""
SCENES = sorted({path.stem for path in (Path(__file__).parents[2] / "scenes").glob("*.toml")} - FIRST_ORDER)
LARGE = {"brick_wall", "coin_shower", "domino_spiral", "vibrating_feeder"}
THOUSANDS = {"convex_pile", "sphere_pile"}
"""Of bodies, in very many events: of each kind there are fewer."""


def pile(name: str, each: int) -> Scene:
    """A pile of the gallery with so many of each kind."""
    said = load_scene(name)
    for kind in said.repeat:
        if kind.pour:
            said = set_path(said, f"repeat.{kind.name}.pour.count", each)
    return said


@pytest.mark.parametrize("since", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("name", [name for name in SCENES if name not in LARGE | THOUSANDS])
def test_forces_and_impulses_account_for_every_change_of_momentum(name: str, since: float) -> None:
    assert lost_part(World(load_scene(name)), since) < ACCOUNTED


def test_they_do_where_dice_rock_to_rest() -> None:
    """A die that stands at the turn of its rocking is pressed where it stands, and falls no further for its weight."""
    assert lost_part(World(load_scene("superquadric_dice")), 2.5) < ACCOUNTED


@pytest.mark.parametrize("since", [0.1, 0.4, 1.0])
@pytest.mark.parametrize(("name", "each"), [("convex_pile", 8), ("sphere_pile", 12)])
def test_they_do_in_a_pile_that_falls_and_lies(name: str, each: int, since: float) -> None:
    assert lost_part(World(pile(name, each)), since) < ACCOUNTED


def box_that_comes_down(contact: str) -> World:
    """On another one that lies, a little aslant: at corner after corner it is arrested, at several of them at once."""
    low = body("low", {"box": [0.3, 0.3, 0.1]}, (0, 0, 0.05 + 5e-5))
    turns = {"velocity": [0.5, 0.2, -1.0], "angular_velocity": [0.1, 0.2, 1.0]}
    box = body("box", {"box": [0.2, 0.2, 0.1]}, (0.03, 0, 0.25), **turns)
    return World(scene(floor(), low, box, restitution=0.0, contact=contact))


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
def test_arrests_are_reported_with_their_couples(contact: str) -> None:
    world = box_that_comes_down(contact)
    world.advance_to(0.3)
    events = world.events()
    arrests = events[events["kind"] == EVENT_KINDS.index("arrest")]
    assert len(arrests) > 3
    assert np.abs(arrests["couple"]).max() > 1e-3
    assert lost_part(box_that_comes_down(contact), 0.0, 0.3) < 1e-9


def tumbling_tetrahedra(seed: int) -> World:
    """Three that fall together and meet: contacts last for a step or two, which the next hit cuts short."""
    random = np.random.default_rng(seed)
    corners = [[0.06, 0.06, 0.06], [0.06, -0.06, -0.06], [-0.06, 0.06, -0.06], [-0.06, -0.06, 0.06]]
    solids = []
    for k in range(3):
        angle = 2.0 * np.pi * k / 3
        place = 0.16 * np.array([np.cos(angle), np.sin(angle), 0.2 * random.normal()])
        attitude = random.normal(size=4)
        turns = {
            "velocity": (-place).tolist(),
            "angular_velocity": (3.0 * random.normal(size=3)).tolist(),
            "orientation": (attitude / np.linalg.norm(attitude)).tolist(),
        }
        solids.append(body(f"solid{k}", {"convex": {"vertices": corners}}, place, **turns))
    return World(scene(*solids, restitution=0.0, contact="constraint"))


@pytest.mark.parametrize(("seed", "since"), [(24, 0.5), (8, 0.4), (25, 0.55)])
def test_they_do_where_hits_cut_the_steps_of_what_falls_freely(seed: int, since: float) -> None:
    assert lost_part(tumbling_tetrahedra(seed), since) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LARGE))
def test_they_do_in_a_crowd(name: str) -> None:
    assert lost_part(World(load_scene(name)), 0.1) < ACCOUNTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "each", "since", "window"),
    [
        ("convex_pile", 400, 0.12, 0.005),
        ("convex_pile", 40, 1.0, 0.05),
        ("sphere_pile", 250, 0.5, 0.05),
    ],
)
def test_they_do_in_a_large_pile(name: str, each: int, since: float, window: float) -> None:
    """With what sleep is told to bear, beside bodies that move: no more than it may."""
    world = World(pile(name, each))
    assert lost_part(world, since, window, by_sleep=True) < ACCOUNTED
    weight = world.model.bodies[:, m.MASS] * 9.81
    kept = world.asleep() & ~wakes_next(world)
    assert np.all(np.linalg.norm(world.held_by_sleep()[kept, :3], axis=1) <= STIRRED_BY * weight[kept])
