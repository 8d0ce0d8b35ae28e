"""Kicks: what the mouse's spring and the loads of a scene do to a body at an instant, and to what joints tie it to."""

from __future__ import annotations

from math import inf

from engine.collision.pair_table import next_pair
from engine.impulse.pair_response import end_push
from engine.joints.response import clear_changes, linkage_of, load_linkage, push_entry
from engine.joints.rows import is_dynamic
from engine.joints.tables import Linked
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, cross, dot, point_velocity
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY
from engine.model.model import ENTRY, Model
from engine.model.state import PAIR_HELD, PAIR_STATE, PULL_NEXT, WORK, State
from engine.motion.arcs import apply_couple, apply_impulse, evolve
from engine.motion.loads import is_borne, load_couple
from engine.motion.pull import pull_impulse


@kernel
def kick_pull(model: Model, state: State, linked: Linked, i: int, t: float) -> bool:
    """Give body i the spring's impulse of one period at time t; False if it cannot be moved, or if steps of a contact
    group bear the spring from now on.

    Books the kinetic energy that the kick adds as work put in.
    """
    if is_borne(model.tags, state.arcs, i) or _touches(model, state, i):
        state.pull[PULL_NEXT] = inf
        return False
    moved, side, p = pull_impulse(model.bodies, model.tags, state.arcs, state.pull, i, t)
    if not moved:
        return False
    if linkage_of(model.tags, i) >= 0:
        _kick_link(model, state, linked, i, p, cross(side.r, p), t)
    else:
        apply_impulse(model.bodies, model.tags, state.arcs, side, p, t)
    after = evolve(model.bodies, model.tags, state.arcs, i, t)
    u = point_velocity(side.motion.v, side.motion.w, side.r)
    state.clock[WORK] += 0.5 * dot(add(u, point_velocity(after.v, after.w, side.r)), p)
    return True


@kernel
def kick_load(model: Model, state: State, linked: Linked, i: int, t: float) -> bool:
    """Give free body i force and torque of the period from t on; if no group bears it, the couple of that around t.

    Books the energy that the couple adds as work put in; that of the force follows from the way (`read_work`).
    """
    kicks, motion, couple = load_couple(model, state, i, t)
    if not kicks:
        return True
    if linkage_of(model.tags, i) >= 0:
        _kick_link(model, state, linked, i, (0.0, 0.0, 0.0), couple, t)
    else:
        apply_couple(model.bodies, model.tags, state.arcs, i, motion, couple, t)
    after = evolve(model.bodies, model.tags, state.arcs, i, t)
    state.clock[WORK] += 0.5 * dot(add(motion.w, after.w), couple)
    return True


@kernel
def _touches(model: Model, state: State, i: int) -> bool:
    """Do contact forces act on what joints tie body i to?"""
    link, joints = linkage_of(model.tags, i), model.joints
    first = joints.linkages[link, FIRST_ENTRY] if link >= 0 else 0
    for e in range(first, first + joints.linkages[link, ENTRIES] if link >= 0 else 0):
        j = joints.entries[e, ENTRY_BODY]
        row = state.first_pair[j] if is_dynamic(model.tags, joints, e) else -1
        while row >= 0:
            if state.links[row, PAIR_STATE] == PAIR_HELD:
                return True
            row = next_pair(state.links, row, j)
    return False


@kernel
def _kick_link(model: Model, state: State, linked: Linked, i: int, p: Vec3, couple: Vec3, t: float) -> None:
    """An impulse p through the centre of mass of link i, and a couple, move all of its linkage."""
    link = linkage_of(model.tags, i)
    load_linkage(model.bodies, model.tags, state.arcs, linked, link, t)
    clear_changes(linked, link)
    push_entry(linked, model.tags[i, ENTRY], p, couple)
    end_push(model, state, linked, link, t)
