"""From a Scene to a Model and the State at time 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, inf, pi, sqrt

import numpy as np

from engine.arrays import Floats, Ints
from engine.collision.broad.broad_phase import choose_tiling, enter_broad_phase
from engine.collision.broad.sweep_prune import find_meeting
from engine.collision.broad.swept_boxes import write_box
from engine.collision.narrow.manifold import MOST_POINTS, OUTLINE_ROWS, is_round
from engine.geometry import shapes
from engine.geometry.hull_tree import pack_forest
from engine.geometry.mass_properties import attach_masses, mass_properties, principal_frame
from engine.geometry.pool import ShapePool, swept_extent
from engine.geometry.shapes import PLANE, Shape, rotation_matrix
from engine.maths.quaternions import conjugate, multiply, rotate, rotate_inverse
from engine.model import elements as e
from engine.model import joints as j
from engine.model import model as m
from engine.model import state as s
from engine.model.joints import no_joints
from engine.model.model import Model
from engine.model.state import State, allocate_state
from engine.motion.arcs import evolve
from engine.motion.ballistic import set_ballistic
from engine.motion.held import pause_held
from engine.motion.motion import Motion
from engine.pipeline import start
from engine.scene.applied import fill_loads, first_loads, follow_loads, leave_room, most_push
from engine.scene.body_shapes import make_shape, shape_key
from engine.scene.checks import check_contact, check_heap
from engine.scene.linkages import make_joints
from engine.scene.motions import Accelerated, Cycler, Keyframes, Oscillator, Scripted, Spinner
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import (
    BROAD_PHASES,
    CONTACT_MODES,
    DEFAULT_MATERIAL,
    FRICTION_MODELS,
    IMPACT_LAWS,
    SOLVERS,
    Body,
    Scene,
)
from engine.scene.starts import find_starts, triple
from engine.scene.surfaces import meet_all
from engine.scene.tracks import make_segments, top_speed
from engine.tolerances import BOX_TRAVEL, GROUP_STEP, LONGEST_WAIT
from engine.tree.forces import stored_energy

_KINDS = {
    "free": m.FREE,
    "fixed": m.FIXED,
    "spinner": m.SPINNER,
    "oscillator": m.CYCLER,
    "cycler": m.CYCLER,
    "keyframes": m.KEYFRAMES,
    "accelerated": m.ACCELERATED,
}


_SYMMETRIC = 1e-13
"""A body is one of revolution if shape and inertia are off by no more than this, relative to themselves [1]."""


@dataclass(frozen=True)
class Built:
    """What a scene compiles to. `names` are the bodies' names by row; `shapes` their shapes in the authored frames."""

    model: Model
    state: State
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]


def build(scene: Scene) -> Built:
    """Compile a scene. It must be valid: `engine.scene.reading` and `checks` find what is not.

    Raises SceneError for more pairs than the event heap holds without a broad phase, and for joints in penalty contact.
    """
    if not isinstance(scene, Scene):
        raise TypeError(
            f"a world is built from a Scene, such as load_scene gives, and this is a {type(scene).__name__}"
        )
    if findings := check_heap(scene) + check_contact(scene):
        where = ["world." + str(item.loc[1]) for item in findings]
        raise SceneError([Problem(None, None, at, item.message, item.hint) for at, item in zip(where, findings)])
    materials: list[str | None] = [None, *scene.material]
    bodies, tags, authored, placed = _fill_bodies(scene, materials)
    forest = pack_forest(placed)
    sizes = np.array(forest.sizes, dtype=np.int64)[tags[:, m.SHAPE]]
    tags[:, m.FIRST_NODE] = np.cumsum(sizes) - sizes
    tags[:, m.SHAPE] = np.array(forest.roots, dtype=np.int64)[tags[:, m.SHAPE]]
    segments = _fill_scripts(scene, bodies)
    segments += fill_loads(scene, bodies, len(bodies) + sum(map(len, segments)))
    segments += leave_room(scene)
    _fill_extents(scene, bodies, tags, ShapePool(forest.geometry, forest.topology))
    surfaces = meet_all(scene)
    settings = _fill_settings(scene)
    settings[m.GRAVITY_NORM] = settings[m.GRAVITY_NORM] or most_push(scene, bodies)
    model = Model(np.concatenate([bodies, *segments]), tags, surfaces, settings, *forest[:5], no_joints())
    arcs = _first_arcs(scene, model)
    model = model._replace(joints=make_joints(scene, model, arcs))
    _start_joints(scene, model, arcs)
    loads = first_loads(model, arcs)
    follow_loads(model, loads)
    return Built(
        model, _first_state(scene, model, arcs, loads), tuple(body.name for body in scene.bodies), tuple(authored)
    )


