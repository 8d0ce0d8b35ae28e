"""The inspector's rows for the sizes of a shape."""

from __future__ import annotations

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.inspector.page import Page, Place
from engine.scene.shapes import BodyShape


def add_shape_rows(page: Page, form: Form, path: Place, shape: BodyShape) -> None:
    """Rows for the sizes of `shape`; `path("sphere.radius")()` is where one of them stands."""

    def number(name: str, rest: str, unit: str = "m") -> None:
        page.bind(form, name, NumberBox(unit), path(rest), unit)

    match shape.kind:
        case "sphere":
            number("Radius", "sphere.radius")
        case "capsule":
            number("Radius", "capsule.radius")
            number("Length", "capsule.length")
        case "box":
            page.bind(form, "Size", VectorBox("m"), path("box"), "m")
        case "rounded_box":
            page.bind(form, "Size", VectorBox("m"), path("rounded_box.size"), "m")
            number("Radius", "rounded_box.radius")
        case "cylinder":
            number("Radius", "cylinder.radius")
            number("Length", "cylinder.length")
        case "cone":
            number("Radius", "cone.radius")
            number("Height", "cone.height")
            number("Top radius", "cone.top_radius")
        case "ellipsoid":
            page.bind(form, "Semi-axes", VectorBox("m"), path("ellipsoid"), "m")
        case "superquadric":
            page.bind(form, "Semi-axes", VectorBox("m"), path("superquadric.size"), "m")
            for k, name in enumerate(("Exponent across", "Exponent along")):
                number(name, f"superquadric.exponents[{k}]", "")
        case "prism":
            page.bind(form, "Sides", NumberBox(), path("prism.sides"), write=whole)
            number("Radius", "prism.radius")
            number("Height", "prism.height")
        case "mesh":
            form.add_text("File").setText(shape.value.file)
            number("Scale", "mesh.scale", "")
            surface = ChoiceBox([(False, "Convex hull"), (True, "Exact surface")])
            page.bind(form, "Collision shape", surface, path("mesh.concave"))
        case "extrusion":
            number("Height", "extrusion.height")
        case "bowl":
            number("Radius", "bowl.radius")
            number("Depth", "bowl.depth")
            number("Thickness", "bowl.thickness")
        case "funnel":
            number("Top radius", "funnel.top_radius")
            number("Bottom radius", "funnel.bottom_radius")
            number("Height", "funnel.height")
            number("Thickness", "funnel.thickness")
        case "ring":
            number("Radius", "ring.radius")
            number("Width", "ring.width")
            number("Thickness", "ring.thickness")
            number("Groove", "ring.groove")


def shape_signature(shape: BodyShape) -> object:
    """What of a shape decides which rows it has."""
    match shape.kind:
        case "compound":
            return (shape.kind, *(shape_signature(piece.shape) for piece in shape.value.pieces))
        case "convex":
            return (shape.kind, len(shape.value.vertices))
        case "revolved":
            return (shape.kind, len(shape.value.profile))
        case "extrusion":
            return (shape.kind, *map(len, shape.value.rings), *shape.value.holes)
        case _:
            return shape.kind


def whole(value: object) -> object:
    """A float without a fraction as an integer, anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
