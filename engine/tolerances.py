"""The numerical constants of the engine: what is chosen, once, and what follows from it.

Friction, restitution and envelopes are physics, and a scene says them. What stands here is numerics: visually
insignificant, it changes what a scene costs and not what it shows; none of it switches a law. Lengths count
in envelopes and sizes of bodies, speeds in the fall through an envelope, times in that fall or in longest steps, so
that a scene that is larger, heavier or slower runs the same. Each constant tells its unit, how it was found
(derivation), and what follows if the scene or the constant changes (scaling). What follows from another is written as
that, with a comment. What rounding alone explains is in `engine.maths.rounding`.
"""

from __future__ import annotations

from math import sqrt

# --- envelopes ----------------------------------------------------------------------------------------------------

ENVELOPE_FRACTION = 1.0 / 500.0
"""Automatic envelope, as a part of the smaller body's size [1].
Derivation: 0.2 % of a body is a pixel or two of a picture of it. Scaling: with the bodies; a ball that rolls by
impulses costs as 1 / sqrt(envelope)."""

ENVELOPE_AIM = 0.5
"""Bodies hit each other at a gap of at most this part of the envelope [1], at which TOI bounds aim from further out.
Derivation: its middle leaves as much room to sink as to rise. Scaling: with the envelope."""

# A lasting contact may not sink below a quarter, where it is pushed up, and closes freely down to three quarters: the
# band is as wide as what is left on both sides of it.
BAND_LOW = 0.5 * ENVELOPE_AIM
BAND_HIGH = ENVELOPE_AIM + BAND_LOW

# A contact lasts within the inverse of the aim, in envelopes. The checks of pairs that are twice as far may stay where
# they wait; hulls that are the square of that apart are wrapped again, which unwrapped were within one.
CONTACT_REACH = 1.0 / ENVELOPE_AIM
FAR = 2.0 * CONTACT_REACH
WRAP = FAR * FAR

GAP_FALL = 1e-2
"""Inside the envelope and separating, look again when the gap could have fallen by this fraction of itself [1].
Derivation: larger values let the gap sink geometrically, "back to the same gap" is a Zeno sequence. Scaling: checks of
what rests by impulses go as its inverse root."""

YIELD = 0.4
"""In impulse mode a contact that bears the part s of a body hits lower by about YIELD s envelopes [1], see `yields`.
Derivation: with its spread on top and half of a body on a contact, hits still come at a fifth of the envelope.
Scaling: with the envelope."""

# It varies by three quarters of itself from hit to hit.
YIELD_SPREAD = 0.75 * YIELD

WHOLE = 0.8
"""What bears more than this part of a body's weight bears it alone, and does not yield [1].
Derivation: means over a few hops vary by less than a fifth. Scaling: none, it is a share."""

# --- directions -----------------------------------------------------------------------------------------------------

FLAT_ANGLE = 0.02
"""A face this far [rad] from lying across the normal of the closest points is still the one that touches, and corners
nearer to each other than this part of a patch are one.
Derivation: it opens by ten envelopes over a body's width: more than what touches at rest, less than what is seen to
tilt. Scaling: none, it is an angle."""

# What the other body has within ten times that of the face is looked at: it may be within reach.
LEVEL_ANGLE = 10.0 * FLAT_ANGLE

RIM_CORNERS = 12
"""A round end is taken as a polygon of so many corners, where it lies on something [1].
Derivation: its sides are within 3.4 % of the radius, and a patch keeps half as many of its corners. Scaling: with the
bodies; clipping goes as its number."""

# --- when to look again -------------------------------------------------------------------------------------------

SAFETY = 0.9
"""Of a time that is proved or estimated to be safe so much is used [1], and a bound that reaches so far is good
enough.
Derivation: a tenth more events than with all of it, for estimates that are wrong by a tenth. Scaling: costs go as 1 /
SAFETY."""

ALIKE = 0.5
"""Amounts are alike while the smaller is at least this part of the larger [1]: boxes, waits, lengths of steps, slips.
Derivation: halving is the coarsest change that bisection makes. Scaling: none, it compares like with like."""

