"""A group cut into subdomains that threads can sweep apart, and the interfaces between them.

Bodies stand breadth first (engine.group.solve.ordering), level by level: a contact is within a level, or between one
and the next. A domain is a few levels in a row, so that contacts are within a domain, or in the interface of one domain
and the next; and as a domain has two levels at least, no two interfaces share a body. So all domains can be swept at
the same time, and then all interfaces: threads wait for each other after these, and not after each colour of the graph
of contacts, and what a thread sweeps stays in its own cache (domain decomposition, as in Smith, Bjorstad and Gropp
1996).

How a group is cut depends on its contacts alone, and not on how many threads there are.
"""

from __future__ import annotations

from engine.group.work import (
    BODIES,
    DOMAINS,
    FIRST_POINT,
    LAST_POINT,
    MOST_DOMAINS,
    SIDE_A,
    SIDE_B,
    Work,
)
from engine.kernel import kernel

_LEAST_ENDS = 500
"""A domain has so many ends of contacts at least: sweeping them takes some times as long as waiting for others."""


@kernel
def cut_domains(work: Work) -> None:
    """Cut the group, whose bodies stand breadth first in work.queue, each in its level work.place, with work.begin of
    their neighbours: work.sizes[DOMAINS], and the domain of each."""
    count = work.sizes[BODIES]
    each = max(_LEAST_ENDS, work.begin[count] // MOST_DOMAINS)
    one = ends = levels = 0
    for q in range(count):
        at = work.queue[q]
        level = work.place[at]
        ready = ends >= each and one + 1 < MOST_DOMAINS
        if level == 0:  # what hangs together with none of those before
            levels = 0
        elif level != work.place[work.queue[q - 1]]:
            levels += 1
            ready = ready and levels > 1
        else:
            ready = False
        if ready:
            one += 1
            ends = levels = 0
        work.domain[at] = one
        ends += work.begin[at + 1] - work.begin[at]
    work.sizes[DOMAINS] = one + 1


@kernel
def one_domain(work: Work) -> None:
    """Leave the group in one piece."""
    for at in range(work.sizes[BODIES]):
        work.domain[at] = 0
    work.sizes[DOMAINS] = 1


@kernel
def region_of(work: Work, k: int) -> int:
    """The region in which contact point k is swept: its domain, or after all of these the interface behind one."""
    a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    if a < 0 or b < 0:
        return int(work.domain[max(a, b)])
    one, other = work.domain[a], work.domain[b]
    return int(one if one == other else work.sizes[DOMAINS] + min(one, other))


@kernel
def regions(work: Work) -> int:
    """How many domains and interfaces there are."""
    return 2 * work.sizes[DOMAINS] - 1


@kernel
def list_points(work: Work, count: int) -> None:
    """The contact points 0 .. count - 1, domain by domain, and then interface by interface, in Work.by_domain."""
    domains, last = work.domains, regions(work)
    for one in range(last):
        domains[one, LAST_POINT] = 0
    for k in range(count):
        domains[region_of(work, k), LAST_POINT] += 1
    first = 0
    for one in range(last):
        domains[one, FIRST_POINT] = first
        first += domains[one, LAST_POINT]
        domains[one, LAST_POINT] = domains[one, FIRST_POINT]
    for k in range(count):
        one = region_of(work, k)
        work.by_domain[domains[one, LAST_POINT]] = k
        domains[one, LAST_POINT] += 1