def _fill_bodies(scene: Scene, materials: Sequence[str | None]) -> tuple[Floats, Ints, list[Shape], list[Shape]]:
    """Rows of `bodies` and `tags`; authored shapes by row; the different shapes in body frames, which tags number."""
    bodies = np.zeros((len(scene.bodies), m.BODY_WIDTH))
    tags = np.zeros((len(scene.bodies), m.TAG_WIDTH), dtype=np.int64)
    groups = {name: k for k, name in enumerate(sorted({body.group for body in scene.bodies if body.group}))}
    made: dict[str, Shape] = {}
    authored: list[Shape] = []
    placed: list[Shape] = []
    number_of: dict[str, int] = {}
    for i, body in enumerate(scene.bodies):
        key = shape_key(body)
        if key not in made:
            made[key] = make_shape(scene, body)
        shape = made[key]
        authored.append(shape)
        free = body.motion == "free"
        frame = _fill_mass(scene, body, shape, bodies[i]) if free else (np.zeros(3), (1.0, 0.0, 0.0, 0.0))
        _fill_frame(bodies[i], *frame)
        placing = f"{key} {body.attached!r} {body.centre_of_mass!r} {body.inertia!r}" if free else key
        if placing not in number_of:
            number_of[placing] = len(placed)
            turned = conjugate(frame[1])
            placed.append(shape.transformed(-(rotation_matrix(turned) @ frame[0]), turned) if free else shape)
        tags[i, m.KIND] = _KINDS[body.motion_kind]
        tags[i, m.SHAPE] = number_of[placing]
        tags[i, m.MATERIAL] = materials.index(body.material)
        tags[i, m.GROUP] = groups.get(body.group or "", -1)
        _fill_sizes(scene, placed[number_of[placing]], bodies[i], free)
    return bodies, tags, authored, placed


def _fill_sizes(scene: Scene, core: Shape, row: Floats, free: bool) -> None:
    """Size columns of a body with this shape in its body frame, and gravity if it is free."""
    row[m.RADIUS] = core.bounding_radius
    row[m.ARM] = core.arm
    row[m.SIZE] = _size(core)
    row[m.REVOLUTION] = _axis_of_revolution(core, row) if free else -1
    if free:
        row[m.GRAVITY : m.GRAVITY + 3] = scene.world.gravity
        row[m.OVERDAMPED] = float(scene.world.order == 1)


def _fill_settings(scene: Scene) -> Floats:
    """What holds for the whole Model; the broad phase fills in its tiles later."""
    settings = np.zeros(m.SETTING_WIDTH)
    settings[m.ENVELOPE] = scene.world.envelope or 0.0
    settings[m.GRAVITY_NORM] = float(np.linalg.norm(scene.world.gravity))
    settings[m.WORLD_GRAVITY : m.WORLD_GRAVITY + 3] = scene.world.gravity
    settings[m.MICRO_LAW] = float(scene.world.microcollision == "thesis")
    settings[m.BROAD_PHASE] = BROAD_PHASES.index(scene.world.broad_phase)
    settings[m.CONTACT] = m.FIRST_ORDER if scene.world.order == 1 else CONTACT_MODES.index(scene.world.contact)
    settings[m.DRAG] = scene.world.drag
    settings[m.LONGEST_STEP] = scene.world.step or GROUP_STEP
    settings[m.IMPACTS] = IMPACT_LAWS.index(scene.world.impacts)
    settings[m.FRICTION_MODEL] = FRICTION_MODELS.index(scene.world.friction_model)
    settings[m.SOLVER] = SOLVERS.index(scene.world.solver)
    settings[m.MAY_SLEEP] = float(scene.world.sleep)
    settings[m.PENALTY_STIFFNESS] = scene.world.penalty_stiffness or 0.0
    return settings


