"""What the light of the picture does: occlusion, edges, shadows and materials, measured in pixels without a window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.view.viewport import camera as cam
from app.view.viewport.ambient import occlusion_reach
from app.view.viewport.bodies import ball_parts
from app.view.viewport.camera import CameraState
from app.view.viewport.meshes import ball_mesh
from app.view.viewport.offscreen import OffscreenRenderer
from engine.geometry.shapes import rotation_matrix
from engine.scene.schema import Scene

Picture = NDArray[np.uint8]
pytestmark = pytest.mark.usefixtures("qapp")  # pictures come from its OpenGL, as the thumbnails do
SIZE = (400, 300)
FLOOR = {"name": "floor", "shape": {"plane": {}}, "motion": "fixed"}


def make(*bodies: dict[str, Any], **more: Any) -> Scene:
    return Scene.model_validate({"format": 1, "body": list(bodies), **more})


def box(name: str, x: float, z: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": {"box": (1.0, 1.0, 1.0)}, "position": (x, 0.0, z), "colour": "#909090", **more}


def draw(scene: Scene, camera: CameraState, size: tuple[int, int] = SIZE, **options: Any) -> Picture:
    with OffscreenRenderer(scene, size, camera) as offscreen:
        for name, value in options.items():
            setattr(offscreen.renderer.options, name, value)
        return offscreen.render()


def brightness(picture: Picture, point: tuple[float, float, float], camera: CameraState, around: int = 2) -> float:
    """Mean of the pixels at a point of the scene."""
    height, width = picture.shape[:2]
    x, y, _depth = cam.project(point, camera, (width, height))
    column, row = int(x), int(y)
    return float(picture[row - around : row + around + 1, column - around : column + around + 1].mean())


FRONT = CameraState((0.0, -6.0, 2.5), (0.0, 0.0, 0.5))


def test_a_corner_is_darker_than_what_is_open() -> None:
    """Only where the floor meets the box, and only with ambient occlusion."""
    scene = make(box("box", 0.0, 0.5), FLOOR)
    corner, open_floor = (0.0, -0.53, 0.0), (0.0, -2.0, 0.0)
    plain = draw(scene, FRONT, ambient=False, shadows=False)
    shown = draw(scene, FRONT, shadows=False)
    assert brightness(shown, corner, FRONT) < 0.85 * brightness(plain, corner, FRONT)
    assert brightness(shown, open_floor, FRONT) == pytest.approx(brightness(plain, open_floor, FRONT), abs=1.0)


@pytest.mark.parametrize("size", [0.01, 100.0])
def test_occlusion_and_edges_are_the_same_at_any_scale(size: float) -> None:
    def scaled(scale: float) -> Picture:
        body = {
            "name": "box",
            "shape": {"box": (scale, scale, scale)},
            "position": (0.0, 0.0, 0.5 * scale),
            "colour": "#909090",
        }
        camera = CameraState((0.0, -6.0 * scale, 2.5 * scale), (0.0, 0.0, 0.5 * scale))
        return draw(make(body, FLOOR), camera)

    off = np.abs(scaled(size).astype(int) - scaled(1.0)).max(axis=2)
    assert (off > 12).mean() < 0.003


def test_a_line_shows_where_two_equal_boxes_touch() -> None:
    scene = make(box("left", -0.5, 0.5), box("right", 0.5, 0.5), FLOOR)
    plain, shown = draw(scene, FRONT, ambient=False), draw(scene, FRONT)
    x, y, _depth = cam.project((0.0, -0.5, 0.5), FRONT, SIZE)
    row = slice(int(y) - 15, int(y) + 15)
    seam = shown[row, int(x) - 8 : int(x) + 8].mean(axis=(0, 2))
    without = plain[row, int(x) - 8 : int(x) + 8].mean(axis=(0, 2))
    assert np.ptp(without) < 2.0
    assert seam.min() < 0.85 * np.median(seam)
    assert (seam < 0.95 * np.median(seam)).sum() <= 2  # no wider


def test_fixed_bodies_that_overlap_show_no_line() -> None:
    """Which of two faces in one plane shows is chance: lines would be noise."""
    scene = make(box("left", -0.4, 0.5, motion="fixed"), box("right", 0.4, 0.5, motion="fixed"))
    shown = draw(scene, FRONT, shadows=False)
    x, y, _depth = cam.project((0.0, -0.5, 0.5), FRONT, SIZE)
    face = shown[int(y) - 15 : int(y) + 15, int(x) - 40 : int(x) + 40].mean(axis=2)
    assert np.ptp(face) < 6.0


def test_the_reach_of_occlusion_follows_the_bodies_within_the_picture() -> None:
    assert occlusion_reach(np.array([0.1, 0.1, 50.0, np.inf]), 10.0) == pytest.approx(0.11)
    assert occlusion_reach(np.array([1e-6]), 10.0) == pytest.approx(0.06)
    assert occlusion_reach(np.array([np.inf]), 10.0) == pytest.approx(0.06)
    assert occlusion_reach(np.array([9.0]), 10.0) == pytest.approx(0.9)


def test_the_same_picture_twice_is_the_same_to_the_bit() -> None:
    scene = make(box("left", -0.5, 0.5), box("right", 0.5, 0.5), FLOOR)
    assert np.array_equal(draw(scene, FRONT), draw(scene, FRONT))


# --- shadows ------------------------------------------------------------------------------------------------------

ABOVE = CameraState((0.0, -4.0, 9.0), (0.0, 0.0, 0.0))
LAMP_RUN = (0.44 / 0.79, 0.42 / 0.79)
"""How far a shadow moves along x and y for each metre of height."""


def slab(height: float, scale: float) -> Scene:
    body = {
        "name": "slab",
        "shape": {"box": (2.0 * scale, 2.0 * scale, 0.1 * scale)},
        "position": (0.0, 0.0, height * scale),
        "colour": "#909090",
    }
    return make(body, FLOOR)


def scaled(camera: CameraState, scale: float) -> CameraState:
    def times(p: tuple[float, float, float]) -> tuple[float, float, float]:
        return (p[0] * scale, p[1] * scale, p[2] * scale)

    return CameraState(times(camera.position), times(camera.target))


def shadow_profile(height: float, scale: float) -> NDArray[np.float64]:
    """How bright the floor is from the dark to the right of the slab's shadow, over that without shadows."""
    camera = scaled(ABOVE, scale)
    shown, plain = (draw(slab(height, scale), camera, (800, 600), shadows=on, ambient=False) for on in (True, False))
    middle_x, middle_y = 1.0 + LAMP_RUN[0] * height, LAMP_RUN[1] * height
    places = [(scale * (middle_x + off), scale * middle_y, 0.0) for off in np.linspace(-0.5, 0.5, 101)]
    shares = np.array([brightness(shown, at, camera, 1) / brightness(plain, at, camera, 1) for at in places])
    return shares[int(np.argmin(shares)) :]


