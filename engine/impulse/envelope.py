"""What slow and short mean inside an envelope: the speed gained by falling through it, and how long that takes."""

from __future__ import annotations

from math import inf, sqrt

from engine.kernel import kernel
from engine.model.model import GRAVITY_NORM, Floats


@kernel
def fall_speed(settings: Floats, envelope: float) -> float:
    """u0, the speed gained by falling through the envelope [m/s] (Mirtich 1996, 3.5)."""
    return sqrt(2.0 * settings[GRAVITY_NORM] * envelope)


@kernel
def fall_time(settings: Floats, envelope: float) -> float:
    """How long that takes [s]; inf where nothing falls."""
    speed = fall_speed(settings, envelope)
    return 2.0 * envelope / speed if speed > 0.0 else inf