BOX_TRAVEL = 6.0
"""A swept box covers this many body radii of travel [1], shared among its body and those that it is near, before the
body must re-enter the broad phase; those of what is near nothing double.
Derivation: larger boxes are renewed less often and overlap with more others. Scaling: with
the bodies; renewals go as speed / (BOX_TRAVEL radius)."""

BOX_MARGIN = 0.05
"""Slack around a swept box as a fraction of the body's radius [1].
Derivation: 25 envelopes, so that microcollisions do not leave it. Scaling: with the bodies."""

TILE_ALPHA = 0.5
"""A box is at least this fraction of its tile's side (Mirtich 1996, eq. 2.8; beta is 1) [1].
Derivation: each resolution is 1 / alpha times as coarse as the one before, so it is a power of two, and the largest
that is not 1. Scaling: with the boxes; resolutions go as log(largest / smallest)."""

MANY_LARGE = 8
"""So many bodies that nothing moves may be too large for the spatial hash [1]: boxes are tested against all of them.
Derivation: the six sides of a box, and two. Scaling: none; a test costs as much as a look into a tile."""

KICK_PERIOD = 1e-3
"""Time between the kicks of a mouse pull, or of an applied load that no parabola follows [s]: free flight is exact
between them.
Derivation: leapfrog is wrong by (omega period)^2 / 24, 1e-4 at 50 rad/s. Scaling: with the loads, which are the
scene's or a person's own; error goes as its square."""

# --- steps of contact groups --------------------------------------------------------------------------------------

GROUP_STEP = 1.0 / 240.0
"""The longest step of a contact group [s], unless the scene says another as `world.step`; of what is alone and goes on
alike it is longer (engine.group.step_length).
Derivation: a body falls by 0.09 mm in it, below the envelope of one of 5 cm. Scaling: a scene's step goes with its
times; errors go as its square."""

MOST_TURN = 0.08
"""A body turns by no more than this in a step of its group [rad], as far as that moves its surface, and a contact runs
no further about it to the step's middle; places of a body that are further apart, seen from its middle, are different.
Derivation: the midpoint rule is wrong by a 12th of its square, 5e-4. Scaling: none, it is an angle."""

MOST_MISS = 0.02
"""Gaps at the end of a step are too low by no more than this part of the envelope [1], where that was not foreseen, or
the next one is shorter; so small are the least gap, and the least hop beside the fall through the envelope.
Derivation: a tenth of what is below the band, with room for what several steps add. Scaling: what is missed grows with
the cube of a step's length, so steps go as its cube root."""

HALVINGS = 8
"""So often a step is halved for anything but gaps [1]; then what still comes too near is left to impulses for a while.
Derivation: 2^-8 of a longest step is 16 microseconds, below the fall through a tenth of a millimetre's envelope by two
orders. Scaling: with the longest step."""

# Halving ends there; for gaps it goes on to the 24th time. One that had to be found is kept for half as many steps.
SHORTEST_STEP = 0.5**HALVINGS
MOST_ATTEMPTS = 3 * HALVINGS
STEPS_KEPT = HALVINGS / 2

# Steps are so short that kinematic bodies leave their chord by no more than half the band's lower end.
LOW = 0.5 * BAND_LOW

# --- solves -------------------------------------------------------------------------------------------------------

ACCURACY = 1e-4
"""Of the speeds, forces, times and ways of a step the part that does not matter [1]: solves end there.
Derivation: a tenth of what a plot or a picture shows. Scaling: sweeps go as its logarithm."""

FINER = 1.0 / 32.0
"""At rest, where the same is solved in step after step, solves go further by this factor [1], and what falls asleep
and is not solved again by its square.
Derivation: what steps may leave, 3e-6 g h, moves a body of 5 cm by less than a thousandth of its envelope in the time
after which it sleeps. Scaling: sweeps go as its logarithm."""

# A solve is done when a sweep changes no point's velocity by more than this part of the fastest there, of what slides
# or meets, nor by more than this part of what gravity gives in the longest step.
SOLVE_MOVING = ACCURACY
SOLVE_AT_REST = ACCURACY * FINER

# What no contact force holds up may be this part of a body's weight, and it still rests: a slope so much too steep.
NET_SMALL = ACCURACY

# A solve that has made SOLVE_SWEEPS and still changes more than this many times as much goes on until it does not: half
# way to those speeds, in orders of magnitude.
SOLVE_ROUGH = 1.0 / ACCURACY**0.5

