"""The façade: a world that runs. Validates before the kernels and raises after them; needs no window."""

from __future__ import annotations

import time as wall
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine import journal, pipeline
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.snapshot_problem import gather_contacts
from engine.collision.broad.broad_phase import grow
from engine.entries import load_advance
from engine.geometry.hull_tree import CHILDREN
from engine.group.work import NEEDED
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Floats
from engine.pipeline import make_desk, set_timer
from engine.quarantine import hold_stopped, stop_body
from engine.recording.inputs import Input, apply_input
from engine.recording.joints import read_joints
from engine.recording.observe import read_poses, read_twists, sum_energy, sum_momentum, sum_unbooked
from engine.recording.snapshot import Snapshot, copy_state, digest_of
from engine.recording.touching import PARADIGMS, contact_velocities, paradigm_codes
from engine.scene.build import build
from engine.scene.schema import Scene
from engine.stages import StageClock

EVENT_KINDS = ("collision", "microcollision", "stop", "to_constraint", "to_impulse", "sleep", "wake")
"""Kinds of events. A body is stopped when its numbers are no longer finite; body_b is body_a then, as in sleep and
wake, which are of a contact group and name one of its bodies. Contacts go to constraint forces and back to impulses."""
REASONS = (
    "",
    "lay still when they met",
    "settled: quiet hits in a row",
    "touched a contact group",
    "came near inside a group",
    "constraints only",
    "the gap opened",
    "came too fast",
    "bore nothing",
    "the face beside is nearer",
    "no step was short enough",
    "turned fast",
    "what it lies on shook",
)
"""Why a contact changed its paradigm: an event's `reason` is an index of this."""
FORCE_WINDOW = 0.02
"""Contact forces are impulses averaged over this time [s]."""

COUNTERS = {
    "pair_checks": (s.PAIR_CHECKS, "gaps measured"),
    "collisions": (s.COLLISIONS, "collisions integrated"),
    "microcollisions": (s.MICROCOLLISIONS, "collisions slower than the fall through the envelope"),
    "heap_size": (s.HEAP_SIZE, "events that wait now"),
    "heap_pops": (s.HEAP_POPS, "events that happened"),
    "pairs": (s.PAIRS, "pairs whose swept boxes meet now"),
    "pairs_made": (s.PAIRS_MADE, "pairs whose swept boxes began to meet"),
    "box_updates": (s.BOX_UPDATES, "bodies that entered the broad phase anew"),
    "feature_steps": (s.FEATURE_STEPS, "steps of the closest-feature search"),
    "kicks": (s.KICKS, "kicks of the mouse's spring"),
    "hash_updates": (s.HASH_UPDATES, "boxes that entered or left tiles of the spatial hash"),
    "bucket_checks": (s.BUCKET_CHECKS, "buckets that the spatial hash looked into"),
    "close_pairs": (s.CLOSE_PAIRS, "pairs that share tiles now, of the hash with close counters"),
    "exchanges": (s.EXCHANGES, "box ends that sweep and prune moved past another"),
    "stalls": (s.STALLS, "checks whose bound was below the clock's resolution"),
    "unwraps": (s.UNWRAPS, "pairs of hulls that gave way to pairs of what they hold"),
    "group_steps": (s.GROUP_STEPS, "steps of contact groups"),
    "group_sweeps": (s.GROUP_SWEEPS, "sweeps over the contact points of groups"),
    "group_retries": (s.GROUP_RETRIES, "steps of contact groups made again with half the length"),
    "switches": (s.SWITCHES, "contacts that changed their paradigm"),
    "faults": (s.FAULTS, "collisions whose integration hit its step limit"),
}

