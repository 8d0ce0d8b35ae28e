"""The inspector's forms for what a shape consists of: pieces of compounds, corners of hulls, outlines and profiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from PyQt6.QtWidgets import QPushButton

from app.document import edits
from app.document.placement import size_of
from app.view.forms.numbers import VectorBox
from app.view.forms.rows import ChoiceBox
from app.view.inspector.motion_rows import add_rotation_rows
from app.view.inspector.page import Change, Page, Place
from app.view.inspector.shape_rows import add_shape_rows
from engine.scene.paths import get_path
from engine.scene.schema import Scene
from engine.scene.shapes import PIECE_KINDS, BodyShape, Extrusion

_FOLDED = 3  # pieces of more than so many are folded
_MOST = 200  # points that are shown as numbers
_KINDS = tuple(kind for kind in PIECE_KINDS if kind not in ("convex", "revolved"))


def add_part_forms(page: Page, path: Place, shape: BodyShape) -> None:
    """Forms for the parts of `shape`; `path("compound.pieces")()` is where a list of them stands."""
    match shape.kind:
        case "compound":
            for number in range(len(shape.value.pieces)):
                _add_piece(page, path, shape, number)
            button = QPushButton("Add a piece")
            button.setObjectName("add_piece")
            page.add_list_buttons(page.form(""), path("compound.pieces"), (button, "add a piece", _with_piece))
        case "extrusion":
            for number, (title, ring) in enumerate(zip(_ring_titles(shape.value), shape.value.rings)):
                _add_points(page, title, path(f"extrusion.rings[{number}]"), len(ring), "xy")
        case _:
            _add_corners(page, path, shape)


def _add_piece(page: Page, path: Place, shape: BodyShape, number: int) -> None:
    pieces = shape.value.pieces
    own, folded = pieces[number].shape, len(pieces) > _FOLDED
    form = page.form(f"Piece {number + 1}", folded)
    at = f"compound.pieces[{number}]"

    def inside(rest: str) -> Callable[[], str]:
        return path(f"{at}.shape.{rest}")

    def now(scene: Scene) -> BodyShape:
        found: BodyShape = get_path(scene, path(f"{at}.shape")())
        return found

    kinds = [kind for kind in PIECE_KINDS if kind in (*_KINDS, own.kind)]
    page.bind(
        form,
        "Kind",
        ChoiceBox([(kind, edits.SHAPE_LABELS[kind]) for kind in kinds]),
        path(f"{at}.shape"),
        read=lambda scene: now(scene).kind,
        write=lambda kind: edits.as_kind(page.document.scene, now(page.document.scene), str(kind)),
    )
    add_shape_rows(page, form, inside, own)
    page.bind(form, "Position", VectorBox("m"), path(f"{at}.position"), "m", "In the body's frame")
    add_rotation_rows(page, form, path(f"{at}.orientation"), axes="in the body's frame")
    copy, delete = QPushButton("Duplicate"), QPushButton("Delete")
    copy.setObjectName(f"copy_piece_{number}")
    delete.setObjectName(f"delete_piece_{number}")
    page.add_list_buttons(
        form,
        path("compound.pieces"),
        (copy, "duplicate a piece", lambda items: [*items[: number + 1], *items[number:]]),
        (delete, "delete a piece", lambda items: [*items[:number], *items[number + 1 :]]),
    )
    _add_corners(page, inside, own, f"Piece {number + 1} ", folded)


def _add_corners(page: Page, path: Place, shape: BodyShape, of: str = "", folded: bool = False) -> None:
    """A form for the points that a hull or a solid of revolution is made of; of: what it belongs to."""
    if shape.kind == "convex":
        title = f"{of}corners".capitalize()
        _add_points(page, title, path("convex.vertices"), len(shape.value.vertices), "xyz", folded)
    elif shape.kind == "revolved":
        title = f"{of}profile".capitalize()
        _add_points(page, title, path("revolved.profile"), len(shape.value.profile), "rz", folded, _with_rim)


def _ring_titles(plate: Extrusion) -> list[str]:
    """What the rings are called: outlines, which may lie side by side, and holes, each kind numbered by itself."""
    holes = plate.holes
    titles = []
    for number, is_hole in enumerate(holes):
        count = holes[: number + 1].count(is_hole)
        only = not is_hole and holes.count(False) == 1
        titles.append("Outline" if only else f"{'Hole' if is_hole else 'Outline'} {count}")
    return titles


def _with_midpoint(points: Sequence[Sequence[float]]) -> list[Any]:
    """With a point between the last two, which changes no outline yet."""
    between = [0.5 * (a + b) for a, b in zip(points[-2], points[-1], strict=True)]
    return [*points[:-1], between, points[-1]]


def _with_rim(profile: Sequence[Sequence[float]]) -> list[Any]:
    """With a rim between the last two that stands out a little: a convex solid bends at every rim."""
    *before, (radius, low), (end, high) = profile
    middle, height = 0.5 * (radius + end), 0.5 * (low + high)
    room = 0.2 * math.hypot(end - radius, high - low)
    if before:  # and at the rim below, too: the new one stays within the side that leads there
        slope = (radius - before[-1][0]) / (low - before[-1][1])
        room = min(room, radius + slope * (height - low) - middle)
    return [*before, (radius, low), (float(f"{middle + 0.5 * room:.6g}"), height), (end, high)]


def _add_points(
    page: Page,
    title: str,
    path: Callable[[], str],
    count: int,
    marks: str,
    folded: bool = False,
    longer: Change = _with_midpoint,
) -> None:
    """A form of points, a row each; longer: the list with another one."""
    form = page.form(f"{title}: {count} points", folded or count > 2 * _FOLDED)
    if count > _MOST:
        form.add_paragraph().setText(f"More than {_MOST} points are edited in the scene's text")
        return
    for number in range(count):
        editor = page.bind(form, f"Point {number + 1}", VectorBox("m", marks), _entry(path, number), "m")
        editor.setObjectName(f"{title} {number + 1}")
        editor.setAccessibleName(f"{title}, point {number + 1}")
    add, delete = QPushButton("Add"), QPushButton("Delete the last")
    add.setObjectName(f"add_to_{title}")
    delete.setObjectName(f"delete_from_{title}")
    page.add_list_buttons(
        form, path, (add, "add a point", longer), (delete, "delete a point", lambda points: points[:-1])
    )


def _entry(path: Callable[[], str], number: int) -> Callable[[], str]:
    return lambda: f"{path()}[{number}]"


def _with_piece(pieces: list[Any]) -> list[Any]:
    """With a box at the origin, as large as the last one."""
    size = size_of(BodyShape.model_validate(pieces[-1]["shape"]))
    return [*pieces, {"shape": edits.shape_of("box", size).model_dump(exclude_unset=True)}]
