"""Quaternions against scipy's rotations."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from engine.maths import quaternions

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

part = st.floats(-1.0, 1.0)
quaternion = st.tuples(part, part, part, part).filter(lambda q: hypot(*q) > 0.1).map(lambda q: quaternions.normalize(q))
vector = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


def assert_near(ours: object, exact: object, within: float) -> None:
    np.testing.assert_allclose(np.array(ours), np.array(exact), rtol=0.0, atol=within)


def rotation(q: Quat) -> Rotation:
    return Rotation.from_quat([q[1], q[2], q[3], q[0]])


@settings(deadline=None)  # the first call compiles
@given(quaternion, vector)
def test_turning_a_vector_is_scipys_and_has_an_inverse(q: Quat, v: Vec3) -> None:
    world = quaternions.rotate(q, v)
    assert_near(world, rotation(q).apply(v), within=1e-13)
    assert_near(quaternions.rotate_inverse(q, world), v, within=1e-13)
    assert_near(quaternions.rotate_inverse(q, v), quaternions.rotate(quaternions.conjugate(q), v), within=1e-13)


@settings(deadline=None)
@given(quaternion, quaternion, vector)
def test_a_product_turns_by_its_right_factor_first(p: Quat, q: Quat, v: Vec3) -> None:
    both = quaternions.multiply(p, q)
    assert_near(both, quaternions.normalize(both), within=1e-15)
    assert_near(quaternions.rotate(both, v), quaternions.rotate(p, quaternions.rotate(q, v)), within=1e-13)
    assert_near(rotation(both).as_matrix(), (rotation(p) * rotation(q)).as_matrix(), within=1e-14)


@settings(deadline=None)
@given(quaternion)
def test_conjugate_is_the_inverse(q: Quat) -> None:
    identity = quaternions.multiply(q, quaternions.conjugate(q))
    assert_near(identity, (1.0, 0.0, 0.0, 0.0), within=1e-15)


@settings(deadline=None)
@given(st.tuples(part, part, part, part).filter(lambda q: hypot(*q) > 1e-3))
def test_normalizing_keeps_the_direction(q: Quat) -> None:
    unit = quaternions.normalize(q)
    assert abs(hypot(*unit) - 1.0) < 1e-15
    assert_near(np.array(unit) * hypot(*q), q, within=1e-15)


@settings(deadline=None)
@given(st.floats(-10.0, 10.0))
def test_axis_and_angle(angle: float) -> None:
    axis = (2 / 3, -1 / 3, 2 / 3)
    q = quaternions.from_axis_angle(axis, angle)
    assert_near(rotation(q).as_matrix(), Rotation.from_rotvec(angle * np.array(axis)).as_matrix(), within=1e-14)
    about_z = quaternions.from_axis_angle((0.0, 0.0, 1.0), angle)
    assert_near(quaternions.rotate(about_z, (1.0, 0.0, 0.0)), (cos(angle), sin(angle), 0.0), within=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_a_quarter_turn_takes_each_axis_to_the_next(axis: int) -> None:
    unit = np.eye(3)
    q = quaternions.from_axis_angle(tuple(unit[axis].tolist()), pi / 2)
    turned = quaternions.rotate(q, tuple(unit[(axis + 1) % 3].tolist()))
    assert_near(turned, unit[(axis + 2) % 3], within=1e-15)