def width_of(profile: NDArray[np.float64]) -> int:
    """Over how many places it goes from dark to light."""
    low, high = profile.min(), profile.max()
    share = (profile - low) / (high - low)
    return int(((share > 0.1) & (share < 0.9)).sum())


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_penumbra_grows_with_the_height_of_what_casts_it(scale: float) -> None:
    low, high = shadow_profile(0.25, scale), shadow_profile(1.2, scale)
    for profile in (low, high):
        assert profile.max() > 0.97 and profile.min() < 0.75
    assert width_of(low) <= 7
    assert width_of(high) >= 2 * width_of(low)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_shadows_begin_where_a_body_stands_and_spare_what_faces_the_lamp(scale: float) -> None:
    body = {
        "name": "box",
        "shape": {"box": (scale, scale, scale)},
        "position": (0.0, 0.0, 0.5 * scale),
        "colour": "#909090",
    }
    camera = scaled(CameraState((6.0, -2.0, 4.5), (0.3, 0.0, 0.3)), scale)
    scene = make(body, FLOOR)
    shown, plain = (draw(scene, camera, (800, 600), shadows=on, ambient=False) for on in (True, False))

    def share(x: float, y: float, z: float) -> float:
        at = (x * scale, y * scale, z * scale)
        return brightness(shown, at, camera, 1) / brightness(plain, at, camera, 1)

    assert share(0.54, 0.1, 0.0) < 0.75  # right beside it: the shadow does not float away
    assert share(1.6, -0.6, 0.0) > 0.99
    tops = [share(x, y, 1.0) for x in (-0.4, 0.0, 0.4) for y in (-0.4, 0.0, 0.4)]
    assert min(tops) > 0.99  # no shadow of its own


