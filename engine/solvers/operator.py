"""N of w = N x + b: a whole symmetric matrix, or J M⁻¹ Jᵀ by blocks that is never made whole.

Thousands of contacts need the second form: a contact touches two bodies only, so that N x costs two blocks of J
a contact, whatever the number of contacts that a body has (Mazhar et al. 2015, sec. 4).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import kernel
from engine.solvers.linear import is_finite_matrix


class Operator(NamedTuple):
    """N for m contacts of d unknowns each: d = 1 without friction, 3 (normal, tangent, tangent) with it."""

    dense: Floats
    """(d m, d m) N itself, symmetric; (0, 0) in the form by blocks."""
    pair: Ints
    """(m, 2) bodies a and b of each contact; -1 for what does not move. (0, 2) in the dense form."""
    rows: Floats
    """(m, 2, d, 6) the blocks of J for a and b."""
    responses: Floats
    """(m, 2, d, 6) the blocks of J M⁻¹: what each unknown does to its bodies' velocities."""
    bodies: int
    """How many bodies the pairs speak of."""


def dense_operator(A: Floats) -> Operator:
    """N = A, (n, n), symmetric."""
    none = np.zeros((0, 2, 1, 6))
    return Operator(np.ascontiguousarray(A, dtype=np.float64), np.zeros((0, 2), dtype=np.int64), none, none, 0)


def block_operator(pair: Ints, rows: Floats, inverse_mass: Floats) -> Operator:
    """N = J M⁻¹ Jᵀ of the blocks `rows`, (m, 2, d, 6), and M⁻¹ by bodies, (n, 6, 6); rows of body -1 count as zero."""
    there = (pair >= 0)[:, :, None, None]
    rows = np.ascontiguousarray(np.where(there, rows, 0.0), dtype=np.float64)
    if len(inverse_mass) == 0:
        return Operator(np.zeros((0, 0)), pair.astype(np.int64), rows, np.zeros_like(rows), 0)
    responses = np.ascontiguousarray(rows @ inverse_mass[np.maximum(pair, 0)])
    return Operator(np.zeros((0, 0)), pair.astype(np.int64), rows, responses, len(inverse_mass))


@kernel
def is_dense(operator: Operator) -> bool:
    """Whether N is given whole."""
    return operator.dense.shape[0] > 0


@kernel
def is_finite_operator(operator: Operator) -> bool:
    """Whether nothing in N is NaN, infinite or too large to be multiplied."""
    good = is_finite_matrix(operator.dense)
    for k in range(operator.rows.shape[0]):
        for side in range(2):
            good = good and is_finite_matrix(operator.rows[k, side]) and is_finite_matrix(operator.responses[k, side])
    return good


@kernel
def multiply(operator: Operator, x: Floats, velocity: Floats, out: Floats) -> None:
    """out = N x, (d m,); `velocity`, (bodies, 6), becomes M⁻¹ Jᵀ x in the form by blocks."""
    if is_dense(operator):
        _multiply_dense(operator.dense, x, out)
    else:
        _move_bodies(operator, x, velocity)
        _read_contacts(operator, velocity, out)


@kernel
def _multiply_dense(A: Floats, x: Floats, out: Floats) -> None:
    """By columns, which are rows of a symmetric matrix: sums along a row could not use the processor's vectors."""
    n = x.shape[0]
    for i in range(n):
        out[i] = 0.0
    for j in range(n):
        factor = x[j]
        if factor != 0.0:
            for i in range(n):
                out[i] += factor * A[j, i]


@kernel
def _move_bodies(operator: Operator, x: Floats, velocity: Floats) -> None:
    for body in range(operator.bodies):
        for axis in range(6):
            velocity[body, axis] = 0.0
    d = operator.rows.shape[2]
    for k in range(operator.pair.shape[0]):
        for row in range(d):
            push_bodies(operator, k, row, x[d * k + row], velocity)


