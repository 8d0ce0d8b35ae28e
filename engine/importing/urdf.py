"""Reading URDF: links, their inertia and shapes, joints with limits and friction, at the zero of all joints.

The format: wiki.ros.org/urdf/XML. Of Bullet's additions capsules, spherical joints and a link's `contact` are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial.transform import Rotation

from engine.arrays import Floats
from engine.importing.remarks import Remarks, failure
from engine.importing.robot import HERE, Base, Frame, Link, Mass, Names, Robot, Solid, Tie
from engine.importing.solids import hull_shape, mesh_points, sound_inertia, tidy
from engine.importing.urdf_files import find_mesh
from engine.importing.xml_file import XmlFile, read_xml
from engine.scene.joints import Joint
from engine.scene.schema import Material
from engine.scene.shapes import BodyShape

_KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slider",
    "planar": "planar",
    "spherical": "ball",
    "fixed": "",
    "floating": "",
}
_RESISTANCES = ("damping", "friction")
_REASONS = {
    "transmission": "left out: motors are given to joints in the scene",
    "gazebo": "left out: it is for Gazebo only",
    "mimic": "left out: the joint moves on its own",
    "safety_controller": "left out: there is no controller",
    "calibration": "left out: joints start where they are placed",
    "sensor": "left out: a scene has no sensors",
    "joint_properties": "left out: the format says dynamics",
    "texture": "left out: bodies have colours only",
}


class UrdfReader:
    """Reads one file. What is not looked at on the way is remarked in the end."""

    def __init__(self, path: Path, remarks: Remarks, names: Names, up: Frame = HERE) -> None:
        self._path, self._remarks, self._names = path, remarks, names
        self._file: XmlFile = read_xml(path)
        self._up = up
        self._seen: set[Element] = {self._file.root}
        self._colours: dict[str, str] = {}

    def read(self, base: Base | None) -> Robot:
        """The robot, its links where they are when all joints are at zero; `base` None: as its mass says."""
        root = self._file.root
        if root.tag != "robot":
            raise failure(self._file.place(root), f"<{root.tag}> is no robot", "a URDF file, whose root is <robot>")
        if any(element.tag.startswith("xacro:") for element in root.iter()):
            raise failure(self._file.place(root), "is a template", "the file that xacro makes of it")
        for material in self._each(root, "material"):
            self._read_colour(material)
        robot = Robot(root.get("name", self._path.stem), self._path.name)
        for element in self._each(root, "link"):
            link = self._link(element)
            if link.name in robot.links:
                raise failure(link.place, f'another link is called "{link.name}" too', "a name of its own")
            robot.links[link.name] = link
        if not robot.links:
            raise failure(self._file.place(root), "has no links", "one <link> or more")
        trunk = self._hang(robot, list(self._each(root, "joint")))
        self._set_base(robot, trunk, base)
        self._remark_unseen()
        return robot

    # --- links ----------------------------------------------------------------------------------------------------

    def _link(self, element: Element) -> Link:
        link = Link(self._names.of("body", self._text(element, "name")), HERE, self._file.place(element))
        if (inertial := self._one(element, "inertial")) is not None:
            link.mass = self._mass(inertial)
        for collision in self._each(element, "collision"):
            link.solids += self._solids(collision)
        for visual in self._each(element, "visual"):
            material = self._one(visual, "material")
            link.colour = link.colour or (None if material is None else self._read_colour(material))
            if not link.solids:
                link.looks += self._solids(visual)
            else:
                self._see_all(visual)
        if (contact := self._one(element, "contact")) is not None:
            link.surface = self._surface(contact, link.name)
        return link

    def _mass(self, element: Element) -> Mass | None:
        value = self._one(element, "mass")
        mass = 0.0 if value is None else self._number(value, "value", 0.0)
        frame = self._origin(element)
        tensor = np.zeros((3, 3))
        if (said := self._one(element, "inertia")) is not None:
            for key, (i, j) in {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}.items():
                tensor[i, j] = tensor[j, i] = self._number(said, key, 0.0)
            tensor[2, 2] = self._number(said, "izz", 0.0)
        if mass <= 0.0:
            return None
        if not tensor.any():
            self._say(element, "says no inertia: the link has that of its shape")
            return Mass(mass, frame.origin, np.zeros((3, 3)))
        sound, changed = sound_inertia(tensor)
        if changed:
            moments = ", ".join(f"{value:.4g}" for value in np.linalg.eigvalsh(sound))
            self._say(element, f"no body has this inertia: the nearest one, of moments {moments}, is taken")
        return Mass(mass, np.zeros(3), sound).inside(frame)

    def _solids(self, element: Element) -> list[Solid]:
        geometry = self._one(element, "geometry")
        frame = self._origin(element)
        found: list[Solid] = []
        for shape in [] if geometry is None else geometry:
            self._seen.add(shape)
            made = self._shape(shape)
            found += [] if made is None else [Solid(made, frame)]
        return found

    def _shape(self, element: Element) -> BodyShape | None:
        match element.tag:
            case "box":
                return self._valid(element, {"box": tuple(self._numbers(element, "size", 3))})
            case "sphere":
                return self._valid(element, {"sphere": {"radius": self._number(element, "radius")}})
            case "cylinder" | "capsule":
                size = {"radius": self._number(element, "radius"), "length": self._number(element, "length")}
                return self._valid(element, {element.tag: size})
            case "mesh":
                return self._mesh(element)
        self._say(element, "left out: no shape of that kind is known")
        return None

    def _mesh(self, element: Element) -> BodyShape | None:
        try:
            points = mesh_points(find_mesh(self._path, self._text(element, "filename")))
            shape, inside = hull_shape(points * self._numbers(element, "scale", 3, (1.0, 1.0, 1.0)))
        except ValueError as problem:
            self._say(element, f"left out: {problem}")
            return None
        if inside > 0.0:
            self._say(element, f"its convex hull is thinned out, by at most {inside:.2g} m")
        return shape

    def _valid(self, element: Element, data: dict[str, object]) -> BodyShape | None:
        try:
            return BodyShape.model_validate(data)
        except ValueError:
            self._say(element, "left out: it has no volume")
            return None

    def _surface(self, element: Element, name: str) -> Material:
        said = {child.tag: child for child in element}
        known = {
            "friction": "lateral_friction",
            "rolling_resistance": "rolling_friction",
            "spinning_resistance": "spinning_friction",
            "restitution": "restitution",
        }
        self._seen |= {said[tag] for tag in known.values() if tag in said}
        there = {field: said[tag] for field, tag in known.items() if tag in said}
        return Material.model_validate(
            {field: self._not_negative(e, name, e.tag, self._number(e, "value")) for field, e in there.items()}
        )

    def _read_colour(self, element: Element) -> str | None:
        name = element.get("name", "")
        if (colour := self._one(element, "color")) is not None:
            red, green, blue, _ = np.clip(self._numbers(colour, "rgba", 4), 0.0, 1.0)
            self._colours[name] = "#" + "".join(f"{round(255 * float(part)):02x}" for part in (red, green, blue))
        return self._colours.get(name)

    # --- joints ---------------------------------------------------------------------------------------------------

    def _hang(self, robot: Robot, elements: list[Element]) -> str:
        """Ties of all joints, and every link in its place, from the root outwards; the root's name."""
        of_parent: dict[str, list[tuple[Element, str]]] = {}
        children: set[str] = set()
        for element in elements:
            parent, child = self._end(robot, element, "parent"), self._end(robot, element, "child")
            if child in children:
                raise failure(self._file.place(element), f'"{child}" hangs from two joints', "a tree")
            children.add(child)
            of_parent.setdefault(parent, []).append((element, child))
        roots = [name for name in robot.links if name not in children]
        if len(roots) != 1:
            said = "no link is the root" if not roots else "more than one root: " + ", ".join(roots)
            raise failure(self._file.place(self._file.root), said, "a tree of links")
        robot.links[roots[0]].frame = self._up
        waiting = [roots[0]]
        while waiting:
            parent = waiting.pop(0)
            for element, child in of_parent.get(parent, ()):
                frame = robot.links[parent].frame.then(self._origin(element))
                robot.links[child].frame = frame
                if element.get("type") != "floating":
                    joints = self._joint(element, parent, child, frame)
                    robot.ties.append(Tie(parent, child, joints, self._file.place(element)))
                waiting.append(child)
        return roots[0]

    def _end(self, robot: Robot, element: Element, which: str) -> str:
        said = self._one(element, which)
        if said is None:
            raise failure(self._file.place(element), f"names no {which}", f'<{which} link="..."/>')
        name = self._names.of("body", self._text(said, "link"))
        if name not in robot.links:
            raise failure(self._file.place(said), f'there is no link "{name}"', "the name of a <link>")
        return name

    def _joint(self, element: Element, parent: str, child: str, frame: Frame) -> list[Joint]:
        """The joint as a scene says it; none if it is fixed."""
        kind = element.get("type", "")
        if kind not in _KINDS:
            raise failure(self._file.place(element), f'"{kind}" is no kind of joint', ", ".join(_KINDS))
        name = self._names.of("joint", self._text(element, "name"))
        data: dict[str, object] = {"name": name, "bodies": (parent, child), "point": tidy(frame.origin)}
        axis = self._axis(element)
        limits = self._limits(element, kind)
        if limits is not None and limits[0] == limits[1] == 0.0:
            self._say(element, "its limits are one position: the links are one body")
            return []
        if _KINDS[kind] in ("hinge", "slider", "planar"):
            data["axis"] = tidy(frame.turn @ axis)
        if limits is not None:
            if limits[0] > limits[1]:
                self._say(element, "its upper limit is below the lower one: it has none")
            elif limits[0] == limits[1]:
                self._say(element, f"its limits are one position, {limits[0]:g}: it starts there, within 1e-6 of it")
                data |= {"limits": (limits[0] - 1e-6, limits[1] + 1e-6), "position": limits[0]}
            else:
                data |= {"limits": limits, "position": min(max(0.0, limits[0]), limits[1])}
                if data["position"] != 0.0:
                    self._say(element, f"0 is beyond its limits: it starts at {data['position']:g}")
        data |= self._dynamics(element, kind, name)
        return [Joint.model_validate(data | {"kind": _KINDS[kind]})] if _KINDS[kind] else []

    def _axis(self, element: Element) -> Floats:
        said = self._one(element, "axis")
        axis = np.array((1.0, 0.0, 0.0)) if said is None else self._numbers(said, "xyz", 3, (1.0, 0.0, 0.0))
        if not axis.any():
            self._say(element, "its axis has no length: x is taken")
            return np.array((1.0, 0.0, 0.0))
        return axis / np.linalg.norm(axis)

    def _limits(self, element: Element, kind: str) -> tuple[float, float] | None:
        said = self._one(element, "limit")
        if said is None:
            return None
        bounds = [f"{key} {said.get(key)}" for key in ("effort", "velocity") if said.get(key) is not None]
        if bounds:
            self._say(said, f"{' and '.join(bounds)} left out: they bound motors, and there is none")
        if kind not in ("revolute", "prismatic"):
            return None
        return self._number(said, "lower", 0.0), self._number(said, "upper", 0.0)

    def _dynamics(self, element: Element, kind: str, name: str) -> dict[str, object]:
        said = self._one(element, "dynamics")
        if said is None:
            return {}
        values = {key: self._not_negative(said, name, key, self._number(said, key, 0.0)) for key in _RESISTANCES}
        kept = {"hinge": _RESISTANCES, "slider": _RESISTANCES, "ball": ("damping",)}
        takes = kept.get(_KINDS[kind], ())
        for key, value in values.items():
            if value and key not in takes:
                self._say(said, f"{key} is left out: a {kind} joint has none")
        return {key: value for key, value in values.items() if key in takes}

    def _set_base(self, robot: Robot, root: str, base: Base | None) -> None:
        """A root that has mass, with all that is fixed to it, floats; one that has none stands still."""
        group = {root}
        for tie in robot.ties:
            if tie.parent in group and not tie.joints:
                group.add(tie.child)
        heavy = any(robot.links[name].mass is not None for name in group)
        if base is None:
            base = "floating" if heavy and root != "world" else "fixed"
            why = "it has mass" if base == "floating" else "it has no mass" if not heavy else "it is the world"
            self._remarks.add(robot.links[root].place, "link", f'the base "{root}" is {base}, for {why}')
        robot.links[root].fixed = base == "fixed"

    # --- reading --------------------------------------------------------------------------------------------------

    def _each(self, parent: Element, tag: str) -> Iterator[Element]:
        for child in parent.findall(tag):
            self._seen.add(child)
            yield child

    def _one(self, parent: Element, tag: str) -> Element | None:
        found = list(self._each(parent, tag))
        if tag in ("origin", "inertial", "mass", "inertia", "axis", "limit", "dynamics") and len(found) > 1:
            self._say(found[1], "is said twice: the first one counts")
        return found[0] if found else None

    def _see_all(self, parent: Element) -> None:
        self._seen |= set(parent.iter())

    def _origin(self, parent: Element) -> Frame:
        said = self._one(parent, "origin")
        if said is None:
            return HERE
        turn = Rotation.from_euler("xyz", self._numbers(said, "rpy", 3, (0.0, 0.0, 0.0))).as_matrix()
        return Frame(turn, self._numbers(said, "xyz", 3, (0.0, 0.0, 0.0)))

    def _text(self, element: Element, key: str) -> str:
        text = element.get(key)
        if not text:
            raise failure(self._file.place(element), f"<{element.tag}> says no {key}", f'{key}="..."')
        return text

    def _number(self, element: Element, key: str, default: float | None = None) -> float:
        return float(self._numbers(element, key, 1, None if default is None else (default,))[0])

    def _numbers(self, element: Element, key: str, count: int, default: tuple[float, ...] | None = None) -> Floats:
        text = element.get(key)
        if text is None and default is not None:
            return np.array(default)
        try:
            values = [float(part) for part in (text or "").split()]
        except ValueError:
            values = []
        if len(values) == count and all(map(isfinite, values)):
            return np.array(values)
        wanted = f"{count} number{'s' if count > 1 else ''}"
        if default is not None:
            self._say(
                element, f'{key}="{text}" is not {wanted}: {" ".join(f"{value:g}" for value in default)} is taken'
            )
            return np.array(default)
        said = f'<{element.tag}> says {key}="{text}"' if text is not None else f"<{element.tag}> says no {key}"
        raise failure(self._file.place(element), said, wanted)

    def _not_negative(self, element: Element, name: str, key: str, value: float) -> float:
        return self._remarks.not_negative(self._file.place(element), element.tag, name, key, value)

    def _say(self, element: Element, message: str) -> None:
        self._remarks.add(self._file.place(element), element.tag, message)

    def _remark_unseen(self) -> None:
        if self._file.leftover is not None:
            self._remarks.add(self._file.leftover, "file", "what follows the robot is left out: it is no XML")
        hidden = set()
        for element in self._file.root.iter():
            if element in hidden or element not in self._seen:
                if element not in hidden:
                    self._say(element, _REASONS.get(element.tag, "left out: it is not known"))
                hidden |= set(element)
