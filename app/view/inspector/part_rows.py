"""The inspector's forms for what a shape consists of: pieces of compounds, corners of hulls, outlines and profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PyQt6.QtWidgets import QPushButton, QWidget

from app.document import edits
from app.document.placement import bounding_radius
from app.view.forms.numbers import VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.inspector.motion_rows import add_rotation_rows
from app.view.inspector.page import Page
from app.view.inspector.shape_rows import Place, add_shape_rows
from app.view.layouts import hbox
from engine.scene.paths import get_path
from engine.scene.shapes import PIECE_KINDS, BodyShape

Change = Callable[[list[Any]], list[Any]]
_FOLDED = 3  # pieces of more than so many are folded
_MOST = 200  # points that are shown as numbers
_KINDS = tuple(kind for kind in PIECE_KINDS if kind not in ("convex", "revolved"))


def add_part_forms(page: Page, path: Place, shape: BodyShape) -> None:
    """Forms for the parts of `shape`; `path("compound.pieces")()` is where a list of them stands."""
    match shape.kind:
        case "compound":
            for number in range(len(shape.value.pieces)):
                _add_piece(page, path, shape, number)
            form = page.form("")
            button = QPushButton("Add a piece")
            button.setObjectName("add_piece")
            size = _size_of(shape.value.pieces[-1].shape)
            made = edits.shape_of("box", size).model_dump(exclude_unset=True)
            _on_click(
                page, form, button, "add a piece", path("compound.pieces"), lambda pieces: [*pieces, {"shape": made}]
            )
            form.add_wide(button)
        case "convex":
            _add_points(page, "Corners", path("convex.vertices"), len(shape.value.vertices), "xyz")
        case "revolved":
            _add_points(page, "Profile", path("revolved.profile"), len(shape.value.profile), "rz")
        case "extrusion":
            for number, ring in enumerate(shape.value.rings):
                title = "Outline" if number == 0 else f"Hole {number}"
                _add_points(page, title, path(f"extrusion.rings[{number}]"), len(ring), "xy")


def _add_piece(page: Page, path: Place, shape: BodyShape, number: int) -> None:
    pieces = shape.value.pieces
    own = pieces[number].shape
    form = page.form(f"Piece {number + 1}", folded=len(pieces) > _FOLDED)
    at = f"compound.pieces[{number}]"
    kinds = [kind for kind in PIECE_KINDS if kind in (*_KINDS, own.kind)]
    kind = ChoiceBox([(kind, edits.SHAPE_LABELS[kind]) for kind in kinds])
    page.bind(
        form,
        "Kind",
        kind,
        path(f"{at}.shape"),
        read=lambda scene: get_path(scene, path(f"{at}.shape")()).kind,
        write=lambda chosen: edits.shape_of(str(chosen), _size_of(own)),
    )
    add_shape_rows(page, form, lambda rest: path(f"{at}.shape.{rest}"), own)
    page.bind(form, "Position", VectorBox("m"), path(f"{at}.position"), "m", "In the body's frame")
    add_rotation_rows(page, form, path(f"{at}.orientation"))
    row, where = QWidget(), path("compound.pieces")
    copy, delete = QPushButton("Duplicate"), QPushButton("Delete")
    copy.setObjectName(f"copy_piece_{number}")
    delete.setObjectName(f"delete_piece_{number}")
    _on_click(page, form, copy, "duplicate a piece", where, lambda items: [*items[: number + 1], *items[number:]])
    _on_click(page, form, delete, "delete a piece", where, lambda items: [*items[:number], *items[number + 1 :]])
    hbox(row, copy, delete, spacing=6)
    form.add_wide(row)


def _add_points(page: Page, title: str, path: Callable[[], str], count: int, marks: str) -> None:
    """A form of points, a row each."""
    form = page.form(f"{title}: {count} points", folded=count > 2 * _FOLDED)
    if count > _MOST:
        form.add_paragraph().setText(f"More than {_MOST} points are edited in the scene's text")
        return
    for number in range(count):
        place = _entry(path, number)
        page.bind(form, f"{title} {number + 1}", VectorBox("m", marks), place, "m")
    row = QWidget()
    add, delete = QPushButton("Add"), QPushButton("Delete the last")
    add.setObjectName(f"add_to_{title}")
    delete.setObjectName(f"delete_from_{title}")
    _on_click(page, form, add, "add a point", path, _with_midpoint)
    _on_click(page, form, delete, "delete a point", path, lambda points: points[:-1])
    hbox(row, add, delete, spacing=6)
    form.add_wide(row)


def _entry(path: Callable[[], str], number: int) -> Callable[[], str]:
    return lambda: f"{path()}[{number}]"


def _with_midpoint(points: Sequence[Sequence[float]]) -> list[Any]:
    """With a point between the last two, which changes no outline yet."""
    between = [0.5 * (a + b) for a, b in zip(points[-2], points[-1], strict=True)]
    return [*points[:-1], between, points[-1]]


def _on_click(
    page: Page,
    form: Form,
    button: QPushButton,
    what: str,
    path: Callable[[], str],
    change: Callable[[list[Any]], list[Any]],
) -> None:
    """A button that edits a list; what is wrong with that is told under it."""
    problem = form.add_paragraph()
    problem.setObjectName("error")
    problem.hide()

    def click() -> None:
        said = page.change_list(what, path, change)
        if said:
            problem.setText(said)
            problem.show()

    button.clicked.connect(click)


def _size_of(shape: BodyShape) -> float:
    return 2.0 * bounding_radius(shape, None) or 0.5
