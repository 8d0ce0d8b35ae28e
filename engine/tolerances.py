"""Every tolerance of the engine: its meaning, its unit, its default.

These are numerically significant but visually insignificant: none of them changes what a scene shows, all of them
change what it costs.
"""

from __future__ import annotations

ENVELOPE_FRACTION = 1.0 / 500.0
"""Automatic envelope as a fraction of the smaller body's size [1]. A rolling ball costs as 1 / sqrt(envelope)."""

ENVELOPE_AIM = 0.5
"""Bodies hit each other at a gap of at most ENVELOPE_AIM * envelope [1], at which TOI bounds aim from further out."""

GAP_FALL = 1e-2
"""Inside the envelope and separating, look again when the gap could have fallen by this fraction of itself [1].
Larger values let the gap sink geometrically; "back to the same gap" is a Zeno sequence."""

RESTING_APPROACH = 1e-12
"""Approach slower than this [m/s] is no collision: it is rounding, and dividing by it would make noise."""

APEX = 0.9
"""After a hit at a low gap, look again at this fraction of the time to the apex of the flight [1]."""

YIELD = 0.4
"""In impulse mode a contact that bears the part s of a body hits lower by YIELD s envelopes [1], see `yields`."""

YIELD_SPREAD = 0.3
"""By how much that varies from hit to hit [1]."""

YIELD_FALLS = 11.0
"""What it bears is averaged over so many times the fall through the envelope [1]."""

REST_SHARE = 0.5
"""A cycler that can come nearer by at most this share of the slack counts as standing there already [1]."""

BOX_TRAVEL = 6.0
"""A swept box covers this many body radii of travel [1], shared among its body and those that it is near, before the
body must re-enter the broad phase. Larger boxes are renewed less often and overlap with more others: those of what is
near nothing double."""

LASTING_TRAVEL = 1.0
"""A cycler whose whole ellipse is within this many of its radii [1] has one swept box for ever."""

BOX_HORIZON = 2.0
"""The longest time that one swept box covers [s]."""

BOX_STALE = 2.0
"""A swept box is renewed along an axis on which it is wider than this many times what it has to hold [1]."""

BOX_MARGIN = 0.05
"""Slack around a swept box as a fraction of the body's radius [1], so that microcollisions do not leave it."""

TILE_ALPHA = 0.5
"""A box is at least this fraction of its tile's side (Mirtich 1996, eq. 2.8; beta is 1) [1]. Each resolution is
1 / alpha times as coarse as the one before, so it is a power of two."""

MANY_LARGE = 8
"""So many bodies that nothing moves may be too large for the spatial hash [1]: boxes are tested against all of them."""

WRAP = 16.0
"""Hulls that are further apart than this many envelopes [1] are wrapped again; unwrapped they were within one."""

WRAP_LOOK = 0.05
"""How often an unwrapped pair looks whether it can be wrapped [s]. Nothing but the cost depends on it."""

BESIDE_FALL = 0.1
"""A triangle whose neighbour is nearer is looked at again when its gap could have fallen by this fraction [1]."""

FAR = 4.0
"""A pair whose gap is certainly larger than this many envelopes [1] need not be checked at once when an arc begins."""

SOONER = 0.5
"""Such a pair's check may stay where it waits if that is not before this fraction of the time it has [1]."""

KICK_PERIOD = 1e-3
"""Time between the kicks of a mouse pull, or of an applied load that no parabola follows [s]: free flight is exact
between them."""

BAND_HIGH = 0.75
"""Above this part of the envelope a lasting contact may close, down to it within a step [1]."""

BAND_LOW = 0.25
"""Below this part of the envelope a lasting contact is pushed up [1]."""

CONTACT_REACH = 2.0
"""A contact lasts while its gap is within this many envelopes [1]."""

SOLVE_AT_REST = 3e-6
"""A solve is done when a sweep changes no point's velocity by more than this part of what gravity gives in the longest
step [1]."""

SOLVE_MOVING = 1e-4
"""Nor by more than this part of the fastest there, of what slides or meets [1]."""

