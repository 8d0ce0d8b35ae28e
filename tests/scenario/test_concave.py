"""Concave bodies and meshes: no gap of any two pieces is ever negative, nothing bumps, nothing is passed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.model.state import PART
from engine.recording.snapshot import Snapshot
from engine.scene.schema import Scene
from tests.concave import DUMBBELL, HOOK, L_SHAPE, LETTER_O, dish, grid, save
from tests.outside_gaps import OutsideGaps
from tests.scenes import body, floor, scene

KINDS = (L_SHAPE, HOOK, DUMBBELL, LETTER_O)


def falling(seed: int, count: int, *ground: dict[str, Any], folder: Path | None = None) -> Scene:
    """Concave bodies that fall upon each other, turning."""
    rng = np.random.default_rng(seed)
    bodies = [
        body(
            f"body {k}",
            KINDS[(k + seed) % len(KINDS)],
            [*rng.uniform(-0.3, 0.3, 2), 0.5 + 0.6 * k],
            orientation=rng.normal(size=4).tolist(),
            velocity=(rng.normal(size=3) - [0.0, 0.0, 2.0]).tolist(),
            angular_velocity=(5.0 * rng.normal(size=3)).tolist(),
        )
        for k in range(count)
    ]
    return scene(*ground, *bodies, friction=0.4, restitution=0.3).model_copy(update={"folder": folder})


def check_run(what: Scene, until: float, rate: float) -> World:
    world = World(what)
    outside = OutsideGaps(world)
    start = world.energy()
    scale = abs(start["kinetic"]) + abs(start["potential"])
    for k in range(1, int(rate * until) + 1):
        world.advance_to(k / rate)
        assert outside.smallest(world.poses()) > 0.0, f"at t = {world.time}"
        now = world.energy()
        assert abs(now["total"] + now["dissipated"] - now["work"] - start["total"]) <= 1e-9 * scale
    assert world.smallest_gap > 0.0
    assert world.counters["faults"] == 0
    assert world.counters["unwraps"] > 0
    assert world.counters["collisions"] > 0
    return world


def test_they_fall_on_a_plane_and_on_each_other() -> None:
    check_run(falling(0, 5, floor()), 1.0, 100.0)


@pytest.mark.parametrize("motion", ["fixed", "turning", "shaking"])
def test_they_fall_into_a_dish(motion: str, tmp_path: Path) -> None:
    how: Any = {
        "fixed": "fixed",
        "turning": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 3.0}},
        "shaking": {"oscillator": {"direction": [0.0, 1.0, 1.0], "amplitude": 0.01, "frequency": 12.0}},
    }[motion]
    ground = body("dish", save(dish(), tmp_path / "dish.obj"), motion=how)
    check_run(falling(1, 2, ground, folder=tmp_path), 0.6, 30.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ground", ["plane", "dish"])
def test_many_of_them(ground: str, seed: int, tmp_path: Path) -> None:
    below = floor() if ground == "plane" else body("dish", save(dish(), tmp_path / "dish.obj"), motion="fixed")
    check_run(falling(seed, 6, below, folder=tmp_path), 2.0, 1000.0 if ground == "plane" else 200.0)


def test_a_hook_hangs_on_a_peg() -> None:
    """A U, upside down over a bar, falls on it with the inside of its bend, swings and stays."""
    peg = body(
        "peg",
        {"capsule": {"radius": 0.04, "length": 0.4}},
        [0.0, 0.0, 1.0],
        motion="fixed",
        orientation={"axis": [0.0, 1.0, 0.0], "degrees": 90.0},
    )
    over = {"axis": [-1.0, -1.0, 1.0], "degrees": 120.0}
    world = World(scene(peg, body("hook", HOOK, [0.0, 0.0, 1.04], orientation=over), friction=0.9, restitution=0.0))
    outside = OutsideGaps(world)
    for k in range(1, 101):
        world.advance_to(k / 50.0)
        assert outside.smallest(world.poses()) > 0.0
    assert world.body("hook").position == pytest.approx((0.0, 0.0, 0.99), abs=0.03)
    assert np.linalg.norm(world.body("hook").velocity) < 0.2


def test_two_bodies_touch_in_several_places() -> None:
    """A U that lies on the floor touches it with each of its pieces; each contact carries a part of its weight."""
    world = World(scene(floor(), body("hook", HOOK, [0.0, 0.0, 0.051], mass=2.0), restitution=0.0))
    world.advance_to(1.0)
    seen: set[tuple[int, int]] = set()
    forces = []
    for k in range(50):
        world.advance_to(1.0 + 0.01 * k)
        contacts = world.contacts()
        nodes = {(int(row["node_a"]), int(row["node_b"])) for row in contacts}
        assert len(nodes) == len(contacts)
        seen |= nodes
        forces.append(abs(contacts["force"][:, 2].sum()))
    assert len(seen) == 3
    assert np.mean(forces) == pytest.approx(2.0 * 9.81, rel=0.1)


# --- sheets ---------------------------------------------------------------------------------------------------------


def roll(ground: dict[str, Any], folder: Path, velocity: list[float]) -> tuple[np.ndarray, World]:
    spin = [-velocity[1] / 0.1, velocity[0] / 0.1, 0.0]
    rolling = body(
        "ball",
        {"sphere": {"radius": 0.1}},
        [-0.9, 0.013, 0.1 + 1e-4],
        velocity=velocity,
        angular_velocity=spin,
    )
    world = World(scene(ground, rolling, restitution=0.5, envelope=4e-4).model_copy(update={"folder": folder}))
    rows = []
    for k in range(1, 151):
        world.advance_to(k / 100.0)
        rows.append([*world.body("ball").position, *world.body("ball").velocity])
    return np.array(rows), world


@pytest.mark.parametrize("velocity", [[1.0, 0.1, 0.0], [1.0, 0.0, 0.0]], ids=["across", "along an edge"])
def test_inner_edges_of_a_flat_mesh_do_not_bump(velocity: list[float], tmp_path: Path) -> None:
    """A ball rolls over 2 x 30 triangles' edges as over a plane: its velocity does not change."""
    mesh, world = roll(body("mesh", save(grid(30, 8, 0.1), tmp_path / "flat.obj"), motion="fixed"), tmp_path, velocity)
    plane, _ = roll(floor(), tmp_path, velocity)
    assert world.counters["unwraps"] > 10
    assert world.counters["collisions"] + world.counters["microcollisions"] == 0  # nor is it let go of there
    assert mesh[:, 3:5] == pytest.approx(np.broadcast_to(velocity[:2], (len(mesh), 2)), abs=1e-12)
    assert mesh[:, :2] == pytest.approx(plane[:, :2], abs=1e-10)
    assert mesh[:, 2].max() <= 0.1 + 4e-4
    assert mesh[:, 2].min() > 0.1


