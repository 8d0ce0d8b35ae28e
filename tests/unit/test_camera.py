"""The camera's arithmetic: points to pixels and back, and what orbit, pan, zoom and framing keep."""

from __future__ import annotations

from math import acos, degrees

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.viewport import camera as cam
from app.view.viewport.camera import CameraState

SIZE = (640, 360)
coordinate = st.floats(-5.0, 5.0)
triple = st.tuples(coordinate, coordinate, coordinate)


def state(position: tuple[float, ...] = (2.0, -4.0, 2.0), target: tuple[float, ...] = (0.1, 0.2, 0.3)) -> CameraState:
    return CameraState(cam.point(position), cam.point(target), (0.0, 0.0, 1.0), 40.0)


def test_the_target_is_in_the_middle() -> None:
    x, y, depth = cam.project(state().target, state(), SIZE)
    assert (x, y) == pytest.approx((320.0, 180.0))
    assert depth == pytest.approx(state().distance)


def test_up_is_up_and_right_is_right() -> None:
    view = state((0.0, -5.0, 0.0), (0.0, 0.0, 0.0))
    assert cam.project((0.0, 0.0, 1.0), view, SIZE)[1] < 180.0
    assert cam.project((1.0, 0.0, 0.0), view, SIZE)[0] > 320.0


def test_the_field_of_view_is_the_pictures_height() -> None:
    view = state((0.0, -5.0, 0.0), (0.0, 0.0, 0.0))
    top = 5.0 * np.tan(np.radians(20.0))
    assert cam.project((0.0, 0.0, top), view, SIZE)[1] == pytest.approx(0.0, abs=1e-9)


@given(triple)
def test_projection_agrees_with_the_matrices(point: tuple[float, float, float]) -> None:
    view = state()
    x, y, depth = cam.project(point, view, SIZE)
    if depth < 0.1:
        return
    clip = cam.projection_matrix(view.fov, SIZE[0] / SIZE[1], 0.05, 100.0) @ cam.view_matrix(view) @ (*point, 1.0)
    assert clip[3] == pytest.approx(depth)
    assert 320.0 * (1.0 + clip[0] / clip[3]) == pytest.approx(x, abs=1e-6)
    assert 180.0 * (1.0 - clip[1] / clip[3]) == pytest.approx(y, abs=1e-6)


@given(st.floats(0.0, 640.0), st.floats(0.0, 360.0), st.floats(0.1, 50.0))
def test_a_pixels_ray_comes_back_to_it(x: float, y: float, far: float) -> None:
    origin, direction = cam.pixel_ray(x, y, state(), SIZE)
    assert cam.project(origin + far * direction, state(), SIZE)[:2] == pytest.approx((x, y), abs=1e-6)


@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_orbit_keeps_target_and_distance_and_never_passes_the_poles(turn: float, climb: float) -> None:
    before = state()
    after = cam.orbit(before, turn, climb)
    assert after.target == before.target
    assert after.distance == pytest.approx(before.distance)
    away = np.subtract(after.position, after.target) / after.distance
    assert degrees(acos(float(np.clip(away[2], -1.0, 1.0)))) == pytest.approx(90.0, abs=89.01)


def test_orbit_turns_about_up() -> None:
    after = cam.orbit(state((0.0, -5.0, 0.0), (0.0, 0.0, 0.0)), np.pi / 2, 0.0)
    assert after.position == pytest.approx((5.0, 0.0, 0.0))


def test_pan_follows_the_cursor() -> None:
    before = state()
    after = cam.pan(before, 30.0, -12.0, SIZE)
    assert cam.project(before.target, after, SIZE)[:2] == pytest.approx((350.0, 168.0))


@given(triple, st.floats(0.2, 5.0))
def test_zoom_keeps_the_anchors_pixel(anchor: tuple[float, float, float], factor: float) -> None:
    before = state()
    x, y, depth = cam.project(anchor, before, SIZE)
    if depth < 0.1:
        return
    after = cam.zoom(before, factor, anchor)
    assert cam.project(anchor, after, SIZE)[:2] == pytest.approx((x, y), abs=1e-5)
    assert after.distance == pytest.approx(factor * before.distance)


@given(
    st.lists(st.tuples(triple, st.floats(0.01, 2.0)), min_size=1, max_size=8), st.sampled_from([(640, 360), (300, 500)])
)
def test_framing_shows_every_ball_and_wastes_nothing(
    balls: list[tuple[tuple[float, float, float], float]], size: tuple[int, int]
) -> None:
    centres, radii = np.array([ball[0] for ball in balls]), np.array([ball[1] for ball in balls])
    after = cam.frame(state(), centres, radii, size)
    right, up, forward = cam.axes(after)
    reach = 0.0
    for centre, radius in zip(centres, radii, strict=True):
        around = [s * radius * (c * right + d * up) for c, d in ((1, 0), (0, 1), (1, 1)) for s in (1, -1)]
        rim = centre + np.array(around) / np.array([[1.0], [1.0], [1.0], [1.0], [2**0.5], [2**0.5]])
        pixels = cam.project(rim, after, size)
        assert (pixels[:, 2] > 0.0).all()
        reach = max(reach, float((np.abs(pixels[:, :2] / size - 0.5)).max()))
    assert 0.2 < reach <= 0.5
    assert np.cross(forward, cam.axes(state())[2]) == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_blend_begins_and_ends_where_it_should() -> None:
    a, b = state(), state((-3.0, 1.0, 5.0), (1.0, 1.0, 0.0))
    for share, end in ((0.0, a), (1.0, b)):
        between = cam.blend(a, b, share)
        assert between.position == pytest.approx(end.position)
        assert between.target == pytest.approx(end.target)