SOLVE_SWEEPS = 24
"""Sweeps over all points that a solve may take [1]. The next step takes up what they leave; gaps are true all the
same."""

SOLVE_UPDATES = 2_000
"""And more over few points, until so many have been updated [1]: nobody waits for that."""

CROWD = 24
"""A contact group of so many bodies takes in what will hit it in its step, and resolves the hit in its own time [1]."""

CALM_FADE = 0.88
"""Just before a group may fall asleep what its contacts bore is remembered less by this factor a step [1]: what
does not follow from their states goes, and loads that are not unique end at those of least norm."""

CALM_SPEED = 0.1
"""A body slower than this part of the fall through its automatic envelope is at rest [1]."""

CALM_STEPS = 120.0
"""A group that has been at rest for so many longest steps may fall asleep [1]: half a second, by default."""

NET_SMALL = 1e-4
"""What no contact force holds up may be this part of a body's weight, and it still rests [1]: a slope that is so much
too steep. Solves find forces to SOLVE_TOLERANCE."""

SETTLING_HITS = 6.0
"""A pair whose last hits, so many in a row, were quiet microcollisions becomes a lasting contact [1]."""

HOLD_OFF_FALLS = 60.0
"""A pair for which no step of its group was short enough is left to impulses for so many falls through its envelope
[1]. A microcollision comes back after one fall: that is ten times as long as it takes to settle, so that a pair that
cannot be held is tried a tenth of the time at most."""

MOST_TURN = 0.08
"""A body turns by no more than this in a step of its group [rad], as far as that moves its surface: the midpoint rule
is wrong by a 12th of its square."""

MOST_MISS = 0.02
"""Gaps at the end of a step are too low by no more than this part of the envelope [1], where that was not foreseen, or
the next one is shorter: what is missed grows with the cube of its length."""

GROUP_STEP = 1.0 / 240.0
"""The longest step of a contact group [s]."""

SHORTEST_STEP = 1.0 / 256.0
"""A step of a contact group is not made shorter than this part of the longest one for anything but gaps [1]."""

JOINT_STEP = 1.0 / 500.0
"""The longest step of a contact group with joints [s]: between its ends bodies move on polynomials."""

JOINT_TURN = 0.2
"""And the most that a body of it turns in one step [rad]: what joints bear is known on the mean of a step, what dampers
take at its ends. In a turn by so much a swing bears 1 % less than in its middle."""

JOINT_SMALL = 1e-12
"""Joints are closed to this part of the smallest body's radius, and their speeds to so many m/s or rad/s, or to this
part of the fastest [1]."""

FLOW_SMALL = 1e-9
"""Error of speeds that the flow of linkages may make in a step, as a part of the largest [1]."""

PENALTY_SINK = 1e-4
"""Penalty contact: a body that rests on one point under its own weight sinks by this part of its size [1]. A body that
falls by H sinks by about sqrt(2 PENALTY_SINK size H): ten times its own height, by a twentieth of its size."""

PENALTY_STEPS = 20.0
"""Steps in a period of the fastest spring of penalty contact, at least [1]. From pi steps on it would explode."""

CREEP_SHARE = 1e-3
"""Friction that holds nothing, of penalty contact or where a scene chooses it, grows with the speed of sliding up to
this part of the speed gained by falling through half of the smaller body's size [1], or what it stops in a step: what
is held on a slope creeps, at about that speed."""

STANDARD_GRAVITY = 9.80665
"""What bodies weigh where there is less gravity, when stiffnesses are derived from weights [m/s^2]."""

CRUSH_HITS = 100
"""A pair that is hit so many times in a row, each within CRUSH_TIME of the last, is crushed [1]: its free body is
stopped. Rounds of hits between rigid bodies that can part are over after some ten."""

CRUSH_TIME = 1e-4
"""As a part of the longest step [1]: hits so soon after each other are at one instant."""

STUCK_EVENTS = 1_000
"""So many events a body in a row without time moving on [1]: whose event comes next is stopped."""

LARGEST = 1e150
"""Larger numbers count as not finite [1]: their squares are not."""