def test_a_ball_has_no_speckles_where_the_lamp_grazes_it() -> None:
    ball = {"name": "ball", "shape": {"sphere": {"radius": 1.0}}, "position": (0, 0, 1.0), "colour": "#909090"}
    camera = CameraState((0.0, -5.0, 2.0), (0.0, 0.0, 1.0))
    fixed = {**ball, "motion": "fixed"}
    shown, plain = (draw(make(fixed), camera, (600, 600), ambient=False, shadows=on) for on in (True, False))
    rows, columns = np.mgrid[:600, :600]
    ball_only = np.hypot(rows - 300, columns - 300) < 150
    off = np.abs(shown.astype(int) - plain).max(axis=2)[ball_only]
    assert (off > 14).mean() < 0.005


# --- materials ----------------------------------------------------------------------------------------------------


def ball_of(look: str, colour: str = "#a0a0a0") -> Scene:
    """A ball without the belt that spheres wear: a capsule of next to no length."""
    round_one = {"capsule": {"radius": 1.0, "length": 0.001}}
    ball = {"name": "ball", "shape": round_one, "motion": "fixed", "position": (0, 0, 1.2)}
    return make({**ball, "material": "m"}, material={"m": {"look": look, "colour": colour}})


def test_metal_mirrors_the_surroundings() -> None:
    """What the same place of a ball shows depends on where one looks from; of felt it hardly does.

    The ball is seen from all around, at its top: normal and lamp stay, only the eye moves.
    """
    shown: dict[str, list[float]] = {"metal": [], "felt": []}
    for look, values in shown.items():
        for angle in np.arange(0.0, 360.0, 30.0):
            away = 5.0 * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.9])
            camera = CameraState((float(away[0]), float(away[1]), 1.2 + float(away[2])), (0.0, 0.0, 1.2))
            values.append(brightness(draw(ball_of(look), camera), (0.0, 0.0, 2.2), camera))
    assert np.ptp(shown["metal"]) > 3.0 * np.ptp(shown["felt"])
    assert np.ptp(shown["metal"]) > 30.0


def test_a_coat_reflects_what_black_metal_swallows() -> None:
    """Metal gives its colour to all that it reflects; a coat of gloss does not, whatever is under it."""
    camera = CameraState((0.0, -5.0, 1.2), (0.0, 0.0, 1.2))
    metal, gloss = (draw(ball_of(look, "#000000"), camera)[110:190, 160:240].max() for look in ("metal", "gloss"))
    assert gloss > 2.5 * metal


def test_wood_has_grain_that_turns_with_the_body() -> None:
    beam = {"name": "beam", "shape": {"box": (0.6, 0.6, 2.0)}, "position": (0, 0, 1.0), "material": "m"}
    camera = CameraState((0.0, -5.0, 1.0), (0.0, 0.0, 1.0))

    def variation(turned: bool) -> tuple[float, float]:
        """How much the brightness of the face varies across the picture, and up it."""
        orientation = {"orientation": {"axis": (0, 1, 0), "degrees": 90}} if turned else {}
        scene = make({**beam, **orientation}, material={"m": {"look": "wood", "colour": "#b98a58"}})
        face = draw(scene, camera, shadows=False, ambient=False)[135:165, 185:215].astype(float).mean(axis=2)
        return float(face.mean(axis=0).std()), float(face.mean(axis=1).std())

    across, along = variation(turned=False)
    assert across > 2.0 * along and across > 2.0
    across, along = variation(turned=True)
    assert along > 2.0 * across and along > 2.0


