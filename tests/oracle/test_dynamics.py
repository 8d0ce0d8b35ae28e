"""Mass matrix and bias of trees against pinocchio, and against the engine's own forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from engine.control.dynamics import Dynamics, plan_tree, tree_dynamics
from engine.maths.quaternions import rotate_inverse
from engine.model import model as m
from engine.model import state as s
from engine.model import trees as f
from engine.model.joints import HINGE, SLIDER
from engine.model.model import Model
from engine.scene.reading import parse_scene
from engine.tree.kinematics import body_pose, body_velocity
from engine.world import World
from tests.oracle.test_trees import Peer, answer, close
from tests.trees import Tree, random_tree


def dynamics_of(tree: Tree) -> Dynamics:
    for i, link in enumerate(tree.trees.links):
        arc = tree.arcs[link[f.LINK_BODY]]
        x, q = body_pose(tree.trees, tree.limbs, i)
        arc[s.POSITION : s.POSITION + 3], arc[s.ORIENTATION : s.ORIENTATION + 4] = x, q
        arc[s.VELOCITY : s.VELOCITY + 3] = body_velocity(tree.limbs, i)
        spin = tree.limbs.links[i, f.SPIN : f.SPIN + 3]
        arc[s.OMEGA : s.OMEGA + 3] = rotate_inverse(q, tuple(spin.tolist()))
    nothing, none = np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
    joints = tree.joints._replace(trees=tree.trees)
    model = Model(tree.bodies, tree.tags, nothing, nothing, nothing, none, none, nothing, nothing, joints)
    tree.tags[:, m.KIND] = m.FREE
    bodies = tuple(f"b{i}" for i in range(len(tree.bodies)))
    plan = plan_tree(model, 0, bodies, tuple(f"j{k}" for k in range(len(tree.joints.joints))))
    return tree_dynamics(model, tree.arcs, 0.0, plan)


def signs(tree: Tree) -> np.ndarray:
    """-1 for degrees of freedom that the tree counts from the other side of their joint."""
    return np.concatenate(
        [
            np.full(link[f.DOFS], -1.0 if link[f.LINK_SIDE] == 0 and link[f.LINK_JOINT] >= 0 else 1.0)
            for link in tree.trees.links
        ]
    )


@pytest.mark.parametrize("links", [1, 2, 7, 20])
def test_mass_matrix_and_bias_are_those_of_pinocchio(links: int) -> None:
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(links)
    for _ in range(5):
        tree = random_tree(rng, links, False, (HINGE, SLIDER))
        ours, peer, sign = dynamics_of(tree), Peer(tree), signs(tree)
        mass = pin.crba(peer.model, peer.data, peer.q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        assert close(ours.speeds, sign * peer.v)
        assert close(ours.mass, sign[:, None] * mass * sign)
        assert close(ours.bias, sign * pin.nonLinearEffects(peer.model, peer.data, peer.q, peer.v))
        wanted = rng.normal(size=len(sign))
        torque = pin.rnea(peer.model, peer.data, peer.q, peer.v, sign * wanted)
        assert close(ours.efforts(wanted), sign * torque)


@pytest.mark.parametrize("floating", [False, True])
def test_efforts_undo_forward_dynamics_for_joints_of_all_kinds(floating: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        tree = random_tree(rng, int(rng.integers(2, 9)), floating)
        ours, sign = dynamics_of(tree), signs(tree)
        acted = rng.normal(size=len(sign))
        tree.limbs.dofs[:, f.ACTED] = acted
        answer(tree)
        assert close(ours.efforts(sign * tree.limbs.dofs[:, f.DOF_ANSWER]), sign * acted)


def test_what_slides_on_a_turntable_is_held_against_its_turning() -> None:
    """m W^2 r inwards, with r at the position; the mass matrix is its mass."""
    text = """
format = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "table"
shape = { cylinder = { radius = 1, length = 0.1 } }
motion = { spinner = { axis = [0, 0, 1], rate = 3 } }
[[body]]
name = "block"
shape = { box = [0.1, 0.1, 0.1] }
mass = 2
position = [0.5, 0, 0.2]
[[joint]]
name = "slot"
kind = "slider"
bodies = ["table", "block"]
point = [0.5, 0, 0.2]
axis = [1, 0, 0]
velocity = 0.4
"""
    world = World(parse_scene(text.encode(), "turntable.toml"))
    world.advance_to(0.2)
    place, speed, _ = world.joint(0)
    dynamics = world.dynamics("slot")
    assert dynamics.names == ("slot",) and dynamics.speeds == pytest.approx([speed], rel=1e-9)
    assert dynamics.mass == pytest.approx(np.array([[2.0]]), rel=1e-12)
    assert dynamics.bias == pytest.approx([-2.0 * 3.0**2 * (0.5 + place)], rel=1e-6)
