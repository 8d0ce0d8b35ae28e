"""Joints leave determinism as it is: the same bits however a run is cut up, and after going back."""

from __future__ import annotations

from engine import World
from engine.scene.schema import Scene
from tests.linkages import chain


def test_chunks_and_snapshots_change_nothing() -> None:
    once = World(chain(3))
    once.advance_to(0.5)
    chunks = World(chain(3))
    for k in range(1, 130):
        chunks.advance_to(0.5 * k / 129)
        chunks.poses(), chunks.energy(), chunks.joints()
    assert chunks.digest == once.digest
    back = once.snapshot()
    once.advance_to(0.8)
    chunks.restore(back)
    chunks.advance_to(0.8)
    assert chunks.digest == once.digest


def test_elements_of_joints_leave_it_as_it_is() -> None:
    """A limit is hit, a joint sticks, a motor ticks: all of it is part of snapshots and cut nowhere else."""
    said = chain(3).model_dump(exclude_unset=True)
    joints = list(said["joint"])
    joints[0] = dict(joints[0]) | {"limits": [-0.4, 0.4], "limit_restitution": 0.5}
    joints[1] = dict(joints[1]) | {"friction": 0.5, "spring": {"stiffness": 2.0}}
    joints[2] = dict(joints[2]) | {"motor": {"position": 0.3, "kp": 5.0, "kv": 0.2, "ki": 1.0, "rate": 50.0}}
    scene = Scene.model_validate(said | {"joint": joints})
    once, chunks = World(scene), World(scene)
    once.advance_to(0.6)
    for k in range(1, 90):
        chunks.advance_to(0.6 * k / 89)
        chunks.energy(), chunks.joints(), chunks.joint(2)
    assert chunks.digest == once.digest and once.energy()["impact"] > 0.0
    back = once.snapshot()
    once.advance_to(0.9)
    chunks.restore(back)
    chunks.advance_to(0.9)
    assert chunks.digest == once.digest