def density_of(scene: Scene, body: Body) -> float:
    """Its own density, else its material's, else the default material's [kg/m^3]."""
    if body.density is not None:
        return body.density
    return (scene.material[body.material] if body.material is not None else DEFAULT_MATERIAL).density


def _fill_mass(scene: Scene, body: Body, shape: Shape, row: Floats) -> tuple[Floats, tuple[float, float, float, float]]:
    """Mass columns of a free body; the pose of its principal frame in the authored one."""
    properties = mass_properties(shape)
    density = body.mass / properties.volume if body.mass is not None else density_of(scene, body)
    solid = (density * properties.volume, properties.centre, density * properties.inertia)
    mass, centre, inertia = attach_masses(*solid, [(extra.mass, extra.position) for extra in body.attached])
    centre = centre if body.centre_of_mass is None else np.array(body.centre_of_mass)
    inertia = inertia if body.inertia is None else body.inertia.matrix
    moments, q = principal_frame(inertia)
    row[m.MASS] = mass
    row[m.INV_MASS] = 1.0 / row[m.MASS]
    row[m.MOMENTS : m.MOMENTS + 3] = moments
    row[m.INV_MOMENTS : m.INV_MOMENTS + 3] = 1.0 / row[m.MOMENTS : m.MOMENTS + 3]
    x, y, z = (float(value) for value in moments)
    row[m.KAPPA] = max(abs(y - z) / x, abs(z - x) / y, abs(x - y) / z) / sqrt(3.0)
    w, i, j, k = (float(c) for c in q)
    return np.asarray(centre, dtype=np.float64), (w, i, j, k)


def _fill_frame(row: Floats, centre: Floats, q: tuple[float, float, float, float]) -> None:
    """The authored frame as seen from the body frame."""
    c = (float(centre[0]), float(centre[1]), float(centre[2]))
    row[m.FRAME : m.FRAME + 3] = -np.asarray(rotate_inverse(q, c))
    row[m.FRAME + 3 : m.FRAME + 7] = conjugate(q)


def _fill_scripts(scene: Scene, bodies: Floats) -> list[Floats]:
    """Script columns of kinematic bodies; the segments of their keyframed paths, in order, to go below the bodies."""
    segments: list[Floats] = []
    below = len(bodies)
    for body, row in zip(scene.bodies, bodies, strict=True):
        if not isinstance(body.motion, Scripted):
            continue
        match getattr(body.motion, body.motion.kind):
            case Spinner() as script:
                axis = np.asarray(script.axis) / np.linalg.norm(script.axis)
                centre = body.position if script.centre is None else script.centre
                row[m.SCRIPT : m.SCRIPT + 7] = (*axis, script.rate, *centre)
            case Oscillator() as script:
                along = script.amplitude * np.asarray(script.direction) / np.linalg.norm(script.direction)
                row[m.SCRIPT : m.SCRIPT + 8] = (0.0, 0.0, 0.0, *along, 2.0 * pi * script.frequency, script.phase)
            case Cycler() as script:
                # The other way round is the mirrored ellipse: rates are never negative.
                way = copysign(1.0, script.frequency)
                across = way * np.asarray(script.across)
                rate = 2.0 * pi * abs(script.frequency)
                row[m.SCRIPT : m.SCRIPT + 8] = (*script.along, *across, rate, way * script.phase)
            case Accelerated() as script:
                axis = np.asarray(script.axis) / np.linalg.norm(script.axis)
                centre = body.position if script.centre is None else script.centre
                until = inf if script.until is None else script.until
                row[m.SCRIPT : m.SCRIPT + 9] = (*axis, script.rate, script.angular_acceleration, *centre, until)
                row[m.TRAVEL : m.TRAVEL + 6] = (*script.velocity, *script.acceleration)
            case Keyframes() as script:
                segments.append(make_segments(script))
                speed = top_speed(segments[-1])
                row[m.SCRIPT : m.SCRIPT + 4] = (below, len(segments[-1]), float(script.end == "loop"), speed)
                below += len(segments[-1])
    return segments


