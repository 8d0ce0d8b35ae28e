"""The order of a group's bodies in the matrix of Newton's method, the skyline that the matrix has in it, and how long
chains of them are.

Bodies that touch, or that joints tie, stand near each other: the order of Cuthill and McKee (1969), reversed.
"""

from __future__ import annotations

from math import sqrt

from engine.group.bodies import place_of
from engine.group.solve.domains import cut_domains, one_domain
from engine.group.work import BODIES, BY_NEWTON, CHAIN, ENTRIES_NEEDED, FACTORING, LINKAGES, PAIRS_HELD, Work
from engine.joints.rows import is_dynamic
from engine.kernel import kernel
from engine.maths.skyline import OFFSET, START
from engine.model.joints import ENTRY_A, ENTRY_B, ENTRY_BODY, FIRST_JOINT, JOINTS
from engine.model.model import Ints, Model
from engine.model.state import BODY_A, BODY_B, LOCAL, State
from engine.tolerances import MOST_WORK


def most_entries(n: int) -> int:
    """Room that the matrix of a group of n bodies needs at most, its factoring being no more work than MOST_WORK."""
    rows = 6 * n
    return rows + min(rows * (rows + 1) // 2, int(sqrt(2.0 * MOST_WORK * rows)))


@kernel
def find_chain(model: Model, state: State, work: Work) -> None:
    """work.sizes[CHAIN]: how many bodies the longest chain has in which each touches the next, nearly; and the domains
    into which the group is cut.

    Breadth first from any body to the last one, and again from there; of bodies that touch nothing, all there are.
    """
    work.sizes[CHAIN] = work.sizes[BODIES]
    if work.sizes[PAIRS_HELD] == 0:
        one_domain(work)
        return
    _list_neighbours(model, state, work)
    work.sizes[CHAIN] = _search_all(work, False)
    cut_domains(work)


@kernel
def order_bodies(model: Model, state: State, work: Work) -> None:
    """Places of the group's bodies in the matrix, and its skyline, unless they have theirs.

    work.sizes[ENTRIES_NEEDED]: 0 if that is too much; then Newton's method is not used. Bodies that touch, or that
    joints tie, get places near each other: breadth first from the last body that such a search from anywhere finds,
    those with few neighbours first.

    A group that Newton's method solves is in one piece: few sweeps follow, which must carry load from end to end.
    """
    if work.link[FACTORING] == 0.0:
        count = work.sizes[BODIES]
        _list_neighbours(model, state, work)
        work.sizes[CHAIN] = _search_all(work, True)
        for q in range(count):
            work.place[work.queue[q]] = count - 1 - q
        _draw_skyline(work)
    if work.sizes[ENTRIES_NEEDED] == 0:
        work.sizes[BY_NEWTON] = 0
    else:
        one_domain(work)


@kernel
def _search_all(work: Work, few_first: bool) -> int:
    """All bodies in work.queue, as `_search` finds them from the last one that it finds from anywhere; in how many
    rounds at most."""
    for at in range(work.sizes[BODIES]):
        work.place[at] = -1
    longest = done = 0
    for at in range(work.sizes[BODIES]):
        if work.place[at] < 0:
            end = _search(work, at, done, few_first)
            last = work.queue[end - 1]
            for q in range(done, end):
                work.place[work.queue[q]] = -1
            done = _search(work, last, done, few_first)
            longest = max(longest, work.place[work.queue[done - 1]] + 1)
    return longest


@kernel
def _list_neighbours(model: Model, state: State, work: Work) -> None:
    """work.near[work.begin[at] .. work.begin[at + 1]]: the bodies that touch body `at`, or that joints tie to it, again
    and again if need be."""
    count = work.sizes[BODIES]
    for at in range(count + 1):
        work.begin[at] = 0
    for p in range(work.sizes[PAIRS_HELD]):
        a = place_of(model.tags, state.members, state.links[work.pair[p], BODY_A])
        b = place_of(model.tags, state.members, state.links[work.pair[p], BODY_B])
        if a >= 0 and b >= 0:
            work.begin[a] += 1
            work.begin[b] += 1
    _list_tied(model, state.members, work, False)
    total = 0
    for at in range(count + 1):
        total += work.begin[at]
        work.begin[at] = total
    for p in range(work.sizes[PAIRS_HELD]):
        a = place_of(model.tags, state.members, state.links[work.pair[p], BODY_A])
        b = place_of(model.tags, state.members, state.links[work.pair[p], BODY_B])
        if a >= 0 and b >= 0:
            work.begin[a] -= 1
            work.begin[b] -= 1
            work.near[work.begin[a]] = b
            work.near[work.begin[b]] = a
    _list_tied(model, state.members, work, True)


@kernel
def _list_tied(model: Model, members: Ints, work: Work, fill: bool) -> None:
    """Count the neighbours of linkages' bodies, or fill them in from behind."""
    joints = model.joints
    for n in range(work.sizes[LINKAGES]):
        first = joints.linkages[work.linkage[n], FIRST_JOINT]
        for j in range(first, first + joints.linkages[work.linkage[n], JOINTS]):
            one, other = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
            if not is_dynamic(model.tags, joints, one) or not is_dynamic(model.tags, joints, other):
                continue
            a, b = members[joints.entries[one, ENTRY_BODY], LOCAL], members[joints.entries[other, ENTRY_BODY], LOCAL]
            if fill:
                work.begin[a] -= 1
                work.begin[b] -= 1
                work.near[work.begin[a]] = b
                work.near[work.begin[b]] = a
            else:
                work.begin[a] += 1
                work.begin[b] += 1


@kernel
def _search(work: Work, root: int, done: int, few_first: bool) -> int:
    """Breadth first from `root`: work.queue from `done` on, where it ends; work.place: how far each is from there."""
    work.queue[done] = root
    work.place[root] = 0
    head, end = done, done + 1
    while head < end:
        at = work.queue[head]
        head += 1
        first = end
        for n in range(work.begin[at], work.begin[at + 1]):
            other = work.near[n]
            if work.place[other] >= 0:
                continue
            work.place[other] = work.place[at] + 1
            degree = _neighbours(work, other)
            to = end
            while few_first and to > first and _neighbours(work, work.queue[to - 1]) > degree:
                work.queue[to] = work.queue[to - 1]
                to -= 1
            work.queue[to] = other
            end += 1
    return end


@kernel
def _neighbours(work: Work, at: int) -> int:
    return int(work.begin[at + 1] - work.begin[at])


@kernel
def _draw_skyline(work: Work) -> None:
    count = work.sizes[BODIES]
    for at in range(count):
        work.root[at] = work.place[at]
    for at in range(count):
        for n in range(work.begin[at], work.begin[at + 1]):
            work.root[at] = min(work.root[at], work.place[work.near[n]])
    for at in range(count):
        for c in range(6):
            work.fill[6 * work.place[at] + c, START] = 6 * work.root[at]
    entries = 0
    multiplications = 0.0
    for i in range(6 * count):
        width = i + 1 - work.fill[i, START]
        work.fill[i, OFFSET] = entries - work.fill[i, START]
        entries += width
        multiplications += 0.5 * float(width) * float(width)
    work.link[FACTORING] = multiplications
    work.sizes[ENTRIES_NEEDED] = entries if multiplications <= MOST_WORK else 0
