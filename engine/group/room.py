"""How many rows of contacts a step of a group takes, and whether there are as many."""

from __future__ import annotations

from engine.group.work import (
    ANSWERS_NEEDED,
    CONTACTS,
    CORRECTIONS,
    ENTRIES_NEEDED,
    MORE_ROWS,
    NEEDED,
    PAIRS_HELD,
    Work,
)
from engine.kernel import kernel

_SPARE = 96
"""So many rows a small group has for corrections at least; where a step asks for more, it is made again, shorter."""


@kernel
def is_roomy(work: Work) -> bool:
    """Are there enough rows for the group that was gathered last?"""
    roomy = work.sizes[NEEDED] <= work.contact.shape[0] and work.sizes[ENTRIES_NEEDED] <= work.matrix.shape[0]
    return roomy and work.sizes[ANSWERS_NEEDED] <= work.answers.shape[0]


@kernel
def correction_rows(held: int) -> int:
    """Rows beside those of their points that so many pairs have for where they would touch at the step's end: each may
    need CORRECTIONS, but of many hardly one in ten does. Where more do, the step is too long."""
    return min(CORRECTIONS * held, held // 4 + _SPARE)


@kernel
def share_out_rows(work: Work) -> None:
    """Rows for what all pairs have found, as far as there is room. Leaves in work.sizes[NEEDED] how many it takes."""
    needed = rows = 0
    more = work.sizes[MORE_ROWS]
    for p in range(work.sizes[PAIRS_HELD]):
        needed += work.many[p]
        if needed + more > work.contact.shape[0]:
            work.many[p] = 0
        work.first[p] = rows
        rows += work.many[p]
    work.sizes[CONTACTS], work.sizes[NEEDED] = rows, needed + more