def _fill_extents(scene: Scene, bodies: Floats, tags: Ints, pool: ShapePool) -> None:
    """How far static and kinematic bodies reach about their origins: a box as turned, a bounding ball if it turns."""
    for i, body in enumerate(scene.bodies):
        if tags[i, m.KIND] in (m.FIXED, m.CYCLER) or _only_travels(bodies[i], tags[i, m.KIND]):
            extent = swept_extent(pool.geometry, pool.topology, int(tags[i, m.SHAPE]), body.quaternion)
        else:
            radius = bodies[i, m.RADIUS]
            extent = (-radius, -radius, -radius, radius, radius, radius)
        bodies[i, m.EXTENT : m.EXTENT + 6] = extent


def _only_travels(row: Floats, kind: int) -> bool:
    return bool(kind == m.ACCELERATED and not row[m.SCRIPT + 3 : m.SCRIPT + 5].any())


def _size(shape: Shape) -> float:
    """Characteristic size [m]: the side of a cube with the volume of the shape's box; inf for a plane or a sheet."""
    if shape.kind == PLANE or shape.sheet is not None:
        return inf
    low, high = shape.bounds
    sides = high - low
    return float(np.prod(sides) ** (1.0 / 3.0))


def _axis_of_revolution(core: Shape, row: Floats) -> int:
    """The body axis about which a free body's shape and inertia are those of revolution; -1 if there is none."""
    if core.kind == shapes.SEGMENT:
        centre, along = core.vertices.mean(axis=0), core.vertices[1] - core.vertices[0]
    elif core.kind == shapes.REVOLVED:
        centre, along = core.frame[0], core.frame[1][2]
    elif core.kind == shapes.ELLIPSOID and len(set(core.semi_axes)) == 2:
        alone = next(k for k in range(3) if core.semi_axes.count(core.semi_axes[k]) == 1)
        centre, along = core.frame[0], core.frame[1][alone]
    else:
        return -1
    axis = int(np.abs(along).argmax())
    others = [(axis + 1) % 3, (axis + 2) % 3]
    moments = row[m.MOMENTS : m.MOMENTS + 3]
    aslant = max(float(np.abs(along[others]).max()), float(np.abs(centre[others]).max()) / core.bounding_radius)
    uneven = abs(float(moments[others[0]] - moments[others[1]])) / float(moments[others[0]])
    return axis if max(aslant, uneven) < _SYMMETRIC else -1


def _first_arcs(scene: Scene, model: Model) -> Floats:
    arcs = np.zeros((len(scene.bodies), s.ARC_WIDTH))
    for i, body in enumerate(scene.bodies):
        _place(body, model, arcs, i)
    return arcs


