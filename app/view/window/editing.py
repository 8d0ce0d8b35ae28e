"""Edits of the scene as the window carries them out: on what is selected, where one looks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import hypot
from pathlib import Path
from typing import cast

from PyQt6.QtCore import QObject, QPoint, QTimer, pyqtSignal
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QFileDialog, QMenu, QWidget

from app.actions.editing import JOINTS
from app.document import control, edits, placement, repeats, stock
from app.document.copies import entries_of, rows_of
from app.document.displacement import Displacement, displaced
from app.document.document import Document
from app.view.commands.action_set import ActionSet
from app.view.viewport.meshes import start_poses
from app.view.viewport.transform import Kind
from app.view.viewport.viewport import Viewport
from app.view.window.dialogs import tell
from app.view.window.playback import Playback
from app.view.window.tree import SceneTree
from app.view.window.waiting import wait_for
from engine.geometry.errors import GeometryError
from engine.scene import paths, placing
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.scene.shapes import BodyShape
from engine.scene.values import Triple

_steps = itertools.count()
Vector = tuple[float, float, float]
_BODY_MENU = ("view.frame", "analyse.plot", "edit.move", "edit.rotate", "edit.duplicate", "edit.rename", "edit.delete")
_JOINT_MENU = ("analyse.plot", "add.motor_position", "add.motor_velocity", "add.motor_effort")
_MESH_FILTER = "Meshes (*.obj *.stl *.ply *.glb *.gltf)"


class EditActions(QObject):
    """Carries the actions of the Edit and Add menus out; dialogs stand over `window`."""

    said = pyqtSignal(str)

    def __init__(
        self,
        window: QWidget,
        document: Document,
        playback: Playback,
        viewport: Viewport,
        tree: SceneTree,
        actions: ActionSet,
        save: Callable[[], bool],
    ) -> None:
        """save: asks for a file if there is none yet, and whether the scene has one then."""
        super().__init__(window)
        self._window, self._document, self._playback = window, document, playback
        self._viewport, self._tree, self._actions = viewport, tree, actions
        self._save = save
        self._origin: Scene | None = None  # with copies where they started to follow the pointer from
        self._step: tuple[str, int] | None = None  # the step of undo that moving them belongs to
        viewport.displaced.connect(self.displaced)
        viewport.transform_left.connect(self._forget_step)
        self._place: QPoint | None = None  # where in the viewport the next body goes; None: where one looks

    def undo(self) -> None:
        self.said.emit(f"Undid {self._document.undo_stack.undoText()}")
        self._document.undo()

    def redo(self) -> None:
        self.said.emit(f"Redid {self._document.undo_stack.redoText()}")
        self._document.redo()

    # --- adding ---------------------------------------------------------------------------------------------------

    def show_add_menu(self) -> None:
        """The Add menu at the pointer; what is chosen goes to where the pointer is."""
        at = QCursor.pos()
        inside = self._viewport.mapFromGlobal(at)
        if not self._viewport.rect().contains(inside):
            inside = self._viewport.rect().center()
            at = self._viewport.mapToGlobal(inside)
        self._place = inside
        menu = QMenu(self._window)
        menu.setObjectName("add_menu")
        self._actions.fill_menu(menu, "Add")
        menu.removeAction(self._actions["add.menu"])
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self._forget_place))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _forget_place(self) -> None:
        self._place = None

    def add(self, kind: str) -> None:
        """Adds a body of a kind that is as large as the others, on whatever is where one looks."""
        scene = self._document.scene
        self._add(edits.new_shape(scene, kind))

    def take_shape(self, kind: str, at: QPoint | None) -> None:
        """Adds a body of a kind from the shelf: it stands on what is at a place in the viewport, or where one looks."""
        scene = self._document.scene
        hit = None if at is None else self._viewport.pick(at.x(), at.y())
        if hit is None or kind == "plane":
            self.add(kind)
            return
        shape = edits.new_shape(scene, kind)
        before, name = edits.add_body(scene, shape, hit[1])
        x, y, z = hit[1]
        above = [float(x), float(y), float(z) + 1.05 * placement.bounding_radius(shape)]
        scene = paths.set_path(before, f"body.{name}.position", above)
        rows = {scene.index(name)}
        found = wait_for(self._window, f"Dropping {name}…", lambda: self._dropped(scene, rows, (name,), ()))
        if found is not None:
            self._document.edit(f"add {name}", found[1], (name,))

    def take_material(self, name: str, at: QPoint | None) -> None:
        """Gives a material from the shelf to the body at a place in the viewport, or to what is selected."""
        scene, names = self._document.scene, self._document.selection
        if at is not None:
            hit = self._viewport.pick(at.x(), at.y())
            names = () if hit is None else _owners(scene, (hit[0],))
        if not names:
            self.said.emit(f"Nothing takes {name}: " + ("drop it onto a body" if at else "no body is selected"))
            return
        self._document.edit(f"make {_listed(names)} of {name}", stock.give_material(scene, name, names))

    def add_mesh(self) -> None:
        """Adds a body from a mesh file, which must lie in the scene's folder or is copied there."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Add a mesh", "", _MESH_FILTER)
        if name:
            self.add_mesh_file(Path(name))

    def add_mesh_file(self, path: Path) -> None:
        """Adds a body from a mesh file, scaled to the size of the others."""
        try:
            scene, file = edits.adopt_mesh(self._document.scene, path, self._document.path is not None)
            scale = placement.typical_size(scene) / placement.mesh_size(path)
            shape = BodyShape.model_validate({"mesh": {"file": file, "scale": float(f"{scale:.3g}")}})
            self._add(shape, scene)
        except (OSError, ValueError) as error:
            tell(self._window, "This mesh cannot be added", str(error))

    def _add(self, shape: BodyShape, scene: Scene | None = None) -> None:
        scene, name = edits.add_body(scene or self._document.scene, shape, self._spot())
        self._document.edit(f"add {name}", scene, (name,))

    def _spot(self) -> tuple[float, float, float]:
        """The point of the world under the pointer, else in the middle of the view."""
        view = self._viewport
        width, height = view.view_size
        at = self._place if self._place is not None else QPoint(width // 2, height // 2)
        hit = view.pick(at.x(), at.y())
        if hit is None:
            target = view.camera.target
            return (target[0], target[1], 0.0)
        body = self._document.scene.bodies[hit[0]]
        x, y, z = hit[1]
        return (x, y, placement.foot(body) if body.motion_kind == "free" else z)

    def add_material(self) -> None:
        scene, name = edits.add_material(self._document.scene)
        self._document.edit(f"add material {name}", scene, focus=f"material.{name}")

    def add_pair(self) -> None:
        scene = self._document.scene
        pair = edits.free_pair(scene)
        if pair is not None:
            text, focus = f"add pair {pair[0]} on {pair[1]}", f"pair[{len(scene.pair)}]"
            self._document.edit(text, edits.add_pair(scene, *pair), focus=focus)

    def add_joint(self, kind: str) -> None:
        """Ties the two selected bodies, or the one to the world."""
        names = self._document.selection
        try:
            scene, name = edits.add_joint(self._document.scene, kind, names)
        except SceneError as error:
            self.said.emit(f"No joint: {error.problems[0].message}")
            return
        self._document.edit(f"add {name}", scene, focus=f"joint.{name}")

    def add_motor(self, seeks: str) -> None:
        """Gives the joint that is looked at a motor, instead of the one that it has."""
        path = self._document.focus
        self._document.set_value(f"{path}.motor", control.new_motor(seeks), f"add motor of {path.partition('.')[2]}")

    def add_controller(self) -> None:
        """A controller with a new Python file beside the scene, for the joint or the bodies that are selected."""
        document = self._document
        if document.path is None and not self._save():
            self.said.emit("No controller: its file lies beside the scene, so the scene has to be saved first")
            return
        number = document.focused_joint()
        joint = document.scene.joint[number].name if number >= 0 else None
        try:
            file = control.write_controller(document.scene.folder or Path(), joint is not None)
            scene, name = control.add_controller(document.scene, file.path.name, joint, document.selection)
        except OSError as error:
            tell(self._window, "The controller's file cannot be written", str(error))
            return
        document.edit(f"add {name}", scene, file=file, focus=f"controller.{name}")
        self.said.emit(f"Wrote {file.path.name}, which runs with the scene")

    def show_menu(self, at: QPoint) -> None:
        """The context menu of what is selected."""
        if self._document.selection:
            identifiers = (*_BODY_MENU, *(f"add.joint_{kind}" for kind in JOINTS), "add.controller")
        elif self._document.focused_joint() >= 0:
            identifiers = (*_JOINT_MENU, "add.controller")
        else:
            return
        menu = QMenu(self._window)
        menu.setObjectName("context_menu")
        menu.aboutToHide.connect(menu.deleteLater)
        group = None
        for action in (self._actions[identifier] for identifier in identifiers):
            part = action.objectName().rpartition("_")[0] if action.objectName().startswith("add.") else ""
            if group is not None and part != group:
                menu.addSeparator()
            group = part
            menu.addAction(action)
        menu.popup(at)

    # --- changing -------------------------------------------------------------------------------------------------

    def duplicate(self) -> None:
        """Copies of the selected bodies follow the pointer from where these are; where it is left they stand beside."""
        names = self._document.selection
        before = self._document.scene
        scene, copies = edits.duplicate(before, names)
        self._step = f"duplicate {_listed(names)}", next(_steps)
        self._document.edit(self._step[0], scene, copies, self._step)
        self._origin = edits.duplicate(before, names, beside=False)[0]
        rows = [self._origin.index(name) for name in copies]
        self._back_to_start()
        if not self._viewport.begin_transform("move", start_poses(self._origin)[rows]):
            self._forget_step()

    def repeat(self) -> None:
        """Makes the selected body the template of a repeat."""
        (name,) = self._document.selection
        try:
            scene, made = repeats.make_repeat(self._document.scene, name)
        except SceneError as error:
            self.said.emit(f"No repeat of {name}: {error.problems[0].message}")
            return
        self._document.edit(f"repeat {name}", scene, focus=f"repeat.{made}")

    def take_apart(self) -> None:
        """Makes single bodies of the repeat that is looked at."""
        before, name = self._document.scene, self._document.focus.removeprefix("repeat.")

        def work() -> tuple[Scene, tuple[str, ...]]:
            scene, names = repeats.take_apart(before, name)
            self._viewport.prepare(scene)
            return scene, names

        found = wait_for(self._window, f"Taking {name} apart…", work)
        if found is not None:
            self._document.edit(f"take {name} apart", *found)

    def delete(self) -> None:
        names = self._document.selection
        self._document.edit(f"delete {_listed(names)}", paths.remove_body(self._document.scene, *names), ())

    def rename(self) -> None:
        self._tree.edit_name()

    def rename_to(self, old: str, new: str) -> None:
        """Gives a body the name that was typed in the tree."""
        if new == old:
            return
        try:
            self._document.edit(f"rename {old}", paths.rename(self._document.scene, f"body.{old}", new), (new,))
        except SceneError as error:
            tell(self._window, "This name cannot be used", str(error))

    def transform(self, kind: str) -> None:
        """Lets what is selected follow the pointer. Poses are edited at the start, so the scene goes back to it."""
        self._back_to_start()
        self._viewport.begin_transform(cast(Kind, kind))

    def drop(self) -> None:
        """Puts what is selected, as one, on what is below it."""
        self._back_to_start()
        scene, bodies = self._document.scene, self._document.selection
        again = () if bodies else (self._document.focus.removeprefix("repeat."),)
        names = bodies or again
        chosen = [one.name in bodies for one in scene.body] + [one.name in again for one in scene.repeat]
        rows = set(rows_of(scene, [entry for entry, is_chosen in enumerate(chosen) if is_chosen]))

        def work() -> tuple[Triple | None, Scene]:
            return self._dropped(scene, rows, bodies, again)

        try:
            found = wait_for(self._window, f"Dropping {_listed(names)}…", work)
        except GeometryError as error:
            tell(self._window, "Nothing can be dropped", str(error))
            return
        if found is None:
            return
        shift, dropped = found
        if shift is None:
            self.said.emit(f"Nothing is below {_listed(names)}")
            return
        self._document.edit(f"drop {_listed(names)}", dropped)
        self.said.emit(f"Dropped {_listed(names)} by {hypot(*shift):.3g} m")

    def _dropped(
        self, scene: Scene, rows: set[int], bodies: tuple[str, ...], again: tuple[str, ...]
    ) -> tuple[Triple | None, Scene]:
        """How far bodies fall on what is below them, None if nothing is there, and the scene after it."""
        shift = placing.drop(scene, rows)
        if shift is None:
            return None, scene
        scene = displaced(scene, bodies, Displacement(shift), again)
        self._viewport.prepare(scene)
        return shift, scene

    def push_apart(self) -> None:
        """Moves bodies that start inside each other by as little as it takes."""
        self._back_to_start()
        scene, names = self._document.scene, self._document.selection
        rows = {scene.index(name) for name in names} if names else set(range(len(scene.body)))
        try:
            found = wait_for(self._window, "Pushing bodies apart…", lambda: self._pushed(scene, rows))
        except GeometryError as error:
            tell(self._window, "Nothing can be pushed apart", str(error))
            return
        if found is None:
            return
        shifts, left, pushed = found
        still = f"; {left} pairs still overlap" if left > 1 else "; one pair still overlaps" if left else ""
        if not shifts:
            self.said.emit("Nothing that may move overlaps" + still)
            return
        self._document.edit(f"push {_listed(tuple(shifts))} apart", pushed)
        self.said.emit(f"Pushed {_listed(tuple(shifts))} by {max(hypot(*s) for s in shifts.values()):.3g} m" + still)

    def _pushed(self, scene: Scene, rows: set[int]) -> tuple[dict[str, Triple], int, Scene]:
        """How far bodies are pushed, how many pairs still overlap, and the scene after it."""
        shifts, left = placing.push_apart(scene, rows)
        for shift in set(shifts.values()):
            together = [name for name, other in shifts.items() if other == shift]
            scene = displaced(scene, together, Displacement(shift))
        self._viewport.prepare(scene)
        return shifts, left, scene

    def _back_to_start(self) -> None:
        playback = self._playback
        if not playback.at_start or playback.is_running:
            playback.reset()
            self._viewport.set_poses(start_poses(self._document.scene))
            self.said.emit("Back at the start, where poses are edited")

    def displaced(self, rows: Sequence[int], change: Displacement, face: Vector | None) -> None:
        """What was chosen was put somewhere else in the viewport, on a face with that normal or into the air."""
        scene, step = self._origin or self._document.scene, self._step
        self._forget_step()
        if change == Displacement():
            return
        entries = entries_of(scene, rows)
        bodies = [body.name for entry, body in enumerate(scene.body) if entry in entries]
        again = [one.name for entry, one in enumerate(scene.repeat, len(scene.body)) if entry in entries]
        names = (*bodies, *again)
        what = step[0] if step else f"{'rotate' if change.degrees else 'move'} {_listed(names)}"
        self._document.edit(what, displaced(scene, bodies, change, again), merge_key=step)

    def _forget_step(self) -> None:
        """The copies that followed the pointer are placed, or left beside what they are copies of."""
        self._origin, self._step = None, None

    def select_all(self) -> None:
        self._document.select(body.name for body in self._document.scene.body)

    def select_none(self) -> None:
        self._document.select(())


def _owners(scene: Scene, rows: Sequence[int]) -> tuple[str, ...]:
    """Names of the bodies and repeats that rows belong to."""
    said = (*scene.body, *scene.repeat)
    return tuple(said[entry].name for entry in sorted(entries_of(scene, rows)))


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} bodies"
