"""The inspector's rows for what a body says besides its shape: centre of mass, inertia, applied force and torque."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from app.document.document import Document
from app.view.forms.numbers import VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.inspector.key_rows import add_key_buttons, add_key_forms
from app.view.inspector.page import Page, Place
from engine.geometry.mass_properties import mass_properties, principal_frame
from engine.scene.body_shapes import make_shape
from engine.scene.loads import Force, Torque
from engine.scene.paths import get_path
from engine.scene.schema import Body, Scene

_AXES = (("world", "World axes"), ("body", "Body axes"))
_CENTRES = ((False, "As its shape"), (True, "As said here"))
_OVER_TIME = ((False, "Constant"), (True, "Keyframes"))
_ONLY_KEY = 'The only key: choose "Constant" over time instead'
_INERTIAS = (("shape", "As its shape"), ("moments", "Principal moments"), ("tensor", "Tensor"))
_ZERO = [0.0, 0.0, 0.0]

Load = Force | Torque


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
    """Rows for the force and the torque on `body`, and under them a form for each of their keys."""
    form = page.form("Applied load")
    loads: tuple[tuple[str, str, Load | None], ...] = (("force", "N", body.force), ("torque", "N m", body.torque))
    for field, unit, load in loads:
        if load is not None and load.keys:
            form.add_text(field.capitalize()).setText(_counted(load))
        else:
            _add_constant(page, form, path(field), field, unit)
        what = f"change {field} of {page.subject(path(field)())}"
        _add_over_time(page, form, path(field), what)
        if load is not None:
            page.bind(form, "    in", ChoiceBox(_AXES), path(f"{field}.axes"), what=what)
        if isinstance(load, Force) and load.point is not None:
            page.bind(form, "    at", VectorBox("m"), path("force.point"), "m", "In the body's frame", what=what)
    for field, unit, load in loads:
        if load is not None and load.keys:
            _add_keys(page, path(f"{field}.keys"), field.capitalize(), unit, len(load.keys))


def load_signature(body: Body) -> object:
    """What decides which rows there are."""
    loads = tuple(None if load is None else len(load.keys) for load in (body.force, body.torque))
    at_point = body.force is not None and body.force.point is not None
    return (body.centre_of_mass is None, _inertia_kind(body), *loads, at_point)


def _add_constant(page: Page, form: Form, place: Callable[[], str], field: str, unit: str) -> None:
    def read(scene: Scene) -> object:
        load: Load | None = get_path(scene, place())
        return _ZERO if load is None else load.value

    def write(value: Any) -> object:
        return _constant(get_path(page.document.scene, place()), value)

    hint = "Constant; none where it is zero, in world axes and at the centre of mass"
    page.bind(form, field.capitalize(), VectorBox(unit), place, unit, hint, read, write)


def _add_over_time(page: Page, form: Form, place: Callable[[], str], what: str) -> None:
    """Whether it is constant or goes through keys. Keys begin at what it was, a constant load is what they end at."""

    def read(scene: Scene) -> bool:
        load: Load | None = get_path(scene, place())
        return load is not None and bool(load.keys)

    def write(keyed: object) -> object:
        load: Load | None = get_path(page.document.scene, place())
        if keyed == read(page.document.scene):
            return load
        if not keyed:
            assert load is not None
            return _constant(load, load.keys[-1].value)
        value = _ZERO if load is None or load.value is None else load.value
        return _kept(load) | {"keys": [{"time": time, "value": value} for time in (0.0, 1.0)]}

    hint = "Through keys in straight lines; before and after them it holds"
    page.bind(form, "    over time", ChoiceBox(_OVER_TIME), place, hint=hint, read=read, write=write, what=what)


def _add_keys(page: Page, path: Callable[[], str], name: str, unit: str, count: int) -> None:
    def add_value(form: Form, at: Place) -> None:
        page.bind(form, name, VectorBox(unit), at("value"), unit)

    add_key_forms(page, f"{name} key", path, count, add_value)
    add_key_buttons(page, path, "" if count > 1 else _ONLY_KEY)


def _constant(load: Load | None, value: Any) -> object:
    """A load as a scene file says it that is constant now; None where it does nothing and says nothing else."""
    if load is None:
        return value if any(value) else None
    says_more = load.axes != "world" or getattr(load, "point", None) is not None  # which a zero may not cost
    return _kept(load) | {"value": value} if any(value) or says_more else None


def _kept(load: Load | None) -> dict[str, Any]:
    """What a load says besides how large it is."""
    return {} if load is None else load.model_dump(exclude_unset=True, exclude={"value", "keys"})


def _counted(load: Load) -> str:
    return f"{len(load.keys)} keys" if len(load.keys) > 1 else "1 key"


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
