"""One picture, in order: shadow map, ambient occlusion, bodies, ground, outlines, overlays. Knows no window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.view.viewport.ambient import Ambient, occlusion_reach
from app.view.viewport.bodies import BodyLayer
from app.view.viewport.camera import CameraState, axes, projection_matrix, view_matrix
from app.view.viewport.floor import REACH, Backdrop, FloorLayer
from app.view.viewport.ghosts import GhostLayer, Ghosts
from app.view.viewport.gl import Shaders
from app.view.viewport.meshes import BodySet, bounds, lowest
from app.view.viewport.overlays import GizmoLayer, Overlay, OverlayLayer, pixel_slope
from app.view.viewport.palette import BROKEN, DARK, Look, develop, light, linear, rgb
from app.view.viewport.pieces import PieceView
from app.view.viewport.quality import Quality
from app.view.viewport.shadow import SOFT, ShadowMap, cast_box, lamp_matrix
from app.view.viewport.triad import Triad
from engine.arrays import Bools, Floats, Floats32
from engine.geometry.shapes import rotation_matrix

LAMP = np.array([-0.44, -0.42, 0.79]) / np.linalg.norm([-0.44, -0.42, 0.79])
"""Unit vector towards the lamp: over the left shoulder of the usual camera."""
FARTHEST = 2000.0
"""Nothing is drawn from so many of the camera's distances on, for the sake of what is near."""
LAMP_COLOUR = np.array([1.0, 0.965, 0.91])


@dataclass
class Options:
    """What may be switched while the window is open."""

    look: Look = DARK
    shadows: bool = True
    shadow_texels: int = 1024
    shadow_taps: int = 4
    ambient: bool = True
    ambient_samples: int = 0
    off: float = 0.4  # pixels that the outline of a ball may be off
    grid: bool = True
    triad: bool = False
    selected: tuple[int, ...] = ()
    hovered: int = -1
    stopped: tuple[int, ...] = ()
    painted: Floats32 | None = None  # amounts of light, (n, 3), that bodies wear instead of their own colours
    overlays: dict[str, Overlay] = field(default_factory=dict)
    gizmo: tuple[Overlay, ...] = ()  # over everything, in this order
    pieces: PieceView | None = None
    ghosts: Ghosts | None = None

    def set_quality(self, quality: Quality) -> None:
        """Draws as finely as that; the size of the picture and its samples are the business of its buffer."""
        self.shadow_taps, self.shadow_texels = quality.shadow_taps, quality.shadow_texels
        self.ambient_samples, self.off = quality.ambient, quality.off


@dataclass(frozen=True, eq=False)
class Still:
    """What a renderer shows at one moment, for another that draws it later and elsewhere."""

    bodies: BodySet | None
    poses: Floats
    lost: Bools
    grid_height: float
    options: Options


