"""The 3D view as a widget: what to show goes in as plain values, what the person does comes out as signals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtCore import QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QImage, QResizeEvent
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from app.view.viewport import camera as cam
from app.view.viewport.camera import CameraState
from app.view.viewport.canvas import ViewCanvas
from app.view.viewport.floor import cell_size
from app.view.viewport.gestures import Gestures
from app.view.viewport.hidden import draws_in_software
from app.view.viewport.meshes import CORNERS, SLOW_CORNERS, BodySet, body_set
from app.view.viewport.notice import Failure, Hint
from app.view.viewport.overlays import Overlay, arrows_overlay, segments_overlay
from app.view.viewport.painted import PaintedCanvas
from app.view.viewport.palette import DARK, LIGHT, Look, rgb
from app.view.viewport.picking import Hit, Picker
from app.view.viewport.pieces import show_pieces
from app.view.viewport.quality import Governor
from app.view.viewport.renderer import Renderer
from app.view.viewport.rig import CameraRig
from app.view.viewport.transform import Kind, Mover
from app.view.viewport.views import default_camera, frame_balls, named_camera
from engine.geometry.shapes import rotation_matrix
from engine.scene.schema import Scene

Pick = tuple[int, tuple[float, float, float], tuple[float, float, float]]

ORBIT_SPEED = 0.0085
"""Radians a pixel."""
ZOOM_STEP = 0.88
"""Distance after one notch of the wheel over that before."""
FILL, FILL_ONE = 0.86, 0.5
"""Share of the picture that all bodies fill when they are framed, and that the selected ones do."""
SIDES = {
    "front": (0.0, 1.0, 0.0),
    "back": (0.0, -1.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "left": (1.0, 0.0, 0.0),
    "top": (0.0, 1e-4, -1.0),
    "bottom": (0.0, 1e-4, 1.0),
}
"""Where one looks, for `look_along`."""


class Viewport(QWidget):
    """Shows a scene with its bodies at given poses, and lets people look round, point, pull, move and rotate.

    Body indices are rows of the scene. Screen positions are in the widget's own pixels, from the top left corner.
    """

    body_clicked = pyqtSignal(int, object)  # row, or -1 beside all bodies; keyboard modifiers
    body_activated = pyqtSignal(int)  # double-clicked
    body_hovered = pyqtSignal(int)
    pull_started = pyqtSignal(int, object, object)  # row, point in its authored frame (3), target in the world (3)
    pull_moved = pyqtSignal(object)  # target (3)
    pull_ended = pyqtSignal()
    move_edited = pyqtSignal(int, object, object)  # row, position (3), orientation w x y z
    transform_ended = pyqtSignal(bool)  # whether it was confirmed
    camera_changed = pyqtSignal(object)  # CameraState
    hint_changed = pyqtSignal(str)  # what a gesture under way does; "" when it has ended

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._bodies: BodySet | None = None
        self._picker: Picker | None = None
        self._rig = CameraRig(self)
        self._rig.changed.connect(self._show_camera)
        self._renderer = Renderer()
        self._mover: Mover | None = None
        self._poses: NDArray[np.float64] = np.zeros((0, 7))
        self._pull: tuple[int, tuple[float, float, float], NDArray[np.float64]] | None = None
        self._failure: Failure | None = None
        self._renderer.options.triad = True
        software = draws_in_software()
        self._corners = SLOW_CORNERS if software else CORNERS
        canvas = PaintedCanvas if software else ViewCanvas
        self._canvas = canvas(self, self._renderer, lambda: self._rig.state, self._show_failure)
        surface: QWidget = self._canvas.native
        surface.setObjectName("viewport-surface")
        surface.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._surface = surface
        self._gestures = Gestures(self, self)
        surface.installEventFilter(self._gestures)
        self.setFocusProxy(surface)
        self.setMinimumSize(160, 120)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(surface)
        self._hint = Hint(self)
        self._show_pieces = False
        self.set_look(DARK)

    # --- what is shown --------------------------------------------------------------------------------------------

    def set_scene(self, scene: Scene, keep_camera: bool | None = None) -> None:
        """Shows a scene at its start. The camera stays for an edit of the same scene (None: same title and folder)."""
        self._gestures.stop()
        self.cancel_transform()
        before = self._scene
        if keep_camera is None:
            keep_camera = before is not None and (before.title, before.folder) == (scene.title, scene.folder)
        self._scene = scene
        self._bodies = body_set(scene, self._bodies, corners=self._corners)
        self._picker = Picker.of(self._bodies)
        self._poses = self._bodies.poses.copy()
        self._renderer.set_bodies(self._bodies)
        self._update_pieces()
        options = self._renderer.options
        options.hovered, options.asleep, options.painted = -1, None, None
        options.selected = tuple(row for row in options.selected if row < self._bodies.count)
        if not keep_camera:
            self.reset_camera()
        self._canvas.request(moving=False)

    def set_poses(self, poses: ArrayLike) -> None:
        """Moves the bodies: (n, 7) x y z w x y z of the authored frames, in scene order."""
        new = np.asarray(poses, dtype=float)
        if new.shape != self._poses.shape:
            raise ValueError(f"poses of shape {new.shape} do not fit the scene's {self._poses.shape}")
        self._poses = new
        pieces = self._renderer.options.pieces
        if pieces is not None and pieces.pending:  # the simulation runs, so its bodies have been cut by now
            self._update_pieces()
        self._show_poses()
        self._canvas.request(moving=True)

    def set_selection(self, indices: Sequence[int]) -> None:
        """Outlines these bodies."""
        self._renderer.options.selected = tuple(int(index) for index in indices)
        self._canvas.request(moving=False)

    def set_asleep(self, asleep: Sequence[bool] | NDArray[np.bool_] | None) -> None:
        """Greys the bodies that sleep, (n,) in scene order; None: nobody sleeps."""
        self._renderer.options.asleep = None if asleep is None else np.asarray(asleep, dtype=bool)
        self._canvas.request(moving=False)

    def set_painted(self, colours: NDArray[np.float32] | None) -> None:
        """Paints the bodies in these amounts of light, (n, 3) in scene order; None: in their own colours."""
        self._renderer.options.painted = colours
        self._canvas.request(moving=False)

    @property
    def painted(self) -> NDArray[np.float32] | None:
        """The colours that were set last; None where bodies wear their own."""
        return self._renderer.options.painted

    def set_stopped(self, rows: Sequence[int]) -> None:
        """Paints bodies that were stopped because their numbers were no longer finite, as those that are lost."""
        self._renderer.options.stopped = tuple(rows)
        self._canvas.request(moving=False)

    def set_overlay_segments(
        self, name: str, segments: ArrayLike | None, colour: str, width: float = 2.0, through: bool = False
    ) -> None:
        """Draws line segments (m, 2, 3) under a name; the same name replaces them, None or none at all removes them.

        through: what lies behind bodies shows as strongly as what does not.
        """
        self._set_overlay(name, None if segments is None else segments_overlay(segments, colour, width, through))

    def set_overlay_arrows(
        self,
        name: str,
        origins: ArrayLike | None,
        vectors: ArrayLike | None,
        colour: str,
        width: float = 4.0,
        through: bool = False,
    ) -> None:
        """Draws arrows from origins (m, 3) along vectors (m, 3) [m] under a name; None removes them."""
        drawn = None
        if origins is not None and vectors is not None:
            drawn = arrows_overlay(origins, vectors, colour, width, through)
        self._set_overlay(name, drawn)

    def clear_overlays(self) -> None:
        """Removes all segments and arrows."""
        self._renderer.options.overlays.clear()
        self._canvas.request(moving=False)

    def set_shadows(self, on: bool) -> None:
        """Whether the lamp casts shadows."""
        self._renderer.options.shadows = on
        self._canvas.request(moving=False)

    def set_grid(self, on: bool) -> None:
        """Whether a scene without a ground shows a grid."""
        self._renderer.options.grid = on
        self._canvas.request(moving=False)

    def set_pieces(self, on: bool) -> None:
        """Whether concave bodies are shown in their convex pieces."""
        self._show_pieces = on
        self._update_pieces()
        self._canvas.request(moving=False)

    def _update_pieces(self) -> None:
        pieces = None
        if self._show_pieces and self._scene is not None and self._bodies is not None:
            pieces = show_pieces(self._scene, self._bodies)
        self._renderer.options.pieces = pieces

    def set_triad(self, on: bool) -> None:
        """Whether small arrows in the corner show where x, y and z point."""
        self._renderer.options.triad = on
        self._canvas.request(moving=False)

    def set_look(self, look: Look) -> None:
        """Colours and light; `palette.DARK` and `palette.LIGHT` are two."""
        self._renderer.options.look = look
        self._hint.set_dark(sum(rgb(look.background_bottom)) < 1.5)
        self._canvas.request(moving=False)

    def set_light(self, light: bool) -> None:
        """The light look, or the dark one."""
        self.set_look(LIGHT if light else DARK)

    @property
    def look(self) -> Look:
        return self._renderer.options.look

    @property
    def shadows(self) -> bool:
        return self._renderer.options.shadows

    @property
    def poses(self) -> NDArray[np.float64]:
        """Poses as set last, (n, 7)."""
        return self._poses

    @property
    def drawn_poses(self) -> NDArray[np.float64]:
        """Poses as drawn, (n, 7): a body that is being moved is where the cursor holds it, a lost one where it was."""
        return self._renderer.poses

    @property
    def overlays(self) -> dict[str, Overlay]:
        """What is drawn over the scene, by name."""
        return dict(self._renderer.options.overlays)

    @property
    def surface(self) -> QWidget:
        """The widget that is drawn on and that the mouse and the keys go to."""
        return self._surface

    @property
    def governor(self) -> Governor:
        """Decides how finely moving pictures are drawn."""
        return self._canvas.governor

    @property
    def pending(self) -> bool:
        """Whether a picture that was asked for is not shown yet."""
        return self._canvas.pending

    @property
    def frame_times(self) -> list[float]:
        """Seconds that the last pictures took to draw, oldest first."""
        return list(self._canvas.frame_times)

    # --- camera ---------------------------------------------------------------------------------------------------

    @property
    def camera(self) -> CameraState:
        """Where one looks from; setting it takes effect at once."""
        return self._rig.state

    @camera.setter
    def camera(self, state: CameraState) -> None:
        self._rig.put(state)

    def reset_camera(self) -> None:
        """The scene's first camera, else one that sees all bodies."""
        if self._scene is not None:
            self._rig.put(default_camera(self._scene, self._poses, self.view_size), chosen=self.isVisible())

    def use_camera(self, name: str) -> None:
        """Glides to a camera of the scene; KeyError if it has none of that name."""
        if self._scene is not None:
            self._rig.send(named_camera(self._scene, name))

    def camera_names(self) -> list[str]:
        """Names of the scene's cameras."""
        return [] if self._scene is None else [camera.name for camera in self._scene.camera]

    def frame_all(self, glide: bool = True) -> None:
        """Moves back or forth until all bodies are in the picture."""
        self._frame(None, glide)

    def frame_selection(self, glide: bool = True) -> None:
        """Moves until the selected bodies fill the picture; all of them if none is selected."""
        self._frame(self._renderer.options.selected or None, glide)

    def look_along(self, name: str, glide: bool = True) -> None:
        """Looks at the target from a side: "front", "back", "left", "right", "top", "bottom"."""
        gaze = np.array(SIDES[name]) / np.linalg.norm(SIDES[name])
        at = np.asarray(self.camera.target) - gaze * self.camera.distance
        self._rig.send(replace(self.camera, position=cam.point(at), up=(0.0, 0.0, 1.0)), glide)

    @property
    def view_size(self) -> tuple[int, int]:
        """Width and height in the widget's pixels."""
        return (max(self._surface.width(), 1), max(self._surface.height(), 1))

    def project(self, point: ArrayLike) -> tuple[float, float, float]:
        """Screen position of a world point, and its depth [m], not positive behind the eye."""
        x, y, depth = cam.project(point, self.camera, self.view_size)
        return float(x), float(y), float(depth)

    # --- pictures and pointing ------------------------------------------------------------------------------------

    def pick(self, x: float, y: float) -> Pick | None:
        """The body under a screen position: its row, the point in the world, the point in its authored frame."""
        hit = self._hit(x, y)
        return None if hit is None else (hit.body, hit.point, hit.local)

    def picture(self, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """What is shown as a picture (height, width, 3), drawn anew at any size, with the finest shadows."""
        if not self._surface.isVisible():
            raise RuntimeError("a picture can be taken once the viewport has been shown")
        ratio = self._surface.devicePixelRatioF()
        size = size or (round(self.view_size[0] * ratio), round(self.view_size[1] * ratio))
        options = self._renderer.options
        kept = options.hovered, options.triad
        options.hovered, options.triad = -1, False
        try:
            return self._canvas.draw_picture(size, size[1] / self.view_size[1])
        finally:
            options.hovered, options.triad = kept
            self._canvas.request(moving=False)

    def screenshot(self, path: str | Path, size: tuple[int, int] | None = None) -> None:
        """Writes what is shown to a PNG of any size (default: as it is on the screen). OSError if that fails."""
        pixels = self.picture(size)
        height, width = pixels.shape[:2]
        image = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        if not image.save(str(path), "PNG"):
            raise OSError(f"cannot write {path}")

    # --- moving and rotating a body -------------------------------------------------------------------------------

    @property
    def transforming(self) -> bool:
        """Whether a body follows the cursor now."""
        return self._mover is not None

    @property
    def transform_start(self) -> tuple[float, float]:
        """Where the cursor was when the transform began."""
        if self._mover is None:
            raise RuntimeError("nothing is being moved")
        return self._mover.change.start

    def begin_transform(self, kind: Kind) -> bool:
        """Lets the body that was selected last follow the cursor until it is confirmed or cancelled; False: none is."""
        selected = self._renderer.options.selected
        if not selected or self._gestures.pulling:
            return False
        self.cancel_transform()
        pose = self._poses[selected[-1]]
        at = QPointF(self._surface.mapFromGlobal(self.cursor().pos()))
        if not self._surface.rect().contains(at.toPoint()):
            x, y, _ = self.project(pose[:3])
            at = QPointF(x + 60.0, y)
        self._mover = Mover(selected[-1], kind, pose, (at.x(), at.y()))
        self._surface.setFocus()
        self.preview_transform(at, snap=False)
        return True

    def preview_transform(self, at: QPointF, snap: bool) -> None:
        """Shows the body where the cursor would put it."""
        if self._mover is not None:
            step = cell_size(self.camera.distance)[0] if snap else 0.0
            self._show_mover(self._mover, self._mover.follow((at.x(), at.y()), self.camera, self.view_size, step))

    def lock_axis(self, axis: str) -> None:
        """Keeps the transform to "x", "y" or "z" of the world; the same again frees it."""
        if self._mover is not None:
            self._show_mover(self._mover, self._mover.lock(axis, self.camera, self.view_size))

    def confirm_transform(self) -> None:
        """Ends the transform and tells where the body is now."""
        mover = self._mover
        if mover is not None:
            self._poses = mover.applied_to(self._poses)
            self._end_transform()
            self.move_edited.emit(mover.row, mover.pose[:3], mover.pose[3:])
            self.transform_ended.emit(True)

    def cancel_transform(self) -> None:
        """Ends the transform; the body goes back."""
        if self._mover is not None:
            self._end_transform()
            self.transform_ended.emit(False)

    def _end_transform(self) -> None:
        self._mover = None
        self._set_overlay("transform axis", None)
        self._say("")
        self._show_poses()
        self._canvas.request(moving=False)

    def _show_mover(self, mover: Mover, said: str) -> None:
        self._say(f"{said}      X Y Z locks an axis · Ctrl snaps · Enter or click places · Esc leaves it")
        self._show_poses()
        colour = self.look.axes["xyz".index(mover.change.axis or "x")]
        self._set_overlay("transform axis", segments_overlay(mover.guide(40.0 * self.camera.distance), colour, 1.5))
        self._canvas.request(moving=True)

    # --- the stage of the gestures --------------------------------------------------------------------------------

    def orbit(self, dx: float, dy: float) -> None:
        """Turns the camera about its target by a drag in pixels."""
        self.camera = cam.orbit(self.camera, -dx * ORBIT_SPEED, dy * ORBIT_SPEED)

    def pan(self, dx: float, dy: float) -> None:
        """Drags the picture by pixels."""
        self.camera = cam.pan(self.camera, dx, dy, self.view_size)

    def zoom(self, at: QPointF, notches: float) -> None:
        """Goes towards what is under the cursor."""
        hit = self._hit(at.x(), at.y())
        if hit is not None and hit.distance < 20.0 * self.camera.distance:
            anchor: ArrayLike = hit.point
        else:
            anchor = cam.on_facing_plane(at.x(), at.y(), self.camera.target, self.camera, self.view_size)
        self.camera = cam.zoom(self.camera, ZOOM_STEP**notches, anchor)

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Tells what was clicked."""
        hit = self._hit(at.x(), at.y())
        self.body_clicked.emit(-1 if hit is None else hit.body, modifiers)

    def double_click(self, at: QPointF) -> None:
        """Tells what was double-clicked, if anything."""
        hit = self._hit(at.x(), at.y())
        if hit is not None:
            self.body_clicked.emit(hit.body, Qt.KeyboardModifier.NoModifier)
            self.body_activated.emit(hit.body)

    def hover(self, at: QPointF | None) -> None:
        """Brightens what is under the cursor."""
        hit = None if at is None else self._hit(at.x(), at.y())
        bodies = self._bodies
        row = -1 if hit is None or bodies is None or bodies.mesh[hit.body] < 0 else hit.body
        if row != self._renderer.options.hovered:
            self._renderer.options.hovered = row
            self.body_hovered.emit(row)
            self._canvas.request(moving=False)

    def start_pull(self, at: QPointF) -> bool:
        """Takes hold of the free body under the cursor; False if there is none."""
        hit = self._hit(at.x(), at.y())
        if hit is None or self._scene is None or self._scene.bodies[hit.body].motion_kind != "free":
            return False
        self._pull = (hit.body, hit.local, np.array(hit.point))
        self.pull_started.emit(hit.body, hit.local, hit.point)
        self._show_pull()
        return True

    def move_pull(self, at: QPointF) -> None:
        """Moves the far end of the spring in the plane parallel to the picture that it started in."""
        if self._pull is not None:
            row, local, target = self._pull
            target = cam.on_facing_plane(at.x(), at.y(), target, self.camera, self.view_size)
            self._pull = (row, local, target)
            self.pull_moved.emit(cam.point(target))
            self._show_pull()

    def end_pull(self) -> None:
        """Lets go."""
        if self._pull is not None:
            self._pull = None
            self._show_pull()
            self.pull_ended.emit()

    # --- inside ---------------------------------------------------------------------------------------------------

    def close_view(self) -> None:
        """Lets go of the drawing surface; nothing can be shown afterwards."""
        self._rig.stop()
        self._canvas.close()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keeps the hint in its corner, and frames the scene once the widget knows its size."""
        super().resizeEvent(event)
        self._hint.place()
        if self._failure is not None:
            self._failure.setGeometry(self.rect())
        if not self._rig.chosen and self._scene is not None:
            self._rig.put(default_camera(self._scene, self._poses, self.view_size), chosen=False)

    def _hit(self, x: float, y: float) -> Hit | None:
        if self._picker is None:
            return None
        return self._picker.cast(*cam.pixel_ray(x, y, self.camera, self.view_size), self._renderer.poses)

    def _show_camera(self, state: CameraState) -> None:
        self._canvas.request(moving=True)
        self.camera_changed.emit(state)

    def _frame(self, rows: Sequence[int] | None, glide: bool) -> None:
        if self._bodies is not None:
            balls = frame_balls(self._bodies, self._renderer.poses, rows)
            self._rig.send(cam.frame(self.camera, *balls, self.view_size, FILL if rows is None else FILL_ONE), glide)

    def _show_poses(self) -> None:
        self._renderer.set_poses(self._poses if self._mover is None else self._mover.applied_to(self._poses))
        if self._pull is not None:
            self._show_pull()

    def _show_pull(self) -> None:
        if self._pull is None:
            self._set_overlay("pull", None)
            self._set_overlay("pull ends", None)
            return
        row, local, target = self._pull
        pose = self._renderer.poses[row]
        held = pose[:3] + rotation_matrix(pose[3:]) @ np.array(local)
        self._set_overlay("pull", segments_overlay([[held, target]], self.look.pull, 2.0))
        self._set_overlay("pull ends", segments_overlay([[held, held], [target, target]], self.look.pull, 7.0))

    def _set_overlay(self, name: str, overlay: Overlay | None) -> None:
        overlays = self._renderer.options.overlays
        if overlay is None or len(overlay.first) == 0:
            if overlays.pop(name, None) is None:
                return
        else:
            overlays[name] = overlay
        self._canvas.request(moving=False)

    def _say(self, text: str) -> None:
        self._hint.say(text)
        self.hint_changed.emit(text)

    def _show_failure(self, text: str) -> None:
        self._failure = Failure(self, text)
