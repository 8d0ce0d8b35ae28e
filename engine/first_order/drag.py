"""Drag: what holds back the bodies of a first-order world."""

from __future__ import annotations

from engine.collision.narrow.frames import matrix_of
from engine.group.work import Q, V, W, Work
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import dot, vector_at
from engine.model.model import DRAG, MASS, MOMENTS, Model


@kernel
def drag_power(model: Model, work: Work, at: int) -> float:
    """What drag takes from the body of row `at` through the step [W]: drag v . M v."""
    bodies, i = model.bodies, work.body[at]
    v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
    m = matrix_of(quat_at(work.poses, at, Q))
    total = bodies[i, MASS] * dot(v, v)
    for k in range(3):
        spin = m[k] * w[0] + m[3 + k] * w[1] + m[6 + k] * w[2]
        total += bodies[i, MOMENTS + k] * spin * spin
    return model.settings[DRAG] * total
