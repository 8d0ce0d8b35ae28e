"""Trees in joint coordinates against pinocchio, and against Kane's equations written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.joints import BALL, HINGE, SLIDER, WELD
from engine.model.trees import FREE_LINK, PLANAR
from engine.tree.dynamics import answer_loads, join_inertias
from engine.tree.impulses import pair_matrix, point_matrix, push_point, settle_speeds
from engine.tree.kinematics import body_velocity, note_rates, read_links, see_links
from tests.trees import Tree, random_tree

Vector = np.ndarray
GRAVITY = np.array([0.3, -0.2, -9.81])


def matrix(tree: Tree, i: int) -> np.ndarray:
    return tree.limbs.links[i, f.TURNED : f.TURNED + 9].reshape(3, 3)


def vector(tree: Tree, i: int, column: int) -> Vector:
    return tree.limbs.links[i, column : column + 3].copy()


def accelerations(tree: Tree) -> np.ndarray:
    """Accelerations of the centre of mass and of the turn of every link, (links, 6)."""
    out = np.zeros((tree.links, 6))
    for i in range(tree.links):
        alpha = vector(tree, i, f.BIAS_ALPHA) + vector(tree, i, f.ANSWER)
        a = vector(tree, i, f.BIAS_A) + vector(tree, i, f.ANSWER + 3)
        w, c = vector(tree, i, f.SPIN), vector(tree, i, f.CENTRE_LEVER)
        out[i] = *(a + np.cross(alpha, c) + np.cross(w, np.cross(w, c))), *alpha
    return out


def answer(tree: Tree) -> None:
    join_inertias(tree.trees, tree.limbs, 0)
    answer_loads(tree.trees, tree.limbs, 0)


def close(ours: Any, theirs: Any) -> bool:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return bool(np.abs(ours - theirs).max() <= 1e-9 * max(np.abs(theirs).max(), 1.0))


class Peer:
    """The same tree in pinocchio, from the bodies' own frames and the joints' axes in them."""

    def __init__(self, tree: Tree) -> None:
        self.pin = pin = pytest.importorskip("pinocchio")
        self.tree, self.model = tree, pin.Model()
        self.model.gravity.linear = GRAVITY
        self.joint, self.body, q, v = [], [], [], []
        for i, link in enumerate(tree.trees.links):
            up = int(link[f.PARENT])
            base = up >= tree.links
            parent, outer = (0, pin.SE3.Identity()) if base else (self.joint[up], self.body[up])
            at, inner = outer, pin.SE3.Identity()
            if link[f.LINK_KIND] != FREE_LINK:
                k, side = self._joint_of(i, up)
                at = outer * self._frame(k, 1 - side)
                inner = self._frame(k, side).inverse()
            parent, inner = self._add(i, link, parent, at, inner, q, v)
            moments = np.diag(tree.bodies[link[f.LINK_BODY], m.MOMENTS : m.MOMENTS + 3])
            inertia = pin.Inertia(float(tree.bodies[link[f.LINK_BODY], m.MASS]), np.zeros(3), moments)
            self.model.appendBodyToJoint(parent, inertia, inner)
            self.joint.append(parent)
            self.body.append(inner)
        self.data, self.q, self.v = self.model.createData(), np.array(q), np.array(v)
        pin.computeJointJacobians(self.model, self.data, self.q)

    def _joint_of(self, i: int, up: int) -> tuple[int, int]:
        """The joint between link i and its parent, and on which side of it i is."""
        links, table = self.tree.trees.links, self.tree.joints.joints
        own = links[i, f.LINK_ENTRY]
        other = links[up, f.LINK_ENTRY] if up < self.tree.links else len(self.tree.joints.entries) - 1
        for k, row in enumerate(table):
            sides = (row[j.ENTRY_A], row[j.ENTRY_B])
            if set(sides) == {own, other}:
                return k, sides.index(own)
        raise AssertionError

    def _frame(self, k: int, side: int) -> Any:
        row = self.tree.joints.frames[k]
        anchor, axes = ((j.ANCHOR_A, j.AXES_A), (j.ANCHOR_B, j.AXES_B))[side]
        return self.pin.SE3(row[axes : axes + 9].reshape(3, 3).T, row[anchor : anchor + 3])

    def _add(self, i: int, link: Any, parent: int, at: Any, inner: Any, q: list, v: list) -> tuple[int, Any]:
        pin, limbs, kind = self.pin, self.tree.limbs, link[f.LINK_KIND]
        coords = limbs.coords[f.NOW, link[f.FIRST_COORD] :]
        speeds = limbs.speeds[f.NOW, link[f.FIRST_DOF] :]
        if kind == WELD:
            return parent, at * inner
        if kind == HINGE:
            q += [coords[0]]
            v += [speeds[0]]
            return self.model.addJoint(parent, pin.JointModelRZ(), at, f"{i}"), inner
        if kind == SLIDER:
            q += [coords[0]]
            v += [speeds[0]]
            return self.model.addJoint(parent, pin.JointModelPZ(), at, f"{i}"), inner
        if kind == PLANAR:
            q += list(coords[:3])
            v += list(speeds[:3])
            one = self.model.addJoint(parent, pin.JointModelPX(), at, f"{i} x")
            two = self.model.addJoint(one, pin.JointModelPY(), pin.SE3.Identity(), f"{i} y")
            return self.model.addJoint(two, pin.JointModelRZ(), pin.SE3.Identity(), f"{i}"), inner
        turned = matrix(self.tree, i) @ inner.inverse().rotation
        if kind == FREE_LINK:
            q += [*coords[:3], *pin.Quaternion(turned).coeffs()]
            v += [*(turned.T @ speeds[:3]), *(turned.T @ speeds[3:6])]
            return self.model.addJoint(parent, pin.JointModelFreeFlyer(), at, f"{i}"), inner
        assert kind == BALL
        up = int(link[f.PARENT])
        outer = np.eye(3) if up >= self.tree.links else self._body_turn(up) @ self.body[up].rotation.T
        q += list(pin.Quaternion((outer @ at.rotation).T @ turned).coeffs())
        v += list(turned.T @ speeds[:3])
        return self.model.addJoint(parent, pin.JointModelSpherical(), at, f"{i}"), inner

    def _body_turn(self, i: int) -> np.ndarray:
        turn = self.tree.trees.frames[i, f.BODY_TURN : f.BODY_TURN + 9].reshape(3, 3)
        return matrix(self.tree, i) @ turn.T

    def accelerations(self, forces: dict[int, tuple[Vector, Vector]]) -> np.ndarray:
        """Of the bodies, if forces act on links at points of the world: point, force."""
        pin, model, data = self.pin, self.model, self.data
        pin.forwardKinematics(model, data, self.q, self.v)
        wrenches = [pin.Force.Zero() for _ in range(model.njoints)]
        for i, (point, force) in forces.items():
            at = data.oMi[self.joint[i]]
            world = pin.Force(force, np.cross(point, force))
            wrenches[self.joint[i]] += at.actInv(world)
        a = pin.aba(model, data, self.q, self.v, np.zeros(model.nv), wrenches)
        pin.forwardKinematics(model, data, self.q, self.v, a)
        out = np.zeros((len(self.joint), 6))
        for i, (k, body) in enumerate(zip(self.joint, self.body)):
            moving = pin.getClassicalAcceleration(model, data, k, pin.LOCAL_WORLD_ALIGNED)
            w = pin.getVelocity(model, data, k, pin.LOCAL_WORLD_ALIGNED).angular
            c = data.oMi[k].rotation @ body.translation
            out[i, :3] = moving.linear + np.cross(moving.angular, c) + np.cross(w, np.cross(w, c))
            out[i, 3:] = moving.angular
        return out

    def jacobian(self, i: int, point: Vector) -> np.ndarray:
        """How a point of the world, carried by link i, moves with the speeds of all joints, (3, n)."""
        whole = self.pin.getJointJacobian(self.model, self.data, self.joint[i], self.pin.LOCAL_WORLD_ALIGNED)
        whole = np.reshape(whole, (6, self.model.nv))  # a flat one where there is one joint
        arm = point - self.data.oMi[self.joint[i]].translation
        return whole[:3] - np.cross(arm, whole[3:], axisa=0, axisb=0, axisc=0)

    def inverse_mass(self) -> np.ndarray:
        """The inverse of the joint-space inertia matrix."""
        n = self.model.nv
        upper = np.triu(np.reshape(self.pin.crba(self.model, self.data, self.q), (n, n)))
        return np.linalg.inv(upper + np.triu(upper, 1).T)


def centres(tree: Tree) -> list[Vector]:
    return [vector(tree, i, f.AT) + vector(tree, i, f.CENTRE_LEVER) for i in range(tree.links)]


def compare(rng: np.random.Generator, links: int, floating: bool) -> None:
    tree = random_tree(rng, links, floating)
    if len(tree.trees.dofs) == 0:
        return  # welded to the world: nothing that pinocchio could move
    peer = Peer(tree)
    forces = {int(i): (rng.normal(size=3), 5 * rng.normal(size=3)) for i in rng.integers(0, links, 3)}
    for i, (point, force) in forces.items():
        push_point(tree.limbs, i, tuple(point), tuple(force))
    answer(tree)
    theirs = peer.accelerations(forces)
    placed = [peer.data.oMi[k].act(body.translation) for k, body in zip(peer.joint, peer.body)]
    assert close(centres(tree), placed)
    assert close(accelerations(tree), theirs)
    inverse = peer.inverse_mass()
    one, other = rng.integers(0, links, 2)
    point = rng.normal(size=3)
    to_one, to_other = peer.jacobian(one, point), peer.jacobian(other, point)
    ours = point_matrix(tree.trees, tree.limbs, 0, one, tuple(point))
    assert close(np.reshape(ours, (3, 3)), to_one @ inverse @ to_one.T)
    if one != other:
        both = to_one - to_other
        ours = pair_matrix(tree.trees, tree.limbs, 0, one, other, tuple(point))
        assert close(np.reshape(ours, (3, 3)), both @ inverse @ both.T)


@pytest.mark.parametrize("floating", [False, True])
def test_accelerations_and_collision_matrices_are_pinocchios(floating: bool) -> None:
    rng = np.random.default_rng(1 + floating)
    for _ in range(25):
        compare(rng, int(rng.integers(2, 31)), floating)


@pytest.mark.slow
def test_a_thousand_trees_agree_with_pinocchio() -> None:
    rng = np.random.default_rng(3)
    for k in range(1000):
        compare(rng, int(rng.integers(1 + k % 2, 31)), bool(k % 2))


@pytest.mark.parametrize("floating", [False, True])
def test_forces_of_inertia_do_no_work_on_what_joints_allow(floating: bool) -> None:
    """Kane and Levinson 1985, 4.11: for every joint the forces left over vanish along its partial velocities."""
    rng = np.random.default_rng(5 + floating)
    tree = random_tree(rng, 12, floating)
    weight = tree.bodies[tree.trees.links[:, f.LINK_BODY], m.MASS]
    spins = [vector(tree, i, f.SPIN) for i in range(tree.links)]
    inertias = []
    for i, link in enumerate(tree.trees.links):
        turn = matrix(tree, i) @ tree.trees.frames[i, f.BODY_TURN : f.BODY_TURN + 9].reshape(3, 3).T
        inertias.append(turn @ np.diag(tree.bodies[link[f.LINK_BODY], m.MOMENTS : m.MOMENTS + 3]) @ turn.T)
    answer(tree)
    a = accelerations(tree)
    for d in range(len(tree.trees.dofs)):
        tree.limbs.speeds[f.NOW] = 0.0
        tree.limbs.speeds[f.NOW, d] = 1.0
        tree.place()
        left = size = 0.0
        for i in range(tree.links):
            w = vector(tree, i, f.SPIN)
            v = vector(tree, i, f.DRIFT) + np.cross(w, vector(tree, i, f.CENTRE_LEVER))
            couple = inertias[i] @ a[i, 3:] + np.cross(spins[i], inertias[i] @ spins[i])
            part = weight[i] * v @ (a[i, :3] - GRAVITY) + w @ couple
            left, size = left + part, size + abs(part)
        assert abs(left) < 1e-9 * max(size, 1.0)


@pytest.mark.parametrize("floating", [False, True])
def test_accelerations_are_how_velocities_change(floating: bool) -> None:
    """Velocities a moment later and earlier, by the rates of the coordinates and the joints' accelerations."""
    tree = random_tree(np.random.default_rng(11), 15, floating)
    answer(tree)
    a = accelerations(tree)
    note_rates(tree.trees, tree.limbs, 0, f.STAGE)
    tree.limbs.speeds[f.STAGE] = tree.limbs.dofs[:, f.DOF_ANSWER]
    seen = []
    for dt in (-1e-5, 1e-5):
        for table in (tree.limbs.coords, tree.limbs.speeds):
            table[f.BEGIN] = table[f.NOW] if dt < 0.0 else table[f.BEGIN]
            table[f.NOW] = table[f.BEGIN] + dt * table[f.STAGE]
        tree.place()
        spins = tree.limbs.links[: tree.links, f.SPIN : f.SPIN + 3]
        seen.append(np.hstack([[body_velocity(tree.limbs, i) for i in range(tree.links)], spins]))
    assert np.abs((seen[1] - seen[0]) / 2e-5 - a).max() < 1e-6 * max(np.abs(a).max(), 1.0)


