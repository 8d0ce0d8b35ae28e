"""Reading the contacts of a State without changing it: which pairs touch, where, and the forces between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bools, Floats, Ints
from engine.geometry.hull_tree import CHILDREN
from engine.maths.rounding import TINY
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import State
from engine.recording.touching import contact_velocities

FORCE_WINDOW = 0.02
"""Contact forces are impulses averaged over this time [s]."""
CONTACT = np.dtype(
    [
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("node_a", "i8"),
        ("node_b", "i8"),
        ("point", "f8", 3),
        ("normal", "f8", 3),
        ("gap", "f8"),
        ("force", "f8", 3),
        ("couple", "f8", 3),
        ("velocity", "f8", 3),
        ("friction", "f8", 2),
        ("paradigm", "U10"),
    ]
)
"""A pair that touches; `World.contacts` says what the fields mean."""


def touching_pairs(model: Model, state: State) -> Ints:
    """Rows of the pairs that touch as of their last checks, (k,)."""
    used = np.flatnonzero(state.links[:, s.IN_USE] == 1)
    inside = state.pairs[used, s.GAP] <= state.pairs[used, s.PAIR_ENVELOPE]
    rows = used[inside | (state.links[used, s.PAIR_STATE] == s.PAIR_HELD)]
    whole = [model.trees[state.links[rows, column], CHILDREN] == 0 for column in (s.SHAPE_A, s.SHAPE_B)]
    return rows[whole[0] & whole[1]]  # hulls that hold pieces do not touch


def read_contacts(model: Model, state: State, recent: NDArray[np.void]) -> NDArray[np.void]:
    """The pairs that touch as CONTACT records. recent: events (EVENT) of the last FORCE_WINDOW."""
    rows = touching_pairs(model, state)
    out = np.zeros(len(rows), dtype=CONTACT)
    out["body_a"] = state.links[rows, s.BODY_A]
    out["body_b"] = state.links[rows, s.BODY_B]
    out["node_a"] = _nodes(model, state, rows, s.BODY_A, s.SHAPE_A)
    out["node_b"] = _nodes(model, state, rows, s.BODY_B, s.SHAPE_B)
    out["point"] = 0.5 * (state.pairs[rows, s.POINT_A : s.POINT_A + 3] + state.pairs[rows, s.POINT_B : s.POINT_B + 3])
    out["normal"] = state.pairs[rows, s.NORMAL : s.NORMAL + 3]
    out["gap"] = state.pairs[rows, s.GAP]
    lasting = state.links[rows, s.PAIR_STATE] == s.PAIR_HELD
    if model.settings[m.CONTACT] == m.PENALTY:
        out["paradigm"] = "penalty"
    else:
        out["paradigm"] = np.where(lasting, "constraint", "impulse")
    if lasting.any():
        force, couple, point = _step_forces(model, state, rows[lasting], out["point"][lasting])
        out["force"][lasting], out["couple"][lasting], out["point"][lasting] = force, couple, point
    now = _points_now(model, state, rows, lasting, out["point"])
    out["velocity"] = contact_velocities(model, state, rows, now, state.clock.item(s.TIME))
    for place, column in enumerate((m.MU_STATIC, m.MU_DYNAMIC)):
        out["friction"][:, place] = state.pairs[rows, s.PAIR_SURFACE + column]
    if len(recent) and not lasting.all():
        _add_impulses(out, lasting, recent)
    return out


def _nodes(model: Model, state: State, rows: Ints, body: int, shape: int) -> Ints:
    """Numbers of the nodes on one side of pairs, among the nodes of all bodies; `body`, `shape`: columns."""
    tags = model.tags[state.links[rows, body]]
    return np.asarray(state.links[rows, shape] - tags[:, m.SHAPE] + tags[:, m.FIRST_NODE])


def _points_now(model: Model, state: State, rows: Ints, lasting: Bools, points: Floats) -> Floats:
    """Where contacts are that bear at `points` in the step under way, (k, 3) [m].

    Impulses act in the middle of the step where free flight takes the bodies; the arc that they make of it is elsewhere
    then. What touches at one point has been measured at the step's end, too: the point of a ball that rolls goes along
    with it, that of a box that tips about an edge does not.
    """
    a, b = state.links[rows, s.BODY_A], state.links[rows, s.BODY_B]
    moves = (model.tags[:, m.KIND] == m.FREE) & (state.arcs[:, s.HELD] != s.ASLEEP)
    first = np.where(moves[a], a, b)
    leader = state.members[first, s.LEADER]
    step, end = state.groups[leader, s.STEP], state.pairs[rows, s.CHECKED]
    goes = lasting & (leader >= 0) & (step > 0.0) & moves[first]
    goes[goes] = state.patches[rows[goes], s.PATCH_POINTS] == 1.0
    half = 0.5 * np.where(goes, step, 1.0)
    bent = state.arcs[first, s.HELD_ACCELERATION : s.HELD_ACCELERATION + 3]
    bent = bent - model.bodies[first, m.GRAVITY : m.GRAVITY + 3]
    middle = points + half[:, None] * (state.arcs[first, s.HELD_PUSH : s.HELD_PUSH + 3] + 0.5 * half[:, None] * bent)
    on_a, on_b = state.pairs[rows, s.POINT_A : s.POINT_A + 3], state.pairs[rows, s.POINT_B : s.POINT_B + 3]
    own = np.where((first == a)[:, None], on_a, on_b)  # against what stands still a body rolls on its own radius
    at_end = np.where((moves[a] & moves[b])[:, None], 0.5 * (on_a + on_b), own)
    share = np.where(goes, state.clock.item(s.TIME) - end, 0.0) / half + 1.0
    return np.where(goes[:, None], middle + share[:, None] * (at_end - middle), points)


def _step_forces(model: Model, state: State, rows: Ints, otherwise: Floats) -> tuple[Floats, Floats, Floats]:
    """Forces [N] and couples [N m] of lasting contacts in the step under way, at their centres of pressure.

    These are `otherwise` where nothing presses.
    """
    a, b = state.links[rows, s.BODY_A], state.links[rows, s.BODY_B]
    first = np.where(model.tags[a, m.KIND] == m.FREE, a, b)
    points = state.patches[rows, s.PATCH_POINTS]
    most = max(int(points.max()), 1)  # of a contact: balls have one
    patch = state.patches[rows, s.PATCH : s.PATCH + most * s.PATCH_STRIDE].reshape(len(rows), most, s.PATCH_STRIDE)
    there = np.arange(most) < points[:, None]
    impulse = patch[:, :, s.PATCH_IMPULSE : s.PATCH_IMPULSE + 3] * there[:, :, None]
    load = np.abs(np.einsum("kpc,kc->kp", impulse, state.pairs[rows, s.NORMAL : s.NORMAL + 3]))
    total = load.sum(axis=1)
    offset = np.einsum("kp,kpc->kc", load, patch[:, :, s.PATCH_OFFSET : s.PATCH_OFFSET + 3])
    centre = state.arcs[first, s.POSITION : s.POSITION + 3] + offset / np.maximum(total, TINY)[:, None]
    step = state.patches[rows, s.PATCH_STEP]
    rate = 1.0 / np.where(step > 0.0, step, np.inf)[:, None]
    arms = patch[:, :, s.PATCH_OFFSET : s.PATCH_OFFSET + 3] - (offset / np.maximum(total, TINY)[:, None])[:, None, :]
    couple = np.cross(arms, impulse).sum(axis=1) + state.patches[rows, s.PATCH_COUPLE : s.PATCH_COUPLE + 3]
    return rate * impulse.sum(axis=1), rate * couple, np.where(total[:, None] > 0.0, centre, otherwise)


def read_held_by_sleep(model: Model, state: State, contacts: NDArray[np.void]) -> Floats:
    """What weight, loads and contacts leave of the balance of sleeping bodies without joints, (n, 6) [N], [N m]; 0 of
    others. contacts: CONTACT records."""
    asleep = (model.tags[:, m.LINKAGE] < 0) & (state.arcs[:, s.HELD] == s.ASLEEP)
    rows = model.bodies[: len(asleep)]
    total = np.zeros((len(asleep), 6))
    total[:, :3] += rows[:, m.MASS, None] * rows[:, m.GRAVITY : m.GRAVITY + 3]
    total[:, 3:] += state.loads[:, s.COUPLE : s.COUPLE + 3]
    centres = state.arcs[:, s.POSITION : s.POSITION + 3]
    for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
        i = contacts[side]
        turn = np.cross(contacts["point"] - centres[i], contacts["force"]) + contacts["couple"]
        np.add.at(total, i, sign * np.hstack([contacts["force"], turn]))
    return np.where(asleep[:, None], -total, 0.0)


def _add_impulses(out: NDArray[np.void], lasting: Bools, recent: NDArray[np.void]) -> None:
    """Add the recent impulses of contacts that do not last to their forces."""
    rows = np.flatnonzero(~lasting)
    keys = (out["node_a"][rows] << 31) | out["node_b"][rows]
    order = np.argsort(keys)
    mine = (recent["node_a"] << 31) | recent["node_b"]
    at = np.minimum(np.searchsorted(keys[order], mine), len(keys) - 1)
    hit = keys[order][at] == mine
    np.add.at(out["force"], rows[order[at[hit]]], recent["impulse"][hit] / FORCE_WINDOW)
