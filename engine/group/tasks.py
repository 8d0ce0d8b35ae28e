"""What tasks are about that threads share, and in what rounds: see engine.rounds, engine.group.pair_tasks and
engine.group.solve.sweep_tasks."""

from __future__ import annotations

# Kinds of rounds.
NO_ROUND = 0
SWEEP_ROUND = 1
PAIR_ROUND = 2

# What a task is about.
FILL_TASK = 0  # of a solve: numbers of blocks, from the rows of their points
EMPTY_TASK = 1  # and back
BODY_TASK = 2  # of a sweep: extrapolating bodies
FORTH_TASK = 3  # domains, forwards
CROSS_TASK = 4  # interfaces, forwards and back
BACK_TASK = 5  # domains, back
MOVED_TASK = 6  # by how much bodies have been moved
LOAD_TASK = 7  # of position correction: the same
UNLOAD_TASK = 8
LIFT_BODY_TASK = 9
LIFT_FORTH_TASK = 10
LIFT_CROSS_TASK = 11
LIFT_BACK_TASK = 12
FIND_TASK = 13  # of pairs: finding their points in the middle of the step
ROWS_TASK = 14  # sharing out rows of contacts among them
LAY_TASK = 15  # their rows
END_TASK = 16  # measuring them at the step's end
DIP_TASK = 17  # looking whether they come too near on the way
BEGIN_TASK = 18  # finding their points at the step's start
BEGUN_TASK = 19  # their rows
STRUCK_TASK = 20  # of bodies: looking whether they have been struck
LIST_TASK = 21  # and which pairs they have
ARRIVAL_TASK = 22  # of points: what comes in there at the step's start
START_TASK = 23  # how they are there
STOPPED_TASK = 24  # the same once hits have been stopped
CHORD_TASK = 25  # of bodies: by how much their points leave their chords
KEEP_BODY_TASK = 26  # of bodies of a step that was found good: their arcs
KEEP_PAIR_TASK = 27  # and what its pairs bore