def test_glass_shows_what_is_behind_it_and_casts_a_lighter_shadow() -> None:
    def scene(look: str) -> Scene:
        pane = {"name": "pane", "shape": {"box": (1.6, 0.1, 1.6)}, "position": (0, 0, 0.8), "material": "m"}
        red = {"name": "red", "shape": {"box": (0.8, 0.8, 0.8)}, "position": (0, 2.0, 0.8), "colour": "#e02020"}
        return make(pane, red, FLOOR, material={"m": {"look": look, "colour": "#b0c8d0"}})

    camera = CameraState((0.0, -6.0, 1.4), (0.0, 0.0, 0.8))
    through, solid = draw(scene("glass"), camera), draw(scene("plain"), camera)
    x, y, _depth = cam.project((0.0, 1.6, 0.8), camera, SIZE)
    seen, hidden = through[int(y), int(x)].astype(int), solid[int(y), int(x)].astype(int)
    assert seen[0] > seen[1] + 40 and abs(hidden[0] - hidden[1]) < 25
    shadow = (1.2, 0.55, 0.0)
    assert brightness(through, shadow, camera, 1) > brightness(solid, shadow, camera, 1) + 8.0


def test_colours_that_mean_something_else_are_not_glossed_over() -> None:
    """While bodies are painted, by their paradigms for one, all have the plain look."""
    camera = CameraState((0.0, -5.0, 1.2), (0.0, 0.0, 1.2))
    painted = np.array([[0.1, 0.3, 0.6]], dtype=np.float32)
    metal, plain = (draw(ball_of(look), camera, painted=painted) for look in ("metal", "plain"))
    assert np.array_equal(metal, plain)


# --- small balls --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
def test_a_coarse_ball_is_closed_and_faces_outwards(parts: int) -> None:
    mesh = ball_mesh(parts)
    assert len(mesh.faces) == 20 * parts**2 and len(mesh.vertices) == 10 * parts**2 + 2
    assert np.linalg.norm(mesh.vertices, axis=1) == pytest.approx(1.0, abs=1e-6)
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2).astype(float)
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0.0).all()
    assert np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6.0 > 0.6 * 4.0 / 3.0 * np.pi


@pytest.mark.parametrize("pixels", [0.5, 3.0, 9.0, 20.0])
def test_an_outline_is_off_by_no_more_than_is_allowed(pixels: float) -> None:
    """Held against the mesh itself, turned about: how far the outline comes inside the circle."""
    parts = ball_parts(pixels, 0.4)
    assert parts is not None
    mesh = ball_mesh(parts)
    worst = 0.0
    for turn in np.random.default_rng(3).normal(size=(40, 4)):
        vertices = mesh.vertices @ rotation_matrix(turn / np.linalg.norm(turn))
        edges = vertices[np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])][
            :, :, :2
        ]
        middles = edges.mean(axis=1)
        directions = np.linspace(0.0, 2.0 * np.pi, 72, endpoint=False)
        for angle in directions:
            way = np.array([np.cos(angle), np.sin(angle)])
            worst = max(worst, 1.0 - float(max((edges @ way).max(), (middles @ way).max())))
    assert pixels * worst <= 0.4 * 1.05
    assert ball_parts(pixels, 1e-4) is None


def test_small_balls_look_the_same_from_fewer_triangles() -> None:
    balls = [
        {"name": f"b{k}", "shape": {"sphere": {"radius": 0.1}}, "position": (0.25 * (k % 8) - 0.9, 0, 0.25 * (k // 8))}
        for k in range(24)
    ]
    camera = CameraState((0.0, -6.0, 0.4), (0.0, 0.0, 0.3))
    coarse, fine = (draw(make(*balls), camera, ambient=False, shadows=False, off=off) for off in (0.4, 1e-6))
    assert not np.array_equal(coarse, fine)
    differing = np.abs(coarse.astype(int) - fine).max(axis=2) > 60
    assert differing.mean() < 0.002
