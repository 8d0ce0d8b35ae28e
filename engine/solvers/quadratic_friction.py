"""Static friction by guessed signs: Baraff's quadratic programming approximation (1992, sec. 14.2.3 and appendix C).

With w = A f + b, a contact that does not slip obeys, on its axis x and likewise on y,

    0 <= f_n ⟂ w_n >= 0,   |f_x| <= mu f_n,   f_x w_x <= 0,   (mu f_n - |f_x|) w_x = 0,        (14-14 to 14-18)

Coulomb's law in a plane, and with the axes decoupled in space. One that slips has f_t = -mu f_n v_t / |v_t|. Given the
signs σ of f_x and f_y, the sum of all products (14-19) is to be zero, each of whose factors is linear in f and not
negative: a quadratic program, and not a convex one.

But for σ f_x >= 0 these are the conditions of an LCP in f_n and h = mu f_n - σ f_x, with -σ w_x beside h. It is what
Lemke's algorithm solves here, and an f that comes out of it with σ f_x >= 0 makes (14-19) zero, so it is the program's
optimum. Where friction sticks and σ f_x < 0 came out, the guess was wrong and does not matter; elsewhere the sign is
turned and the LCP solved again. Signs are first guessed by appendix C's iteration, in its Gauss-Seidel form (Jacobi's
diverges where several contacts share a body's weight), with f_x w_x + f_y w_y for the printed f_x w_x + f_x w_x.

It may fail, as the thesis says; then x is the best of all that was seen, and its residual tells how good.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.dynamic_friction import friction_direction
from engine.solvers.lemke import solve_lemke
from engine.solvers.linear import is_finite, is_finite_matrix, largest_entry, multiply_add, not_finite
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, Solution, Trace, no_trace, note_iteration

GUESSING_SWEEPS = 30
"""Sweeps of appendix C's iteration before each guess of the signs [1]."""


@array_kernel
def solve_quadratic_friction(
    A: Floats, b: Floats, mu: Floats, slip: Floats, tolerance: float, rounds: int, trace: Trace
) -> Solution:
    """A (3 m, 3 m), b (3 m,), mu (m,), slip (m, 2) [m/s]; at most `rounds` guesses of the signs, each one iteration.

    A contact sticks where its slip is exactly zero. The residual is ‖f - P(f - w)‖∞ / (1 + ‖b‖∞) with P onto f_n >= 0
    and |f_x|, |f_y| <= mu f_n, for the f_n of f.
    """
    m = mu.shape[0]
    if not (is_finite_matrix(A) and is_finite(b) and is_finite(mu) and is_finite_matrix(slip)):
        return not_finite(b, 0)
    f, w, best = np.zeros(3 * m), b.copy(), np.zeros(3 * m)
    guess, signs = np.zeros(3 * m), np.ones((m, 2))
    T = np.zeros((3 * m, 3 * m))
    least = signs_residual(f, w, b, mu, slip)
    done = 0
    while least > tolerance and done < rounds:
        if not _turn_signs(f, w, mu, slip, signs) or done == 0:
            for _ in range(GUESSING_SWEEPS):
                sweep_static_friction(A, b, mu, slip, guess)
            if not is_finite(guess):  # the iteration has no solution to come to
                guess[:] = 0.0
            multiply_add(A, guess, b, w)
            _guess_signs(guess, w, signs)
            least = _keep_better(guess, w, b, mu, slip, least, best)
        _fill_forces(mu, slip, signs, T)
        _solve_signs(A, b, slip, signs, T, tolerance, f)
        multiply_add(A, f, b, w)
        note_iteration(trace, f, w, signs_residual(f, w, b, mu, slip), -1)
        least = _keep_better(f, w, b, mu, slip, least, best)
        done += 1
    multiply_add(A, best, b, w)
    return Solution(best, w, SOLVED if least <= tolerance else ITERATION_LIMIT, least, done)


@kernel
def sweep_static_friction(A: Floats, b: Floats, mu: Floats, slip: Floats, f: Floats) -> None:
    """One sweep of appendix C's iteration over all contacts, here in its Gauss-Seidel form; f (3 m,) is improved."""
    for k in range(mu.shape[0]):
        i = 3 * k
        if slip[k, 0] != 0.0 or slip[k, 1] != 0.0:
            dx, dy = friction_direction(mu[k], slip[k, 0], slip[k, 1], 0.0)
            own = A[i, i] + A[i, i + 1] * dx + A[i, i + 2] * dy
            if own > 0.0:
                f[i] = max(f[i] - _row(A, b, i, f) / own, 0.0)
            f[i + 1], f[i + 2] = dx * f[i], dy * f[i]
            continue
        if A[i, i] > 0.0:
            f[i] = max(f[i] - _row(A, b, i, f) / A[i, i], 0.0)
        wx, wy = _row(A, b, i + 1, f), _row(A, b, i + 2, f)
        if math.hypot(f[i + 1], f[i + 2]) < mu[k] * f[i] or f[i + 1] * wx + f[i + 2] * wy > 0.0:
            f[i + 1] -= wx / A[i + 1, i + 1] if A[i + 1, i + 1] > 0.0 else 0.0
            f[i + 2] -= wy / A[i + 2, i + 2] if A[i + 2, i + 2] > 0.0 else 0.0
        size = math.hypot(f[i + 1], f[i + 2])
        if size > mu[k] * f[i]:
            f[i + 1] *= mu[k] * f[i] / size
            f[i + 2] *= mu[k] * f[i] / size


