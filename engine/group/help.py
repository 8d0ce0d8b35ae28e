"""What a thread does that helps another one with the steps of contact groups."""

from __future__ import annotations

from engine.group.pair_tasks import take_part_with_pairs
from engine.group.solve.sweep_tasks import take_part_in_sweep
from engine.group.tasks import NO_ROUND, SWEEP_ROUND
from engine.group.work import Work
from engine.kernel import kernel
from engine.model.model import Model
from engine.model.state import State
from engine.rounds import await_round


@kernel
def help_steps(model: Model, state: State, work: Work) -> int:
    """Do tasks of all rounds until helpers are to leave; how many.

    state, work: those of the thread that leads, but for what each thread has for itself, see engine.helpers.
    """
    done = 0
    while True:
        kind = await_round(work.rounds)
        if kind == NO_ROUND:
            return done
        if kind == SWEEP_ROUND:
            done += take_part_in_sweep(work)
        else:
            done += take_part_with_pairs(model, state, work)