_EVENT = np.dtype(
    [
        ("time", "f8"),
        ("kind", "i8"),
        ("reason", "i8"),
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("node_a", "i8"),
        ("node_b", "i8"),
        ("impulse", "f8", 3),
        ("point", "f8", 3),
    ]
)
_CONTACT = np.dtype(
    [
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("node_a", "i8"),
        ("node_b", "i8"),
        ("point", "f8", 3),
        ("normal", "f8", 3),
        ("gap", "f8"),
        ("force", "f8", 3),
        ("velocity", "f8", 3),
        ("friction", "f8", 2),
        ("paradigm", "U10"),
    ]
)
_CHECK = np.dtype(
    [
        ("time", "f8"),
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("gap", "f8"),
        ("checked", "f8"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
    ]
)
_KEPT_EVENTS = 1 << 20


class SimulationError(RuntimeError):
    """The simulation cannot go on; the text says when, where and why."""


class BodyView(NamedTuple):
    """A body at one moment: the pose of its authored frame, the velocity of its centre of mass, world axes."""

    name: str
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_velocity: Floats
    paradigm: str
    asleep: bool


class World:
    """A scene that runs. Build it from a valid Scene; GeometryError or SceneError say what is wrong with another."""

    def __init__(self, scene: Scene) -> None:
        built = build(scene)
        self.scene = scene
        self.names = built.names
        self.model = self._built_model = built.model
        self.shapes = built.shapes
        self.inputs: list[Input] = []
        self.wall = 0.0
        self._state = built.state
        self._desk = make_desk(len(built.names), built.model.joints)
        self._row = {name: i for i, name in enumerate(built.names)}
        self._stages = StageClock(self._desk.watch)
        self._model_digest = digest_of((*built.model[:-1], *built.model.joints))
        self._advance = load_advance(self.model, self._state, self._desk)
        self._unread: deque[NDArray[np.void]] = deque()
        self._unread_size = 0
        self._recent: deque[NDArray[np.void]] = deque()

    # --- time ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """World time [s]."""
        return self._state.clock.item(s.TIME)

    @property
    def next_event_time(self) -> float:
        """Time of the earliest event that waits; inf if nothing ever happens [s]."""
        return self._next_event()[0]

    def _next_event(self) -> tuple[float, int]:
        """Time and id of the earliest event; inf and -1 if there is none."""
        state = self._state
        first = (inf, 0, -1)
        if state.counts[s.SOON_SIZE]:
            first = (float(state.soon_keys[0]), int(state.rank[state.soon[0]]), int(state.soon[0]))
        if state.counts[s.HEAP_SIZE]:
            first = min(first, (float(state.keys[0]), int(state.rank[state.heap[0]]), int(state.heap[0])))
        return first[0], first[2]

    def _is_idle_until(self, t: float) -> bool:
        """Does nothing happen up to and including time t? Worth asking: handing the State to a kernel takes longer."""
        state = self._state
        return (
            (not state.counts.item(s.SOON_SIZE) or state.soon_keys.item(0) > t)
            and (not state.counts.item(s.HEAP_SIZE) or state.keys.item(0) > t)
            and t < inf
        )

    def advance_to(self, t: float) -> None:
        """Run up to and including time t [s]. Returns earlier only after `interrupt`."""
        if not t >= self.time:
            raise ValueError(f"cannot advance to {t!r}: the world is at {self.time!r} already")
        if self._is_idle_until(t):
            self._state.clock[s.TIME] = t
            if self._recent:
                self._forget_events()
        else:
            self._run(float(t), 1 << 62)

    def advance(self, dt: float) -> None:
        """Run for dt >= 0 seconds."""
        self.advance_to(self.time + dt)

    def advance_events(self, n: int = 1) -> int:
        """Let the next n events happen; how many did (fewer if no more will ever happen)."""
        before = int(self._state.counts[s.HEAP_POPS])
        self._run(inf, n)
        return int(self._state.counts[s.HEAP_POPS]) - before

    def interrupt(self) -> None:
        """Make an `advance` that runs in another thread return at its next event."""
        self._desk.flag[0] = 1

    def _run(self, t_end: float, budget: int) -> None:
        self._desk.flag[0] = 0
        started = wall.perf_counter()
        try:
            while True:
                popped = int(self._state.counts[s.HEAP_POPS])
                status = self._advance(self.model, self._state, self._desk, t_end, budget)
                budget -= int(self._state.counts[s.HEAP_POPS]) - popped
                self._take_log()
                if status == pipeline.GROW:
                    self._state = grow(self.model, self._state)
                elif status == pipeline.SHORT_OF_WORK:
                    self._make_room()
                elif status == pipeline.NOT_FINITE:
                    self._stop(int(self._desk.lost[0]))
                elif status == pipeline.STUCK:
                    raise SimulationError(self._describe_stuck())
                elif status != pipeline.LOG_FULL:
                    return
        finally:
            spent = wall.perf_counter() - started
            self.wall += spent
            self._stages.took(spent)

    def _make_room(self) -> None:
        """Enlarge the desk for a contact group that needs more rows."""
        work = self._desk.work
        points = max(2 * int(work.sizes[NEEDED]), len(work.contact))
        larger = make_desk(len(self.names), self.model.joints, points=points)
        self._desk = self._desk._replace(work=larger.work, log=larger.log)

    def _stop(self, i: int) -> None:
        """Stop body i, whose numbers are no longer finite, and tell."""
        self._desk.lost[0] = -1
        self.model, self._state = stop_body(self.model, self._state, self._desk, i)
        x, y, z = (float(c) for c in self._state.arcs[i, s.POSITION : s.POSITION + 3])
        node = int(self.model.tags[i, m.FIRST_NODE])
        journal.write_line(
            self._desk.log,
            self._desk.log_size,
            self.time,
            journal.STOP,
            journal.NONE,
            i,
            i,
            (0.0, 0.0, 0.0),
            (x, y, z),
            node,
            node,
        )
        self._take_log()

    def _describe_stuck(self) -> str:
        _, event = self._next_event()
        n = len(self.names)
        who = (
            f"body {self.names[event]}"
            if event < n
            else "{} and {}".format(*(self.names[row] for row in self._state.links[event - n, [s.BODY_A, s.BODY_B]]))
        )
        return f"time no longer moves on at t = {self.time!r} s: too many events at one instant, the next for {who}"

    # --- what a person asks of it -----------------------------------------------------------------------------------

    def row(self, body: str | int) -> int:
        """Row of a body by name or row; KeyError names the ones there are."""
        if isinstance(body, str):
            if body not in self._row:
                raise KeyError(f"no body is called {body!r} (there are {', '.join(self.names)})")
            return self._row[body]
        if not 0 <= body < len(self.names):
            raise KeyError(f"no body {body} (there are {len(self.names)})")
        return int(body)

    def poses(self) -> Floats:
        """Poses of the authored frames now, (n, 7): x y z [m], w x y z, in scene order."""
        into = np.empty((len(self.names), 7))
        read_poses(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    def twists(self) -> Floats:
        """Velocities of the centres of mass [m/s] and angular velocities [rad/s], world axes, (n, 6)."""
        into = np.empty((len(self.names), 6))
        read_twists(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    def body(self, which: str | int) -> BodyView:
        """A body as it is now."""
        i = self.row(which)
        pose, twist = self.poses()[i], self.twists()[i]
        asleep = bool(self._state.arcs[i, s.HELD] == s.ASLEEP)
        return BodyView(self.names[i], pose[:3], pose[3:], twist[:3], twist[3:], self.paradigms()[i], asleep)

    def paradigms(self) -> list[str]:
        """By body: "constraint" if its contact group holds it, "impulse" if it touches something else now, "mixed" if
        both, else "free"; bodies that nothing moves are "scripted". Where `world.contact` is "penalty", what touches is
        "penalty".

        A body that has been stopped, because its numbers were no longer finite, is "stopped".
        """
        return [PARADIGMS[code] for code in self.paradigm_codes()]

    def paradigm_codes(self) -> NDArray[np.int8]:
        """The same as places in PARADIGMS, (n,)."""
        return paradigm_codes(self.model, self._state, self._touching())

    def asleep(self) -> NDArray[np.bool_]:
        """Whether each body rests in a contact group that sleeps, (n,)."""
        return np.asarray(self._state.arcs[:, s.HELD] == s.ASLEEP)

    @property
    def stopped(self) -> tuple[int, ...]:
        """Rows of the bodies that stand still because their numbers were no longer finite."""
        return tuple(int(row) for row in np.flatnonzero(self._state.arcs[:, s.STOPPED]))

    def energy(self) -> dict[str, float]:
        """Energies now [J]: kinetic, potential, elastic, total; dissipated by contact, work put in."""
        kinetic, potential = sum_energy(self.model.bodies, self.model.tags, self._state.arcs, self.time)
        state = self._state
        lost, work, elastic = sum_unbooked(
            self.model.bodies, self.model.tags, state.arcs, state.members, state.groups, self.time
        )
        return {
            "kinetic": kinetic,
            "potential": potential,
            "elastic": elastic,
            "total": kinetic + potential + elastic,
            "dissipated": float(state.clock[s.DISSIPATED]) + lost,
            "work": float(state.clock[s.WORK]) + work,
        }

    def momentum(self) -> Floats:
        """Momentum [N s] and angular momentum about the origin [N m s] of the free bodies, (6,)."""
        into = np.empty(6)
        sum_momentum(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    @property
    def counters(self) -> dict[str, int]:
        """Counts since the start; what each means stands in COUNTERS."""
        return {name: int(self._state.counts[column]) for name, (column, _) in COUNTERS.items()}

    @property
    def seconds(self) -> dict[str, float]:
        """Computing time by stage since the start [s], estimated from a sample of the events; STAGES says of what.

        It is no part of the simulation, and not kept in snapshots.
        """
        return self._stages.seconds

    @property
    def smallest_gap(self) -> float:
        """The smallest gap [m] that any check saw; inf before the first."""
        return float(self._state.clock[s.SMALLEST_GAP])

    # --- contacts, events, the heap ---------------------------------------------------------------------------------

    def _touching(self) -> NDArray[np.int64]:
        state = self._state
        inside = state.pairs[:, s.GAP] <= state.pairs[:, s.PAIR_ENVELOPE]
        rows = np.flatnonzero((inside | (state.links[:, s.LASTING] == 1)) & (state.links[:, s.IN_USE] == 1))
        nodes = state.links[rows][:, [s.SHAPE_A, s.SHAPE_B]]
        return rows[(self.model.trees[nodes, CHILDREN] == 0).all(axis=1)]  # hulls that hold pieces do not touch

    def _nodes(self, rows: NDArray[np.int64], body: int, shape: int) -> NDArray[np.int64]:
        """Numbers of the nodes on one side of pairs, among the nodes of all bodies; `body`, `shape`: columns."""
        tags = self.model.tags[self._state.links[rows, body]]
        return self._state.links[rows, shape] - tags[:, m.SHAPE] + tags[:, m.FIRST_NODE]

    def contacts(self) -> NDArray[np.void]:
        """Pairs that touch, as of their last checks; of concave bodies, each pair of pieces by itself.

        `force` [N] on body_a: of a lasting contact that of its group's step, at its centre of pressure; of others their
        impulses averaged over FORCE_WINDOW. `velocity` [m/s]: body_a's less body_b's at `point`. `friction`: the
        coefficients, static and dynamic.
        """
        state = self._state
        rows = self._touching()
        out = np.zeros(len(rows), dtype=_CONTACT)
        out["body_a"] = state.links[rows, s.BODY_A]
        out["body_b"] = state.links[rows, s.BODY_B]
        out["node_a"] = self._nodes(rows, s.BODY_A, s.SHAPE_A)
        out["node_b"] = self._nodes(rows, s.BODY_B, s.SHAPE_B)
        out["point"] = 0.5 * (
            state.pairs[rows, s.POINT_A : s.POINT_A + 3] + state.pairs[rows, s.POINT_B : s.POINT_B + 3]
        )
        out["normal"] = state.pairs[rows, s.NORMAL : s.NORMAL + 3]
        out["gap"] = state.pairs[rows, s.GAP]
        lasting = state.links[rows, s.LASTING] == 1
        if self.model.settings[m.CONTACT] == m.PENALTY:
            out["paradigm"] = "penalty"
        else:
            out["paradigm"] = np.where(lasting, "constraint", "impulse")
        if lasting.any():
            out["force"][lasting], out["point"][lasting] = self._borne(rows[lasting], out["point"][lasting])
        out["velocity"] = contact_velocities(self.model, state, rows, out["point"], self.time)
        out["friction"] = state.pairs[rows][:, [s.PAIR_SURFACE + m.MU_STATIC, s.PAIR_SURFACE + m.MU_DYNAMIC]]
        if self._recent and len(rows):
            events = np.concatenate(list(self._recent))
            events = events[events["time"] > self.time - FORCE_WINDOW]
            keys = (out["node_a"] << 31) | out["node_b"]
            order = np.argsort(keys)
            mine = (events["node_a"] << 31) | events["node_b"]
            at = np.minimum(np.searchsorted(keys[order], mine), len(keys) - 1)
            hit = (keys[order][at] == mine) & ~lasting[order[at]]
            np.add.at(out["force"], order[at[hit]], events["impulse"][hit] / FORCE_WINDOW)
        return out

    def _borne(self, rows: NDArray[np.int64], otherwise: Floats) -> tuple[Floats, Floats]:
        """Forces [N] of lasting contacts in the step under way, and their centres of pressure or `otherwise`."""
        state = self._state
        a, b = state.links[rows, s.BODY_A], state.links[rows, s.BODY_B]
        first = np.where(self.model.tags[a, m.KIND] == m.FREE, a, b)
        leader = state.members[first, s.LEADER]
        patch = state.patches[rows, s.PATCH :].reshape(
            len(rows), (s.PATCH_WIDTH - s.PATCH) // s.PATCH_STRIDE, s.PATCH_STRIDE
        )
        there = np.arange(patch.shape[1]) < state.patches[rows, s.PATCH_POINTS, None]
        impulse = patch[:, :, s.PATCH_IMPULSE : s.PATCH_IMPULSE + 3] * there[:, :, None]
        load = np.abs(np.einsum("kpc,kc->kp", impulse, state.pairs[rows, s.NORMAL : s.NORMAL + 3]))
        total = load.sum(axis=1)
        offset = np.einsum("kp,kpc->kc", load, patch[:, :, s.PATCH_OFFSET : s.PATCH_OFFSET + 3])
        centre = state.arcs[first, s.POSITION : s.POSITION + 3] + offset / np.maximum(total, 1e-300)[:, None]
        step = state.groups[leader, s.STEP]
        force = impulse.sum(axis=1) / np.where(step > 0.0, step, np.inf)[:, None]
        return force, np.where(total[:, None] > 0.0, centre, otherwise)

    def joints(self) -> NDArray[np.void]:
        """The scene's joints now, in its order. `kind` indexes JOINT_KINDS of scene.joints; body_a -1: the world.

        position, velocity: of a hinge the angle of body_b against body_a since the start, -pi to pi [rad, rad/s], of a
        slider how far it has moved [m, m/s]; nan for others. gap [m] and tilt [rad]: by how much the joint gapes.
        """
        return read_joints(self.model, self._state.arcs, self.time)

    def contact_problem(self) -> ContactProblem:
        """The bodies that touch something now and their contacts, with all that solvers of contact forces take."""
        return gather_contacts(self.model, self._state, self.time)

    def events(self) -> NDArray[np.void]:
        """What happened since the last call, in order. `kind` indexes EVENT_KINDS; `impulse` [N s] acts on body_a."""
        out = np.concatenate(list(self._unread)) if self._unread else np.zeros(0, dtype=_EVENT)
        self._unread.clear()
        self._unread_size = 0
        return out

    def heap(self, k: int = 50) -> NDArray[np.void]:
        """The k checks that come next, earliest first."""
        state = self._state
        n = len(self.names)
        size = state.counts[s.HEAP_SIZE]
        waiting = state.heap[:size]
        due = np.where(state.soon_place[waiting] >= 0, self.time, state.keys[:size])
        shown = waiting >= n
        shown[shown] = state.links[waiting[shown] - n, s.PART] < 0  # what is unwrapped only waits to be wrapped again
        waiting, due = waiting[shown], due[shown]
        if len(waiting) > k:
            first = np.argpartition(due, k - 1)[:k]
            waiting, due = waiting[first], due[first]
        order = np.lexsort((state.rank[waiting], due))
        rows = waiting[order] - n
        out = np.zeros(len(rows), dtype=_CHECK)
        out["time"] = due[order]
        out["body_a"] = state.links[rows, s.BODY_A]
        out["body_b"] = state.links[rows, s.BODY_B]
        out["gap"] = state.pairs[rows, s.GAP]
        out["checked"] = state.pairs[rows, s.CHECKED]
        out["point_a"] = state.pairs[rows, s.POINT_A : s.POINT_A + 3]
        out["point_b"] = state.pairs[rows, s.POINT_B : s.POINT_B + 3]
        return out

    def _take_log(self) -> None:
        size = int(self._desk.log_size[0])
        if size:
            rows = self._desk.log[:size]
            out = np.zeros(size, dtype=_EVENT)
            out["time"] = rows[:, journal.LOG_TIME]
            out["kind"] = rows[:, journal.LOG_KIND]
            out["reason"] = rows[:, journal.LOG_REASON]
            out["body_a"] = rows[:, journal.LOG_A]
            out["body_b"] = rows[:, journal.LOG_B]
            out["node_a"] = rows[:, journal.LOG_NODE_A]
            out["node_b"] = rows[:, journal.LOG_NODE_B]
            out["impulse"] = rows[:, journal.LOG_IMPULSE : journal.LOG_IMPULSE + 3]
            out["point"] = rows[:, journal.LOG_POINT : journal.LOG_POINT + 3]
            self._desk.log_size[0] = 0
            self._recent.append(out)
            self._unread.append(out)
            self._unread_size += size
            while self._unread_size > _KEPT_EVENTS and len(self._unread) > 1:
                self._unread_size -= len(self._unread.popleft())
        self._forget_events()

    def _forget_events(self) -> None:
        """Forget what happened too long ago to count in forces."""
        while self._recent and self._recent[0]["time"][-1] <= self.time - FORCE_WINDOW:
            self._recent.popleft()

    # --- inputs -------------------------------------------------------------------------------------------------

    def pull(
        self,
        body: str | int,
        local_point: Sequence[float],
        target: Sequence[float],
        stiffness: float | None = None,
    ) -> None:
        """Tie a damped spring from a point of a free body (authored frame) to `target` (world) [m], [N/m]."""
        i = self.row(body)
        if self.model.tags[i, m.KIND] != m.FREE:
            raise ValueError(f"{self.names[i]} does not move freely, so it cannot be pulled")
        self.release()
        self._input(Input(self.time, "pull", i, _triple(local_point), _triple(target), stiffness or 0.0))

    def move_pull(self, target: Sequence[float]) -> None:
        """Move the spring's other end."""
        if self.pulled is not None:
            self._input(Input(self.time, "move", target=_triple(target)))

    def release(self) -> None:
        """Let go."""
        if self.pulled is not None:
            self._input(Input(self.time, "release"))

    @property
    def pulled(self) -> int | None:
        """Row of the body that is being pulled."""
        body = int(self._state.pull[s.PULL_BODY])
        return None if body < 0 else body

    def _input(self, entry: Input) -> None:
        while self.next_event_time <= self.time:  # an interrupted advance may have left some of this instant's events
            self._run(self.time, 1 << 62)
        self.inputs.append(entry)
        before = self.pulled
        apply_input(self.model, self._state, entry)
        for i in (before, self.pulled):
            if i is not None:
                set_timer(self.model, self._state, i)

    def replay(self, inputs: Sequence[Input], until: float) -> None:
        """Run to `until`, giving the inputs of an earlier run at their times."""
        for entry in inputs:
            if entry.time > until:
                break
            self.advance_to(entry.time)
            self._input(entry)
        self.advance_to(until)

    # --- snapshots ------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The State as it is now."""
        return Snapshot(copy_state(self._state), self._model_digest)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or on, to a snapshot of the same model."""
        if snapshot.model != self._model_digest:
            raise ValueError("this snapshot is of another scene")
        self._state = copy_state(snapshot.state)
        self.model = hold_stopped(self._built_model, self._state.arcs)
        self._unread.clear()
        self._unread_size = 0
        self._recent.clear()
        self.inputs = [entry for entry in self.inputs if entry.time <= self.time]

    @property
    def digest(self) -> str:
        """BLAKE2b of the State's arrays."""
        return digest_of(self._state)


def _triple(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)