class Renderer:
    """Draws a scene into whatever frame buffer of `context` is current. Everything set here is sent when drawing."""

    def __init__(self) -> None:
        self.options = Options()
        self._shaders = Shaders()
        self._bodies: BodySet | None = None
        self._poses: Floats = np.zeros((0, 7))
        self._lost = np.zeros(0, dtype=bool)
        self._layer: BodyLayer | None = None
        self._pieces: PieceView | None = None  # what the layer was made for
        self._grid_height = 0.0  # z = 0, or under everything that starts below it
        self._stale = True
        self._moved = True
        self._painted: object = None
        self._floor: FloorLayer | None = None
        self._backdrop: Backdrop | None = None
        self._overlay_layer: OverlayLayer | None = None
        self._triad: Triad | None = None
        self._gizmo: GizmoLayer | None = None
        self._ghosts = GhostLayer(self._shaders)
        self._shown: dict[str, Overlay] = {}
        self._shadow_map: ShadowMap | None = None
        self._ambient: Ambient | None = None

    # --- what to draw ---------------------------------------------------------------------------------------------

    def set_bodies(self, bodies: BodySet) -> None:
        """Takes the bodies of another scene, at their starting poses."""
        self._bodies = bodies
        self._poses = bodies.poses.copy()
        self._lost = np.zeros(bodies.count, dtype=bool)
        self._grid_height = min(lowest(bodies), 0.0)
        self._stale = True

    def set_poses(self, poses: ArrayLike) -> None:
        """Takes poses (n, 7). Bodies whose numbers are not finite stay where they were last, and are shown as lost."""
        new = np.asarray(poses, dtype=float)
        if self._bodies is None or new.shape != self._poses.shape:
            raise ValueError(f"poses of shape {new.shape} do not fit the scene's {self._poses.shape}")
        if not np.isfinite(new).all():
            lost = ~np.isfinite(new).all(axis=1)
            new = np.where(lost[:, None], self._poses, new)
        else:
            lost = np.zeros(len(new), dtype=bool)
        self._poses, self._lost, self._moved = new, lost, True

    @property
    def poses(self) -> Floats:
        """Where the bodies are drawn, (n, 7)."""
        return self._poses

    @property
    def bodies(self) -> BodySet | None:
        return self._bodies

    @property
    def styles(self) -> frozenset[tuple[int, int]]:
        """What decides which programs are needed: patterns and looks of the meshes, and (-1, 0) for a plane."""
        if self._bodies is None:
            return frozenset()
        planes = {(-1, 0)} if self._bodies.planes else set()
        return frozenset((mesh.pattern, mesh.look) for mesh in self._bodies.meshes) | planes

    def still(self) -> Still:
        """What is shown now; later changes do not reach it."""
        options = replace(self.options, overlays=dict(self.options.overlays))
        return Still(self._bodies, self._poses.copy(), self._lost, self._grid_height, options)

    def take(self, still: Still) -> None:
        """Shows what another renderer showed."""
        self._stale = self._stale or still.bodies is not self._bodies
        self._bodies, self._poses, self._lost = still.bodies, still.poses, still.lost
        self._grid_height, self.options, self._moved = still.grid_height, still.options, True

    # --- drawing --------------------------------------------------------------------------------------------------

    def draw(self, context: Any, camera: CameraState, size: tuple[int, int], pixel_ratio: float = 1.0) -> None:
        """Draws one picture of `size` (width, height) pixels into the current frame buffer of a gloo context.

        `pixel_ratio`: device pixels a pixel of the user's, for the widths of lines.
        """
        self._send()
        if self._backdrop is None or self._floor is None or self._overlay_layer is None:
            self._backdrop = Backdrop(self._shaders)
            self._floor = FloorLayer(self._shaders)
            self._overlay_layer = OverlayLayer(self._shaders)
        frame = self._frame(camera, size, pixel_ratio)
        frame, defines = self._draw_light(context, frame, camera, size)
        context.set_viewport(0, 0, *size)
        context.set_depth_mask(True)
        context.set_clear_depth(1.0)
        context.set_clear_color((0.0, 0.0, 0.0, 1.0))  # Qt's widget is made opaque with it
        context.clear(color=False, depth=True)
        context.set_depth_func("lequal")
        context.set_state(depth_test=True, blend=False, cull_face=False)
        if self._layer is not None:
            context.set_cull_face("back")
            context.set_state(cull_face=True)
            self._layer.draw(frame, defines)
            context.set_state(cull_face=False)
        self._draw_ground(context, frame, camera, defines)
        if self._layer is not None:
            self._layer.draw_glass(frame, context)
        self._ghosts.draw(context, frame, self.options.ghosts, self.options.look.ghost)
        self._draw_outlines(context, frame, pixel_ratio)
        self._draw_overlays(context, frame)
        if self.options.gizmo:
            self._gizmo = self._gizmo or GizmoLayer(self._shaders)
            self._gizmo.draw(context, frame, self.options.gizmo)
        if self.options.triad:
            self._triad = self._triad or Triad(self._shaders)
            self._triad.draw(context, frame, camera, self.options.look, pixel_ratio)
        context.set_depth_mask(True)

    def _draw_light(
        self, context: Any, frame: dict[str, Any], camera: CameraState, size: tuple[int, int]
    ) -> tuple[dict[str, Any], dict[str, int]]:
        """What has to be drawn before colours are: shadows, and how open places are. Uniforms, and defines for them."""
        options, layer, floor = self.options, self._layer, self._floor
        defines = {"SHADOWS": 0, "AMBIENT": 0}
        if layer is None or self._bodies is None or floor is None:
            return frame, defines
        if options.shadows and options.shadow_taps:
            frame = frame | self._draw_shadows(context, camera)
            defines["SHADOWS"] = options.shadow_taps
        if options.ambient and options.ambient_samples:
            self._ambient = self._ambient or Ambient(self._shaders)
            solid = [row for row, _normal, above in self._planes(camera) if above]

            def draw_facts(uniforms: Mapping[str, Any]) -> None:
                context.set_cull_face("back")
                context.set_state(cull_face=True)
                layer.draw_facts(uniforms)
                context.set_state(cull_face=False)
                for row in solid:
                    floor.draw_facts(uniforms, camera, self._poses[row])

            frame = frame | {
                "u_reach": occlusion_reach(self._bodies.radii, frame["u_slope"] * size[1] * camera.distance)
            }
            frame |= self._ambient.draw(context, frame, size, options.ambient_samples, draw_facts)
            defines["AMBIENT"] = 1
        return frame, defines

    def _send(self) -> None:
        """Brings what changed since the last picture to the card."""
        options = self.options
        pieces = options.pieces
        if self._stale or pieces is not self._pieces:
            drawn = self._bodies if pieces is None else pieces.drawn
            self._layer = BodyLayer(drawn, self._shaders) if drawn is not None and drawn.meshes else None
            self._stale, self._moved, self._painted, self._pieces = False, True, None, pieces
        if self._layer is None or self._bodies is None:
            return
        if self._moved:
            self._layer.set_poses(self._poses if pieces is None else self._poses[pieces.source])
            self._moved = False
        painted = None if options.painted is None else options.painted.tobytes()
        self._layer.balls.off = options.off
        self._layer.plain = painted is not None
        paint = (self._lost.tobytes(), options.hovered, options.stopped, painted)
        if paint != self._painted:
            colours = self._paint(self._bodies)
            self._layer.set_colours(colours if pieces is None else pieces.paint(colours))
            self._painted = paint

    def _paint(self, bodies: BodySet) -> Floats32:
        """Amounts of light of all bodies, with what their state adds to their colours."""
        painted = self.options.painted
        colours = (bodies.colours if painted is None or len(painted) != bodies.count else painted).copy()
        if 0 <= self.options.hovered < bodies.count:
            row = self.options.hovered
            colours[row] = 0.86 * colours[row] + 0.14 * linear(rgb(self.options.look.hover))
        colours[self._lost] = light(BROKEN)
        colours[[row for row in self.options.stopped if row < bodies.count]] = light(BROKEN)
        return colours.astype(np.float32)

    def _frame(self, camera: CameraState, size: tuple[int, int], pixel_ratio: float) -> dict[str, Any]:
        """The uniforms that all programs of one picture share."""
        return {
            **look_uniforms(self.options.look),
            **camera_uniforms(camera, size, *self._depths(camera)),
            "u_ground": tuple(self._ground_light().tolist()),
            "u_pixel_ratio": pixel_ratio,
        }

    def _depths(self, camera: CameraState) -> tuple[float, float]:
        """Near and far planes: as tight round what there is as costs nothing, for the sake of the depth buffer."""
        far = 3.0 * REACH * camera.distance
        near = 0.02 * camera.distance
        if self._bodies is not None:
            finite = np.flatnonzero(np.isfinite(self._bodies.radii))
            gaze = axes(camera)[2]
            depth = (self._poses[:, :3] @ gaze).take(finite) - float(np.asarray(camera.position) @ gaze)
            reach = self._bodies.radii[finite]
            ahead = depth + reach > 0.0
            if ahead.any():
                far = max(far, min(1.01 * float((depth + reach)[ahead].max()), FARTHEST * camera.distance))
                near = min(near, max(0.5 * float((depth - reach)[ahead].min()), 1e-3 * camera.distance))
        return near, far

    def _draw_shadows(self, context: Any, camera: CameraState) -> dict[str, Any]:
        assert self._layer is not None and self._bodies is not None
        texels = self.options.shadow_texels
        soft = self.options.shadow_taps > SOFT
        if self._shadow_map is None or (self._shadow_map.texels, self._shadow_map.soft) != (texels, soft):
            self._shadow_map = ShadowMap(texels, soft)
        centre, radius = bounds(self._poses, self._bodies.radii)
        depth = 2.0 * (radius + float(np.linalg.norm(centre - np.asarray(camera.target))))
        sight = 1.6 * camera.distance
        if radius > sight:  # a lost body far away must not thin out everybody's shadows
            centre, radius = np.asarray(camera.target, dtype=float), sight
        radius = 2.0 ** (
            ceil(4.0 * log2(1.05 * radius)) / 4.0
        )  # in steps, or edges would crawl while bodies move apart
        matrix = lamp_matrix(LAMP, centre, radius, depth + radius, texels)
        uniforms = self._shadow_map.draw(self._layer.draw_depth, matrix, context)
        uniforms["u_shadow_shift"] = (1.5 if soft else 3.0) * radius / texels
        uniforms["u_shadow_box"] = cast_box(matrix, self._poses, self._bodies.radii)
        return uniforms

    def _planes(self, camera: CameraState) -> list[tuple[int, Floats, bool]]:
        """Rows of the planes, their normals, and whether the camera is above them."""
        rows = self._bodies.planes if self._bodies is not None else ()
        normals = [rotation_matrix(self._poses[row, 3:7])[:, 2] for row in rows]
        eye = np.asarray(camera.position)
        return [
            (row, normal, float((eye - self._poses[row, :3]) @ normal) > 0.0)
            for row, normal in zip(rows, normals, strict=True)
        ]

    def _draw_ground(
        self, context: Any, frame: dict[str, Any], camera: CameraState, defines: Mapping[str, int]
    ) -> None:
        """Planes that the camera is above, then what lies behind everything, then what one sees through."""
        assert self._floor is not None and self._backdrop is not None
        planes = self._planes(camera)
        for row, normal, above in planes:
            if above:
                colours = self._plane_colours(row, normal)
                self._floor.draw_plane(frame, camera, self._poses[row], colours, 1.0, defines)
        context.set_depth_mask(False)
        self._backdrop.draw(frame)
        context.set_state(blend=True, blend_func=("src_alpha", "one_minus_src_alpha"))
        for row, normal, above in planes:
            if not above:
                self._floor.draw_plane(frame, camera, self._poses[row], self._plane_colours(row, normal), 0.35, {})
        if self.options.grid and not planes:
            shadows = defines["SHADOWS"] if camera.position[2] > self._grid_height else 0
            self._floor.draw_grid(frame, camera, self._grid_height, shadows)

    def _ground_light(self) -> Floats:
        """Light of the ground, (3,), that bodies reflect: of the scene's first plane, else of a grey one."""
        rows = self._bodies.planes if self._bodies is not None else ()
        if not rows:
            return 0.7 * self._plane_light(-1, np.array([0.0, 0.0, 1.0]))[0]
        return self._plane_light(rows[0], rotation_matrix(self._poses[rows[0], 3:7])[:, 2])[0]

    def _plane_colours(self, row: int, normal: Floats) -> tuple[list[float], list[float]]:
        """Stored colours of a plane in the lamp's light and in shadow."""
        lit, dark = self._plane_light(row, normal)
        return list(develop(lit)), list(develop(dark))

    def _plane_light(self, row: int, normal: Floats) -> tuple[Floats, Floats]:
        """Amounts of light of a plane (-1: of none of the scene) in the lamp's light and in shadow."""
        look, bodies = self.options.look, self._bodies
        own = bodies is not None and row >= 0 and bodies.tinted[row]
        albedo = bodies.colours[row] if own and bodies is not None else np.array(light(look.floor))
        sky, bounce = np.array(light(look.sky)), np.array(light(look.bounce))
        around = look.ambient * (bounce + (sky - bounce) * (0.5 + 0.5 * normal[2]))
        lamp = look.key * LAMP_COLOUR * max(float(normal @ LAMP), 0.0)
        return albedo * (around + lamp), albedo * around

    def _draw_outlines(self, context: Any, frame: dict[str, Any], pixel_ratio: float) -> None:
        """A rim round the selected bodies, also where others hide them: the stencil keeps it off their own pixels."""
        pieces = self.options.pieces
        chosen = self.options.selected if pieces is None else pieces.rows_of(self.options.selected)
        if self._layer is None or not self._layer.choose(chosen):
            return
        context.set_depth_mask(False)
        context.set_clear_stencil(0)
        context.clear(color=False, depth=False, stencil=True)
        context.set_state(depth_test=False, blend=False, stencil_test=True)
        context.set_color_mask(False, False, False, False)
        context.set_stencil_func("always", 1, 255)
        context.set_stencil_op("keep", "keep", "replace")
        self._layer.draw_chosen(frame, (0.0, 0.0, 0.0, 0.0), 0.0)
        context.set_color_mask(True, True, True, True)
        context.set_stencil_func("equal", 0, 255)
        context.set_stencil_op("keep", "keep", "keep")
        self._layer.draw_chosen(frame, (*rgb(self.options.look.selection), 1.0), 2.2 * pixel_ratio)
        context.set_state(stencil_test=False)

    def _draw_overlays(self, context: Any, frame: dict[str, Any]) -> None:
        layer = self._overlay_layer
        assert layer is not None
        wanted = self.options.overlays
        for name in self._shown.keys() - wanted.keys():
            layer.set(name, None)
        for name, overlay in wanted.items():
            if self._shown.get(name) is not overlay:
                layer.set(name, overlay)
        self._shown = dict(wanted)
        if not layer.is_empty:
            layer.draw(frame, context)


