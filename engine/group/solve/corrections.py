"""Position correction by sweeps: pseudo-velocities that lift what has sunk and press nothing down."""

from __future__ import annotations

from engine.group.solve.domains import list_points
from engine.group.solve.gauss_seidel import forget_direction, note_direction
from engine.group.solve.sweep_tasks import most_changed, set_lift_tasks, share_points, size_of_changes, sweep_lifts
from engine.group.tasks import LOAD_TASK, UNLOAD_TASK
from engine.group.work import Work
from engine.kernel import kernel


@kernel
def sweep_corrections(work: Work, count: int, limit: int, small: float) -> bool:
    """Pseudo-velocities that lift what has sunk and press nothing down, at the points 0 .. count - 1: as
    `sweep_impulses`, without friction.

    True if they no longer change by more than `small` [m/s].
    """
    list_points(work, count)
    share_points(work, LOAD_TASK)
    set_lift_tasks(work)
    forget_direction(work)
    done = False
    sweep = 0
    while sweep < limit and not done:
        sweep_lifts(work)
        note_direction(work, size_of_changes(work))
        done = most_changed(work) <= small
        sweep += 1
    share_points(work, UNLOAD_TASK)
    return done
