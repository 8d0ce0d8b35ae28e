"""The inspector's rows for what a body says besides its shape: centre of mass, inertia, applied force and torque."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from app.document.document import Document
from app.view.forms.numbers import VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.inspector.page import Page
from engine.geometry.mass_properties import mass_properties, principal_frame
from engine.scene.body_shapes import make_shape
from engine.scene.loads import Force, Torque
from engine.scene.paths import get_path
from engine.scene.schema import Body, Scene

_AXES = (("world", "World axes"), ("body", "Body axes"))
_CENTRES = ((False, "As its shape"), (True, "As said here"))
_INERTIAS = (("shape", "As its shape"), ("moments", "Principal moments"), ("tensor", "Tensor"))
_ZERO = [0.0, 0.0, 0.0]
Place = Callable[[str], Callable[[], str]]


def add_inertia_rows(page: Page, form: Form, path: Place, body: Body) -> None:
    """Rows for the centre of mass and the inertia of `body`; `path("inertia")()` is where a value of it stands."""

    def own(scene: Scene) -> Body:
        found: Body = get_path(scene, path("name")().rpartition(".")[0])
        return found

    page.bind(
        form,
        "Centre of mass",
        ChoiceBox(_CENTRES),
        path("centre_of_mass"),
        read=lambda s: own(s).centre_of_mass is not None,
        write=lambda said: _of_shape(page.document.scene, own(page.document.scene))[0] if said else None,
    )
    if body.centre_of_mass is not None:
        page.bind(form, "    at", VectorBox("m"), path("centre_of_mass"), "m", "In the body's frame")
    page.bind(
        form,
        "Inertia",
        ChoiceBox(_INERTIAS),
        path("inertia"),
        read=lambda s: _inertia_kind(own(s)),
        write=lambda kind: _inertia_data(page.document.scene, own(page.document.scene), str(kind)),
    )
    if _inertia_kind(body) == "moments":
        page.bind(form, "    moments", VectorBox("kg m2"), path("inertia.moments"), "kg m2", "About its centre of mass")
    elif _inertia_kind(body) == "tensor":
        for row, name in enumerate("xyz"):
            editor, place = VectorBox("kg m2"), path("inertia.tensor")
            page.bind(
                form, f"    row {name}", editor, place, "kg m2", "In the body's frame",
                partial(_row_at, path(f"inertia.tensor[{row}]")), partial(_with_row, own, page.document, row),
            )  # fmt: skip


def add_load_rows(page: Page, path: Place, body: Body) -> None:
    """Rows for the force and the torque on `body`."""
    form = page.form("Applied load")
    for field, unit in (("force", "N"), ("torque", "N m")):
        load = getattr(body, field)
        if load is not None and load.keys:
            form.add_text(field.capitalize()).setText(f"{len(load.keys)} keys")
        else:
            _add_load(page, form, path, field, unit)
        if load is not None:
            page.bind(form, "    in", ChoiceBox(_AXES), path(f"{field}.axes"))
    if body.force is not None and body.force.point is not None:
        page.bind(form, "    at", VectorBox("m"), path("force.point"), "m", "In the body's frame")


def load_signature(body: Body) -> object:
    """What decides which rows there are."""
    loads = tuple(None if load is None else len(load.keys) for load in (body.force, body.torque))
    at_point = body.force is not None and body.force.point is not None
    return (body.centre_of_mass is None, _inertia_kind(body), *loads, at_point)


def _add_load(page: Page, form: Form, path: Place, field: str, unit: str) -> None:
    place = path(field)

    def read(scene: Scene) -> object:
        load: Force | Torque | None = get_path(scene, place())
        return _ZERO if load is None else load.value

    def write(value: Any) -> object:
        load: Force | Torque | None = get_path(page.document.scene, place())
        if load is None:
            return value if any(value) else None
        says_more = load.axes != "world" or getattr(load, "point", None) is not None  # which a zero may not cost
        return load.model_dump(exclude_unset=True) | {"value": value} if any(value) or says_more else None

    hint = "Constant; none where it is zero, in world axes and at the centre of mass"
    page.bind(form, field.capitalize(), VectorBox(unit), place, unit, hint, read, write)


def _inertia_kind(body: Body) -> str:
    if body.inertia is None:
        return "shape"
    return "moments" if body.inertia.tensor is None else "tensor"


def _inertia_data(scene: Scene, body: Body, kind: str) -> dict[str, object] | None:
    """Inertia as a scene file says it: what it is now, in another form."""
    if kind == "shape":
        return None
    if body.inertia is not None and kind == _inertia_kind(body):
        return body.inertia.model_dump(exclude_unset=True)
    matrix = _of_shape(scene, body)[1] if body.inertia is None else body.inertia.matrix
    if kind == "tensor":
        return {"tensor": matrix.tolist()}
    moments, axes = principal_frame(matrix)
    return {"moments": moments.tolist(), "axes": axes.tolist()}


def _row_at(place: Callable[[], str], scene: Scene) -> object:
    return get_path(scene, place())


def _with_row(own: Callable[[Scene], Body], document: Document, row: int, values: Any) -> list[list[float]]:
    """The tensor with another row, and the same column: it stays symmetric."""
    inertia = own(document.scene).inertia
    assert inertia is not None
    matrix = inertia.matrix
    matrix[row] = matrix[:, row] = values
    return [[float(x) for x in line] for line in matrix]


def _of_shape(scene: Scene, body: Body) -> tuple[list[float], Any]:
    """Centre of mass and inertia tensor as shape, density and mass have them."""
    from engine.scene.build import density_of

    properties = mass_properties(make_shape(scene, body))
    density = body.mass / properties.volume if body.mass is not None else density_of(scene, body)
    return [float(x) for x in properties.centre], density * properties.inertia
