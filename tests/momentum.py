"""What changes the momentum of every free body of a running world, as it reports it: an account to hold against it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import World
from engine.arrays import Bools, Floats, Ints
from engine.model import model as m
from engine.model import state as s
from engine.motion.arcs import evolve
from engine.recording.events import EVENT_KINDS

SLEEP = EVENT_KINDS.index("sleep")
HITS = 3
"""Of the events, collisions, microcollisions and arrests have an impulse: their kinds are the first."""


def lost_part(world: World, since: float, window: float = 0.05, by_sleep: bool = False) -> float:
    """The largest part of what a body's weight gives it in a window, at its rim, that nothing accounts for.

    by_sleep: what sleep is told to bear counts of all sleepers, not of those alone that are about to wake.
    """
    account = Account(world, by_sleep)
    lost = account.run(since, since + window)
    rows = world.model.bodies[account.free]
    lost[:, 3:] /= rows[:, m.RADIUS, None]
    fall = window * (float(np.linalg.norm(world.scene.world.gravity)) or 1.0)
    return float(np.abs(lost / (fall * rows[:, m.MASS, None])).max())


def is_within_a_step(world: World) -> bool:
    """Is a held body between the ends of its step, where its motion is an interpolation?"""
    arcs = world._state.arcs
    return bool(((arcs[:, s.HELD] == s.STEPPING) & (arcs[:, s.T0] < world.time)).any())


def wakes_next(world: World) -> Bools:
    """Sleepers that the contacts of the steps under way do not hold, (bodies,): they wake when those end."""
    return world.asleep() & (world._state.groups[:, s.HORIZON] < np.inf)


class Account:
    """Momentum and angular momentum about their own centres of the free bodies of a world, and what has changed them.

    Within a step of its contact group a body's motion is an interpolation: its account is opened and closed where its
    steps end.
    """

    def __init__(self, world: World, by_sleep: bool = False) -> None:
        self.world = world
        self.by_sleep = by_sleep
        self.free = np.flatnonzero(world.model.tags[:, m.KIND] == m.FREE)
        self.opened = np.zeros(len(self.free), dtype=bool)
        self.closed = np.zeros(len(self.free), dtype=bool)
        self.given = np.zeros((len(world.names), 6))
        links = world.model.tags[self.free, m.LINKAGE]
        self.linkages = [Linkage(world, self.free[links == link]) for link in np.unique(links[links >= 0])]
        self.tied = world.model.tags[:, m.LINKAGE] >= 0
        self.clusters: dict[tuple[int, float], Cluster] = {}
        said = world.scene
        self.only_contacts = not (said.joint or said.controller or any(one.force or one.torque for one in said.bodies))

    def run(self, since: float, until: float) -> Floats:
        """Run on and open accounts from `since`, close them from `until`: what nothing accounts for, (free, 6)."""
        world = self.world
        world.advance_to(since)
        world.events()
        start = np.zeros((len(self.free), 6))
        lost = np.full((len(self.free), 6), np.nan)
        while not self.closed.all():
            ends = self._at_ends()
            now = self._momentum()
            begin = ends & ~self.opened
            start[begin] = now[begin]
            self.given[self.free[begin]] = 0.0
            self.opened |= begin
            end = ends & self.opened & ~self.closed & (world.time >= until)
            lost[end] = (now - start - self.given[self.free])[end]
            self.closed |= end
            if not self.closed.all():
                self._go_on(until)
        return lost

    def _next_events(self, until: float) -> NDArray[np.void]:
        """Go on to where forces may change, and what is told of it: to the next event, or where forces are of contacts
        only, to the next that is told or a step."""
        world = self.world
        begun, steps = world.time, world.counters["group_steps"]
        while True:
            on = max(world.next_event_time, np.nextafter(world.time, np.inf))
            world.advance_to(min(on, until) if begun < until else on)
            events = world.events()
            told = len(events) or world.counters["group_steps"] > steps
            if told or not self.only_contacts or begun < until <= world.time:
                return events

    def _at_ends(self) -> Bools:
        """Which free bodies are not within a step."""
        arcs = self.world._state.arcs[self.free]
        within = (arcs[:, s.HELD] == s.STEPPING) & (arcs[:, s.T0] < self.world.time)
        return np.asarray(~within)

    def _go_on(self, until: float) -> None:
        """To the next event, and what is given on the way."""
        world, begun = self.world, self.world.time
        slept = world.asleep()
        force, struck = self._forces(), world.joints()["struck"]
        for linkage in self.linkages:
            linkage.begin()
        self._find_clusters()
        middles = self._middles()
        events = self._next_events(until)
        self.given += (world.time - begun) * force
        held = self.given[:, :3].copy()
        at = np.flatnonzero(events["kind"] < HITS)
        hits = events[at]
        since = np.where(slept, -1, len(events))  # from which event of these on each body sleeps
        for n in np.flatnonzero(events["kind"] == SLEEP):
            since[events["body_a"][n]] = n
        centres = self._centres()
        for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
            i = hits[side]
            arm = hits["point"] - centres[i]
            turn = np.cross(arm, hits["impulse"]) + hits["couple"]
            moves = ~(world.asleep()[i] & (since[i] < at))  # what sleeps on bears what comes down on it
            np.add.at(self.given, i, sign * np.hstack([hits["impulse"], turn]) * moves[:, None])
        stopped = events[events["kind"] == SLEEP]
        np.add.at(self.given, stopped["body_a"], np.hstack([stopped["impulse"], stopped["couple"]]))
        joints = world.joints()
        given = joints["struck"] - struck
        for i, sign in ((joints["body_b"], 1.0), (joints["body_a"], -1.0)):
            turn = given[:, 3:] - np.cross(centres[i], given[:, :3])
            np.add.at(self.given, i[i >= 0], sign * np.hstack([given[:, :3], turn])[i >= 0])
        for linkage in self.linkages:
            rows = linkage.rows
            held_now = (world.time - begun) * force[rows, :3]
            self.given[rows, 3:] += linkage.end(centres[rows], held_now, self.given[rows, :3] - held[rows])
        for key, cluster in list(self.clusters.items()):
            rows = cluster.rows
            cluster.hold(middles[rows], (world.time - begun) * force[rows, :3])
            if cluster.has_ended():
                struck = self.given[rows, :3] - held[rows]
                beside = cluster.moment_beside(centres[rows], struck)
                self.given[rows, 3:] += np.where(self.tied[rows, None], 0.0, beside)
                del self.clusters[key]

    def _find_clusters(self) -> None:
        """The groups without ground that are within a step."""
        state = self.world._state
        leaders = state.members[self.free, s.LEADER]
        stepping = (state.arcs[self.free, s.HELD] == s.STEPPING) & (leaders >= 0)
        for leader in np.unique(leaders[stepping]):
            key = (int(leader), float(state.arcs[leader, s.T0]))
            if state.groups[leader, s.GROUND] == 0.0 and key not in self.clusters:
                self.clusters[key] = Cluster(self.world, self.free[stepping & (leaders == leader)])

    def _forces(self) -> Floats:
        """Force and couple about its centre on every body now, (n, 6)."""
        world = self.world
        total = np.zeros((len(world.names), 6))
        rows = world.model.bodies[self.free]
        total[self.free, :3] = rows[:, m.MASS, None] * rows[:, m.GRAVITY : m.GRAVITY + 3]
        total[self.free, 3:] = world._state.loads[self.free, s.COUPLE : s.COUPLE + 3]
        contacts = world.contacts()
        held = contacts[contacts["paradigm"] == "constraint"]
        arms = self._arms(held)
        for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
            i = held[side]
            turn = np.cross(arms[side], held["force"]) + held["couple"]
            np.add.at(total, i, sign * np.hstack([held["force"], turn]))
        joints = world.joints()
        for i, sign in ((joints["body_b"], 1.0), (joints["body_a"], -1.0)):
            turn = np.cross(joints["at"] - self._middles()[i], joints["force"]) + joints["couple"]
            np.add.at(total, i[i >= 0], sign * np.hstack([joints["force"], turn])[i >= 0])
        # What its contacts do not hold stands still until the step ends that loads it: until then its sleep bears that.
        borne = world.asleep() if self.by_sleep else wakes_next(world)
        if borne.any():
            total[borne] += world.held_by_sleep()[borne]
        return total

    def _arms(self, held: NDArray[np.void]) -> dict[str, Floats]:
        """Of lasting contacts, from the centres of their bodies, (k, 3).

        Points go along with the centre of body a, or of b if that moves alone; those on sleepers stay where they are in
        the middle of the step. There impulses act, where free flight takes bodies, or joints those that they tie.
        """
        a, b, asleep = held["body_a"], held["body_b"], self.world.asleep()
        arcs, bodies = self.world._state.arcs, self.world.model.bodies[: len(asleep)]
        moves = arcs[:, s.HELD] == s.STEPPING
        middle = 0.5 * (arcs[:, s.T0] + arcs[:, s.HELD_UNTIL])
        centres, flown = self._middles(), self._middles()
        for i in np.flatnonzero(moves & self.tied):
            flown[i] = evolve(self.world.model.bodies, self.world.model.tags, arcs, i, middle[i]).x
        free = moves & ~self.tied
        half = (middle - arcs[:, s.T0])[:, None]
        v, g = arcs[:, s.VELOCITY : s.VELOCITY + 3], bodies[:, m.GRAVITY : m.GRAVITY + 3]
        flown[free] = centres[free] = (arcs[:, s.POSITION : s.POSITION + 3] + half * (v + 0.5 * half * g))[free]
        first = np.where(moves[a], a, b)
        at = held["point"] - self._centres()[first] + flown[first]
        on_sleeper = (asleep[a] | asleep[b])[:, None]
        return {
            side: np.where(on_sleeper, held["point"] - self._middles()[held[side]], at - centres[held[side]])
            for side in ("body_a", "body_b")
        }

    def _middles(self) -> Floats:
        """Where velocities take the centres of held bodies till the middle of a step, when its forces act, (n, 3)."""
        state = self.world._state
        leader = np.maximum(state.members[:, s.LEADER], 0)
        held = state.arcs[:, s.HELD] == s.STEPPING
        half = 0.5 * np.where(held, state.groups[leader, s.STEP], 0.0)[:, None]
        x, v = state.arcs[:, s.POSITION : s.POSITION + 3], state.arcs[:, s.VELOCITY : s.VELOCITY + 3]
        faster = state.arcs[:, s.HELD_ACCELERATION : s.HELD_ACCELERATION + 3]
        return np.asarray(x + half * (v + 0.5 * half * faster))

    def _turns(self, poses: Floats) -> Floats:
        """From the principal axes of every body to the world, (n, 3, 3)."""
        frames = self.world.model.bodies[: len(poses), m.FRAME + 3 : m.FRAME + 7]
        return np.asarray(rotations(poses[:, 3:]) @ rotations(frames).transpose(0, 2, 1))

    def _centres(self) -> Floats:
        poses = self.world.poses()
        offsets = self.world.model.bodies[: len(poses), m.FRAME : m.FRAME + 3]
        return np.asarray(poses[:, :3] - np.einsum("nij,nj->ni", self._turns(poses), offsets))

    def _momentum(self) -> Floats:
        rows, twists = self.world.model.bodies[self.free], self.world.twists()[self.free]
        turns = self._turns(self.world.poses())[self.free]
        spin = rows[:, m.MOMENTS : m.MOMENTS + 3] * np.einsum("nji,nj->ni", turns, twists[:, 3:])
        return np.hstack([rows[:, m.MASS, None] * twists[:, :3], np.einsum("nij,nj->ni", turns, spin)])


class Linkage:
    """Bodies that joints tie, in a step: their angular momentum is accounted for about a point that goes on evenly.

    A joint's force changes within the step while the centres of its bodies move with it: about these it does not what
    its mean does. About a point that goes on evenly it does, for both of its bodies: it goes through the common centre
    where the step's forces act, with what that has at the end.
    """

    def __init__(self, world: World, rows: Ints) -> None:
        self.world, self.rows = world, rows
        self.mass = world.model.bodies[rows, m.MASS, None]
        self.begun = self.until = np.nan
        self.held = np.zeros((len(rows), 3))
        """What forces have given since the step began [N s]."""

    def _motions(self, t: float) -> tuple[Floats, Floats]:
        bodies, tags, arcs = self.world.model.bodies, self.world.model.tags, self.world._state.arcs
        motions = [evolve(bodies, tags, arcs, i, t) for i in self.rows]
        return np.array([motion.x for motion in motions]), np.array([motion.v for motion in motions])

    def begin(self) -> None:
        """Its step, if it is another than before."""
        arc = self.world._state.arcs[self.rows[0]]
        if arc[s.HELD] != s.STEPPING or arc[s.T0] == self.begun:
            return
        self.begun, self.until = arc[s.T0], arc[s.HELD_UNTIL]
        self.held[:] = 0.0
        (x, v), (_, v_end) = self._motions(self.begun), self._motions(self.until)
        middle = x + 0.125 * (self.until - self.begun) * (3.0 * v + v_end)
        share = self.mass / self.mass.sum()
        self.on = (share * v_end).sum(axis=0)
        self.point = (share * middle).sum(axis=0)
        self.arms = middle - self.point
        self.had = self._orbital(self.begun, x, v)

    def _orbital(self, t: float, x: Floats, v: Floats) -> Floats:
        return np.asarray(self.mass * np.cross(x - self._point_at(t), v - self.on))

    def _point_at(self, t: float) -> Floats:
        return np.asarray(self.point + (t - 0.5 * (self.begun + self.until)) * self.on)

    def end(self, x: Floats, held: Floats, struck: Floats) -> Floats:
        """What was given by forces and hits about the bodies' centres, less than what was about these at x [N m s]."""
        now, arc = self.world.time, self.world._state.arcs[self.rows[0]]
        self.held += held
        if np.isnan(self.begun) or (now < self.until and arc[s.T0] == self.begun):
            return np.zeros_like(held)
        v = self.world.twists()[self.rows, :3]
        given = np.cross(self.arms, self.held) + np.cross(x - self._point_at(now), struck)
        given -= self._orbital(now, x, v) - self.had
        self.begun = self.until = np.nan
        return np.asarray(given)


