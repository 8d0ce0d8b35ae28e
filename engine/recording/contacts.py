"""Reading the contacts of a State without changing it: which pairs touch, where, and the forces between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.snapshot_problem import read_motion
from engine.arrays import Bools, Floats, Ints
from engine.collision.pair_table import other_of
from engine.geometry.hull_tree import CHILDREN
from engine.group.settled_loads import is_stirred, settle_loads
from engine.group.warm_start import patch_body
from engine.group.work import Work
from engine.kernel import kernel
from engine.maths.rounding import TINY
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, scale, sub, vector_at
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import State
from engine.motion.arcs import evolve

FORCE_WINDOW = 0.02
"""Contact forces are impulses averaged over this time [s]."""
MOST_CHANGES = 30_000
"""So often contacts of sleepers take other loads, at about a microsecond each, before what is left is left to sleep."""
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
"""A pair that touches; `World.contacts` says what the fields mean.

`point` of a lasting contact goes along with the centre of a, or of b if that moves alone; on a sleeper it stays where
it is in the middle of the step.
"""
_PLACES = {name: entry[1] // np.dtype("f8").itemsize for name, entry in (CONTACT.fields or {}).items()}
_BODIES, _NODES, _POINT, _NORMAL, _GAP, _FORCE, _COUPLE, _VELOCITY, _FRICTION = (
    _PLACES[name] for name in ("body_a", "node_a", "point", "normal", "gap", "force", "couple", "velocity", "friction")
)
"""At which words of a record they begin."""
_WORDS = CONTACT.itemsize // np.dtype("f8").itemsize


class ContactReader:
    """Which pairs touch as of their last checks, and what they bear: found once, the same until something happens."""

    def __init__(self) -> None:
        self._rows_of = self._loads_of = _Instant(None, 0, 0)
        self._rows = np.zeros(0, dtype=np.int64)
        self._patches = np.zeros((0, 0))
        self._most = 0

    def rows(self, model: Model, state: State, inputs: Sequence[object]) -> Ints:
        """Rows of the pairs that touch in a State as it is, after these inputs, (k,)."""
        now = _Instant(state.counts, int(state.counts[s.HEAP_POPS]), len(inputs))
        if not now.is_that(self._rows_of):
            found = np.empty(len(state.links), dtype=np.int64)
            self._rows = found[: find_touching(model.trees, state.links, state.pairs, found)].copy()
            self._rows_of = now
        return self._rows

    def read(
        self,
        model: Model,
        state: State,
        work: Work,
        inputs: Sequence[object],
        recent: NDArray[np.void],
        most: int = MOST_CHANGES,
    ) -> NDArray[np.void]:
        """Those pairs as CONTACT records, which hold what sleeps beside what moves. recent: see `read_contacts`; most:
        see `settle_loads`."""
        rows = self.rows(model, state, inputs)
        if len(state.patches) > 0 and is_stirred(model.tags, state.arcs):
            if not self._rows_of.is_that(self._loads_of) or self._most != most:
                self._patches = state.patches.copy()
                settle_loads(model, state._replace(patches=self._patches), work, state.patches, most)
                self._loads_of, self._most = self._rows_of, most
            state = state._replace(patches=self._patches)
        return read_contacts(model, state, rows, recent)


class _Instant(NamedTuple):
    """When something was read."""

    counts: Ints | None  # of which State
    events: int  # what they were
    inputs: int  # and how many inputs there had been

    def is_that(self, other: _Instant) -> bool:
        return self.counts is other.counts and self[1:] == other[1:]


@kernel
def find_touching(trees: Ints, links: Ints, pairs: Floats, into: Ints) -> int:
    """How many pairs touch; their rows, ascending, into the first places."""
    found = 0
    for row in range(links.shape[0]):
        if links[row, s.IN_USE] != 1:
            continue
        if links[row, s.PAIR_STATE] != s.PAIR_HELD and not pairs[row, s.GAP] <= pairs[row, s.PAIR_ENVELOPE]:
            continue
        if trees[links[row, s.SHAPE_A], CHILDREN] == 0 and trees[links[row, s.SHAPE_B], CHILDREN] == 0:
            into[found] = row  # hulls that hold pieces do not touch
            found += 1
    return found


def read_contacts(model: Model, state: State, rows: Ints, recent: NDArray[np.void]) -> NDArray[np.void]:
    """The pairs that touch (`rows`) as CONTACT records. recent: events (EVENT) of the last FORCE_WINDOW."""
    out = np.empty(len(rows), dtype=CONTACT)
    motion = np.empty((len(model.tags), 13))
    read_motion(model.bodies, model.tags, state.arcs, np.arange(len(motion)), state.clock.item(s.TIME), motion)
    shape = (len(rows), _WORDS)
    fill_contacts(model, state, rows, motion, out.view(np.int64).reshape(shape), out.view(np.float64).reshape(shape))
    lasting = state.links[rows, s.PAIR_STATE] == s.PAIR_HELD
    out["paradigm"] = "penalty" if model.settings[m.CONTACT] == m.PENALTY else "impulse"
    if model.settings[m.CONTACT] != m.PENALTY:
        out["paradigm"][lasting] = "constraint"
    if len(recent) and not lasting.all():
        _add_impulses(out, lasting, recent)
    return out


@kernel
def fill_contacts(model: Model, state: State, rows: Ints, motion: Floats, words: Ints, numbers: Floats) -> None:
    """All of CONTACT records but their paradigms and impulses; forces are those of the step under way.

    words, numbers: the records as whole numbers and as floats, (k, 27). motion: of all bodies now, (n, 13).
    """
    for k in range(rows.shape[0]):
        row = rows[k]
        a, b = state.links[row, s.BODY_A], state.links[row, s.BODY_B]
        words[k, _BODIES], words[k, _BODIES + 1] = a, b
        words[k, _NODES] = state.links[row, s.SHAPE_A] - model.tags[a, m.SHAPE] + model.tags[a, m.FIRST_NODE]
        words[k, _NODES + 1] = state.links[row, s.SHAPE_B] - model.tags[b, m.SHAPE] + model.tags[b, m.FIRST_NODE]
        force = couple = (0.0, 0.0, 0.0)
        on_a, on_b = vector_at(state.pairs, row, s.POINT_A), vector_at(state.pairs, row, s.POINT_B)
        point = now = scale(add(on_a, on_b), 0.5)
        if state.links[row, s.PAIR_STATE] == s.PAIR_HELD:
            force, couple, offset, bears = _step_force(state.patches, row, vector_at(state.pairs, row, s.NORMAL))
            point, now = _points_of(model, state, row, offset, bears)
        slip = sub(_velocity_at(motion, a, now), _velocity_at(motion, b, now))
        for c in range(3):
            numbers[k, _POINT + c] = point[c]
            numbers[k, _NORMAL + c] = state.pairs[row, s.NORMAL + c]
            numbers[k, _FORCE + c] = force[c]
            numbers[k, _COUPLE + c] = couple[c]
            numbers[k, _VELOCITY + c] = slip[c]
        numbers[k, _GAP] = state.pairs[row, s.GAP]
        numbers[k, _FRICTION] = state.pairs[row, s.PAIR_SURFACE + m.MU_STATIC]
        numbers[k, _FRICTION + 1] = state.pairs[row, s.PAIR_SURFACE + m.MU_DYNAMIC]


@kernel
def _step_force(patch: Floats, row: int, normal: Vec3) -> tuple[Vec3, Vec3, Vec3, bool]:
    """Force [N] and couple [N m] of a lasting contact in the step under way, how far its centre of pressure is from
    where the patch is measured [m], and whether anything presses: else there is no such centre."""
    ends = s.PATCH + int(patch[row, s.PATCH_POINTS]) * s.PATCH_STRIDE
    total, impulse, offset = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for at in range(s.PATCH, ends, s.PATCH_STRIDE):
        push = vector_at(patch, row, at + s.PATCH_IMPULSE)
        load = abs(dot(push, normal))
        impulse = add(impulse, push)
        offset = add_scaled(offset, vector_at(patch, row, at + s.PATCH_OFFSET), load)
        total += load
    offset = scale(offset, 1.0 / max(total, TINY))
    couple = vector_at(patch, row, s.PATCH_COUPLE)
    for at in range(s.PATCH, ends, s.PATCH_STRIDE):
        arm = sub(vector_at(patch, row, at + s.PATCH_OFFSET), offset)
        couple = add(couple, cross(arm, vector_at(patch, row, at + s.PATCH_IMPULSE)))
    step = patch[row, s.PATCH_STEP]
    rate = 1.0 / step if step > 0.0 else 0.0
    return scale(impulse, rate), scale(couple, rate), offset, total > 0.0


@kernel
def _points_of(model: Model, state: State, row: int, offset: Vec3, bears: bool) -> tuple[Vec3, Vec3]:
    """Where a lasting contact bears now, and where its bodies touch [m]; its centre of pressure is `offset` from where
    its patch is measured.

    It goes along with the centre of a body that moves, so that forces have the moments with which the step was found;
    on a sleeper, whose other contacts hold them throughout the step, it stays where it is in the middle of that. Bodies
    touch there in the middle, and come about their centres as evenly to where they are the nearest at the step's end:
    to that point if they touch at one, which of a ball that rolls stays below it, and of a box that tips about a corner
    does not; else into its plane. Of springs only the middle has been measured.
    """
    first = patch_body(model.tags, state.links, row)
    i = first if _moves(model.tags, state.arcs, first) else other_of(state.links, row, first)
    other = other_of(state.links, row, i)
    end = scale(add(vector_at(state.pairs, row, s.POINT_A), vector_at(state.pairs, row, s.POINT_B)), 0.5)
    if not _moves(model.tags, state.arcs, i):
        at = add(vector_at(state.arcs, first, s.POSITION), offset) if bears else end
        return at, at
    if not _moves(model.tags, state.arcs, other):  # against what stands still it rolls on its own radius
        end = vector_at(state.pairs, row, s.POINT_A if i == state.links[row, s.BODY_A] else s.POINT_B)
    start, until = state.arcs[i, s.T0], state.arcs[i, s.HELD_UNTIL]
    middle, half = 0.5 * (start + until), 0.5 * (until - start)
    x_middle = evolve(model.bodies, model.tags, state.arcs, i, middle).x
    measured = max(state.pairs[row, s.CHECKED], start)
    x_then = evolve(model.bodies, model.tags, state.arcs, i, measured).x
    x = evolve(model.bodies, model.tags, state.arcs, i, state.clock[s.TIME]).x
    if first != i:  # which sleeps
        offset = add(offset, sub(vector_at(state.arcs, first, s.POSITION), x_middle))
    way = sub(sub(end, x_then), offset)
    if not bears:
        offset = sub(end, x_then)
    if not bears or measured < until:
        way = (0.0, 0.0, 0.0)
    elif state.patches[row, s.PATCH_POINTS] > 1.0:
        normal = vector_at(state.pairs, row, s.NORMAL)
        way = scale(normal, dot(way, normal))
    share = (state.clock[s.TIME] - middle) / half if half > 0.0 else 0.0
    sleeps = model.tags[other, m.KIND] == m.FREE and state.arcs[other, s.HELD] == s.ASLEEP
    return add(x_middle if sleeps else x, offset), add(x, add_scaled(offset, way, share))


@kernel
def _moves(tags: Ints, arcs: Floats, i: int) -> bool:
    return bool(tags[i, m.KIND] == m.FREE and arcs[i, s.HELD] != s.ASLEEP)


@kernel
def _velocity_at(motion: Floats, i: int, point: Vec3) -> Vec3:
    """Of body i at a point of the world [m/s]."""
    arm = sub(point, vector_at(motion, i, 0))
    return add(vector_at(motion, i, 7), cross(vector_at(motion, i, 10), arm))


def read_held_by_sleep(model: Model, state: State, contacts: NDArray[np.void]) -> Floats:
    """What weight, loads and lasting contacts leave of the balance of sleepers without joints, (n, 6) [N], [N m];
    0 of others. contacts: CONTACT records; the mean of hits in other contacts is over by now, and holds nothing."""
    contacts = contacts[contacts["paradigm"] == "constraint"]
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
