"""Imported robots against readers that nobody here wrote: yourdfpy's forward kinematics, MuJoCo's, and its inertia."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.scene.schema import Scene
from tests.robots import ROBOTS, frames, inertia_of, joint_inertia, placed, read_mjcf, read_urdf, wheel_file

URDFS = {
    "every": lambda: ROBOTS / "every.urdf",
    "r2d2": lambda: wheel_file("pybullet_data", "r2d2.urdf"),
    "kuka": lambda: wheel_file("pybullet_data", "kuka_iiwa/model.urdf"),
    "laikago": lambda: wheel_file("pybullet_data", "laikago/laikago_toes.urdf"),
}
MJCFS = {
    "every": lambda: ROBOTS / "every.xml",
    "humanoid": lambda: wheel_file("dm_control", "suite/humanoid.xml"),
    "cheetah": lambda: wheel_file("dm_control", "suite/cheetah.xml"),
    "quadruped": lambda: wheel_file("dm_control", "suite/quadruped.xml"),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file where it is called."""
    monkeypatch.chdir(tmp_path)


def random_positions(scene: Scene, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {joint.name: float(rng.uniform(-1.0, 1.0)) for joint in scene.joint if joint.kind in ("hinge", "slider")}


@pytest.mark.parametrize("name", URDFS)
def test_links_are_where_yourdfpy_has_them(name: str, tmp_path: Path) -> None:
    yourdfpy = pytest.importorskip("yourdfpy")
    path = URDFS[name]()
    scene = read_urdf(path, "fixed").scene
    # It reads no file that has a shape which it does not know; joints that mimic others move on their own here.
    (tmp_path / "model.urdf").write_text(
        re.sub("<(capsule|heap)", "<cylinder", path.read_text()).replace("<mimic", "<no")
    )
    other = yourdfpy.URDF.load(
        str(tmp_path / "model.urdf"),
        load_meshes=False,
        build_scene_graph=True,
        load_collision_meshes=False,
        build_collision_scene_graph=False,
    )
    base = other.base_link if other.base_link in frames(scene) else scene.body[0].name
    known = {joint.name for joint in scene.joint}
    for seed in range(3):
        q = random_positions(scene, seed)
        other.update_cfg({joint: q.get(joint, 0.0) for joint in other.actuated_joint_names if joint in known})
        for body, frame in frames(placed(scene, q)).items():
            np.testing.assert_allclose(frame, other.get_transform(body, base), atol=1e-9, err_msg=body)


@pytest.mark.parametrize("name", MJCFS)
def test_links_are_where_mujoco_has_them_and_as_hard_to_turn(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = MJCFS[name]()
    scene = read_mjcf(path).scene
    model = mujoco.MjModel.from_xml_path(str(path))
    model.dof_armature[:] = 0.0
    data = mujoco.MjData(model)
    carried = any("carrier" in body.name for body in scene.body)
    for seed in range(3):
        q = random_positions(scene, seed)
        mujoco.mj_resetData(model, data)
        for joint, value in q.items():
            at = model.jnt_qposadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint)]
            data.qpos[at] = model.qpos0[at] + value
        mujoco.mj_forward(model, data)
        moved = placed(scene, q)
        found = frames(moved)
        for b in range(1, model.nbody):
            raw = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, b)
            if raw in found:
                np.testing.assert_allclose(found[raw][:3, 3], data.xpos[b], atol=1e-9, err_msg=raw)
                np.testing.assert_allclose(found[raw][:3, :3], data.xmat[b].reshape(3, 3), atol=1e-9, err_msg=raw)
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, matrix)
        for joint in q:
            dof = model.jnt_dofadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint)]
            # Where carriers are, to twice the share that they take.
            close = 2e-3 if carried else 1e-8
            np.testing.assert_allclose(joint_inertia(moved, joint), matrix[dof, dof], rtol=close, err_msg=joint)


@pytest.mark.parametrize("name", ["humanoid", "cheetah", "quadruped"])
def test_mass_and_its_centre_are_mujocos_to_rounding(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    path: Path = MJCFS[name]()
    scene = read_mjcf(path).scene
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    placed_frames = frames(scene)
    masses = [inertia_of(body, placed_frames[body.name])[:2] for body in scene.body if body.motion == "free"]
    total = sum(mass for mass, _ in masses)
    # Bodies of the world that do not move are in MuJoCo's sum, too.
    moving = [b for b in range(1, model.nbody) if model.body_weldid[b] != 0]
    assert total == pytest.approx(float(model.body_mass[moving].sum()), rel=1e-10)
    centre = sum(mass * at for mass, at in masses) / total
    np.testing.assert_allclose(
        centre, np.average(data.xipos[moving], axis=0, weights=model.body_mass[moving]), atol=1e-9
    )
