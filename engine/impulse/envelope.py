"""What slow and short mean inside an envelope: the speed gained by falling through it, and how long that takes."""

from __future__ import annotations

from math import inf, sqrt

from engine.kernel import kernel
from engine.maths.rounding import SINE
from engine.model.model import ENVELOPE, GRAVITY_NORM, LONGEST_STEP, MASS, SIZE, Floats
from engine.tolerances import ENVELOPE_FRACTION


@kernel
def fall_speed(settings: Floats, envelope: float) -> float:
    """u0, the speed gained by falling through the envelope [m/s] (Mirtich 1996, 3.5)."""
    return sqrt(2.0 * settings[GRAVITY_NORM] * envelope)


@kernel
def fall_time(settings: Floats, envelope: float) -> float:
    """How long that takes [s]; inf where nothing falls."""
    speed = fall_speed(settings, envelope)
    return 2.0 * envelope / speed if speed > 0.0 else inf


@kernel
def least_approach(settings: Floats, envelope: float) -> float:
    """A slower approach [m/s] is none: in a longest step it closes no part of the envelope that is not rounding."""
    return SINE * envelope / settings[LONGEST_STEP]


@kernel
def lift_energy(bodies: Floats, settings: Floats, i: int) -> float:
    """What lifts body i by its own envelope [J]: so much nobody sees, and nothing says where in it a body is laid."""
    envelope = settings[ENVELOPE]
    if envelope == 0.0:
        envelope = ENVELOPE_FRACTION * bodies[i, SIZE]
    return bodies[i, MASS] * settings[GRAVITY_NORM] * envelope