@kernel
def _row(A: Floats, b: Floats, i: int, f: Floats) -> float:
    total = b[i]
    for j in range(f.shape[0]):
        total += A[i, j] * f[j]
    return total


@kernel
def _guess_signs(f: Floats, w: Floats, signs: Floats) -> None:
    """Signs of friction; where there is none yet, those that oppose the acceleration."""
    for k in range(signs.shape[0]):
        for axis in range(2):
            i = 3 * k + 1 + axis
            towards = f[i] if f[i] != 0.0 else -w[i]
            signs[k, axis] = 1.0 if towards >= 0.0 else -1.0


@kernel
def _turn_signs(f: Floats, w: Floats, mu: Floats, slip: Floats, signs: Floats) -> bool:
    """Turn the signs of friction that came out beyond its bound on the other side; False if there is none."""
    turned = False
    for k in range(mu.shape[0]):
        for axis in range(2):
            i = 3 * k + 1 + axis
            if slip[k, 0] == 0.0 and slip[k, 1] == 0.0 and signs[k, axis] * f[i] < -mu[k] * f[3 * k]:
                signs[k, axis] *= -1.0
                turned = True
    return turned


@kernel
def _fill_forces(mu: Floats, slip: Floats, signs: Floats, T: Floats) -> None:
    """f = T z with z = (f_n, h_x, h_y) a contact: σ (mu f_n - h); h does nothing where the contact slips."""
    for k in range(mu.shape[0]):
        i = 3 * k
        T[i, i] = 1.0
        slips = slip[k, 0] != 0.0 or slip[k, 1] != 0.0
        direction = friction_direction(mu[k], slip[k, 0], slip[k, 1], 0.0) if slips else (0.0, 0.0)
        for axis in range(2):
            sign = signs[k, axis]
            T[i + 1 + axis, i] = direction[axis] if slips else sign * mu[k]
            T[i + 1 + axis, i + 1 + axis] = 0.0 if slips else -sign


@array_kernel
def _solve_signs(A: Floats, b: Floats, slip: Floats, signs: Floats, T: Floats, tolerance: float, f: Floats) -> None:
    """f of the LCP for these signs, or what Lemke's algorithm ended with: the caller looks how good it is."""
    n = b.shape[0]
    M, q, cover = np.zeros((n, n)), b.copy(), np.ones(n)
    for k in range(slip.shape[0]):
        for i in range(n):  # A T, of whose blocks only those on the diagonal are not zero
            for j in range(3 * k, 3 * k + 3):
                for inner in range(3 * k, 3 * k + 3):
                    M[i, j] += A[i, inner] * T[inner, j]
    for k in range(slip.shape[0]):
        for axis in range(2):
            i = 3 * k + 1 + axis
            if slip[k, 0] != 0.0 or slip[k, 1] != 0.0:
                M[i] = 0.0
                M[i, i] = 1.0
                q[i] = 0.0
            else:
                M[i] *= -signs[k, axis]
                q[i] *= -signs[k, axis]
    for i in range(n):
        if A[i, i] > 0.0:
            cover[i] = math.sqrt(A[i, i])
    solution = solve_lemke(M, q, cover, False, tolerance, 20 * n + 100, no_trace())
    for i in range(n):
        f[i] = 0.0
        for j in range(n):
            f[i] += T[i, j] * solution.x[j]


@kernel
def _keep_better(f: Floats, w: Floats, b: Floats, mu: Floats, slip: Floats, least: float, best: Floats) -> float:
    """Copy f to `best` if its residual is less than `least`; the smaller of the two."""
    residual = signs_residual(f, w, b, mu, slip)
    if not (is_finite(f) and residual < least):
        return least
    for i in range(f.shape[0]):
        best[i] = f[i]
    return residual


@kernel
def signs_residual(f: Floats, w: Floats, b: Floats, mu: Floats, slip: Floats) -> float:
    """How far this model's conditions are from holding, whatever the signs were."""
    worst = 0.0
    for k in range(mu.shape[0]):
        i = 3 * k
        worst = max(worst, abs(min(f[i], w[i])))
        most = mu[k] * max(f[i], 0.0)
        if slip[k, 0] != 0.0 or slip[k, 1] != 0.0:
            dx, dy = friction_direction(mu[k], slip[k, 0], slip[k, 1], 0.0)
            worst = max(worst, abs(f[i + 1] - dx * f[i]), abs(f[i + 2] - dy * f[i]))
        else:
            for j in range(i + 1, i + 3):
                worst = max(worst, abs(f[j] - min(max(f[j] - w[j], -most), most)))
    return worst / (1.0 + largest_entry(b))
