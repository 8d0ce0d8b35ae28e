"""The 3D view as a widget: what to show goes in as plain values, what the person does comes out as signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QPointF, Qt, pyqtSignal
from PyQt6.QtWidgets import QWidget

from app.view.viewport import camera as cam
from app.view.viewport.editing_view import EditingView
from app.view.viewport.gestures import Gestures
from app.view.viewport.overlays import segments_overlay
from app.view.viewport.picking import Hit
from app.view.viewport.transform import Kind
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix
from engine.scene.schema import Scene

Pick = tuple[int, tuple[float, float, float], tuple[float, float, float]]

ORBIT_SPEED = 0.0085
"""Radians a pixel."""
ZOOM_STEP = 0.88
"""Distance after one notch of the wheel over that before."""


class Viewport(EditingView):
    """Shows a scene, and lets people look round, point, pull, move and rotate."""

    body_clicked = pyqtSignal(int, object)  # row, or -1 beside all bodies; keyboard modifiers
    body_activated = pyqtSignal(int)  # double-clicked
    pull_started = pyqtSignal(int, object, object)  # row, point in its authored frame (3), target in the world (3)
    pull_moved = pyqtSignal(object)  # target (3)
    pull_ended = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pull: tuple[int, tuple[float, float, float], Floats] | None = None
        self._gestures = Gestures(self, self)
        self._surface.installEventFilter(self._gestures)

    def set_scene(self, scene: Scene, keep_camera: bool | None = None) -> None:
        """Shows a scene at its start, and ends whatever gesture is under way."""
        self._gestures.stop()
        super().set_scene(scene, keep_camera)

    def begin_transform(self, kind: Kind, poses: ArrayLike | None = None) -> bool:
        """Lets what is selected follow the cursor, unless a body is being pulled; see `EditingView`."""
        return not self._gestures.pulling and super().begin_transform(kind, poses)

    def pick(self, x: float, y: float) -> Pick | None:
        """The body under a screen position: its row, the point in the world, the point in its authored frame."""
        hit = self._hit(x, y)
        return None if hit is None else (hit.body, hit.point, hit.local)

    def _hit(self, x: float, y: float) -> Hit | None:
        if self._picker is None:
            return None
        return self._picker.cast(*cam.pixel_ray(x, y, self.camera, self.view_size), self._renderer.poses)

    def _show_poses(self) -> None:
        super()._show_poses()
        if self._pull is not None:
            self._show_pull()

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
        hit = None if at is None or self.hover_handle(at) else self._hit(at.x(), at.y())
        if at is None:
            self.hover_handle(None)
        bodies = self._bodies
        row = -1 if hit is None or bodies is None or bodies.mesh[hit.body] < 0 else hit.body
        if row != self._renderer.options.hovered:
            self._renderer.options.hovered = row
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

    def _show_pull(self) -> None:
        if self._pull is None:
            self.set_overlay("pull", None)
            self.set_overlay("pull ends", None)
            return
        row, local, target = self._pull
        pose = self._renderer.poses[row]
        held = pose[:3] + rotation_matrix(pose[3:]) @ np.array(local)
        self.set_overlay("pull", segments_overlay([[held, target]], self.look.pull, 2.0))
        self.set_overlay("pull ends", segments_overlay([[held, held], [target, target]], self.look.pull, 7.0))