def _first_state(scene: Scene, model: Model, arcs: Floats, loads: Floats) -> State:
    n = len(arcs)
    boxes = np.zeros((n, s.BOX_WIDTH))
    longest = LONGEST_WAIT * model.settings[m.LONGEST_STEP]
    for i in range(n):
        if _stays_in_a_box(model, i):
            _write_lasting_box(model, arcs, boxes, i)
        else:
            write_box(model.bodies, model.tags, arcs, boxes, i, BOX_TRAVEL, longest, 0.0)
    model.settings[[m.FINEST_TILE, m.USED_RESOLUTIONS, m.RESOLUTIONS]] = choose_tiling(model.bodies, boxes)
    if model.settings[m.BROAD_PHASE] == m.NO_BROAD_PHASE:
        boxes[:] = (-inf, -inf, -inf, inf, inf, inf, inf, 0.0)
    initial = find_meeting(boxes)
    state = allocate_state(n, len(initial) + 2 * n + 64, _most_points(model), len(model.joints.joints))
    state.arcs[:] = arcs
    state.boxes[:] = boxes
    state.loads[:] = loads
    state = enter_broad_phase(model, state)
    _tie_joints(scene, model, state)
    start(model, state, initial)
    _load_springs(model, state)
    return state


def _start_joints(scene: Scene, model: Model, arcs: Floats) -> None:
    """Bodies that hang from joints that say how they begin."""
    for name, begin in find_starts(scene).items():
        i = scene.index(name) if name else -1
        if i < 0 or model.tags[i, m.KIND] != m.FREE:
            continue
        x, q, v, w = evolve(model.bodies, model.tags, arcs, i, 0.0)
        there = np.array(rotate(begin.turn, x)) + begin.shift
        moving = np.array(rotate(begin.turn, v)) + begin.drift + np.cross(begin.spin, there)
        spin = np.array(rotate(begin.turn, w)) + begin.spin
        q = multiply(begin.turn, q)
        set_ballistic(model.bodies, arcs, i, 0.0, triple(there), q, triple(moving), rotate_inverse(q, triple(spin)))


def _tie_joints(scene: Scene, model: Model, state: State) -> None:
    """Joints stand where the scene says: that tells whole turns. Motors bear the effort that it says."""
    for row, joint in enumerate(model.joints.joints):
        said = scene.joint[joint[j.AUTHORED]]
        state.joints[row, e.POSITION] = said.position
        if said.motor is not None and said.motor.effort is not None:
            most = model.joints.elements[row, e.STRONGEST]
            state.joints[row, e.DRIVE] = min(max(said.motor.effort, -most), most)


def _load_springs(model: Model, state: State) -> None:
    """What springs of joints hold belongs to the groups of their linkages."""
    table = model.joints
    for link in table.linkages:
        if not link[j.ACTING]:
            continue
        entries = table.entries[link[j.FIRST_ENTRY] : link[j.FIRST_ENTRY] + link[j.ENTRIES]]
        leader = state.members[entries[entries[:, j.ENTRY_FREE] == 1][0, j.ENTRY_BODY], s.LEADER]
        for row in range(link[j.FIRST_JOINT], link[j.FIRST_JOINT] + link[j.JOINTS]):
            if table.joints[row, j.JOINT_KIND] in (j.HINGE, j.SLIDER):
                state.groups[leader, s.ELASTIC] += stored_energy(table.elements, row, state.joints[row, e.POSITION])


def _place(body: Body, model: Model, arcs: Floats, i: int) -> None:
    """Pose and twist of body i at time 0: what the file says of the authored frame, for the body frame."""
    row = model.bodies[i]
    frame = tuple(float(value) for value in row[m.FRAME : m.FRAME + 7])
    q = multiply(body.quaternion, conjugate((frame[3], frame[4], frame[5], frame[6])))
    offset = rotate(q, (frame[0], frame[1], frame[2]))
    x = (body.position[0] - offset[0], body.position[1] - offset[1], body.position[2] - offset[2])
    if model.tags[i, m.KIND] == m.FREE:
        set_ballistic(model.bodies, arcs, i, 0.0, x, q, body.velocity, rotate_inverse(q, body.angular_velocity))
        if body.asleep and model.settings[m.CONTACT] in (m.CONSTRAINT, m.HYBRID) and model.settings[m.MAY_SLEEP] != 0.0:
            still = (0.0, 0.0, 0.0)
            pause_held(arcs, i, 0.0, Motion(x, q, still, still))
            arcs[i, s.HELD] = s.ASLEEP
    else:
        arcs[i, s.POSITION : s.POSITION + 3] = x
        arcs[i, s.ORIENTATION : s.ORIENTATION + 4] = q


