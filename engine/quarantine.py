"""A body that cannot go on is stopped where it is, and the rest runs on.

Its state is no longer finite, or no motion satisfies its contacts (engine.impulse.crush) or its joints. The loop
notices it when it is about to use such numbers, or by hits without end, and asks for help. Then the body's arc becomes
that of a fixed body, marked STOPPED, and the world goes on with a Model in which it is one. What joints tie to it is
stopped with it. The mark is part of the State: snapshots bring it along.
"""

from __future__ import annotations

from math import inf

import numpy as np

from engine import journal
from engine.collision.broad.broad_phase import grow
from engine.collision.pair_table import may_touch, next_pair
from engine.collision.pairs.hull_pairs import separate
from engine.collision.pairs.look_again import look_again
from engine.collision.pairs.meet import meet_found
from engine.desk import Desk
from engine.events import set_timer
from engine.group.work import TORN
from engine.kernel import kernel
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Floats, Model
from engine.model.state import BODY_A, BODY_B, LAST_MICRO, PARENT, State
from engine.motion.arcs import evolve, is_finite_arc
from engine.motion.motion import is_finite_motion

_REASONS = {s.LOST: journal.NOT_FINITE, s.CRUSHED: journal.CRUSHED, s.TORN: journal.TORN}


def hold_stopped(model: Model, arcs: Floats) -> Model:
    """The model with the bodies that were stopped as fixed ones; the same model if there are none."""
    rows = np.flatnonzero(arcs[:, s.STOPPED])
    if not len(rows):
        return model
    bodies, tags = model.bodies.copy(), model.tags.copy()
    for column, width in ((m.MASS, 1), (m.INV_MASS, 1), (m.MOMENTS, 3), (m.INV_MOMENTS, 3)):
        bodies[rows, column : column + width] = 0.0
    bodies[rows, m.REVOLUTION] = -1.0
    tags[rows, m.KIND] = m.FIXED
    return model._replace(bodies=bodies, tags=tags)


def stop_body(model: Model, state: State, desk: Desk, i: int) -> tuple[Model, State]:
    """Stop body i now, and what joints tie to it. The model and the State with which the world goes on."""
    link = model.tags[i, m.LINKAGE]
    why = s.TORN if desk.work.sizes[TORN] == i + 1 else s.CRUSHED
    for j in (
        [i] if link < 0 else np.flatnonzero((model.tags[:, m.LINKAGE] == link) & (model.tags[:, m.KIND] == m.FREE))
    ):
        model, state = _stop_alone(model, state, desk, int(j), why)
    return model, state


def _stop_alone(model: Model, state: State, desk: Desk, i: int, why: float) -> tuple[Model, State]:
    _bring_to_rest(model, state, i, why)
    leader = _leave_group(state, i)
    model = hold_stopped(model, state.arcs)
    state = grow(model, state)
    settle_stopped(model, state, desk, i, float(state.clock[s.TIME]))
    if leader >= 0:
        set_timer(state, leader)
    _note_stop(model, state, desk, i)
    return model, state


def _note_stop(model: Model, state: State, desk: Desk, i: int) -> None:
    """Write into the log that body i has been stopped."""
    x, y, z = (float(c) for c in state.arcs[i, s.POSITION : s.POSITION + 3])
    t, node = state.clock.item(s.TIME), int(model.tags[i, m.FIRST_NODE])
    why = _REASONS[state.arcs[i, s.STOPPED]]
    journal.write_line(desk.log, desk.log_size, t, journal.STOP, why, i, i, (node, node), (0.0, 0.0, 0.0), (x, y, z))


def _bring_to_rest(model: Model, state: State, i: int, why: float) -> None:
    """Put body i to rest where it is, for that reason; where its arc began, or amid its box, if only that is
    finite."""
    arc, box = state.arcs[i], state.boxes[i]
    now = evolve(model.bodies, model.tags, state.arcs, i, float(state.clock[s.TIME]))
    finite = is_finite_arc(state.arcs, i) and is_finite_motion(now)
    if finite:
        arc[s.POSITION : s.POSITION + 3], arc[s.ORIENTATION : s.ORIENTATION + 4] = now.x, now.q
    x = arc[s.POSITION : s.POSITION + 3]
    if not np.isfinite(x).all():
        middle = 0.5 * (box[s.LOW : s.LOW + 3] + box[s.HIGH : s.HIGH + 3])
        x[:] = np.where(np.isfinite(middle), middle, 0.0)
    q = arc[s.ORIENTATION : s.ORIENTATION + 4]
    length = float(np.linalg.norm(q))
    q[:] = q / length if np.isfinite(length) and length > 0.5 else (1.0, 0.0, 0.0, 0.0)
    arc[s.VELOCITY : s.OMEGA_MAX + 1] = 0.0
    arc[s.T0] = state.clock[s.TIME]
    arc[s.STOPPED] = why if finite else s.LOST
    radius = model.bodies[i, m.RADIUS]
    box[s.LOW : s.LOW + 3] = x - radius
    box[s.HIGH : s.HIGH + 3] = x + radius
    box[s.UNTIL] = inf
    state.loads[i, s.NEXT_KICK] = inf
    if state.pull[s.PULL_BODY] == i:
        state.pull[:] = 0.0
        state.pull[s.PULL_BODY] = -1.0
        state.pull[s.PULL_NEXT] = inf


def _leave_group(state: State, i: int) -> int:
    """Take body i out of its contact group, whose other bodies make a step at once; their leader, or -1."""
    members, groups, links = state.members, state.groups, state.links
    leader = int(members[i, s.LEADER])
    state.arcs[i, s.HELD] = 0.0
    if leader < 0:
        return -1
    rest = []
    j = leader
    while j >= 0:
        if j != i:
            rest.append(j)
        j = int(members[j, s.NEXT_MEMBER])
    members[i] = -1
    groups[i, s.HORIZON] = inf
    ended = (links[:, s.IN_USE] == 1) & ((links[:, BODY_A] == i) | (links[:, BODY_B] == i))
    links[ended, s.PAIR_STATE] = s.PAIR_FREE
    if not rest:
        return -1
    if rest[0] != leader:
        groups[rest[0]] = groups[leader]
    members[rest, s.LEADER] = rest[0]
    members[rest, s.NEXT_MEMBER] = [*rest[1:], -1]
    members[rest[0], s.MEMBERS] = len(rest)
    groups[rest[0], s.HORIZON] = state.clock[s.TIME]
    groups[rest[0], s.BOOKED_UNTIL] = state.clock[s.TIME]  # what its step took until now is lost with the body
    state.arcs[rest, s.HELD] = s.STEPPING
    return rest[0]


@kernel
def settle_stopped(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """Body i has been stopped: its pairs with static and kinematic bodies are removed, the others checked again."""
    row = state.first_pair[i]
    while row >= 0:
        after = next_pair(state.links, row, i)
        state.pairs[row, LAST_MICRO] = -inf
        apart = not may_touch(model.tags, model.joints.mates, state.links[row, BODY_A], state.links[row, BODY_B])
        if apart and state.links[row, PARENT] < 0:
            separate(model, state, row)
        row = after
    meet_found(model, state, desk.found, i, t)
    look_again(model, state, i, -1, t)
    set_timer(state, i)