def test_a_ball_leaves_a_mesh_over_its_rim(tmp_path: Path) -> None:
    """The outer edges of a sheet are real: there the ball tips over and falls."""
    rows, world = roll(
        body("mesh", save(grid(20, 8, 0.1), tmp_path / "flat.obj"), motion="fixed"), tmp_path, [1.5, 0, 0]
    )
    assert rows[-1, 0] > 1.0
    assert rows[-1, 2] < 0.0
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("speed", [1.0, 1000.0])
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["from above", "from below"])
def test_bullets_do_not_pass_a_mesh_without_thickness(speed: float, side: float, tmp_path: Path) -> None:
    shape = save(grid(12, 12, 0.05), tmp_path / "sheet.obj")
    rng = np.random.default_rng(3)
    for shot, at in (({"sphere": {"radius": 0.004}}, 0.05), ({"box": [0.006, 0.004, 0.009]}, 0.0), (L_SHAPE, 0.1)):
        bullet = body(
            "bullet",
            shot,
            [at, 0.02 * at, 0.5 * side],
            velocity=[0.0, 0.0, -speed * side],
            mass=0.01,
            angular_velocity=(50.0 * rng.normal(size=3)).tolist(),
        )
        sheet = body("sheet", shape, motion="fixed")
        world = World(
            scene(sheet, bullet, gravity=(0, 0, 0), friction=0.3, restitution=0.3).model_copy(
                update={"folder": tmp_path}
            )
        )
        world.advance_to(1.2 / speed)
        assert world.counters["collisions"] > 0
        assert world.smallest_gap > 0.0
        x, y, z = world.body("bullet").position
        assert z * side > -0.3 or max(abs(x), abs(y)) > 0.3


# --- the tree of pairs ----------------------------------------------------------------------------------------------


def test_hulls_are_wrapped_up_again() -> None:
    """A hook thrown onto the floor bounces off: in the air no pair of pieces is left."""
    world = World(scene(floor(), body("hook", HOOK, [0.0, 0.0, 0.3], velocity=[0.0, 0.0, -3.0]), restitution=1.0))
    most = 0
    for k in range(1, 40):
        world.advance_to(0.01 * k)
        most = max(most, world.counters["pairs"])
        if world.counters["collisions"] and world.body("hook").position[2] > 0.35:
            break
    assert most > 2
    assert world.counters["collisions"] > 0
    assert world.counters["pairs"] <= 1
    assert not (world.snapshot().state.links[:, PART] >= 0).any()


def test_the_same_bits_through_a_snapshot_and_in_small_steps() -> None:
    what = falling(2, 4, floor())
    whole = World(what)
    whole.advance_to(0.8)
    steps = World(what)
    for k in range(1, 81):
        steps.advance_to(0.01 * k)
        if k == 50:
            kept = steps.snapshot()
    steps.advance_to(0.8)
    assert steps.digest == whole.digest
    again = World(what)
    again.restore(Snapshot.from_bytes(kept.to_bytes()))
    again.advance_to(0.8)
    assert again.digest == whole.digest
