"""From a scene's joints to the Model's tables: what hangs together, in what order it is solved, in whose frames."""

from __future__ import annotations

from collections import deque
from math import inf

import numpy as np

from engine.arrays import Floats, Ints
from engine.maths.quaternions import rotate_inverse
from engine.maths.vectors import any_perpendicular, cross, sub
from engine.model import elements as e
from engine.model import joints as j
from engine.model import model as m
from engine.model.joints import Joints, no_joints
from engine.model.model import Model
from engine.model.trees import no_trees
from engine.motion.arcs import evolve
from engine.scene.filters import ignored_pairs
from engine.scene.joints import JOINT_KINDS, Joint
from engine.scene.schema import Scene
from engine.tree.find import find_trees

Vec3 = tuple[float, float, float]


def make_joints(scene: Scene, model: Model, arcs: Floats) -> Joints:
    """The tables of a scene's joints for bodies on `arcs`; writes the columns of model.tags that point into them."""
    model.tags[:, [m.LINKAGE, m.ENTRY, m.MATES]] = -1
    sides = [_sides(scene, joint) for joint in scene.joint]
    mates = _list_mates(scene, sides, model.tags)
    if not scene.joint:
        return no_joints()._replace(mates=mates)
    free = model.tags[:, m.KIND] == m.FREE
    entries: list[tuple[int, int]] = []
    order: list[tuple[int, int, int]] = []  # joint in the scene, its two entries
    linkages = []
    for number, members in enumerate(_components(sides, free)):
        first_entry, first_joint = len(entries), len(order)
        bodies = sorted({i for k in members for i in sides[k]}, key=lambda i: (i < 0 or not free[i], i))
        entries += [(i, int(i >= 0 and free[i])) for i in bodies]
        place = {i: first_entry + at for at, i in enumerate(bodies)}
        for i in bodies:
            if i >= 0 and free[i]:
                model.tags[i, [m.LINKAGE, m.ENTRY]] = number, place[i]
        order += [(k, place[sides[k][0]], place[sides[k][1]]) for k in _in_order(members, sides, free)]
        driven = any(i >= 0 and model.tags[i, m.KIND] not in (m.FREE, m.FIXED) for i in bodies)
        acting = sum(scene.joint[k].acts for k in members)
        linkages.append((first_entry, len(bodies), first_joint, len(members), int(driven), acting))
    table, rows = _number_rows(scene, order)
    of_entry = np.array(entries, dtype=np.int64).reshape(-1, j.ENTRY_WIDTH)
    couples, skyline, spans = _couple(table, of_entry, linkages, rows)
    frames = np.array([_frames(scene.joint[k], sides[k], model, arcs) for k, _, _ in order])
    elements = np.array([_elements(scene.joint[k]) for k, _, _ in order])
    joints = Joints(frames, table, of_entry, couples, skyline, spans, mates, elements, no_trees())
    return joints._replace(trees=find_trees(joints, model.bodies))


def _sides(scene: Scene, joint: Joint) -> tuple[int, int]:
    """Rows of the two bodies, -1 for the world, which comes first: along its axes things are held."""
    rows = [scene.index(name) for name in joint.bodies]
    return (rows[0], rows[1]) if len(rows) == 2 else (-1, rows[0])


def _components(sides: list[tuple[int, int]], free: np.ndarray) -> list[list[int]]:
    """Joints that hang together through free bodies, each list in the scene's order."""
    root = list(range(len(sides)))

    def find(k: int) -> int:
        while root[k] != k:
            root[k] = root[root[k]]
            k = root[k]
        return k

    seen: dict[int, int] = {}
    for k, pair in enumerate(sides):
        for i in pair:
            if i >= 0 and free[i]:
                one, other = sorted((find(k), find(seen.setdefault(i, k))))
                root[other] = one
    parts: dict[int, list[int]] = {}
    for k in range(len(sides)):
        parts.setdefault(find(k), []).append(k)
    return list(parts.values())


def _in_order(members: list[int], sides: list[tuple[int, int]], free: np.ndarray) -> list[int]:
    """Joints of a linkage by how far they are from one at its end (Cuthill and McKee 1969): neighbours stay near."""
    at: dict[int, list[int]] = {}
    for k in members:
        for i in sides[k]:
            if i >= 0 and free[i]:
                at.setdefault(i, []).append(k)
    beside = {k: sorted({n for i in sides[k] for n in at.get(i, ())} - {k}) for k in members}

    def walk(start: int) -> list[int]:
        found, waiting = {start}, deque([start])
        walked = []
        while waiting:
            k = waiting.popleft()
            walked.append(k)
            for n in sorted(beside[k], key=lambda n: (len(beside[n]), n)):
                if n not in found:
                    found.add(n)
                    waiting.append(n)
        return walked

    return walk(walk(walk(members[0])[-1])[-1])


def _number_rows(scene: Scene, order: list[tuple[int, int, int]]) -> tuple[Ints, int]:
    table = np.zeros((len(order), j.JOINT_WIDTH), dtype=np.int64)
    rows = 0
    for at, (k, a, b) in enumerate(order):
        joint = scene.joint[k]
        kind = JOINT_KINDS.index(joint.kind)
        linear, angular, lock = j.LINEAR_ROWS[kind], j.ANGULAR_ROWS[kind], -1
        if joint.stops and kind == j.HINGE:
            lock, angular = rows + linear + angular, angular + 1
        elif joint.stops:
            lock, linear = rows + linear, linear + 1
        table[at] = (kind, a, b, rows, linear, angular, k, lock, int(joint.acts))
        rows += linear + angular
    return table, rows


