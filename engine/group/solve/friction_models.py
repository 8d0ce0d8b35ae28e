"""Models of friction that a scene may choose besides Coulomb's cone (Baraff 1992, section 14.2), in a group's sweeps.

    lotstedt    bounded by mu times what the point bore in the step before: what is new there slips for a step, and
                what is lightened is held too well for one (14.2.1; there along two axes, here alike in all directions)
    dynamic     mu p_n u_t / creep where sliding is slower than that: nothing is held, it creeps (14.2.2, 14-12)
    quadratic   |p_1|, |p_2| <= mu p_n, two axes that know nothing of each other: friction is up to sqrt(2) times as
                strong between them, and what slides askew is bent off its line (14.2.3)

Each opposes the sliding that there is, so that none creates energy; what is struck rubs as ever. Newton's method knows
none of these: they are left to sweeps.
"""

from __future__ import annotations

from math import copysign, sqrt

from engine.group.work import (
    CREEP,
    D_TT,
    DYNAMIC,
    FRICTION,
    IMPULSE_AT,
    LOAD_BEFORE,
    ROW,
    SLIDES,
    SLIP,
    STATIC,
    WARM,
    Work,
)
from engine.kernel import kernel
from engine.model.model import (
    DYNAMIC_ONLY,
    FRICTION_MODEL,
    GRAVITY_NORM,
    LONGEST_STEP,
    LOTSTEDT,
    SIZE,
    Floats,
    Ints,
    Model,
)
from engine.model.state import BODY_A, BODY_B, State
from engine.tolerances import CREEP_SHARE, STANDARD_GRAVITY


@kernel
def creep_speed(settings: Floats, bodies: Floats, a: int, b: int) -> float:
    """Up to this speed of sliding [m/s] friction between bodies a and b fades, where it does."""
    gravity = max(settings[GRAVITY_NORM], STANDARD_GRAVITY)
    return CREEP_SHARE * sqrt(gravity * min(bodies[a, SIZE], bodies[b, SIZE]))


@kernel
def aim_friction(model: Model, state: State, work: Work, k: int, h: float) -> None:
    """The law of friction of point k in a step h, and what that needs to know."""
    law = int(model.settings[FRICTION_MODEL])
    work.contact[k, FRICTION] = law
    work.notes[k, LOAD_BEFORE] = work.notes[k, WARM] * h / model.settings[LONGEST_STEP]
    if law == DYNAMIC_ONLY:
        row = work.contact[k, ROW]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        work.notes[k, CREEP] = creep_speed(model.settings, model.bodies, a, b)


@kernel
def bounding_load(contact: Ints, notes: Floats, k: int, load: float) -> float:
    """The load that bounds the friction of point k [N s]: its own, or that of the step before."""
    return notes[k, LOAD_BEFORE] if contact[k, FRICTION] == LOTSTEDT else load


@kernel
def slip_per_impulse(contact: Ints, contacts: Floats, notes: Floats, k: int, load: float) -> float:
    """With what slip friction of 1 N s goes at point k, slow as it slides [1/kg]; 0: it holds what it can."""
    most = contacts[k, STATIC] * load
    if contact[k, FRICTION] != DYNAMIC_ONLY or not most > 0.0:
        return 0.0
    return notes[k, CREEP] / most


@kernel
def project_onto_square(
    contact: Ints, contacts: Floats, notes: Floats, k: int, load: float, u_1: float, u_2: float
) -> tuple[float, float]:
    """As `project_friction`, of two axes that know nothing of each other: each holds, or opposes its own slip."""
    change_1 = _project_axis(contacts, notes, k, 0, load, u_1)
    change_2 = _project_axis(contacts, notes, k, 1, load, u_2 + change_1 * contacts[k, D_TT + 1])
    most = contacts[k, DYNAMIC] * load
    slides = max(abs(contacts[k, IMPULSE_AT + 1]), abs(contacts[k, IMPULSE_AT + 2])) >= most
    contact[k, SLIDES] = 1 if slides else 0
    return change_1, change_2


@kernel
def _project_axis(contacts: Floats, notes: Floats, k: int, axis: int, load: float, u: float) -> float:
    """One axis of it, along which point k slides with u at the end; by how much its friction changes [N s]."""
    before = contacts[k, IMPULSE_AT + 1 + axis]
    d = contacts[k, D_TT + 2 * axis]
    after = before - u / d
    if abs(after) > contacts[k, STATIC] * load:
        drag = contacts[k, DYNAMIC] * load
        then = notes[k, SLIP + axis]
        if abs(u) < abs(then):  # as `opposed_slip` of Coulomb's cone
            u, then = 0.5 * u, 0.5 * copysign(u, then)
        after = min(max(before - (u + then) / d, -drag), drag)
    contacts[k, IMPULSE_AT + 1 + axis] = after
    return after - before
