"""Contacts that collide one after the other: in rounds, until none approaches any more.

In a round every pair that approaches collides as it would alone: a contact of one point is integrated (Mirtich 1996,
chapter 3; Stronge's restitution), and a pair that closes with several points is one impact, by Gauss' principle
(engine.impulse.simultaneous). Those that share no body are independent of each other. Those that do collide at once, as
one impact along the line on which each alone would push: all their impulses p are taken s times, with

    s = sum of p_i · W_ii p_i / sum of p_i · W_ij p_j

(W: what impulses do to the velocities of contacts; i and j are pairs), so that s = 1 where none feels the other, and
two alike bounce as each would. A pair alone does the work p · u + p · W_ii p / 2 <= 0, all of them together s times the
sum of that: no round creates energy. Friction stays in its cones. There is no order of ids, nor of speeds: what is
symmetric stays so to rounding.

A row of equal balls hands on what it gets, ball by ball, as if they stood apart, and as many leave it as came (Newton's
cradle, exactly); and what hits two at once shares itself out. Contacts are those of the limit of ever harder ones, with
no wave longer than a contact (for longer ones see engine.impulse.wave).

Impacts without end, ever slower, are the way in which inelastic contacts come to rest on each other. What is left of
them after many rounds is taken at once: all contacts stop approaching, plastically.
"""

from __future__ import annotations

from engine.impulse.cluster import (
    BODIES,
    CONTACTS,
    DYNAMIC,
    FASTEST,
    IN_SET,
    LEAST,
    MOVER_A,
    MOVER_B,
    OWN_SQUARE,
    PAIR,
    RESTITUTION_AT,
    ROUNDS,
    SET,
    SET_IMPULSE,
    SET_PAIRS,
    SQUARE,
    STATIC,
    U_BEFORE,
    V_ROUND,
    Cluster,
    P,
    V,
    has_unexplored,
    hold_joints,
    own_matrix,
    push,
    set_back,
    velocity_at,
)
from engine.impulse.integration import integrate_collision
from engine.impulse.simultaneous import (
    ROUNDING,
    find_fastest,
    most_impulse,
    note_impulses,
    solve_together,
    stop_approach,
)
from engine.kernel import kernel
from engine.maths.vectors import dot, scale, sub, vector_at

MOST_ROUNDS = 100
"""After so many rounds, and as many more as there are contacts [1], what still approaches stops at once."""


@kernel
def sequential_round(c: Cluster) -> bool:
    """All pairs that approach collide. False: none does any more."""
    if find_fastest(c) <= 0.0:
        return False
    c.sizes[ROUNDS] += 1
    if c.sizes[ROUNDS] > MOST_ROUNDS + c.sizes[CONTACTS]:
        return stop_approach(c) and has_unexplored(c)
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V_ROUND + j] = c.twists[at, V + j]
    _find_sets(c)
    first = 0
    while first < c.sizes[CONTACTS]:
        end = pair_end(c, first)
        if c.contact[first, IN_SET] >= 0:
            _collide_alone(c, first, end)
        first = end
    _collide_together(c)
    return True


@kernel
def pair_end(c: Cluster, first: int) -> int:
    """The row after those of the pair that begins in row `first`."""
    end = first + 1
    while end < c.sizes[CONTACTS] and c.contact[end, PAIR] == c.contact[first, PAIR]:
        end += 1
    return end


@kernel
def _find_sets(c: Cluster) -> None:
    """Which contacts collide, and which of them at once: sets, numbered by their first rows."""
    count = c.sizes[CONTACTS]
    for at in range(c.sizes[BODIES]):
        c.body[at, SET] = count
    first = 0
    while first < count:
        end = pair_end(c, first)
        number = -1
        for k in range(first, end):
            approach = -velocity_at(c, k, V)[0]
            if approach > c.contacts[k, LEAST] and approach > ROUNDING * c.scales[FASTEST]:
                number = first
        for k in range(first, end):
            c.contact[k, IN_SET] = number
            c.contacts[k, SET_PAIRS] = c.contacts[k, OWN_SQUARE] = c.contacts[k, SQUARE] = 0.0
            c.contacts[k, SET_IMPULSE] = 0.0
        first = end
    changed = True
    while changed:
        changed = False
        for k in range(count):
            number = c.contact[k, IN_SET]
            if number < 0:
                continue
            for side in range(2):
                at = c.contact[k, MOVER_A if side == 0 else MOVER_B]
                if at >= 0:
                    number = min(number, c.body[at, SET])
            for side in range(2):
                at = c.contact[k, MOVER_A if side == 0 else MOVER_B]
                if at >= 0 and c.body[at, SET] != number:
                    c.body[at, SET] = number
                    changed = True
            c.contact[k, IN_SET] = number


@kernel
def _collide_alone(c: Cluster, first: int, end: int) -> None:
    """The impulses P of the pair in these rows if it were alone; they do not act yet."""
    if end == first + 1:
        u = velocity_at(c, first, V)
        p, after, _, _, _ = integrate_collision(
            own_matrix(c, first),
            (u[1], u[2], u[0]),
            c.contacts[first, STATIC],
            c.contacts[first, DYNAMIC],
            c.contacts[first, RESTITUTION_AT],
        )
        for j in range(3):
            c.contacts[first, U_BEFORE + j] = u[j]
        c.contacts[first, P], c.contacts[first, P + 1], c.contacts[first, P + 2] = p[2], p[0], p[1]
        own = dot(p, sub(after, (u[1], u[2], u[0])))
    else:
        solve_together(c, first, end, 1.0)
        own = _square(c, first, end)
        for side in range(2):
            at = c.contact[first, MOVER_A if side == 0 else MOVER_B]
            if at >= 0:
                set_back(c, at)
    number = c.contact[first, IN_SET]
    c.contacts[number, SET_PAIRS] += 1.0
    c.contacts[number, OWN_SQUARE] += own


@kernel
def _square(c: Cluster, first: int, end: int) -> float:
    """P of these contacts times what has changed their velocities since they were noted [J]."""
    square = 0.0
    for k in range(first, end):
        change = sub(velocity_at(c, k, V), vector_at(c.contacts, k, U_BEFORE))
        square += dot(vector_at(c.contacts, k, P), change)
    return square


@kernel
def _collide_together(c: Cluster) -> None:
    """The impulses P of all sets act, with those of one set s times."""
    count = c.sizes[CONTACTS]
    f = c.contacts
    for k in range(count):
        if c.contact[k, IN_SET] >= 0:
            push(c, k, vector_at(f, k, P))
    hold_joints(c, 0, count)
    for k in range(count):
        if c.contact[k, IN_SET] >= 0:
            f[c.contact[k, IN_SET], SQUARE] += _square(c, k, k + 1)
            f[c.contact[k, IN_SET], SET_IMPULSE] += f[k, P]
    most = most_impulse(c)
    for k in range(count):
        number = c.contact[k, IN_SET]
        if number >= 0 and f[number, SET_PAIRS] > 1.0 and f[number, SQUARE] > 0.0:
            share = f[number, OWN_SQUARE] / f[number, SQUARE]
            if share * f[number, SET_IMPULSE] > most:
                continue  # they press against each other, and nothing that is free gives way
            push(c, k, scale(vector_at(f, k, P), share - 1.0))
            for j in range(3):
                f[k, P + j] *= share
    hold_joints(c, 0, count)
    for k in range(count):
        if c.contact[k, IN_SET] >= 0:
            note_impulses(c, k, k + 1)