def _couple(
    table: Ints, entries: Ints, linkages: list[tuple[int, int, int, int, int, int]], rows: int
) -> tuple[Ints, Ints, Ints]:
    """Couples of joints at one free entry, the skyline of their rows, and the linkages' table."""
    couples: list[tuple[int, int, int, int, int]] = []
    begins = np.arange(rows, dtype=np.int64)
    spans = np.zeros((len(linkages), j.LINKAGE_WIDTH), dtype=np.int64)
    for number, (first_entry, count, first_joint, joints, driven, acting) in enumerate(linkages):
        first_couple = len(couples)
        at: dict[int, list[tuple[int, int]]] = {}
        for one in range(first_joint, first_joint + joints):
            for side, column in enumerate((j.ENTRY_A, j.ENTRY_B)):
                entry = int(table[one, column])
                if not entries[entry, j.ENTRY_FREE]:
                    continue
                at.setdefault(entry, []).append((one, side))
                couples += [(one, other, entry, side, by) for other, by in at[entry]]
        own = table[first_joint : first_joint + joints]
        ends = own[-1, j.FIRST_ROW] + own[-1, j.LINEAR] + own[-1, j.ANGULAR]
        begin = own[0, j.FIRST_ROW]
        coupled = len(couples) - first_couple
        spans[number, : j.DRIVEN] = (
            first_entry,
            count,
            first_joint,
            joints,
            begin,
            ends - begin,
            first_couple,
            coupled,
        )
        spans[number, [j.DRIVEN, j.ACTING]] = driven, acting
    for one, other, _, _, _ in couples:
        low, high = table[one, j.FIRST_ROW], table[one, j.FIRST_ROW] + table[one, j.LINEAR] + table[one, j.ANGULAR]
        begins[low:high] = np.minimum(begins[low:high], table[other, j.FIRST_ROW])
    widths = np.arange(rows) - begins + 1
    offsets = np.cumsum(widths) - widths - begins
    skyline = np.stack([begins, offsets], axis=1).astype(np.int64)
    return np.array(couples, dtype=np.int64).reshape(-1, j.COUPLE_WIDTH), skyline, spans


def _frames(joint: Joint, sides: tuple[int, int], model: Model, arcs: Floats) -> Floats:
    """Anchors and axes in the frames of both bodies, as they start."""
    row = np.zeros(j.FRAMES_WIDTH)
    u = np.array(joint.axis if joint.axis is not None else (0.0, 0.0, 1.0))
    along = _triple(u / np.linalg.norm(u))
    across = any_perpendicular(along) if joint.axis is not None else (1.0, 0.0, 0.0)
    axes = (across, cross(along, across), along)
    for i, anchor, column in zip(sides, (j.ANCHOR_A, j.ANCHOR_B), (j.AXES_A, j.AXES_B), strict=True):
        x, q = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        if i >= 0:
            x, q, _, _ = evolve(model.bodies, model.tags, arcs, i, 0.0)
        row[anchor : anchor + 3] = rotate_inverse(q, sub(joint.point, x))
        for k, axis in enumerate(axes):
            row[column + 3 * k : column + 3 * k + 3] = rotate_inverse(q, axis)
    return row


def _elements(joint: Joint) -> Floats:
    """The row of a joint's elements."""
    row = np.zeros(e.ELEMENT_WIDTH)
    row[[e.LOW, e.HIGH]] = joint.limits if joint.limits is not None else (-inf, inf)
    row[[e.DAMPER, e.DRY, e.BOUNCE]] = joint.damping, joint.friction, joint.limit_restitution
    if joint.spring is not None:
        row[[e.STIFFNESS, e.REST]] = joint.spring.stiffness, joint.spring.rest
    if joint.hard_spring is not None:
        row[[e.GAS, e.GAS_END]] = joint.hard_spring.strength, joint.hard_spring.end
    if (motor := joint.motor) is not None:
        if motor.effort is None:
            row[e.MOTOR] = e.HOLDS_POSITION if motor.position is not None else e.HOLDS_SPEED
            row[e.TARGET] = motor.position if motor.position is not None else motor.velocity
        row[[e.GAIN, e.RATE_GAIN, e.SUM_GAIN]] = motor.kp, motor.kv, motor.ki
        row[[e.STRONGEST, e.PERIOD]] = motor.limit or inf, 1.0 / motor.rate if motor.rate is not None else 0.0
    return row


def _triple(values: np.ndarray) -> Vec3:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _list_mates(scene: Scene, sides: list[tuple[int, int]], tags: Ints) -> Ints:
    """Who does not collide with whom, for a joint or because the scene says so; tags[:, MATES] points into it."""
    mates: dict[int, set[int]] = {}
    tied = [pair for joint, pair in zip(scene.joint, sides, strict=True) if pair[0] >= 0 and not joint.collide]
    for a, b in [*tied, *ignored_pairs(scene)]:
        mates.setdefault(a, set()).add(b)
        mates.setdefault(b, set()).add(a)
    listed: list[int] = []
    for i in sorted(mates):
        tags[i, m.MATES] = len(listed)
        listed += [len(mates[i]), *sorted(mates[i])]
    return np.array(listed, dtype=np.int64)
