"""Reading MJCF with MuJoCo's own compiler, so that defaults, classes, frames and inertia are what they are there.

What the compiler made is read from its tables (`mujoco.MjModel`), at the configuration qpos0; the XML is gone through
once more only to say with its lines what did not come over (`mjcf_remarks`).
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.importing.mjcf_motors import read_motors
from engine.importing.mjcf_remarks import Lines
from engine.importing.remarks import Remarks, failure
from engine.importing.robot import HERE, Frame, Link, Mass, Names, Robot, Solid, Tie
from engine.importing.solids import hull_shape, tidy
from engine.scene.joints import Joint
from engine.scene.schema import Material
from engine.scene.shapes import BodyShape

_FREE, _BALL, _SLIDE = 0, 1, 2  # mjtJoint; a hinge is 3
_CONNECT, _WELD = 0, 1  # mjtEq
_FRICTIONS = ("sliding", "spinning", "rolling")
_NEAR = 1e-6  # what a loop may be open at the start [m]


def mujoco_library() -> ModuleType:
    """The package that reads MJCF. Raises SceneError, which says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise failure(None, "MJCF files are read by the mujoco package", "pip install 'carom[import]'") from None
    module: ModuleType = mujoco
    return module


def read_mjcf(path: Path, remarks: Remarks, names: Names) -> Robot:
    """The robot in a file, its bodies where qpos0 has them. Raises SceneError for what MuJoCo does not take."""
    library = mujoco_library()
    warnings: list[str] = []
    library.set_mju_user_warning(warnings.append)
    try:
        model = library.MjModel.from_xml_path(str(path))
    except (ValueError, library.FatalError) as error:
        said = " ".join(str(error).split())
        raise failure(None, f"MuJoCo does not take it: {said}", "what MuJoCo can compile", str(path)) from None
    finally:
        library.set_mju_user_warning(None)
    for text in warnings:
        remarks.add(None, "mujoco", " ".join(text.split()))
    data = library.MjData(model)
    library.mj_kinematics(model, data)
    lines = Lines(path, remarks)
    robot = _Reader(library, model, data, lines, remarks, names).read(path)
    lines.remark_all()
    return robot


