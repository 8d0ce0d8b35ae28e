"""Sweeps that go on for as long as whoever asks for them wants, over the points of any group.

Between them velocities and the direction of the search stay as they are; impulses are known when they have ended.
"""

from __future__ import annotations

from engine.group.solve.endless import grow_without_end, most_approach, note_growth
from engine.group.solve.gauss_seidel import begin_sweeps, end_sweeps, forget_direction, go_on_sweeping
from engine.group.solve.joint_sweeps import sweep_tied
from engine.group.work import CHAIN, CONTACTS, DEBT, DRIVEN_HERE, LINKAGES, SLEEPERS_HERE, Work
from engine.kernel import kernel
from engine.model.model import Model
from engine.stages import GROUP, SWEEPS, lap
from engine.tolerances import SOLVE_ROUGH, SOLVE_SWEEPS


@kernel
def sweep_on(model: Model, work: Work, limit: int, small: float) -> tuple[int, bool]:
    """Sweep on from the impulses that there are, at most `limit` times: how often, and is that all?"""
    begin_sweeping(work)
    sweeps, most = sweep_further(model, work, limit, small)
    end_sweeping(work)
    return sweeps, most <= small


@kernel
def solve_by_sweeps(model: Model, work: Work, limit: int, small: float) -> int:
    """A whole solve to `small` [m/s] by at most `limit` sweeps, or more where what a sweep then changes is no small
    part of the motion itself: how many.

    What falls hides what such a solve leaves. What would stand is moved by it, and so never comes to stand: a wall that
    has been shaken creeps on, with errors that last as long as it takes to carry load from end to end.
    """
    begin_sweeping(work)
    sweeps, most = sweep_further(model, work, limit, small)
    rough, most_sweeps = SOLVE_ROUGH * small, SOLVE_SWEEPS * work.sizes[CHAIN]
    if work.sizes[DRIVEN_HERE] == 1 and work.sizes[SLEEPERS_HERE] == 0:
        sweeps += _go_on_driven(model, work, most_sweeps, rough)
    elif most > rough:
        more, _ = sweep_further(model, work, most_sweeps, rough)
        sweeps += more
    end_sweeping(work)
    return sweeps


@kernel
def _go_on_driven(model: Model, work: Work, limit: int, rough: float) -> int:
    """The same where something is driven into others, as long as it flies into them by more than `rough` [m/s]: what is
    squeezed sweeps hand to and fro, and change nothing. How often; it ends where impulses grow without end."""
    sweeps, part = 0, SOLVE_SWEEPS
    while sweeps < limit and most_approach(work) > rough:
        end_sweeping(work)
        note_growth(work)
        begin_sweeping(work)
        sweeps += sweep_further(model, work, part, 0.0)[0]
        end_sweeping(work)
        endless = grow_without_end(model.bodies, work)
        begin_sweeping(work)
        if endless:
            break
        part = min(2 * part, limit - sweeps)
    return sweeps


@kernel
def begin_sweeping(work: Work) -> None:
    """Sweeps go on from the impulses that there are, in no direction yet."""
    lap(work.watch, GROUP)
    if work.sizes[LINKAGES] > 0:
        forget_direction(work)
    else:
        begin_sweeps(work)


@kernel
def end_sweeping(work: Work) -> None:
    """What they have found is known."""
    if work.sizes[LINKAGES] == 0:
        end_sweeps(work)
    lap(work.watch, SWEEPS)


@kernel
def sweep_further(model: Model, work: Work, limit: int, small: float) -> tuple[int, float]:
    """Sweep, at most `limit` times, in the direction that sweeps have found since they began: how often, and by how
    much the last one has changed a velocity at most [m/s]."""
    if work.sizes[LINKAGES] > 0:
        sweeps, most = sweep_tied(model.joints, work, limit, small)
    else:
        sweeps, most = go_on_sweeping(work, limit, small)
    work.link[DEBT] = max(work.link[DEBT] - float(sweeps * work.sizes[CONTACTS]), 0.0)
    return sweeps, most