SOLVE_SWEEPS = 24
"""Sweeps over all points that a solve may take [1], and for each link of the longest chain as many again until it is as
good as SOLVE_ROUGH says. The next step takes up what they leave; gaps are true all the same.
Derivation: chosen by what piles cost; loads of what rests come from warm starts, step after step. Scaling: what they
leave grows with the longest chain of contacts."""

SOLVE_UPDATES = 2_000
"""And more over few points, until so many have been updated [1].
Derivation: nobody waits for that, 0.1 ms. Scaling: sweeps go as its inverse by points."""

# Newton's method comes after a third of them; an eighth, between its rounds, finds what is not in its matrix, and tells
# whether corrections are done.
FIRST_SWEEPS = SOLVE_SWEEPS // 3
SWEEPS_BETWEEN = SOLVE_SWEEPS // 8

SOFTEST = 1e3
"""Impulse that a point's spring takes for a velocity in Newton's first round, as a multiple of what alone would stop
it [1], where bodies are equally heavy.
Derivation: at its square, at which rounds end, matrices have lost six of their sixteen digits; joints, which hold
more than contacts, lose nine. Scaling: with the ratio of the masses."""

# From the softest to its square, the stiffest, in three rounds.
STIFFEST = SOFTEST * SOFTEST
STIFFER = SOFTEST ** (1.0 / 3.0)
STIFF_JOINT = SOFTEST * STIFFEST

SWEEPS_WORTH = 0.05
"""Updates of points by sweeps that come before Newton's method for each multiplication of its factoring [1].
Derivation: as much as some eight factorings cost, when an update takes as long as 150 multiplications. Scaling: with
the machine's ratio of the two."""

# So many updates take as long as one of those multiplications.
UPDATES_PER_ENTRY = SWEEPS_WORTH / 8.0

MOST_WORK = 3e7
"""Groups whose matrix takes more multiplications than this to factor are left to sweeps [1].
Derivation: 10 ms. Scaling: with the machine."""

DIRECT_ENTRIES = 10_000
"""Groups whose matrix has more entries than this are not worth finding loads of least norm for [1].
Derivation: 23 bodies that all touch each other, or some 200 in a row. Scaling: with the machine."""

# --- rest and switching -------------------------------------------------------------------------------------------

CALM_SPEED = 0.1
"""A body slower than this part of the fall through its automatic envelope is at rest [1].
Derivation: it would rise by a hundredth of the envelope. Scaling: as sqrt(g size)."""

CALM_STEPS = 120.0
"""A group that has been at rest for so many longest steps may fall asleep [1].
Derivation: half a second by default; at the top of its way a body is slower than CALM_SPEED for a thousandth. Scaling:
with the longest step."""

STIRRED_BY = 0.05
"""A sleeper stays asleep as long as what its contacts bear, and its weight, speed it up by less than this part of
gravity [1], with all that loads it: what bears n weights moves with n such bodies.
Derivation: a marble on others of its size loads those below it by a third of that, and those below them by a ninth: the
loads of two layers are found anew, and those of the third are not. Scaling: none, it is a share of what is borne."""

# Trees that nothing disturbs swing, and boxes of what is near nothing hold, at first, for no longer than four times
# that; unwrapped hulls look a tenth of it apart whether they can be wrapped, boxes of what is near others hold for a
# tenth, and so far apart groups look who of them may sleep. In longest steps. What in that time comes no farther than
# the least net force moves it has none left, and waits no longer.
LONGEST_WAIT = 4.0 * CALM_STEPS
WRAP_WAIT = LAY_WAIT = STILL_STEPS = CALM_STEPS / 10.0

SETTLING_HITS = 6
"""A pair whose last hits, so many in a row, were quiet microcollisions becomes a lasting contact [1].
Derivation: fewer take up what still bounces from corner to corner, more cost hits. Scaling: none, they are counted."""

# A microcollision comes back after one fall through the envelope. What no step could hold is left to impulses for ten
# times as long as it takes to settle, so that it is tried a tenth of the time at most; what a contact that yields bears
# is averaged over the time of settling twice. In falls through the envelope.
HOLD_OFF_FALLS = 10.0 * SETTLING_HITS
YIELD_FALLS = 2.0 * SETTLING_HITS

