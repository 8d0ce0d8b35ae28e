"""What springs, dampers, friction and motors do along a joint (Mirtich 1996, 5.4.1), by its position and speed.

The thesis writes a hard spring as -c / (q - end), which pulls towards its end; a sealed cylinder pushes away from it.
"""

from __future__ import annotations

from math import floor, log, pi

from engine.kernel import kernel
from engine.model.elements import (
    DAMPED,
    DAMPED_FIRST,
    DAMPER,
    DRIVE,
    DRIVEN_BY,
    DRY,
    GAS,
    GAS_END,
    REST,
    RUBBED,
    RUBBED_FIRST,
    SLIDES,
    STIFFNESS,
)
from engine.model.model import Floats


@kernel
def counted_on(angle: float, before: float) -> float:
    """An angle of -pi .. pi as the one of its whole turns that is nearest to `before` [rad]."""
    return angle + 2.0 * pi * floor((before - angle) / (2.0 * pi) + 0.5)


@kernel
def element_force(elements: Floats, ties: Floats, j: int, q: float, rate: float) -> float:
    """Force or couple along joint j at position q and speed `rate`: springs, damper, friction if it moves, motor."""
    f = ties[j, DRIVE] - elements[j, STIFFNESS] * (q - elements[j, REST]) - elements[j, DAMPER] * rate
    if elements[j, GAS] != 0.0:
        f += elements[j, GAS] / (q - elements[j, GAS_END])
    return f - elements[j, DRY] * ties[j, SLIDES]


@kernel
def stored_energy(elements: Floats, j: int, q: float) -> float:
    """Energy in the springs of joint j [J]; of a hard spring less that at 1 m or 1 rad from its end."""
    stretch = q - elements[j, REST]
    energy = 0.5 * elements[j, STIFFNESS] * stretch * stretch
    if elements[j, GAS] != 0.0:
        energy -= elements[j, GAS] * log(abs(q - elements[j, GAS_END]))
    return energy


@kernel
def note_losses(elements: Floats, ties: Floats, j: int, rate: float, time: float) -> None:
    """Add what damper and friction of joint j take, and its motor puts in, at a speed for a time."""
    ties[j, DAMPED] += time * elements[j, DAMPER] * rate * rate
    ties[j, RUBBED] += time * elements[j, DRY] * ties[j, SLIDES] * rate
    ties[j, DRIVEN_BY] += time * ties[j, DRIVE] * rate


@kernel
def begin_losses(elements: Floats, ties: Floats, j: int, rate: float, h: float) -> None:
    """Nothing has been taken yet in a step h; what would be if joint j went on with its speed at the start."""
    ties[j, DAMPED] = ties[j, RUBBED] = ties[j, DRIVEN_BY] = 0.0
    ties[j, DAMPED_FIRST] = h * elements[j, DAMPER] * rate * rate
    ties[j, RUBBED_FIRST] = h * elements[j, DRY] * ties[j, SLIDES] * rate
