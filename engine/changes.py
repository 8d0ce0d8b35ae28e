"""Changes of a world while it runs: friction, restitution, gravity, mass, velocity, springs, from an instant on.

They are said as in a scene, by path and value. The tables of the Model follow; steps that were under way end, sleepers
wake, and every free body begins a new arc. What a change does to the energy is work from outside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import Floats
from engine.desk import Desk
from engine.group.joining import close_books, open_books
from engine.group.work import Work
from engine.kernel import kernel
from engine.maths.vectors import vector_at
from engine.model import elements as e
from engine.model import joints as j
from engine.model import model as m
from engine.model import state as s
from engine.model.model import FREE, KIND, Model
from engine.model.state import State
from engine.motion.arcs import apply_couple, evolve
from engine.motion.motion import Motion
from engine.pipeline import settle_member
from engine.recording.inputs import Input
from engine.recording.joints import read_joints
from engine.scene.applied import follow_loads, most_push
from engine.scene.joints import Joint
from engine.scene.paths import set_path
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.scene.surfaces import meet_all
from engine.tree.forces import stored_energy

Change = tuple[str, tuple[float, ...]]
"""A path in the scene, and the value there from now on."""

_SURFACE = r"(material\..+|pair\[\d+\])\.(friction|static_friction|restitution|rolling_resistance|spinning_resistance)"
_ELEMENTS = {"spring.stiffness": e.STIFFNESS, "spring.rest": e.REST, "damping": e.DAMPER, "friction": e.DRY}
"""What can change of a joint that has it, and its column in Joints.elements."""
_JOINT = rf"joint\.(?P<joint>.+)\.(?P<element>{'|'.join(re.escape(name) for name in _ELEMENTS)})"
LIVE = re.compile(rf"{_SURFACE}|world\.gravity|body\.(?P<body>.+)\.(?P<what>mass|velocity)|{_JOINT}")
"""Paths at which a world that runs can be changed."""

_MASSES = slice(m.MASS, m.INV_MOMENTS + 3)


class Changes:
    """What holds besides the scene, and the tables that follow it."""

    def __init__(self, scene: Scene, model: Model) -> None:
        self._scene = self._now = scene
        self._masses = model.bodies[: len(model.tags), _MASSES].copy()
        self._settings, self._surfaces = model.settings.copy(), model.surfaces.copy()
        self._elements = model.joints.elements.copy()
        self._said: dict[str, tuple[float, ...]] = {}

    @property
    def said(self) -> tuple[Change, ...]:
        """All that holds, in the order of the paths. Velocities do not: a body has its own from then on."""
        return tuple(sorted(self._said.items()))

    def entry(self, model: Model, time: float, path: str, value: float | Sequence[float]) -> Input:
        """The input of a change. ValueError, SceneError: there is no such thing to be changed while a world runs."""
        found = LIVE.fullmatch(path)
        if found is None:
            raise ValueError(f"{path} cannot change while a scene runs")
        if found["joint"] is not None:
            self._check_joint(found["joint"], found["element"])
        values = tuple(float(x) for x in np.atleast_1d(value))
        _with_value(self._now, path, values)
        body = -1
        if found["body"] is not None:
            body = self._scene.index(found["body"])
            if model.tags[body, m.KIND] != m.FREE or model.tags[body, m.LINKAGE] >= 0:
                raise ValueError(f"{found['body']} is no free body without joints: its {found['what']} cannot change")
            if found["what"] == "velocity" and model.settings[m.CONTACT] == m.FIRST_ORDER:
                raise ValueError("in a first-order world velocities follow from forces")
        return Input(time, "change", body, path=path, value=values)

    def _check_joint(self, name: str, element: str) -> None:
        for joint in self._scene.joint:
            if joint.name == name and not _has(joint, element):
                lacks = element.partition(".")[0]
                raise ValueError(f"joint {name} has no {lacks} in the scene: what is not there cannot change")

    def give(self, model: Model, state: State, desk: Desk, entry: Input, read: Callable[[], dict[str, float]]) -> None:
        """Carry out a change at the State's time. read: `World.energy`, before it and after it.

        Whoever gives it sees to it that all events of this time have happened.
        """
        now = _with_value(self._now, entry.path, entry.value)
        t, before = state.clock.item(s.TIME), _balance(read())
        motions = np.zeros((len(model.tags), 13))
        end_arcs(model, state, motions, t)
        if entry.path.endswith(".velocity"):
            motions[entry.body, 7:10] = entry.value
        else:
            self._said[entry.path], self._now = entry.value, now
            held = _stored(model, state, desk.work)
            self._follow(model)
            _book_springs(model, state, _stored(model, state, desk.work) - held)
        follow_loads(model, state.loads)
        rows = (state.links[:, s.IN_USE] == 1).nonzero()[0]
        first, second = (model.tags[state.links[rows, side], m.MATERIAL] for side in (s.BODY_A, s.BODY_B))
        state.pairs[rows, s.PAIR_SURFACE : s.PAIR_SURFACE + m.SURFACE_WIDTH] = model.surfaces[first, second]
        begin_arcs_anew(model, state, desk, motions, t)
        state.clock[s.WORK] += _balance(read()) - before

    def follow(self, model: Model, said: tuple[Change, ...]) -> None:
        """Let the tables be what the scene and these changes say: a snapshot is being restored."""
        self._said, self._now = dict(said), _with_all(self._scene, said)
        self._follow(model)

    def _follow(self, model: Model) -> None:
        bodies = model.bodies[: len(model.tags)]  # below them are keys, which have no mass
        bodies[:, _MASSES] = np.where(bodies[:, m.MASS, None] > 0.0, self._masses, 0.0)  # those that were stopped: none
        model.settings[:], model.surfaces[:] = self._settings, self._surfaces
        passive = list(_ELEMENTS.values())  # what motors seek is said by orders
        model.joints.elements[:, passive] = self._elements[:, passive]
        scene = self._now
        for path, value in self._said.items():
            found = LIVE.fullmatch(path)
            if found is not None and found["body"] is not None:
                row = model.bodies[scene.index(found["body"])]
                ratio = value[0] / row[m.MASS] if row[m.MASS] > 0.0 else 1.0
                row[[m.MASS, *range(m.MOMENTS, m.MOMENTS + 3)]] *= ratio
                row[[m.INV_MASS, *range(m.INV_MOMENTS, m.INV_MOMENTS + 3)]] /= ratio
            elif found is not None and found["joint"] is not None:
                number = [joint.name for joint in scene.joint].index(found["joint"])
                rows = model.joints.joints[:, j.AUTHORED] == number
                model.joints.elements[rows, _ELEMENTS[found["element"]]] = value[0]
        if self._said:
            model.surfaces[:] = meet_all(scene)
            model.settings[m.WORLD_GRAVITY : m.WORLD_GRAVITY + 3] = scene.world.gravity
            norm = float(np.linalg.norm(scene.world.gravity))
            model.settings[m.GRAVITY_NORM] = norm or most_push(scene, model.bodies[: len(scene.bodies)])


def _has(joint: Joint, element: str) -> bool:
    """Whether a joint was built with an element, so that steps look at it."""
    if element == "damping":
        return joint.acts
    return joint.friction > 0.0 if element == "friction" else joint.spring is not None


def _stored(model: Model, state: State, work: Work) -> Floats:
    """What the springs of each joint hold now, (joints,) [J]."""
    table = model.joints
    sprung = np.flatnonzero(table.elements[:, e.STIFFNESS] > 0.0)
    held = np.zeros(len(table.joints))
    if len(sprung):
        positions = read_joints(model, state, state.clock.item(s.TIME), work, sprung)["position"]
        for row in sprung.tolist():
            held[row] = stored_energy(table.elements, row, float(positions[table.joints[row, j.AUTHORED]]))
    return held


def _book_springs(model: Model, state: State, more: Floats) -> None:
    """What springs hold more than before, (joints,) [J], belongs to the groups of their linkages."""
    table = model.joints
    for link in table.linkages:
        rows = slice(link[j.FIRST_JOINT], link[j.FIRST_JOINT] + link[j.JOINTS])
        if more[rows].any():
            entries = table.entries[link[j.FIRST_ENTRY] : link[j.FIRST_ENTRY] + link[j.ENTRIES]]
            leader = state.members[entries[entries[:, j.ENTRY_FREE] == 1][0, j.ENTRY_BODY], s.LEADER]
            state.groups[leader, s.ELASTIC] += more[rows].sum()


def _with_value(scene: Scene, path: str, value: tuple[float, ...]) -> Scene:
    return set_path(scene, path, list(value) if len(value) > 1 else value[0])


def _with_all(scene: Scene, said: Sequence[Change]) -> Scene:
    """The scene with all these changes, which go together: what one asks for another may have to allow first."""
    left = list(said)
    while left:
        refused = []
        for path, value in left:
            try:
                scene = _with_value(scene, path, value)
            except SceneError as error:
                refused.append((path, value))
                why = error
        if len(refused) == len(left):
            raise why
        left = refused
    return scene


def _balance(energy: dict[str, float]) -> float:
    """What stays the same as long as nothing comes from outside [J]."""
    return energy["total"] + energy["dissipated"] - energy["work"]


@kernel
def end_arcs(model: Model, state: State, motions: Floats, t: float) -> None:
    """Book what steps have taken until t, and write down how free bodies move, (n, 13): x, q, v, w of each."""
    for i in range(model.tags.shape[0]):
        if model.tags[i, KIND] == FREE:
            open_books(model, state, i, t)
            x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
            for k in range(3):
                motions[i, k], motions[i, 7 + k], motions[i, 10 + k] = x[k], v[k], w[k]
            for k in range(4):
                motions[i, 3 + k] = q[k]


@kernel
def begin_arcs_anew(model: Model, state: State, desk: Desk, motions: Floats, t: float) -> None:
    """Let free bodies go on from t as `motions` says, their groups make new steps, and their pairs be checked."""
    for i in range(model.tags.shape[0]):
        if model.tags[i, KIND] == FREE:
            q = (motions[i, 3], motions[i, 4], motions[i, 5], motions[i, 6])
            motion = Motion(vector_at(motions, i, 0), q, vector_at(motions, i, 7), vector_at(motions, i, 10))
            apply_couple(model.bodies, model.tags, state.arcs, i, motion, (0.0, 0.0, 0.0), t)
            close_books(model, state, desk.log, desk.log_size, i, t)
    for i in range(model.tags.shape[0]):
        if model.tags[i, KIND] == FREE:
            settle_member(model, state, i, -1, True, t)
