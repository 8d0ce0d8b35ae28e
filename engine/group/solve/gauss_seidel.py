"""Impulses of one step of a contact group: Gauss-Seidel over its contact points, each with Coulomb's isotropic cone.

For end velocities v, and u = J v + what is prescribed at each point,

    0 <= p_n  ⟂  u_n - target >= 0,     p_t = -mu p_n u_t / |u_t|  or  u_t = 0, |p_t| <= mu p_n:

the true law of Coulomb, not its convex relative, so that what slides is not lifted: the normal impulse looks at u_n
alone, then friction is projected into its disc for that load (engine.group.solve.friction_cone). A sweep runs forwards
and back: a stack is loaded from below and from above.

Sweeps alone are slow where load goes through many bodies, or from heavy ones through light ones. What one sweep changes
is, as a gradient, the start of a nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben 2010): impulses are
extrapolated along a direction made of the changes so far, until they stop getting smaller. The last word has a sweep.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.solve.lanes import order_points
from engine.group.solve.sweep_tasks import most_changed, set_sweep_tasks, share_points, size_of_changes, sweep_points
from engine.group.tasks import EMPTY_TASK, FILL_TASK
from engine.group.work import BETA, BODIES, CHAIN, FIRST_SWEEP, INV_M, LIGHTEST, SIZE_BEFORE, Work
from engine.kernel import kernel
from engine.tolerances import FIRST_SWEEPS, SOLVE_SWEEPS, SOLVE_UPDATES

_IN_VAIN = 4 * FIRST_SWEEPS  # sweeps that find no smaller change


@kernel
def sweep_budget(count: int) -> int:
    """How many sweeps over `count` points a solve may take."""
    return max(SOLVE_SWEEPS, SOLVE_UPDATES // max(count, 1))


@kernel
def sweep_impulses(work: Work, limit: int, small: float) -> tuple[int, float]:
    """Sweep until no point's velocity changes by more than `small` [m/s] any more, at most `limit` times.

    Nor for long when changes get no smaller: what slides at more points than its body has freedoms may hand load round
    for ever, and the next step goes on from wherever that is. How often, and by how much the last sweep changed one.
    """
    begin_sweeps(work)
    sweeps, most = go_on_sweeping(work, limit, small)
    end_sweeps(work)
    return sweeps, most


@kernel
def begin_sweeps(work: Work) -> None:
    """Sweeps begin, in no direction yet: until they end, all points keep their places in blocks."""
    order_points(work)
    share_points(work, FILL_TASK)
    work.link[LIGHTEST] = _lightest(work)
    forget_direction(work)
    set_sweep_tasks(work)


@kernel
def forget_direction(work: Work) -> None:
    """The next sweep is the first: it has no direction to go on in."""
    work.link[FIRST_SWEEP], work.link[BETA], work.link[SIZE_BEFORE] = 1.0, 0.0, 0.0


@kernel
def note_direction(work: Work, size: float) -> None:
    """What a sweep has changed, of this size [J], belongs to the direction of the next."""
    before = work.link[SIZE_BEFORE]
    work.link[BETA] = size / before if before > 0.0 else 0.0
    work.link[FIRST_SWEEP], work.link[SIZE_BEFORE] = 0.0, size


@kernel
def go_on_sweeping(work: Work, limit: int, small: float) -> tuple[int, float]:
    """As `sweep_impulses`, from where the sweeps that have been begun are, in the direction that they have found."""
    sweeps = smallest = 0
    most, least = 0.0, inf
    for _ in range(limit):
        most, size = _sweep_once(work)
        note_direction(work, size)
        sweeps += 1
        if most < least:
            least, smallest = most, sweeps
        if most <= small or sweeps - smallest >= _IN_VAIN:
            break
    return sweeps, most


@kernel
def end_sweeps(work: Work) -> None:
    """The impulses that sweeps have found, to the rows of their points."""
    share_points(work, EMPTY_TASK)


@kernel
def _sweep_once(work: Work) -> tuple[float, float]:
    """One sweep over the points of a group, forwards and back.

    Before it, unless it is the first, impulses go on by beta times the direction so far, and the next one is made of
    that and of what the last sweep changed. Above 1 the changes have grown: the direction is forgotten. Velocities
    follow, being linear in the impulses; a point's own go on when the sweep comes to it, which is where they matter.

    Returns by how much it changes a velocity at most [m/s], and the size of its changes, weighed by inverse effective
    mass. Where bodies touch at more points than they have freedoms, what one point takes another gives back: what
    counts is what the sweep as a whole has changed.
    """
    moved = sweep_points(work)
    return min(most_changed(work), work.sizes[CHAIN] * work.link[LIGHTEST] * sqrt(moved)), size_of_changes(work)


@kernel
def _lightest(work: Work) -> float:
    """Inverse mass of the lightest body [1/kg]."""
    lightest = 0.0
    for at in range(work.sizes[BODIES]):
        lightest = max(lightest, work.twists[at, INV_M])
    return lightest
