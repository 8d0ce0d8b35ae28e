"""Models of the pybullet, mujoco and dm_control wheels: they import, and run without a gap below zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.importing.model_file import import_model, write_imported
from engine.scene.reading import load_scene, parse_scene
from tests.robots import wheel_file

URDFS = {
    "r2d2": ("r2d2.urdf", {}),
    "husky": ("husky/husky.urdf", {}),
    "laikago": ("laikago/laikago_toes.urdf", {"up": "y"}),
    "kuka": ("kuka_iiwa/model.urdf", {}),
    "humanoid": ("humanoid/humanoid.urdf", {"up": "y"}),
}
MJCFS = ("quadruped", "cartpole", "acrobot", "fish", "ball_in_cup", "finger", "pendulum")
QUICK = ("r2d2", "husky", "laikago", "kuka")


def run(path: Path, tmp_path: Path, until: float, **options: Any) -> World:
    write_imported(import_model(path, **options), tmp_path / "scene.toml")
    world = World(load_scene(tmp_path / "scene.toml"))  # with its overlaps looked for
    world.advance_to(until)
    assert world.time == pytest.approx(until)
    assert all(world.body(body.name).paradigm != "stopped" for body in world.scene.bodies)
    assert np.isfinite(world.poses()).all() and world.smallest_gap >= 0.0
    books = world.energy()
    assert abs(books["numerics"]) < 1e-2 * (abs(books["total"]) + abs(books["dissipated"]))
    return world


@pytest.mark.parametrize("name", QUICK)
def test_urdfs_run_a_second(name: str, tmp_path: Path) -> None:
    file, options = URDFS[name]
    world = run(wheel_file("pybullet_data", file), tmp_path, 1.0, **options)
    if name in ("r2d2", "husky"):  # they stand on their wheels, and fall asleep
        assert all(world.body(body.name).asleep for body in world.scene.bodies if body.motion == "free")


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_urdfs_run_ten_seconds(name: str, tmp_path: Path) -> None:
    file, options = URDFS[name]
    run(wheel_file("pybullet_data", file), tmp_path, 10.0, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", MJCFS)
def test_mjcf_models_run_ten_seconds(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    run(wheel_file("dm_control", f"suite/{name}.xml"), tmp_path, 10.0)


def test_the_urdf_humanoid_is_imported(tmp_path: Path) -> None:
    file, options = URDFS["humanoid"]
    run(wheel_file("pybullet_data", file), tmp_path, 0.0, **options)


@pytest.mark.parametrize("name", ["humanoid", "cheetah"])
def test_mjcf_creatures_begin_to_fall(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    run(wheel_file("dm_control", f"suite/{name}.xml"), tmp_path, 0.5)


@pytest.mark.slow
def test_the_urdf_humanoid_runs_ten_seconds(tmp_path: Path) -> None:
    file, options = URDFS["humanoid"]
    run(wheel_file("pybullet_data", file), tmp_path, 10.0, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["humanoid", "cheetah", "hopper", "walker"])
def test_mjcf_creatures_run_ten_seconds(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    run(wheel_file("dm_control", f"suite/{name}.xml"), tmp_path, 10.0)


LEG = """format = 1
[[body]]
name = "floor"
motion = "fixed"
shape = {{ plane = {{}} }}
[[body]]
name = "shin"
shape = {{ {shape} }}
position = [0, 0, 0.25]
[[body]]
name = "thigh"
shape = {{ box = [0.1, 0.1, 0.4] }}
position = [0, 0, 0.75]
[[joint]]
name = "knee"
kind = "hinge"
bodies = ["shin", "thigh"]
point = [0, 0, 0.5]
axis = [0, 1, 0]
{limits}
"""


@pytest.mark.parametrize(
    ("shape", "limits"),
    [
        ("box = [0.1, 0.1, 0.499]", ""),
        ("box = [0.1, 0.1, 0.499]", "limits = [0, 2]"),
        ("box = [0.1, 0.1, 0.5]", "limits = [-1, 0]"),
        ("capsule = { radius = 0.05, length = 0.4 }", ""),
        ("capsule = { radius = 0.05, length = 0.4 }", "limits = [0, 2]"),
    ],
)
def test_a_straight_leg_stands(shape: str, limits: str) -> None:
    """The smallest scenes of what stops imported creatures: they stand straight, on their limits, without a gap."""
    text = LEG.format(shape=shape, limits=limits)
    world = World(parse_scene(text.encode(), "leg.toml", None, overlaps=False))
    world.advance_to(0.5)
    assert all(world.body(name).paradigm != "stopped" for name in ("shin", "thigh"))
    assert world.body("thigh").position[2] == pytest.approx(0.75, abs=2e-3)
