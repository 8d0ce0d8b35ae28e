"""Contacts that collide one after the other, each followed through its own impact, until none approaches any more.

The pair that approaches fastest is next: a chain of equal balls hands on what it gets, ball by ball, as if they stood
apart, and conserves momentum and energy with as many balls at its end as came (Newton's cradle). The limit of contacts
ever harder is this law: a power law of compression in which waves become one contact wide (engine.impulse.wave).

A contact of one point is integrated (Mirtich 1996, chapter 3; Stronge's restitution). A pair that closes with several
points is one contact, and pairs that approach equally fast come at the same time: where those share a body they are
resolved at once, by Gauss' principle (engine.impulse.simultaneous). So no order of ids decides, and what is symmetric
stays so to rounding.

Impacts without end, ever slower, are the way in which inelastic contacts come to rest on each other. What is left of
them after many is taken at once: all contacts stop approaching, plastically.
"""

from __future__ import annotations

from engine.impulse.cluster import (
    BODIES,
    CHOSEN,
    CONTACTS,
    DYNAMIC,
    PAIR,
    RESTITUTION_AT,
    ROUNDS,
    SHARED,
    SIDE_A,
    SIDE_B,
    STATIC,
    Cluster,
    V,
    has_unexplored,
    note_impulse,
    own_matrix,
    push,
    velocity_at,
)
from engine.impulse.integration import integrate_collision
from engine.impulse.simultaneous import find_fastest, resolve_together, stop_approach
from engine.kernel import kernel

TIE = 1e-9
"""Pairs whose approach differs by less than this part come equally fast [1]: by rounding, not by the scene."""

ROUNDS_FOR_EACH = 20
"""After so many rounds for each contact [1] what still approaches stops at once."""


@kernel
def sequential_round(c: Cluster) -> bool:
    """The pair that approaches fastest collides, with all that come equally fast. False: none approaches any more."""
    fastest = find_fastest(c)
    if fastest <= 0.0:
        return False
    c.sizes[ROUNDS] += 1
    if c.sizes[ROUNDS] > ROUNDS_FOR_EACH * (1 + c.sizes[CONTACTS]):
        stop_approach(c)
        return has_unexplored(c)
    _choose(c, (1.0 - TIE) * fastest)
    together = False
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1 and _is_alone(c, k):
            c.contact[k, CHOSEN] = 2
        together = together or c.contact[k, CHOSEN] == 1
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 2:
            integrate_one(c, k)
    if together:
        resolve_together(c, 1.0)
    return True


@kernel
def _choose(c: Cluster, approach: float) -> None:
    """Choose the pairs of which a point approaches as fast as this, with all their points; count them by body."""
    count = c.sizes[CONTACTS]
    for at in range(c.sizes[BODIES]):
        c.body[at, SHARED] = 0
    first = 0
    while first < count:
        end = first
        chosen = 0
        while end < count and c.contact[end, PAIR] == c.contact[first, PAIR]:
            if -velocity_at(c, end, V)[0] >= approach:
                chosen = 1
            end += 1
        for k in range(first, end):
            c.contact[k, CHOSEN] = chosen
            for side in range(2):
                at = c.contact[k, SIDE_A if side == 0 else SIDE_B]
                if chosen == 1 and at >= 0:
                    c.body[at, SHARED] += 1
        first = end


@kernel
def _is_alone(c: Cluster, k: int) -> bool:
    """Does no other chosen contact touch a free body of contact k?"""
    a, b = c.contact[k, SIDE_A], c.contact[k, SIDE_B]
    return (a < 0 or c.body[a, SHARED] == 1) and (b < 0 or c.body[b, SHARED] == 1)


@kernel
def integrate_one(c: Cluster, k: int) -> None:
    """Contact k collides alone."""
    u = velocity_at(c, k, V)
    f = c.contacts
    p, _, work, _, _ = integrate_collision(
        own_matrix(c, k), (u[1], u[2], u[0]), f[k, STATIC], f[k, DYNAMIC], f[k, RESTITUTION_AT]
    )
    impulse = (p[2], p[0], p[1])
    push(c, k, impulse)
    note_impulse(c, k, impulse, work)
