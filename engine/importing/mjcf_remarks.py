"""Lines of an MJCF file, and what of it does not come over into a scene."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from engine.importing.remarks import Remarks
from engine.importing.xml_file import Place, read_xml

_DRAWING = "left out: it is how MuJoCo draws"
_SENSOR = "left out: a scene has no sensors"
_SOFT = "left out: bodies here are rigid"
_TENDON = "left out: there are no tendons"
_WHOLE = {  # sections of which one remark is enough
    "visual": _DRAWING,
    "statistic": _DRAWING,
    "size": "left out: there are no arrays to size",
    "custom": "left out: it means something to the model's own programs only",
    "extension": "left out: plugins are MuJoCo's",
}
_PARTS = {
    "camera": "left out: the scene has a view of its own",
    "light": _DRAWING,
    "texture": _DRAWING,
    "site": "left out: it has neither mass nor contact",
    "skin": _DRAWING,
    "hfield": "left out: there are no height fields",
    "flexcomp": _SOFT,
    "flex": _SOFT,
    "composite": _SOFT,
    "pair": "left out: contact is that of the bodies' materials",
    "key": "left out: bodies start where the model places them",
}
_SECTIONS = {"sensor": _SENSOR, "tendon": _TENDON, "deformable": _SOFT}
_COMPLIANT = "left out: contact and limits here do not give"
_SWITCHED_OFF = ("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "actuation")
"""Flags of what comes over all the same."""
_ATTRIBUTES = {
    "joint": {"solreflimit": _COMPLIANT, "solimplimit": _COMPLIANT, "solreffriction": _COMPLIANT, "margin": _COMPLIANT},
    "geom": {
        "solref": _COMPLIANT,
        "solimp": _COMPLIANT,
        "margin": _COMPLIANT,
        "gap": _COMPLIANT,
        "priority": "left out: of two surfaces the larger friction counts",
        "fluidshape": "left out: there are no fluids",
        "hfield": "left out: there are no height fields",
    },
    "body": {"gravcomp": "left out: gravity pulls at all bodies alike"},
    "option": {
        "density": "left out: there are no fluids",
        "viscosity": "left out: there are no fluids",
        "wind": "left out: there are no fluids",
        "magnetic": "left out: there are no magnets",
        "integrator": "left out: steps are chosen here",
        "timestep": "left out: steps are chosen here",
        "cone": "left out: friction here is Coulomb's",
        "o_solref": _COMPLIANT,
        "o_solimp": _COMPLIANT,
    },
}
_NUMBERED = ("actuator", "equality")
_SHARED = ("joint", "geom")


class Lines:
    """Finds elements by what they are called, and goes through all of them."""

    def __init__(self, path: Path, remarks: Remarks) -> None:
        self._file, self._remarks = read_xml(path, "include"), remarks
        self._named: dict[tuple[str, str], Place] = {}
        self._rows: dict[str, list[Place]] = {section: [] for section in _NUMBERED}
        for element, above in self._file.walk():
            place = self._file.place(element)
            tag = "joint" if element.tag == "freejoint" else element.tag
            if "default" not in above and (name := element.get("name")):
                self._named.setdefault((tag, name), place)
            if above and above[-1] in self._rows and "default" not in above:
                self._rows[above[-1]].append(place)

    def find(self, tag: str, name: str) -> Place | None:
        """Where the element of that name is; None if nothing is called so."""
        return self._named.get((tag, name))

    def nth(self, section: str, row: int) -> Place | None:
        """Where the element of that number in all sections of a kind is."""
        rows = self._rows[section]
        return rows[row] if row < len(rows) else None

    def say(self, place: Place | None, element: str, message: str) -> None:
        self._remarks.add(place, element, message)

    def remark_all(self) -> None:
        """Says of every element that did not come over what became of it, and of attributes."""
        for element, above in self._file.walk():
            if above and above[0] == element.tag == "default":
                continue
            self._remark(element, above)

    def _remark(self, element: Element, above: tuple[str, ...]) -> None:
        place, tag = self._file.place(element), element.tag
        inside = above[1] if len(above) > 1 else ""
        if tag in _WHOLE and len(above) == 1:
            self.say(place, tag, _WHOLE[tag])
        elif inside in _SECTIONS:
            if len(above) == 2:
                self.say(place, tag, _SECTIONS[inside] + _called(element))
        elif tag in _PARTS and inside not in _WHOLE:
            if "default" not in above:
                self.say(place, tag, _PARTS[tag] + _called(element))
        if tag == "flag":
            for key in _SWITCHED_OFF:
                if element.get(key) == "disable":
                    self.say(place, tag, f'{key}="disable" is left out: all that the model has is switched on here')
        for key, why in _ATTRIBUTES.get(tag, {}).items() if not _is_reference(tag, inside) else ():
            if element.get(key) is not None:
                self.say(place, tag, f'{key}="{element.get(key)}" is {why}')


def _is_reference(tag: str, inside: str) -> bool:
    """Elements of the same tags that are no joints or geoms: in tendons, sensors, equalities."""
    return tag in _SHARED and inside not in ("worldbody", "default")


def _called(element: Element) -> str:
    name = element.get("name")
    return f' ("{name}")' if name else ""
