"""The parts of the engine that are compiled apart, side by side, and which of them a scene needs.

Each is a kernel that Python or other parts call, with all that it reaches (engine.compiler).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.analysis.contact_problem import ContactProblem
from engine.analysis.hodograph import read_hit, trace_path
from engine.analysis.methods import METHODS, acceleration_problem
from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import ClosestPoints
from engine.collision.narrow.manifold import (
    MOST_POINTS,
    POINT_WIDTH,
    SCRATCH_ROWS,
    Look,
    Reach,
    find_manifold,
    find_outline,
)
from engine.collision.pair_table import pair_nodes
from engine.desk import Desk, make_desk
from engine.first_order.step import step_first_order
from engine.geometry.pool import HEADER, SCALARS
from engine.group.books import settle_books, settle_group
from engine.group.commit import commit_step
from engine.group.help import help_steps
from engine.group.pair_tasks import take_part_with_pairs
from engine.group.settled_loads import is_stirred, settle_loads
from engine.group.solve.sweep_tasks import take_part_in_sweep
from engine.group.step import step_group
from engine.group.work import Work
from engine.impulse.integration import integrate_collision, integrate_with_lift
from engine.impulse.pair_response import end_push, link_response
from engine.impulse.straight import diverging_ray, sticking_impulse
from engine.joints.response import load_linkage, spread_changes
from engine.joints.rows import fill_rows
from engine.kernel import compile_for, deferred_links, load_linked, machine_code
from engine.maths.free_rotation import tumble
from engine.model import model as m
from engine.model.joints import no_joints
from engine.model.model import Model
from engine.model.state import State, allocate_state
from engine.motion.kinematic import evolve_kinematic
from engine.penalty.step import step_penalty
from engine.pipeline import advance
from engine.solvers.solution import make_trace, no_trace
from engine.tree.inverse import weigh_tree
from engine.tree.limbs import make_limbs

Advance = Callable[[Model, State, Desk, float, int], int]
Help = Callable[[Model, State, Work], int]


def load_advance(model: Model, state: State, desk: Desk) -> Advance:
    """The loop's machine code with all that a scene needs of what it calls; compiled now if nobody has."""
    with deferred_links():
        code = machine_code(advance, model, state, desk, -1.0, 0)
    called: list[Callable[..., object]] = [tumble, evolve_kinematic, integrate_with_lift]
    called += [closest, find_manifold, find_outline, settle_books]
    if step := _step_of(model):
        called += [step, commit_step, take_part_with_pairs]
    if len(model.joints.joints):
        called += [load_linkage, spread_changes, link_response, end_push]
    for one in called:
        load_linked(one)
    return code


def _step_of(model: Model) -> Callable[..., int] | None:
    """The step that a scene's contact groups make; None: it has none."""
    if model.settings[m.CONTACT] == m.PENALTY:
        return step_penalty
    if model.settings[m.CONTACT] == m.FIRST_ORDER:
        return step_first_order
    return step_group if model.settings[m.CONTACT] != m.IMPULSE or len(model.joints.joints) else None


def load_help(model: Model, state: State, work: Work) -> Help:
    """The machine code of a thread that helps the loop."""
    return machine_code(help_steps, model, state, work)


