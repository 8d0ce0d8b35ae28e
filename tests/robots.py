"""Imported models as the tests take them: where they lie, and where their bodies are for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from engine.arrays import Floats
from engine.importing.compose import compose
from engine.importing.model_file import Imported
from engine.importing.remarks import Remarks
from engine.importing.robot import Base, Names
from engine.importing.urdf import UrdfReader
from engine.scene.poses import start_poses
from engine.scene.schema import Body, Scene
from engine.scene.starts import hanging
from engine.scene.values import rotated

ROBOTS = Path(__file__).parent / "data" / "robots"


def wheel_file(package: str, path: str) -> Path:
    """A file of an installed package; the test is skipped where that is missing."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent / path


def read_urdf(path: Path, base: Base | None = None, ground: bool = False) -> Imported:
    """The same as `import_model`, but for the overlaps, which take compiled kernels."""
    names, remarks = Names(), Remarks(path.name)
    scene = compose(UrdfReader(path, remarks, names).read(base), remarks, names, ground)
    return Imported(scene, tuple(remarks))


def read_mjcf(path: Path) -> Imported:
    """The same for MJCF."""
    pytest.importorskip("mujoco")
    from engine.importing.mjcf import read_mjcf as read

    names, remarks = Names(), Remarks(path.name)
    scene = compose(read(path, remarks, names), remarks, names, False)
    return Imported(scene, tuple(remarks))


def placed(scene: Scene, positions: Mapping[str, float]) -> Scene:
    """The scene with its joints at these positions."""
    joints = tuple(
        joint.model_copy(update={"position": positions.get(joint.name, 0.0), "limits": None}) for joint in scene.joint
    )
    return scene.model_copy(update={"joint": joints})


def frames(scene: Scene) -> dict[str, Floats]:
    """Frames of all bodies as they start, (4, 4), by name."""
    found = {}
    for body, pose in zip(scene.bodies, start_poses(scene), strict=True):
        frame = np.eye(4)
        frame[:3, :3] = turn_of(pose[3:])
        frame[:3, 3] = pose[:3]
        found[body.name] = frame
    return found


def turn_of(q: tuple[float, float, float, float]) -> Floats:
    """A unit quaternion as a matrix."""
    return np.array([rotated(one, q) for one in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]).T


def inertia_of(body: Body, frame: Floats) -> tuple[float, Floats, Floats]:
    """Mass, centre and inertia about it, in the world."""
    assert body.mass is not None and body.centre_of_mass is not None and body.inertia is not None
    turn = frame[:3, :3]
    return body.mass, turn @ np.array(body.centre_of_mass) + frame[:3, 3], turn @ body.inertia.matrix @ turn.T


def joint_inertia(scene: Scene, name: str) -> float:
    """The inertia [kg m^2 or kg] of all that hangs from a hinge or slider, as the scene starts: a diagonal entry of the
    mass matrix in joint coordinates."""
    joint = next(joint for joint in scene.joint if joint.name == name)
    found = hanging(scene, joint)
    assert found is not None
    placed_frames = frames(scene)
    bodies = [body for body in scene.bodies if body.name in found[0]]
    # The axis where it is now: it is fixed in the outer of its two bodies.
    outer = next(body for body in bodies if body.name in joint.bodies)
    moved = placed_frames[outer.name] @ np.linalg.inv(frames(placed(scene, {}))[outer.name])
    axis, point = moved[:3, :3] @ np.array(joint.axis), moved[:3, :3] @ np.array(joint.point) + moved[:3, 3]
    axis = axis / np.linalg.norm(axis)
    total = 0.0
    for body in bodies:
        mass, centre, inertia = inertia_of(body, placed_frames[body.name])
        arm = np.cross(axis, centre - point)
        total += mass if joint.kind == "slider" else float(axis @ inertia @ axis + mass * arm @ arm)
    return total