CUT_STEPS = 24.0
"""So many steps of single bodies may hits cut short in a longest step of a contact group, and owe [1]. A group that
owes more is busy: it takes in what will hit it in its step, and resolves the hit in its own time, up to a step early.
Derivation: a hit costs a step of all that it cuts. Hit by hit, 200 balls that pour into a dish take 4.5 times as long,
and 300 into a box 3.5 times. Scaling: it is work; the more, the more hits of a pile are resolved as they come."""

# --- joints -------------------------------------------------------------------------------------------------------

JOINT_STEP = 0.8
"""The longest step of a contact group with joints, in longest steps [1].
Derivation: 1/300 s by default: ticks that come 20, 25, 50, 60, 100 times a second fall on its ends and cut none.
Scaling: with the longest step."""

JOINT_TURN = 0.2
"""And the most that a body of it turns in one step [rad].
Derivation: what joints bear is known on the mean of a step, what dampers take at its ends; in a turn by so much a swing
bears 1 % less than in its middle. Trees that touch nothing turn half as far again: their motion asks for nothing
shorter. Scaling: none, it is an angle."""

FLOW_ERROR = 1e-8
"""Error of speeds that the flow of linkages may make in a step, as a part of the largest [1].
Derivation: a mechanism stays true to 1e-5 through a thousand steps if all errors add; a chain of fifty that whips keeps
its energy to 1e-8 through five thousand. Between impulses of contacts MOST_MISS of ACCURACY is allowed, and thirty
times this between the ends of a swing's step, where nothing goes on from. Scaling: steps go as its eighth root, of
trees, or its fifth."""

END_SKIN = 1e-6
"""So thick is the skin of an end of a joint's way [m], [rad], and so far may joints gape, as a part of the smallest
body's radius, that cannot be closed.
Derivation: a thousandth of what is seen of a link. Scaling: of sliders it is a length, and does not go with the
scene."""

# --- other methods ------------------------------------------------------------------------------------------------

PENALTY_STEPS = 24.0
"""Steps in a period of the fastest spring of penalty contact, at least [1].
Derivation: with pi what springs do in a step would not be found; with so many a bounce takes half a percent longer,
(2 pi / 24)^2 / 12, and what is damped hard is left with 2 % more speed. Scaling: steps go as sqrt(size / g)."""

# A body that rests on one point under its own weight sinks by this part of its size. One that falls by H sinks by about
# sqrt(2 PENALTY_SINK size H): ten times its own height, by a twentieth of its size.
PENALTY_SINK = ACCURACY

CREEP_SHARE = 1e-3
"""Friction that holds nothing, of penalty contact or where a scene chooses it, grows with the speed of sliding up to
this part of the speed gained by falling through half of the smaller body's size [1], or what it stops in a step.
Derivation: what is held on a slope creeps at about that speed, its own size in a minute or two. Scaling: as sqrt(g
size)."""

STANDARD_GRAVITY = 9.80665
"""What bodies weigh where there is less gravity, when stiffnesses are derived from weights [m/s^2].
Derivation: by definition. Scaling: none: without gravity nothing else says how stiff a scene's bodies are."""

# A step of a wave of impulses is this part of the time in which the fastest approach goes as deep as it gets: its
# method is of second order.
WAVE_SHARE = sqrt(ACCURACY)

# --- what has no solution -----------------------------------------------------------------------------------------

CRUSH_HITS = 1000
"""A pair that is hit so many times in a row at one instant is crushed [1]: its free body is stopped.
Derivation: rounds of hits between rigid bodies that can part are over after some ten, or some hundred where one stands
on a round rim. Scaling: with the ratio of the masses, each hit takes that part of the heavier one's speed."""

WITHOUT_END = 10.0
"""No velocities satisfy contacts that ask for such as are so many times faster [1] than what came, of impulses that
go on growing while they are sought: how they grow proves it (Farkas).
Derivation: restitution and levers multiply speeds by less. Scaling: none, it compares like with like."""

# At one instant: within this part of the longest step. And so many events a body without time moving on stop it, too.
CRUSH_TIME = ACCURACY
STUCK_EVENTS = CRUSH_HITS
