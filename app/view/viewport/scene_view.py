"""The drawing half of the 3D view: a scene with its bodies at given poses, from a camera that can be moved."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QImage, QResizeEvent
from PyQt6.QtWidgets import QWidget

from app.view.layouts import vbox
from app.view.viewport import camera as cam
from app.view.viewport.camera import CameraState
from app.view.viewport.canvas import ViewCanvas
from app.view.viewport.ghosts import Ghosts
from app.view.viewport.hidden import draws_in_software
from app.view.viewport.image_file import write_image
from app.view.viewport.meshes import CORNERS, SLOW_CORNERS, BodySet, body_set
from app.view.viewport.notice import Failure, Hint
from app.view.viewport.overlays import Overlay, arrows_overlay, segments_overlay
from app.view.viewport.painted import PaintedCanvas
from app.view.viewport.palette import DARK, LIGHT, Look, rgb
from app.view.viewport.picking import Picker
from app.view.viewport.pieces import show_pieces
from app.view.viewport.quality import Governor
from app.view.viewport.renderer import Renderer
from app.view.viewport.rig import CameraRig
from app.view.viewport.views import default_camera, frame_balls, named_camera
from engine.arrays import Floats, Floats32
from engine.scene.schema import Scene

FILL, FILL_ONE = 0.86, 0.5
"""Share of the picture that all bodies fill when they are framed, and that the selected ones do."""
_SETS = 4
"""Scenes of which it is known what to draw."""
SIDES = {
    "front": (0.0, 1.0, 0.0),
    "back": (0.0, -1.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "left": (1.0, 0.0, 0.0),
    "top": (0.0, 1e-4, -1.0),
    "bottom": (0.0, 1e-4, 1.0),
}
"""Where one looks, for `look_along`."""


class SceneView(QWidget):
    """Draws a scene.

    Body indices are rows of the scene. Screen positions are in the widget's own pixels, from the top left corner.
    """

    camera_changed = pyqtSignal(object)  # CameraState

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._bodies: BodySet | None = None
        self._made: deque[tuple[Scene, BodySet]] = deque(maxlen=_SETS)
        self._ghost_bodies: tuple[Scene, BodySet] | None = None
        self._picker: Picker | None = None
        self._rig = CameraRig(self)
        self._rig.changed.connect(self._show_camera)
        self._renderer = Renderer()
        self._poses: Floats = np.zeros((0, 7))
        self._failure: Failure | None = None
        self._renderer.options.triad = True
        software = draws_in_software()
        self.is_quick = not software  # a card draws
        self._corners = SLOW_CORNERS if software else CORNERS
        canvas = PaintedCanvas if software else ViewCanvas
        self._canvas = canvas(self, self._renderer, lambda: self._rig.state, self._show_failure)
        surface: QWidget = self._canvas.native
        surface.setObjectName("viewport-surface")
        surface.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._surface = surface
        self.setFocusProxy(surface)
        self.setMinimumSize(160, 120)
        vbox(self, surface)
        self._hint = Hint(self)
        self._show_pieces = False
        self.set_look(DARK)

    # --- what is shown --------------------------------------------------------------------------------------------

    def set_scene(self, scene: Scene, keep_camera: bool | None = None) -> None:
        """Shows a scene at its start. The camera stays for an edit of the same scene (None: same title and folder)."""
        before = self._scene
        if keep_camera is None:
            keep_camera = before is not None and (before.title, before.folder) == (scene.title, scene.folder)
        self._scene = scene
        self._bodies = self._body_set(scene)
        self._picker = Picker.of(self._bodies)
        self._poses = self._bodies.poses.copy()
        self._renderer.set_bodies(self._bodies)
        self._update_pieces()
        options = self._renderer.options
        options.hovered, options.painted = -1, None
        count = self._bodies.count
        options.selected = tuple(row for row in options.selected if row < count)
        if not keep_camera:
            self.reset_camera()
        self._canvas.request(moving=False, anew=not keep_camera)

    def prepare(self, scene: Scene) -> None:
        """Computes what `set_scene` will need of a large scene. Any thread may ask."""
        self._body_set(scene)

    def _body_set(self, scene: Scene) -> BodySet:
        """What to draw of a scene; of the last ones it is known, so that undo and redo need not make it again."""
        known = next((bodies for made, bodies in tuple(self._made) if made is scene), None)
        if known is None:
            known = body_set(scene, self._bodies, corners=self._corners)
            self._made.append((scene, known))
        return known

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

    def set_painted(self, colours: Floats32 | None) -> None:
        """Paints the bodies in these amounts of light, (n, 3) in scene order; None: in their own colours."""
        self._renderer.options.painted = colours
        self._canvas.request(moving=False)

    @property
    def painted(self) -> Floats32 | None:
        """The colours that were set last; None where bodies wear their own."""
        return self._renderer.options.painted

    def set_stopped(self, rows: Sequence[int]) -> None:
        """Paints bodies that were stopped as those that are lost."""
        self._renderer.options.stopped = tuple(rows)
        self._canvas.request(moving=False)

    def set_ghosts(self, scene: Scene | None, rows: Sequence[int] = (), poses: ArrayLike = ()) -> None:
        """Draws some bodies of a scene, translucent, over those that are shown; None: none of them.

        poses: (n, 7) x y z [m], w x y z of all bodies of that scene.
        """
        options, before = self._renderer.options, self._ghost_bodies
        if scene is None:
            self._ghost_bodies = options.ghosts = None
        else:
            bodies = before[1] if before is not None and before[0] is scene else self._body_set(scene)
            self._ghost_bodies = (scene, bodies)
            options.ghosts = Ghosts(bodies, tuple(rows), np.array(poses, dtype=float))
        self._canvas.request(moving=scene is not None)

    @property
    def ghosts(self) -> Ghosts | None:
        """The bodies of another run as they are drawn over the scene."""
        return self._renderer.options.ghosts

    def set_overlay(self, name: str, overlay: Overlay | None) -> None:
        """Draws something over the bodies under a name; None, or nothing to draw, removes it."""
        overlays = self._renderer.options.overlays
        if overlay is None or len(overlay.first) == 0:
            if overlays.pop(name, None) is None:
                return
        else:
            overlays[name] = overlay
        self._canvas.request(moving=False)

    def set_overlay_segments(
        self, name: str, segments: ArrayLike | None, colour: str, width: float = 2.0, through: bool = False
    ) -> None:
        """Draws line segments (m, 2, 3) under a name; the same name replaces them, None or none at all removes them.

        through: what lies behind bodies shows as strongly as what does not.
        """
        self.set_overlay(name, None if segments is None else segments_overlay(segments, colour, width, through))

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
        self.set_overlay(name, drawn)

    def set_shadows(self, on: bool) -> None:
        """Whether the lamp casts shadows."""
        self._renderer.options.shadows = on
        self._canvas.request(moving=False)

    def set_ambient(self, on: bool) -> None:
        """Whether bodies take light from each other where they are near, and edges show where they meet."""
        self._renderer.options.ambient = on
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
    def poses(self) -> Floats:
        """Poses as set last, (n, 7)."""
        return self._poses

    @property
    def drawn_poses(self) -> Floats:
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

    # --- pictures -------------------------------------------------------------------------------------------------

    def picture(self, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """What is shown as a picture (height, width, 3), drawn anew at any size, with the finest shadows."""
        if not self._surface.isVisible():
            raise RuntimeError("a picture can be taken once the viewport has been shown")
        ratio = self._surface.devicePixelRatioF()
        size = size or (round(self.view_size[0] * ratio), round(self.view_size[1] * ratio))
        options = self._renderer.options
        kept = options.hovered, options.triad, options.gizmo
        options.hovered, options.triad, options.gizmo = -1, False, ()
        try:
            return self._canvas.draw_picture(size, size[1] / self.view_size[1])
        finally:
            options.hovered, options.triad, options.gizmo = kept
            self._canvas.request(moving=False)

    def screenshot(self, path: str | Path, size: tuple[int, int] | None = None) -> None:
        """Writes what is shown to a PNG or JPEG file, by its suffix, of any size (default: as it is on the screen).

        OSError if that fails: what was there stays.
        """
        pixels = self.picture(size)
        height, width = pixels.shape[:2]
        image = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        write_image(Path(path), image)

    def notify(self, text: str, duration: int) -> None:
        """Says something over the picture for a while [ms]."""
        self._hint.say_for(text, duration)

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

    def _show_camera(self, state: CameraState) -> None:
        self._canvas.request(moving=True)
        self.camera_changed.emit(state)

    def _frame(self, rows: Sequence[int] | None, glide: bool) -> None:
        if self._bodies is not None:
            balls = frame_balls(self._bodies, self._renderer.poses, rows)
            self._rig.send(cam.frame(self.camera, *balls, self.view_size, FILL if rows is None else FILL_ONE), glide)

    def _show_poses(self) -> None:
        self._renderer.set_poses(self._poses)

    def _show_failure(self, text: str) -> None:
        self._failure = Failure(self, text)