def _stays_in_a_box(model: Model, i: int) -> bool:
    """Is one swept box enough for body i, for ever? For cyclers that is so if they do not go far."""
    kind = model.tags[i, m.KIND]
    if kind == m.CYCLER:
        ellipse = model.bodies[i, m.SCRIPT : m.SCRIPT + 6].reshape(2, 3)
        travel = float(np.hypot(*ellipse).max())
        return travel <= float(model.bodies[i, m.RADIUS])
    return bool(kind in (m.FIXED, m.SPINNER))


def _most_points(model: Model) -> int:
    """The most points that a lasting contact has; 0: none lasts.

    One of its bodies is free. What is round touches at one point, and a pile of thousands has room for many pairs.
    """
    if model.settings[m.CONTACT] == m.IMPULSE:
        return 0
    free = model.tags[model.tags[:, m.KIND] == m.FREE]
    if all(is_round(model.topology, shape) for shape in np.unique(free[:, m.SHAPE])):
        return 1
    return OUTLINE_ROWS if model.settings[m.CONTACT] == m.PENALTY else MOST_POINTS


def _write_lasting_box(model: Model, arcs: Floats, boxes: Floats, i: int) -> None:
    """A box that contains a body that stays in one for ever."""
    x = arcs[i, s.POSITION : s.POSITION + 3]
    w, qx, qy, qz = (float(c) for c in arcs[i, s.ORIENTATION : s.ORIENTATION + 4])
    script = model.bodies[i, m.SCRIPT : m.SCRIPT + 7]
    if model.tags[i, m.KIND] == m.SPINNER:
        centre, axis = script[4:7], script[:3]
        arm = x - centre
        # Everything stays within `rim` of the axis and within `height` of the centre along it.
        along = float(arm @ axis)
        reach = float(model.bodies[i, m.RADIUS])
        low_high = _along_axis(model, i, (w, qx, qy, qz), axis)
        rim = float(np.linalg.norm(arm - along * axis)) + reach
        across = np.sqrt(np.maximum(0.0, 1.0 - axis * axis))
        ends = np.array([(along + low_high[0]) * axis, (along + low_high[1]) * axis])
        low = centre + ends.min(axis=0) - across * rim
        high = centre + ends.max(axis=0) + across * rim
    else:
        extent = model.bodies[i, m.EXTENT : m.EXTENT + 6]
        travel = np.hypot(script[:3], script[3:6]) if model.tags[i, m.KIND] == m.CYCLER else np.zeros(3)
        low, high = x + extent[:3] - travel, x + extent[3:] + travel
    boxes[i, s.LOW : s.LOW + 3] = low
    boxes[i, s.HIGH : s.HIGH + 3] = high
    boxes[i, s.UNTIL] = inf


def _along_axis(model: Model, i: int, q: tuple[float, ...], axis: Floats) -> tuple[float, float]:
    """How far the shape reaches along a world axis, downwards and upwards from the body's origin [m]."""
    body_axis = np.asarray(rotate_inverse((q[0], q[1], q[2], q[3]), (float(axis[0]), float(axis[1]), float(axis[2]))))
    turn = _turn_onto_x(body_axis)
    extent = swept_extent(model.geometry, model.topology, int(model.tags[i, m.SHAPE]), turn)
    return extent[0], extent[3]


def _turn_onto_x(axis: Floats) -> tuple[float, float, float, float]:
    """A quaternion that turns the unit vector `axis` onto x."""
    w = 1.0 + float(axis[0])
    if w < 1e-12:
        return (0.0, 0.0, 0.0, 1.0)
    x, y, z = 0.0, float(axis[2]), -float(axis[1])
    length = sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)