@pytest.mark.parametrize("floating", [False, True])
def test_coordinates_are_read_from_how_bodies_move(floating: bool) -> None:
    tree = random_tree(np.random.default_rng(13), 15, floating)
    coords, speeds = tree.limbs.coords[f.NOW].copy(), tree.limbs.speeds[f.NOW].copy()
    seen = np.zeros((len(tree.joints.entries), f.SEEN_WIDTH))
    see_links(tree.trees, tree.limbs, 0, seen)
    tree.limbs.coords[:], tree.limbs.speeds[:] = 0.0, 0.0
    read_links(tree.trees, tree.limbs, 0, seen)
    assert np.abs(tree.limbs.speeds[f.NOW] - speeds).max() < 1e-12
    tree.place()
    again = seen.copy()
    see_links(tree.trees, tree.limbs, 0, again)
    assert np.abs(np.abs(again) - np.abs(seen)).max() < 1e-12  # a quaternion may come back with the other sign
    for link in tree.trees.links:
        if link[f.LINK_KIND] in (SLIDER, PLANAR):
            c = link[f.FIRST_COORD]
            assert tree.limbs.coords[f.NOW, c] == pytest.approx(coords[c], abs=1e-12)


@pytest.mark.parametrize("floating", [False, True])
def test_settled_speeds_are_the_nearest_by_mass(floating: bool) -> None:
    """What momentum bodies lose is none along what joints allow."""
    rng = np.random.default_rng(17)
    tree = random_tree(rng, 12, floating)
    seen = np.zeros((len(tree.joints.entries), f.SEEN_WIDTH))
    see_links(tree.trees, tree.limbs, 0, seen)
    wanted = rng.normal(size=(tree.links, 6))
    entries = tree.trees.links[:, f.LINK_ENTRY]
    seen[entries, f.SEEN_V :] = wanted
    settle_speeds(tree.bodies, tree.trees, tree.limbs, 0, seen)
    see_links(tree.trees, tree.limbs, 0, seen)
    lost = wanted - seen[entries, f.SEEN_V :]
    for i, link in enumerate(tree.trees.links):
        turn = matrix(tree, i) @ tree.trees.frames[i, f.BODY_TURN : f.BODY_TURN + 9].reshape(3, 3).T
        moments = tree.bodies[link[f.LINK_BODY], m.MOMENTS : m.MOMENTS + 3]
        lost[i, :3] *= tree.bodies[link[f.LINK_BODY], m.MASS]
        lost[i, 3:] = turn @ (moments * (turn.T @ lost[i, 3:]))
    for d in range(len(tree.trees.dofs)):
        tree.limbs.speeds[f.NOW] = 0.0
        tree.limbs.speeds[f.NOW, d] = 1.0
        tree.place()
        see_links(tree.trees, tree.limbs, 0, seen)
        assert abs((lost * seen[entries, f.SEEN_V :]).sum()) < 1e-11 * np.abs(lost).sum()