class _Reader:
    """Goes through MuJoCo's tables once."""

    def __init__(self, library: ModuleType, model: Any, data: Any, lines: Lines, remarks: Remarks, names: Names):
        self._library, self._model, self._data = library, model, data
        self._lines, self._remarks, self._names = lines, remarks, names
        self._motors = read_motors(library, model, lines)
        self._geoms = library.mjtGeom

    def read(self, path: Path) -> Robot:
        model = self._model
        falls = not model.opt.disableflags & int(self._library.mjtDisableBit.mjDSBL_GRAVITY)
        gravity = tuple(float(g) for g in model.opt.gravity) if falls else (0.0, 0.0, 0.0)
        title = str(model.names[: model.names.find(b"\0")].decode()) or path.stem
        robot = Robot(title, path.name, gravity=(gravity[0], gravity[1], gravity[2]), largest_friction=True)
        self._read_world(robot)
        for b in range(1, model.nbody):
            link = self._link(b)
            robot.links[link.name] = link
            if not link.fixed:
                self._hang(robot, b, link)
        self._remark_dimensions()
        self._read_loops(robot)
        self._read_filters(robot)
        return robot

    def _name(self, kind: str, index: int) -> str:
        code = getattr(self._library.mjtObj, f"mjOBJ_{kind.upper()}")
        return self._library.mj_id2name(self._model, code, index) or f"{kind} {index}"

    def _body_name(self, b: int) -> str:
        return self._names.of("body", self._name("body", b))

    # --- bodies ---------------------------------------------------------------------------------------------------

    def _read_world(self, robot: Robot) -> None:
        """Each shape of the world is a fixed body of its own; the ground among them."""
        for g in self._geoms_of(0):
            name = self._names.of("body", f"world {self._name('geom', g)}")
            place = self._lines.find("geom", self._name("geom", g))
            frame = Frame(self._data.geom_xmat[g].reshape(3, 3).copy(), self._data.geom_xpos[g].copy())
            link = Link(name, frame, place, fixed=True, surface=self._surface(g))
            plane = self._model.geom_type[g] == self._geoms.mjGEOM_PLANE
            shape = BodyShape.model_validate({"plane": {}}) if plane else self._shape(g)
            if shape is None:
                continue
            link.solids, link.looks = ([Solid(shape, HERE)], []) if self._touches(g) else ([], [Solid(shape, HERE)])
            link.colour = None if plane else self._colour(g)
            robot.links[name] = link

    def _geoms_of(self, b: int) -> range:
        first = int(self._model.body_geomadr[b])
        return range(first, first + int(self._model.body_geomnum[b]))

    def _touches(self, g: int) -> bool:
        return bool(self._model.geom_contype[g] or self._model.geom_conaffinity[g])

    def _link(self, b: int) -> Link:
        model, data = self._model, self._data
        frame = Frame(data.xmat[b].reshape(3, 3).copy(), data.xpos[b].copy())
        place = self._lines.find("body", self._name("body", b))
        link = Link(self._body_name(b), frame, place, fixed=int(model.body_weldid[b]) == 0)
        if link.fixed and model.body_mocapid[b] >= 0:
            self._remarks.add(place, "body", f'"{link.name}" is moved by mocap data: here it stands still')
        if (mass := float(model.body_mass[b])) > 0.0:
            turn = np.zeros(9)
            self._library.mju_quat2Mat(turn, model.body_iquat[b])
            inertia = Mass(mass, np.zeros(3), np.diag(model.body_inertia[b]))
            link.mass = inertia.inside(Frame(turn.reshape(3, 3), model.body_ipos[b].copy()))
        surfaces = set()
        for g in self._geoms_of(b):
            shape = self._shape(g)
            if shape is None:
                continue
            turn = np.zeros(9)
            self._library.mju_quat2Mat(turn, model.geom_quat[g])
            solid = Solid(shape, Frame(turn.reshape(3, 3), model.geom_pos[g].copy()))
            (link.solids if self._touches(g) else link.looks).append(solid)
            link.colour = link.colour or self._colour(g)
            if self._touches(g):
                link.surface = link.surface or self._surface(g)
                surfaces.add(self._surface(g))
        if len(surfaces) > 1:
            self._remarks.add(
                place, "body", f'the shapes of "{link.name}" differ in friction: that of the first counts'
            )
        return link

    def _shape(self, g: int) -> BodyShape | None:
        kinds, size = self._geoms, [float(value) for value in self._model.geom_size[g]]
        place = self._lines.find("geom", self._name("geom", g))
        match self._model.geom_type[g]:
            case kinds.mjGEOM_SPHERE:
                data: dict[str, object] = {"sphere": {"radius": size[0]}}
            case kinds.mjGEOM_CAPSULE:
                data = {"capsule": {"radius": size[0], "length": 2.0 * size[1]}}
            case kinds.mjGEOM_CYLINDER:
                data = {"cylinder": {"radius": size[0], "length": 2.0 * size[1]}}
            case kinds.mjGEOM_ELLIPSOID:
                data = {"ellipsoid": tuple(size)}
            case kinds.mjGEOM_BOX:
                data = {"box": tuple(2.0 * value for value in size)}
            case kinds.mjGEOM_MESH:
                return self._hull(g)
            case _:
                kind = self._geoms(int(self._model.geom_type[g])).name.removeprefix("mjGEOM_").lower()
                self._remarks.add(place, "geom", f'"{self._name("geom", g)}" is left out: a {kind} that is none here')
                return None
        return BodyShape.model_validate(data)

    def _hull(self, g: int) -> BodyShape | None:
        mesh = int(self._model.geom_dataid[g])
        first, count = int(self._model.mesh_vertadr[mesh]), int(self._model.mesh_vertnum[mesh])
        place = self._lines.find("geom", self._name("geom", g))
        try:
            shape, inside = hull_shape(np.array(self._model.mesh_vert[first : first + count], dtype=np.float64))
        except ValueError as problem:
            self._remarks.add(place, "geom", f"left out: its mesh {problem}")
            return None
        if inside > 0.0:
            self._remarks.add(place, "geom", f"the convex hull of its mesh is thinned out, by at most {inside:.2g} m")
        return shape

    def _colour(self, g: int) -> str:
        material = int(self._model.geom_matid[g])
        rgba = self._model.mat_rgba[material] if material >= 0 else self._model.geom_rgba[g]
        return "#" + "".join(f"{round(255 * float(np.clip(part, 0, 1))):02x}" for part in rgba[:3])

    def _surface(self, g: int) -> Material:
        name, counted = self._name("geom", g), self._frictions(g)
        place = self._lines.find("geom", name)
        slide, spin, roll = (
            self._remarks.not_negative(place, "geom", name, "friction", float(value)) if k < counted else 0.0
            for k, value in enumerate(self._model.geom_friction[g])
        )
        return Material(friction=slide, restitution=0.0, spinning_resistance=spin, rolling_resistance=roll)

    def _frictions(self, g: int) -> int:
        """How many of the kinds of friction a geom has by its condim."""
        return (1, 3, 4, 6).index(int(self._model.geom_condim[g]))

    def _stands(self, g: int) -> bool:
        return int(self._model.body_weldid[self._model.geom_bodyid[g]]) == 0

    def _remark_dimensions(self) -> None:
        """Where two shapes meet, MuJoCo takes the larger condim of both, and all friction that either has up to it."""
        model = self._model
        alike: dict[tuple[object, ...], int] = {}  # one geom of all that meet others in the same way
        for g in filter(self._touches, range(model.ngeom)):
            bits = (model.geom_contype[g], model.geom_conaffinity[g], self._stands(g))
            alike.setdefault((*model.geom_friction[g], model.geom_condim[g], *bits), g)
        for g, h in permutations(alike.values(), 2):
            mine, its = model.geom_friction[g], model.geom_friction[h]
            more = range(self._frictions(g), self._frictions(h))
            lost = [f"{_FRICTIONS[k]} friction of {mine[k]:g}" for k in more if mine[k] > max(its[k], 0.0)]
            if lost and self._meet(g, h) and not (self._stands(g) and self._stands(h)):
                one, two, condims = self._name("geom", g), self._name("geom", h), model.geom_condim[[g, h]]
                said = f'"{one}", of condim {condims[0]}, loses its {" and ".join(lost)}'
                said += f' where it meets "{two}", of {condims[1]}'
                self._remarks.add(self._lines.find("geom", one), "geom", said)

    # --- joints ---------------------------------------------------------------------------------------------------

    def _hang(self, robot: Robot, b: int, link: Link) -> None:
        """The tie of a body that moves: to its parent, or to the world where that stands still."""
        model = self._model
        above = int(model.body_parentid[b])
        parent = None if int(model.body_weldid[above]) == 0 else self._body_name(above)
        first = int(model.body_jntadr[b])
        joints = []
        for k in range(first, first + int(model.body_jntnum[b])):
            self._remark_lost(k)
            if model.jnt_type[k] != _FREE:
                joints.append(self._joint(k, parent, link.name))
        if joints or parent is not None:
            robot.ties.append(Tie(parent, link.name, joints, link.place))

    def _remark_lost(self, k: int) -> None:
        """Says what a joint has in MuJoCo, and none of its kind in a scene."""
        model, dof, raw = self._model, int(self._model.jnt_dofadr[k]), self._name("joint", k)
        place, kind = self._lines.find("joint", raw), int(model.jnt_type[k])
        if armature := float(model.dof_armature[dof]):
            text = f'"{raw}" loses its armature of {armature:g}: links have their own inertia only'
            self._remarks.add(place, "joint", text)
        has = {
            "damping": [float(model.dof_damping[dof]), *_further_terms(model, "dof_dampingpoly", dof)],
            "stiffness": [float(model.jnt_stiffness[k]), *_further_terms(model, "jnt_stiffnesspoly", k)],
            "frictionloss": [float(model.dof_frictionloss[dof])],
            "range": [float(model.jnt_limited[k])],
        }
        for key, terms in has.items():
            if any(terms) and (kind == _FREE or (kind == _BALL and key != "damping")):
                text = f'"{raw}" loses its {key}: a {"free" if kind == _FREE else "ball"} joint has none'
                self._remarks.add(place, "joint", text)
            elif any(terms[1:]):
                said = " ".join(f"{term:g}" for term in terms)
                text = f'"{raw}" keeps {terms[0]:g} of its {key} of {said}: here it is one number'
                self._remarks.add(place, "joint", text)

    def _joint(self, k: int, parent: str | None, child: str) -> Joint:
        model, data = self._model, self._data
        kind = {_BALL: "ball", _SLIDE: "slider"}.get(int(model.jnt_type[k]), "hinge")
        raw = self._name("joint", k)
        place = self._lines.find("joint", raw)
        dof = int(model.jnt_dofadr[k])

        def not_negative(key: str, value: Any) -> float:
            return self._remarks.not_negative(place, "joint", raw, key, float(value))

        said: dict[str, object] = {
            "name": self._names.of("joint", raw),
            "kind": kind,
            "bodies": (child,) if parent is None else (parent, child),
            "point": tidy(data.xanchor[k]),
            "damping": not_negative("damping", model.dof_damping[dof]),
        }
        if kind == "ball":
            return Joint.model_validate(said)
        friction = not_negative("frictionloss", model.dof_frictionloss[dof])
        said |= {"axis": tidy(data.xaxis[k]), "friction": friction, "motor": self._motors.get(k)}
        stiffness = not_negative("stiffness", model.jnt_stiffness[k])
        zero = float(model.qpos0[model.jnt_qposadr[k]])
        if stiffness > 0.0:
            rest = float(model.qpos_spring[model.jnt_qposadr[k]]) - zero
            said["spring"] = {"stiffness": stiffness, "rest": rest}
        if model.jnt_limited[k]:
            low, high = (float(bound) - zero for bound in model.jnt_range[k])
            start = min(max(0.0, low), high)
            said |= {"limits": (low, high), "position": start}
            if start != 0.0:
                self._remarks.add(place, "joint", f'"{raw}" begins beyond its limits: it starts at {start:g}')
        return Joint.model_validate(said)

    def _read_loops(self, robot: Robot) -> None:
        """Equality constraints that are joints: connect is a ball, weld is one."""
        model = self._model
        body = int(self._library.mjtObj.mjOBJ_BODY)
        for q in range(model.neq):
            kind = int(model.eq_type[q])
            raw = self._name("equality", q)
            place = self._lines.nth("equality", q)
            if kind not in (_CONNECT, _WELD) or int(model.eq_objtype[q]) != body or not model.eq_active0[q]:
                self._remarks.add(
                    place, "equality", f'"{raw}" is left out: only active connect and weld of bodies are known'
                )
                continue
            a, b = int(model.eq_obj1id[q]), int(model.eq_obj2id[q])
            if int(model.body_weldid[a]) == int(model.body_weldid[b]):
                continue
            anchors = [self._world_point(a, model.eq_data[q][:3]), self._world_point(b, model.eq_data[q][3:6])]
            if kind == _WELD:
                if not self._is_held(q, a, b):
                    said = f'"{raw}" holds its bodies as they stand at the start, not at its relpose'
                    self._remarks.add(place, "equality", said)
                anchors = [self._world_point(b, model.eq_data[q][:3])] * 2
            if np.linalg.norm(anchors[0] - anchors[1]) > _NEAR:
                self._remarks.add(place, "equality", f'"{raw}" is left out: it does not hold at the start')
                continue
            bodies = tuple(self._body_name(i) for i in (a, b) if int(model.body_weldid[i]) != 0)
            tie = {"name": self._names.of("joint", raw, "equality"), "kind": "ball" if kind == _CONNECT else "weld"}
            robot.loops.append(Joint.model_validate(tie | {"bodies": bodies, "point": tidy(anchors[0])}))

    def _is_held(self, q: int, a: int, b: int) -> bool:
        """Are two bodies where a weld wants them: a point of one on a point of the other, and so much turned?"""
        said, turn = self._model.eq_data[q], np.zeros(9)
        self._library.mju_quat2Mat(turn, said[6:10])
        apart = self._world_point(a, said[3:6]) - self._world_point(b, said[:3])
        turned = self._data.xmat[a].reshape(3, 3) @ turn.reshape(3, 3) - self._data.xmat[b].reshape(3, 3)
        return bool(max(abs(apart).max(), abs(turned).max()) < _NEAR)

    def _world_point(self, b: int, point: Floats) -> Floats:
        turned = self._data.xmat[b].reshape(3, 3) @ point
        return np.asarray(turned + self._data.xpos[b])

    # --- who collides with whom -----------------------------------------------------------------------------------

    def _read_filters(self, robot: Robot) -> None:
        """Pairs of links whose shapes MuJoCo never lets collide: by their bits, as excluded, or parent and child."""
        model = self._model
        excluded = {(int(code) >> 16, int(code) & 0xFFFF) for code in model.exclude_signature}
        owners = [(self._names.of("body", f"world {self._name('geom', g)}"), 0, [g]) for g in self._geoms_of(0)]
        owners += [(self._body_name(b), b, list(self._geoms_of(b))) for b in range(1, model.nbody)]
        owners = [(name, b, [g for g in geoms if self._touches(g)]) for name, b, geoms in owners if name in robot.links]
        for k, (name, b, geoms) in enumerate(owners):
            for other, c, others in owners[k + 1 :]:
                if model.body_weldid[b] == model.body_weldid[c] or not geoms or not others:
                    continue
                apart = (b, c) in excluded or (c, b) in excluded or self._is_child(b, c)
                if apart or not any(self._meet(g, h) for g in geoms for h in others):
                    robot.ignored.add(frozenset((name, other)))

    def _meet(self, g: int, h: int) -> bool:
        types, affinities = self._model.geom_contype, self._model.geom_conaffinity
        return bool((types[g] & affinities[h]) | (types[h] & affinities[g]))

    def _is_child(self, b: int, c: int) -> bool:
        """Is one the parent of the other, what is fixed together being one, and that not the world?"""
        model = self._model
        one, other = int(model.body_weldid[b]), int(model.body_weldid[c])
        parents = [int(model.body_weldid[model.body_parentid[i]]) for i in (one, other)]
        return 0 not in (one, other) and (parents[0] == other or parents[1] == one)


def _further_terms(model: Any, table: str, k: int) -> list[float]:
    """Numbers of a polynomial but the first; none where this MuJoCo has only that."""
    return [float(term) for term in getattr(model, table, {k: ()})[k]]
