"""Whether the numbers of a contact group are finite: its leader's timer is the only one that asks."""

from __future__ import annotations

from engine.kernel import kernel
from engine.model.model import Floats, Ints
from engine.model.state import NEXT_MEMBER
from engine.motion.arcs import is_finite


@kernel
def find_lost(arcs: Floats, members: Ints, leader: int) -> int:
    """A body of the group of `leader` whose numbers are not finite; -1: there is none."""
    i = leader
    while i >= 0:
        if not is_finite(arcs, i):
            return i
        i = members[i, NEXT_MEMBER]
    return -1