def compile_narrow() -> None:
    """Gaps and contact patches of shapes of every kind."""
    model = _blank_model()
    here = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    n = ClosestPoints((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    compile_for(closest, model.geometry, model.topology, 0, here, 0, here, -1, -1)
    scratch, points = np.zeros((SCRATCH_ROWS, 3)), np.zeros((MOST_POINTS, POINT_WIDTH))
    compile_for(find_outline, model.geometry, model.topology, 0, here, 0, here, n.normal, Look(1.0, 1.0, 1.0), scratch)
    compile_for(find_manifold, model.geometry, model.topology, 0, here, 0, here, n, Reach(1.0, 1.0), scratch, points)


def compile_loop() -> None:
    """The loop: events, pairs, impulses, arcs; and where a step of any kind begins and ends."""
    model, state, desk = _blank()
    with deferred_links():
        compile_for(advance, model, state, desk, 0.0, 0)
        compile_for(evolve_kinematic, model.bodies, model.tags, state.arcs, 0, 0.0)
        compile_for(integrate_with_lift, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)
        compile_for(tumble, (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0)
        compile_for(settle_books, model, state, 0, 0.0)
        compile_for(commit_step, model, state, desk.work, 0.0, 0.0, 0.0, 0.0)


def compile_group() -> None:
    """The step of contact groups, how linkages answer impulses, and what computed torque asks of trees."""
    model, state, desk = _blank()
    linked = desk.cluster.linked
    with deferred_links():
        compile_for(step_group, model, state, desk.work, desk.log, desk.log_size, 0, 0.0)
        compile_for(fill_rows, model.joints, linked.flow, linked.rows, 0)
        compile_for(load_linkage, model.bodies, model.tags, state.arcs, linked, 0, 0.0)
        compile_for(spread_changes, linked, 0)
        nothing = (0.0, 0.0, 0.0)
        compile_for(link_response, linked, 0, 0, nothing, 0, nothing, 0.0)
        compile_for(end_push, model, state, linked, 0, 0.0)
        compile_for(settle_group, model, state, 0, 0.0)  # before a motor is told something else
        compile_for(is_stirred, model.tags, state.arcs)
        compile_for(settle_loads, model, state, desk.work, state.patches, 0)
    trees, one = model.joints.trees, np.zeros((1, 1))
    compile_for(
        weigh_tree, model.bodies, model.tags, state.arcs, trees, make_limbs(trees), 0, 0.0, one, one, np.zeros(1)
    )


def compile_tasks() -> None:
    """What threads share of steps."""
    model, state, desk = _blank()
    with deferred_links():
        compile_for(take_part_in_sweep, desk.work)
        compile_for(take_part_with_pairs, model, state, desk.work)
        compile_for(help_steps, model, state, desk.work)


def compile_penalty() -> None:
    """The step of the penalty method."""
    model, state, desk = _blank()
    with deferred_links():
        compile_for(step_penalty, model, state, desk.work, 0, 0.0)


def compile_first_order() -> None:
    """The step of a first-order world."""
    model, state, desk = _blank()
    with deferred_links():
        compile_for(fill_rows, model.joints, desk.work.flow, desk.work.rows, 0)
        compile_for(step_first_order, model, state, desk.work, 0, 0.0)


def compile_solvers() -> None:
    """Every method of the registry, watched or not, on a box that stands on a floor; and looking into collisions."""
    corners = np.array([[x, y, 0.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    nothing = np.zeros(4)
    box = ContactProblem(
        bodies=np.zeros(1, dtype=np.int64),
        centre=np.array([[0.0, 0.0, 1.0]]),
        mass=np.eye(6)[None],
        force=np.array([[0.0, 0.0, -9.81, 0.0, 0.0, 0.0]]),
        velocity=np.zeros((1, 6)),
        pair=np.tile(np.array([0, -1]), (4, 1)),
        rows=np.tile(np.array([0, 1]), (4, 1)),
        nodes=np.tile(np.array([0, 1]), (4, 1)),
        point=corners,
        frame=np.tile(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), (4, 1, 1)),
        gap=nothing,
        prescribed=np.zeros((4, 3)),
        curvature=nothing,
        friction=nothing,
        restitution=nothing,
    )
    problem = acceleration_problem(box)
    for method in METHODS.values():
        method.solve(problem, make_trace(4, 4))
        method.solve(problem, no_trace())
    model, state, desk = _blank()
    here, k, line = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), np.zeros(3)
    compile_for(pair_nodes, model.tags, state.links, 0)
    compile_for(integrate_collision, k, here, 0.0, 0.0, 0.0)
    compile_for(sticking_impulse, k)
    compile_for(diverging_ray, k, 0.0)
    compile_for(read_hit, model, state, desk.cluster.linked, 0, 0, here, here, 0.0, line)
    compile_for(trace_path, k, here, 0.0, 0.0, line, np.zeros((3, 3)))


def _blank() -> tuple[Model, State, Desk]:
    """A model, a state and a desk of the right types, with one body of nothing."""
    model = _blank_model()
    return model, allocate_state(1, 1, MOST_POINTS), make_desk(1, model.joints, room=1, points=1)


def _blank_model() -> Model:
    return Model(
        bodies=np.zeros((1, m.BODY_WIDTH)),
        tags=np.zeros((1, m.TAG_WIDTH), dtype=np.int64),
        surfaces=np.zeros((1, 1, m.SURFACE_WIDTH)),
        settings=np.zeros(m.SETTING_WIDTH),
        geometry=np.zeros(SCALARS),
        topology=np.zeros(HEADER, dtype=np.int64),
        trees=np.zeros((1, 4), dtype=np.int64),
        fans=np.zeros((1, 3)),
        extents=np.zeros(1),
        joints=no_joints(),
    )
