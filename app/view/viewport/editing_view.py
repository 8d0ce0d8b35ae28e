"""The 3D view in which what is selected can be moved and rotated: by keys, by handles, by numbers, onto faces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtWidgets import QWidget

from app.document.copies import entries_of, rows_of
from app.view.units import load_units
from app.view.viewport import camera as cam
from app.view.viewport.camera import CameraState
from app.view.viewport.floor import cell_size
from app.view.viewport.gizmo import Gizmo, Handle
from app.view.viewport.onto import shift_onto
from app.view.viewport.overlays import segments_overlay
from app.view.viewport.palette import Look
from app.view.viewport.scene_view import SceneView
from app.view.viewport.transform import AXES, Kind, Mover, Transform, resolution
from engine.arrays import Floats
from engine.scene.schema import Scene

_BESIDE = 60.0
"""A transform that begins while the cursor is elsewhere begins so many pixels beside the pivot."""
_KEYS = "X Y Z axis · type how far · Ctrl steps · {}Enter or click places · Esc leaves it"


class EditingView(SceneView):
    """Shows a scene whose selected bodies can be displaced. Handles are there while `set_handles` says so."""

    displaced = pyqtSignal(object, object, object)  # rows, Displacement, normal of the face that they lie on or None
    transform_left = pyqtSignal()  # without displacing anything

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mover: Mover | None = None
        self._face: cam.Point | None = None  # normal of the face that the moved bodies are put on
        self._handles = False
        self._handle: Handle | None = None  # under the cursor, or held

    def set_scene(self, scene: Scene, keep_camera: bool | None = None) -> None:
        """Shows a scene at its start; nothing follows the cursor any more."""
        self.cancel_transform()
        super().set_scene(scene, keep_camera)
        self._draw_gizmo()

    # --- what can be moved ----------------------------------------------------------------------------------------

    def _chosen(self) -> tuple[int, ...]:
        """Rows of the selected bodies; of a repeat all copies, whichever are outlined."""
        scene, selected = self._scene, self._renderer.options.selected
        if scene is None:
            return ()
        if max(selected, default=-1) < len(scene.body):
            return tuple(selected)
        return tuple(rows_of(scene, entries_of(scene, (row for row in selected if row < len(self._poses)))))

    def _turns(self, rows: Sequence[int]) -> bool:
        """Whether these can be turned: repeats are only moved."""
        return self._scene is not None and max(rows, default=-1) < len(self._scene.body)

    # --- moving and rotating bodies -------------------------------------------------------------------------------

    @property
    def transforming(self) -> bool:
        """Whether bodies follow the cursor now."""
        return self._mover is not None

    @property
    def transform_start(self) -> tuple[float, float]:
        """Where the cursor was when the transform began."""
        if self._mover is None:
            raise RuntimeError("nothing is being moved")
        return self._mover.change.start

    def begin_transform(self, kind: Kind, poses: ArrayLike | None = None) -> bool:
        """Lets what is selected follow the cursor until it is confirmed or cancelled; False: nothing is.

        poses: where they start from (k, 7), if that is not where they are.
        """
        rows = self._chosen()
        if not rows or (kind == "rotate" and not self._turns(rows)):
            return False
        at = QPointF(self._surface.mapFromGlobal(self.cursor().pos()))
        begun = self._poses[list(rows)] if poses is None else np.asarray(poses, dtype=float)
        pivot = cam.point(begun[:, :3].mean(axis=0))
        if not self._surface.rect().contains(at.toPoint()):
            x, y, _ = self.project(pivot)
            at = QPointF(x + _BESIDE, y)
        self._begin(rows, begun, Transform(kind, pivot, (at.x(), at.y())))
        self.preview_transform(at, snap=False)
        return True

    def grab_handle(self, at: QPointF) -> bool:
        """Takes hold of the handle under the cursor; False if there is none."""
        gizmo, cursor = self._gizmo(), (at.x(), at.y())
        handle = None if gizmo is None else gizmo.at(cursor)
        if gizmo is None or handle is None:
            return False
        rows, along = self._chosen(), AXES.get(handle.axis, (0.0, 0.0, 0.0))
        tangent = gizmo.tangent(handle, cursor)
        self._handle = handle
        change = Transform(handle.kind, gizmo.pivot, cursor, handle.axis, along, tangent=tangent)
        self._begin(rows, self._poses[list(rows)], change)
        self.preview_transform(at, snap=False)
        return True

    def _begin(self, rows: Sequence[int], poses: Floats, change: Transform) -> None:
        self.cancel_transform()
        load_units()
        self._mover = Mover(rows, poses, change)
        self._surface.setFocus()

    def preview_transform(self, at: QPointF, snap: bool, onto: bool = False) -> None:
        """Shows the bodies where the cursor would put them: in steps if `snap`, on the face under it if `onto`."""
        mover = self._mover
        if mover is None:
            return
        step = cell_size(self.camera.distance)[0] if snap else 0.0
        self._face = None
        said = mover.follow((at.x(), at.y()), self.camera, self.view_size, step)
        if onto and mover.moves_freely:
            said = self._put_on_face(mover, at, step) or said
        self._show_mover(mover, said)

    def _put_on_face(self, mover: Mover, at: QPointF, step: float) -> str:
        """Puts the bodies on what is under the cursor; returns what to tell of it, "" if nothing is there."""
        if self._picker is None or self._bodies is None or self._scene is None:
            return ""
        ray = cam.pixel_ray(at.x(), at.y(), self.camera, self.view_size)
        hit = self._picker.cast(*ray, self._poses, without=mover.rows)
        if hit is None:
            return ""
        step = step or resolution(hit.point, self.camera, self.view_size)
        shift = shift_onto(self._bodies, mover.rows, mover.poses, mover.change.pivot, hit, step)
        if shift is None:
            return ""
        mover.put(shift)
        self._face = hit.normal
        return f"Move onto {self._scene.bodies[hit.body].name}"

    def lock_axis(self, axis: str) -> None:
        """Keeps the transform to "x", "y" or "z" of the world; again: to the body's own; once more frees it."""
        if self._mover is not None:
            self._face = None
            self._show_mover(self._mover, self._mover.lock(axis, self.camera, self.view_size))

    @property
    def typed_transform(self) -> str:
        """What has been typed for how far it goes."""
        return "" if self._mover is None else self._mover.change.typed

    def type_transform(self, text: str) -> None:
        """Takes what is typed for how far it goes, in metres or degrees if it names no unit; "": as the cursor says."""
        if self._mover is not None:
            self._face = None
            self._show_mover(self._mover, self._mover.type(text, self.camera, self.view_size))

    def confirm_transform(self) -> None:
        """Ends the transform and tells where the bodies are now; what is typed wrong is told, and nothing ends."""
        mover, face = self._mover, self._face
        if mover is None:
            return
        if mover.problem:
            self._hint.say(f"{mover.problem}      Backspace corrects it · Esc leaves it")
            return
        self._poses = mover.applied_to(self._poses)
        self._end_transform()
        self.displaced.emit(mover.rows, mover.displacement, face)

    def cancel_transform(self) -> None:
        """Ends the transform; the bodies go back."""
        if self._mover is not None:
            self._end_transform()
            self.transform_left.emit()

    def _end_transform(self) -> None:
        self._mover, self._face, self._handle = None, None, None
        self.set_overlay("transform axis", None)
        self._hint.say("")
        self._show_poses()
        self._canvas.request(moving=False)

    def _show_mover(self, mover: Mover, said: str) -> None:
        faces = "Shift faces · " if mover.moves_freely else ""
        self._hint.say(f"{said}      {_KEYS.format(faces)}")
        self._show_poses()
        colour = self.look.axes["xyz".index(mover.change.axis or "x")]
        self.set_overlay("transform axis", segments_overlay(mover.guide(40.0 * self.camera.distance), colour, 1.5))
        self._canvas.request(moving=True)

    # --- handles --------------------------------------------------------------------------------------------------

    def set_handles(self, on: bool) -> None:
        """Whether what is selected has handles."""
        if on != self._handles:
            self._handles = on
            self._draw_gizmo()

    @property
    def gizmo(self) -> Gizmo | None:
        """The handles that are there now."""
        return self._gizmo()

    def hover_handle(self, at: QPointF | None) -> bool:
        """Brightens the handle under the cursor; whether there is one."""
        gizmo = None if at is None else self._gizmo()
        handle = None if gizmo is None or at is None else gizmo.at((at.x(), at.y()))
        if handle != self._handle:
            self._handle = handle
            self._draw_gizmo()
        return handle is not None

    def _gizmo(self) -> Gizmo | None:
        rows = self._chosen() if self._handles and self._mover is None else ()
        if not rows:
            return None
        pivot = cam.point(self._poses[list(rows), :3].mean(axis=0))
        if self.project(pivot)[2] <= 0.0:
            return None
        return Gizmo(pivot, self.camera, self.view_size, self._turns(rows))

    def _draw_gizmo(self) -> None:
        gizmo = self._gizmo()
        self._renderer.options.gizmo = () if gizmo is None else gizmo.overlays(self.look, self._handle)
        self._canvas.request(moving=False)

    def set_selection(self, indices: Sequence[int]) -> None:
        super().set_selection(indices)
        self._draw_gizmo()

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        if hasattr(self, "_handles"):
            self._draw_gizmo()

    def _show_camera(self, state: CameraState) -> None:
        super()._show_camera(state)
        self._draw_gizmo()

    def _show_poses(self) -> None:
        self._renderer.set_poses(self._poses if self._mover is None else self._mover.applied_to(self._poses))
        self._draw_gizmo()