@kernel
def _read_contacts(operator: Operator, velocity: Floats, out: Floats) -> None:
    d = operator.rows.shape[2]
    for k in range(operator.pair.shape[0]):
        for row in range(d):
            out[d * k + row] = read_contact(operator, k, row, velocity)


@kernel
def push_bodies(operator: Operator, k: int, row: int, x: float, velocity: Floats) -> None:
    """velocity += M⁻¹ Jᵀ x for one unknown of contact k."""
    if x == 0.0:
        return
    for side in range(2):
        body = operator.pair[k, side]
        if body >= 0:
            for axis in range(6):
                velocity[body, axis] += operator.responses[k, side, row, axis] * x


@kernel
def read_contact(operator: Operator, k: int, row: int, velocity: Floats) -> float:
    """J velocity at one row of contact k."""
    total = 0.0
    for side in range(2):
        body = operator.pair[k, side]
        if body >= 0:
            for axis in range(6):
                total += operator.rows[k, side, row, axis] * velocity[body, axis]
    return total


@kernel
def fill_diagonal(operator: Operator, blocks: Floats) -> None:
    """Write the blocks of N on its diagonal into `blocks`, (m, d, d)."""
    d = blocks.shape[1]
    for k in range(blocks.shape[0]):
        for i in range(d):
            for j in range(d):
                if is_dense(operator):
                    blocks[k, i, j] = operator.dense[d * k + i, d * k + j]
                else:
                    blocks[k, i, j] = _coupling(operator, k, i, j)


@kernel
def _coupling(operator: Operator, k: int, i: int, j: int) -> float:
    """N between two unknowns of one contact; a body that touches itself responds at both sides."""
    total = 0.0
    for side in range(2):
        body = operator.pair[k, side]
        for other in range(2):
            if body >= 0 and operator.pair[k, other] == body:
                for axis in range(6):
                    total += operator.rows[k, side, i, axis] * operator.responses[k, other, j, axis]
    return total


@kernel
def fill_scale(operator: Operator, d: int, scale: Floats) -> None:
    """Write 1 / √(mean response) of each contact into `scale`, (d m,), once for every unknown; 1 if it is 0.

    diag(scale) N diag(scale) has a diagonal near 1, and keeps every cone: its scale is one number a contact.
    """
    for k in range(scale.shape[0] // d):
        total = 0.0
        for i in range(d * k, d * k + d):
            total += operator.dense[i, i] if is_dense(operator) else _coupling(operator, k, i - d * k, i - d * k)
        value = math.sqrt(d / total) if total > 0.0 else 1.0
        for i in range(d * k, d * k + d):
            scale[i] = value


@kernel
def bound_largest(operator: Operator, scale: Floats, velocity: Floats) -> float:
    """Above the largest eigenvalue of diag(scale) N diag(scale): no sum of |entries| along a row is larger."""
    most = 0.0
    if is_dense(operator):
        for i in range(scale.shape[0]):
            total = 0.0
            for j in range(scale.shape[0]):
                total += abs(operator.dense[i, j]) * scale[j]
            most = max(most, scale[i] * total)
        return most
    for body in range(operator.bodies):
        for axis in range(6):
            velocity[body, axis] = 0.0
    d = operator.rows.shape[2]
    for k in range(operator.pair.shape[0]):
        for side in range(2):
            body = operator.pair[k, side]
            if body >= 0:
                for row in range(d):
                    for axis in range(6):
                        velocity[body, axis] += abs(operator.responses[k, side, row, axis]) * scale[d * k + row]
    for k in range(operator.pair.shape[0]):
        for row in range(d):
            total = 0.0
            for side in range(2):
                body = operator.pair[k, side]
                if body >= 0:
                    for axis in range(6):
                        total += abs(operator.rows[k, side, row, axis]) * velocity[body, axis]
            most = max(most, scale[d * k + row] * total)
    return most