class Cluster:
    """Bodies that touch nothing fixed, in a step: their angular momentum is accounted for about the common centre.

    Forces act for the whole step and stay where they are reported, while the bodies' centres move on beside each other:
    about these, two that act on each other at one point have opposite moments in the middle of the step only, about
    the common centre all the time. Nor does position correction, which moves bodies, change what they have there.
    """

    def __init__(self, world: World, rows: Ints) -> None:
        self.world, self.rows = world, rows
        self.mass = world.model.bodies[rows, m.MASS, None]
        arcs = world._state.arcs[rows]
        self.begun, self.until = arcs[0, s.T0], arcs[0, s.HELD_UNTIL]
        self.held = np.zeros((len(rows), 3))
        motions = [evolve(world.model.bodies, world.model.tags, world._state.arcs, i, self.begun) for i in rows]
        self.had = self._orbital(np.array([one.x for one in motions]), np.array([one.v for one in motions]))

    def _beside(self, values: Floats) -> Floats:
        """What bodies have besides what they have on the mean of their masses, (n, 3)."""
        return np.asarray(values - (self.mass * values).sum(axis=0) / self.mass.sum())

    def _orbital(self, x: Floats, v: Floats) -> Floats:
        return np.asarray(self.mass * np.cross(self._beside(x), self._beside(v)))

    def hold(self, middles: Floats, given: Floats) -> None:
        """Forces give so much [N s], about arms as in the middle of the step."""
        self.arms = self._beside(middles)
        self.held += self.mass * self._beside(given / self.mass)

    def has_ended(self) -> bool:
        """Is its step over, or has it been cut short?"""
        arc = self.world._state.arcs[self.rows[0]]
        return bool(self.world.time >= self.until or arc[s.T0] != self.begun)

    def moment_beside(self, x: Floats, struck: Floats) -> Floats:
        """What the bodies, at x now, have about their own centres beside what the forces' moments about these are."""
        v = self.world.twists()[self.rows, :3] - struck / self.mass
        return np.asarray(np.cross(self.arms, self.held) - (self._orbital(x, v) - self.had))


def rotations(quaternions: Floats) -> Floats:
    """Their matrices, (n, 3, 3)."""
    w, x, y, z = quaternions.T / np.linalg.norm(quaternions, axis=1)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)
