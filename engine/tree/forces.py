"""What springs, dampers, friction and motors do along a joint (Mirtich 1996, 5.4.1), by its position and speed.

The thesis writes a hard spring as -c / (q - end), which pulls towards its end; a sealed cylinder pushes away from it.
"""

from __future__ import annotations

from math import floor, log, pi

from engine.kernel import kernel
from engine.maths.rounding import ROOT
from engine.model.elements import (
    DAMPED,
    DAMPED_FIRST,
    DAMPS,
    DRIVE,
    DRIVEN_BY,
    DRIVES,
    DRY,
    GAIN,
    GAS,
    GAS_END,
    HOLDS_SPEED,
    MISSING,
    MOTOR,
    NEXT_TICK,
    NO_MOTOR,
    PERIOD,
    RATE_GAIN,
    REST,
    RUBBED,
    RUBBED_FIRST,
    SLIDES,
    STIFFNESS,
    STRONGEST,
    SUM_GAIN,
    TARGET,
)
from engine.model.model import Floats

_DUE = 64.0 * ROOT  # of a period: a tick that is so near is due


@kernel
def counted_on(angle: float, before: float) -> float:
    """An angle of -pi .. pi as the one of its whole turns that is nearest to `before` [rad]."""
    return angle + 2.0 * pi * floor((before - angle) / (2.0 * pi) + 0.5)


@kernel
def element_force(elements: Floats, ties: Floats, j: int, q: float, rate: float) -> float:
    """Force or couple along joint j at position q and speed `rate`: springs, damper, friction if it moves, motor."""
    f = ties[j, DRIVES] * motor_force(elements, ties, j, q, rate) - ties[j, DAMPS] * rate
    return f - spring_force(elements, j, q) - elements[j, DRY] * ties[j, SLIDES]


@kernel
def motor_force(elements: Floats, ties: Floats, j: int, q: float, rate: float) -> float:
    """What the motor of joint j bears: what its last tick said, or what is due to where the joint is now."""
    if elements[j, PERIOD] > 0.0 or elements[j, MOTOR] == NO_MOTOR:
        return ties[j, DRIVE]
    return motor_law(elements, j, q, rate, 0.0)


@kernel
def motor_law(elements: Floats, j: int, q: float, rate: float, missing: float) -> float:
    """A controller's force at a position and speed, and for the integral of what was missing (Mirtich 1996, 5.15)."""
    if elements[j, MOTOR] == HOLDS_SPEED:
        f = elements[j, RATE_GAIN] * (elements[j, TARGET] - rate)
    else:
        f = elements[j, GAIN] * (elements[j, TARGET] - q) - elements[j, RATE_GAIN] * rate
    f += elements[j, SUM_GAIN] * missing
    return min(max(f, -elements[j, STRONGEST]), elements[j, STRONGEST])


@kernel
def answers_speed(elements: Floats, j: int) -> bool:
    """Is there a motor at joint j whose force goes with its speed at every instant?"""
    return elements[j, MOTOR] != NO_MOTOR and elements[j, PERIOD] == 0.0 and elements[j, RATE_GAIN] > 0.0


@kernel
def sought_speed(elements: Floats, j: int, q: float) -> float:
    """The speed at which such a motor bears nothing at position q: below, it drives, above, it brakes."""
    if elements[j, MOTOR] == HOLDS_SPEED:
        return elements[j, TARGET]
    return elements[j, GAIN] * (elements[j, TARGET] - q) / elements[j, RATE_GAIN]


@kernel
def is_due(elements: Floats, ties: Floats, j: int, t: float) -> bool:
    """Is the next tick of the motor of joint j at time t, or earlier?"""
    return t >= ties[j, NEXT_TICK] - _DUE * elements[j, PERIOD]


@kernel
def tick_motor(elements: Floats, ties: Floats, j: int, q: float, rate: float, t: float) -> None:
    """The motor of joint j ticks at time t if it is due: it bears from now on what its law says.

    What its force is too weak for is not summed up: it would have to be taken back.
    """
    period = elements[j, PERIOD]
    if elements[j, MOTOR] == NO_MOTOR or period == 0.0 or not is_due(elements, ties, j, t):
        return
    lacks = elements[j, TARGET] - (rate if elements[j, MOTOR] == HOLDS_SPEED else q)
    missing = ties[j, MISSING] + period * lacks
    f = motor_law(elements, j, q, rate, missing)
    if abs(f) < elements[j, STRONGEST]:
        ties[j, MISSING] = missing
    ties[j, DRIVE] = f
    ties[j, NEXT_TICK] = (floor(t / period + _DUE) + 1.0) * period


@kernel
def stored_energy(elements: Floats, j: int, q: float) -> float:
    """Energy in the springs of joint j [J]; of a hard spring less that at 1 m or 1 rad from its end."""
    stretch = q - elements[j, REST]
    energy = 0.5 * elements[j, STIFFNESS] * stretch * stretch
    if elements[j, GAS] != 0.0:
        energy -= elements[j, GAS] * log(abs(q - elements[j, GAS_END]))
    return energy


@kernel
def spring_force(elements: Floats, j: int, q: float) -> float:
    """Against what force or couple of its springs joint j moves on at position q: how stored energy changes with q."""
    force = elements[j, STIFFNESS] * (q - elements[j, REST])
    if elements[j, GAS] != 0.0:
        force -= elements[j, GAS] / (q - elements[j, GAS_END])
    return force


@kernel
def note_losses(elements: Floats, ties: Floats, j: int, q: float, rate: float, time: float) -> None:
    """Add what damper and friction of joint j take, and its motor puts in, at a position and speed for a time."""
    ties[j, DAMPED] += time * ties[j, DAMPS] * rate * rate
    ties[j, RUBBED] += time * elements[j, DRY] * ties[j, SLIDES] * rate
    ties[j, DRIVEN_BY] += time * ties[j, DRIVES] * motor_force(elements, ties, j, q, rate) * rate


@kernel
def begin_losses(elements: Floats, ties: Floats, j: int, rate: float, h: float) -> None:
    """Nothing has been taken yet in a step h; what would be if joint j went on with its speed at the start."""
    ties[j, DAMPED] = ties[j, RUBBED] = ties[j, DRIVEN_BY] = 0.0
    ties[j, DAMPED_FIRST] = h * ties[j, DAMPS] * rate * rate
    ties[j, RUBBED_FIRST] = h * elements[j, DRY] * ties[j, SLIDES] * rate