@cache
def look_uniforms(look: Look) -> dict[str, Any]:
    """What a look gives to all programs; the same objects each time, so that they are sent once."""
    return {
        "u_lamp": LAMP,
        "u_lamp_light": LAMP_COLOUR * look.key,
        "u_sky": np.array(light(look.sky)) * look.ambient,
        "u_bounce": np.array(light(look.bounce)) * look.ambient,
        "u_shadow_depth": np.float32(look.shadow),
        "u_edge": np.float32(look.edge),
        "u_studio": LAMP_COLOUR * look.studio,
        "u_grid": rgb(look.grid),
        "u_top": rgb(look.background_top),
        "u_bottom": rgb(look.background_bottom),
        "u_glow": look.glow,
    }


@lru_cache(maxsize=8)
def camera_uniforms(camera: CameraState, size: tuple[int, int], near: float, far: float) -> dict[str, Any]:
    """What a camera gives to all programs; the same objects while it stays, so that they are sent once."""
    lens, view = projection_matrix(camera.fov, size[0] / size[1], near, far), view_matrix(camera)
    return {
        "u_view_projection": lens @ view,
        "u_view": view,
        "u_lens": (float(lens[2, 2]), float(lens[2, 3])),
        "u_tangent": (1.0 / float(lens[0, 0]), 1.0 / float(lens[1, 1])),
        "u_eye": camera.position,
        "u_gaze": axes(camera)[2],
        "u_pixel": (2.0 / size[0], 2.0 / size[1]),
        "u_slope": pixel_slope(camera.fov, size[1]),
    }
