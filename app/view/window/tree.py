"""The scene as a tree: world, bodies, joints, materials, pairs. What is selected here is selected everywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from itertools import pairwise

from PyQt6.QtCore import QItemSelection, QItemSelectionModel, QMimeData, QModelIndex, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QBrush, QColor, QIcon
from PyQt6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem

from app.actions.editing import SHAPES
from app.document.document import Document
from app.view.plots.choices import drag_data
from app.view.theme import colours, icon, theme
from engine.scene.schema import Body, Scene

_PATH = Qt.ItemDataRole.UserRole
_SHAPE_ICONS = SHAPES | {
    "revolved": "mdi6.chess-pawn",
    "mesh": "mdi6.vector-triangle",
    "convex": "mdi6.octahedron",
    "extrusion": "mdi6.alphabetical-variant",
}
_JOINT_ICONS = {
    "ball": "mdi6.circle-double",
    "hinge": "mdi6.rotate-3d-variant",
    "slider": "mdi6.arrow-left-right",
    "weld": "mdi6.link-lock",
    "planar": "mdi6.arrow-all",
}
_MOTION_WORDS = {
    "fixed": "is static",
    "spinner": "spins (kinematic)",
    "oscillator": "oscillates (kinematic)",
    "cycler": "cycles (kinematic)",
    "accelerated": "accelerates (kinematic)",
    "keyframes": "follows keyframes (kinematic)",
}


class SceneTree(QTreeWidget):
    """Shows and changes the document's selection. `menu_wanted` asks for the context menu of what is selected."""

    renamed = pyqtSignal(str, str)  # body, its new name
    menu_wanted = pyqtSignal(QPoint)
    activated_body = pyqtSignal(str)  # double click: look at it
    needed = pyqtSignal()  # something is to be typed here: it must be seen

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._filling = False
        self._shown: Scene | None = None
        self._chosen: tuple[tuple[str, ...], str] | None = None
        self._paths: list[tuple[QTreeWidgetItem | None, list[str]]] = []  # of what is in each group, and of the groups
        self.setObjectName("scene_tree")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(self.mapToGlobal(at)))
        self.itemSelectionChanged.connect(self._publish_selection)
        self.itemChanged.connect(self._publish_name)
        self.itemDoubleClicked.connect(self._activate)
        document.scene_changed.connect(lambda scene, _what: self._fill(scene))
        document.selection_changed.connect(lambda _names: self._show_selection())
        document.focus_changed.connect(lambda _path: self._show_selection())
        theme().changed.connect(self._recolour)
        self._fill(document.scene)

    def edit_name(self) -> None:
        """Lets the person type another name for the selected body."""
        items = self.selectedItems()
        if len(items) == 1 and str(items[0].data(0, _PATH)).startswith("body."):
            self.needed.emit()
            self.scrollToItem(items[0])  # unfolds what it is in
            self.editItem(items[0], 0)

    def mimeData(self, items: Iterable[QTreeWidgetItem]) -> QMimeData:
        """Bodies, or a joint, to be dropped on the plots."""
        paths = [str(item.data(0, _PATH)).partition(".") for item in items]
        bodies = [name for kind, _, name in paths if kind == "body"]
        joints = [name for kind, _, name in paths if kind == "joint"]
        return drag_data("body", bodies) if bodies else drag_data("joint", joints) if joints else QMimeData()

    def _recolour(self, _colours: object) -> None:
        self._fill(self._document.scene, anew=True)

    # --- filling ------------------------------------------------------------------------------------------------

    def _fill(self, scene: Scene, anew: bool = False) -> None:
        old, self._shown = self._shown, scene
        if not anew and old is not None and _outline(old) == _outline(scene):
            return
        folded = {
            str(item.data(0, _PATH))
            for row in range(self.topLevelItemCount())
            if (item := self.topLevelItem(row)) is not None and not item.isExpanded()
        }
        self._filling = True
        self._chosen = None
        self.clear()
        self.addTopLevelItem(_item("World", "world", "mdi6.earth"))
        bodies = _item("Bodies", "bodies", "mdi6.shape-outline")
        bodies.addChildren(_body_items(scene.body))
        repeats = _item("Repeats", "repeats", "mdi6.dots-grid")
        for repeat in scene.repeat:
            text = f"{repeat.name}  × {len(repeat.bodies)}"
            repeats.addChild(_item(text, f"repeat.{repeat.name}", _SHAPE_ICONS[repeat.shape.kind]))
        joints = _item("Joints", "joints", "mdi6.vector-link")
        for joint in scene.joint:
            item = _item(joint.name, f"joint.{joint.name}", _JOINT_ICONS[joint.kind])
            item.setToolTip(0, f"{joint.kind}: {' – '.join(joint.bodies)}")
            joints.addChild(item)
        controllers = _item("Controllers", "controllers", "mdi6.language-python")
        for controller in scene.controller:
            symbol = "mdi6.script-text-outline" if controller.enabled else "mdi6.script-outline"
            item = _item(controller.name, f"controller.{controller.name}", symbol)
            item.setToolTip(0, f"{controller.file}, {controller.rate:g} times a second")
            controllers.addChild(item)
        materials = _item("Materials", "materials", "mdi6.texture-box")
        for name in scene.material:
            materials.addChild(_item(name, f"material.{name}", "mdi6.circle-medium", scene.material[name].colour))
        pairs = _item("Material pairs", "pairs", "mdi6.set-center")
        for number, pair in enumerate(scene.pair):
            pairs.addChild(_item(" – ".join(pair.materials), f"pair[{number}]", "mdi6.circle-small"))
        self._paths = [(None, ["world"])]
        for group in (bodies, repeats, joints, controllers, materials, pairs):
            if group.childCount():
                self._paths.append((group, _paths_in(group) if group is not bodies else _body_paths(scene)))
                group.setText(0, f"{group.text(0)}  {group.childCount()}")
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.addTopLevelItem(group)
                group.setExpanded(str(group.data(0, _PATH)) not in folded)
        self._filling = False
        self._show_selection()

    def _show_selection(self) -> None:
        """Select what is selected in the document, unless it is: a change of thousands is told of more than once."""
        chosen = self._document.selection, self._document.focus
        if chosen == self._chosen:
            return
        self._chosen = chosen
        wanted = {f"body.{name}" for name in self._document.selection} or {self._document.focus}
        found, model = self._runs(wanted), self.selectionModel()
        if model is not None:
            self._filling = True
            model.select(found, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._filling = False
        if found.count():
            self.scrollTo(found.indexes()[0])

    def _runs(self, wanted: Collection[str]) -> QItemSelection:
        """Items of these paths, those in a row as one: chosen one by one, thousands take half a second."""
        found, model = QItemSelection(), self.model()
        assert model is not None
        for group, paths in self._paths:
            inside = QModelIndex() if group is None else self.indexFromItem(group)
            rows = [row for row, path in enumerate(paths) if path in wanted]
            begins = [k for k, row in enumerate(rows) if k == 0 or rows[k - 1] != row - 1]
            for begin, end in pairwise([*begins, len(rows)]):
                found.select(model.index(rows[begin], 0, inside), model.index(rows[end - 1], 0, inside))
        return found

    # --- telling ------------------------------------------------------------------------------------------------

    def _publish_selection(self) -> None:
        if self._filling:
            return
        paths = [str(item.data(0, _PATH)) for item in self.selectedItems()]
        bodies = [path.removeprefix("body.") for path in paths if path.startswith("body.")]
        if bodies or not paths:
            self._document.select(bodies)
        else:
            self._document.set_focus(paths[-1])

    def _publish_name(self, item: QTreeWidgetItem, _column: int) -> None:
        path = str(item.data(0, _PATH))
        if self._filling or not path.startswith("body."):
            return
        old, new = path.removeprefix("body."), item.text(0).strip()
        QTimer.singleShot(0, lambda: self._rename(old, new))  # the item is still being edited: it must not go away

    def _rename(self, old: str, new: str) -> None:
        self.renamed.emit(old, new)
        self._fill(self._document.scene, anew=True)  # also where the name could not be taken

    def _activate(self, item: QTreeWidgetItem) -> None:
        path = str(item.data(0, _PATH))
        if path.startswith("body."):
            self.activated_body.emit(path.removeprefix("body."))


def _outline(scene: Scene) -> object:
    """What of a scene the tree shows."""
    return (
        [(body.name, body.shape.kind, body.motion_kind) for body in scene.body],
        [(repeat.name, len(repeat.bodies), repeat.shape.kind) for repeat in scene.repeat],
        [(joint.name, joint.kind, joint.bodies) for joint in scene.joint],
        [(one.name, one.file, one.rate, one.enabled) for one in scene.controller],
        [(name, material.colour) for name, material in scene.material.items()],
        [pair.materials for pair in scene.pair],
    )


def _item(text: str, path: str, symbol: str, colour: str | None = None) -> QTreeWidgetItem:
    item = QTreeWidgetItem([text])
    item.setData(0, _PATH, path)
    item.setIcon(0, _muted_icon(symbol, colour))
    return item


def _body_items(bodies: Iterable[Body]) -> list[QTreeWidgetItem]:
    """Thousands of bodies are of a few kinds: what a kind has in common is made once, and copied."""
    kinds: dict[tuple[str, str], QTreeWidgetItem] = {}
    items = []
    for body in bodies:
        kind = body.shape.kind, body.motion_kind
        if kind not in kinds:
            kinds[kind] = _kind_item(*kind)
        item = kinds[kind].clone()
        assert item is not None
        item.setText(0, body.name)
        item.setData(0, _PATH, f"body.{body.name}")
        if (word := _MOTION_WORDS.get(kind[1])) is not None:
            item.setToolTip(0, f"{body.name} {word}")
        items.append(item)
    return items


def _kind_item(shape: str, motion: str) -> QTreeWidgetItem:
    item = _item("", "", _SHAPE_ICONS[shape])
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    if motion in _MOTION_WORDS:
        item.setForeground(0, QBrush(QColor(colours().muted)))
    return item


def _body_paths(scene: Scene) -> list[str]:
    return [f"body.{body.name}" for body in scene.body]


def _paths_in(group: QTreeWidgetItem) -> list[str]:
    children = (group.child(row) for row in range(group.childCount()))
    return [str(item.data(0, _PATH)) for item in children if item is not None]


def _muted_icon(symbol: str, colour: str | None = None) -> QIcon:
    return _icon(symbol, colour or colours().muted, colours().scheme)


@cache
def _icon(symbol: str, colour: str, _scheme: str) -> QIcon:
    return icon(symbol, colour)
