"""Contact forces with friction on random planar cases: every answer meets its own model's conditions, or says it fails.

The conditions are recomputed here from the forces alone. Among the cases are the rods of Baraff 1992, chapter 10, which
have two answers or none, alone, on fixed ground and on a block in wedges.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.analysis.contact_problem import ContactProblem, contact_matrix, jacobian
from engine.experiments.subset_sum import (
    COS,
    CRAWL,
    GRAVITY,
    MU,
    SIN,
    SPIN,
    Frictional,
    Rod,
    configuration,
    frictional,
    solve_by_lemke,
    solve_by_trying,
    subset_sum_configuration,
)
from engine.solvers.gauss_seidel import solve_gauss_seidel
from engine.solvers.solution import INFEASIBLE, RAY, SOLVED, STATUS_NAMES, Solution, no_trace
from tests.contact_problems import contact_operator, impulse_scale, random_planar_problem, velocity_ahead

METHODS = ["dynamic", "gauss_seidel"]
STEP = 0.01
"""The step of the methods that work on velocities [s]."""


def planar_case(seed: int) -> ContactProblem:
    """A quarter rods, some of them on the block; the rest anything."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        normal = (0.0, 1.0)
        rods = []
        for k in range(int(rng.integers(1, 5))):
            spin = float(rng.choice([0.0, SPIN, rng.normal() * 5]))
            gravity = float(rng.choice([0.0, GRAVITY, rng.uniform(0, 30)]))
            slip = float(rng.choice([-1.0, 0.0, 1.0]))
            rods.append(Rod(10 ** rng.uniform(-1, 1), (3.0 * k, 0.0), normal, spin, gravity, slip))
        return configuration(rods, None)
    if seed % 40 == 1:
        numbers = [int(a) for a in rng.integers(1, 20, rng.integers(1, 7))]
        return subset_sum_configuration(numbers, int(rng.integers(1, 30)))
    return random_planar_problem(seed, int(rng.integers(1, 9)), int(rng.integers(1, 17)))


def answer(method: str, problem: ContactProblem, case: Frictional) -> Solution:
    if method == "dynamic":
        return solve_by_lemke(case)
    N, b, mu = contact_operator(problem), velocity_ahead(problem, STEP), problem.friction
    return solve_gauss_seidel(N, b, mu, np.zeros_like(b), 1e-9, 2000, 0, no_trace())


def check_conditions(method: str, problem: ContactProblem, case: Frictional, solution: Solution) -> None:
    """What the method's own model asks of forces (or impulses) f and of w = A f + b, without asking any solver."""
    b = case.b if method == "dynamic" else velocity_ahead(problem, STEP)
    allowed = 1.0001e-9 * (1 + abs(b).max())
    A = contact_matrix(problem, jacobian(problem))
    noise = 1e-12 * (abs(A) @ abs(solution.x) + abs(b)).max()
    f, w = solution.x.reshape(-1, 3), (A @ solution.x + b).reshape(-1, 3)
    allowed += noise
    if method != "dynamic":  # their residual is a distance to the cone, which is flat for much friction
        allowed *= 2 * (1 + case.mu.max()) ** 2
    assert abs(np.minimum(f[:, 0], w[:, 0])).max() <= allowed
    for k, mu in enumerate(case.mu):
        if method == "gauss_seidel":
            check_coulomb(f[k], w[k], mu, allowed)
        else:
            weight = max(np.hypot(*case.slip[k]), CRAWL)
            np.testing.assert_allclose(f[k, 1:], -mu * f[k, 0] * case.slip[k] / weight, atol=allowed)


def check_coulomb(f: np.ndarray, w: np.ndarray, mu: float, allowed: float) -> None:
    """The isotropic cone: friction within it, and against the slip where it slips."""
    slip, friction = np.hypot(w[1], w[2]), np.hypot(f[1], f[2])
    assert friction <= mu * f[0] + allowed
    if slip > allowed:
        assert np.hypot(*(f[1:] + mu * f[0] * w[1:] / slip)) <= allowed * (1 + mu * f[0] / slip)


def check_ray(problem: ContactProblem, case: Frictional, solution: Solution) -> None:
    """(13-1), and unless the ray moves nothing an impulse along it that ends the slip of a contact."""
    A = contact_matrix(problem, jacobian(problem))
    z, change = solution.x[::3], A @ solution.x
    assert z.min() >= 0 and z.max() > 0
    allowed = 1e-8 * abs(A).max() * z.max()
    assert change[::3][z > 0].max() <= allowed
    slipping = np.hypot(*case.slip.T) > 0
    assert (slipping & (z > 0) & (case.mu > 0)).any()
    np.testing.assert_allclose(solution.w, change, atol=allowed)
    scale = impulse_scale(change, solution.x, case.slip)
    assert scale > 0
    if np.isinf(scale):  # bodies in each other's grip: the impulses balance, and nothing moves by them
        assert abs(change).max() <= allowed
        return
    after = case.slip + scale * change.reshape(-1, 3)[:, 1:]
    stopped = np.hypot(*after.T)[slipping & (z > 0)]
    assert stopped.min() <= 1e-9 * np.hypot(*case.slip.T).max()


def check_case(seed: int) -> list[tuple[str, str]]:
    """Ask all methods; what each of them said."""
    problem = planar_case(seed)
    case = frictional(problem)
    said = []
    for method in METHODS:
        solution = answer(method, problem, case)
        said.append((method, STATUS_NAMES[solution.status]))
        assert np.isfinite(solution.x).all()
        if solution.status == SOLVED:
            check_conditions(method, problem, case, solution)
        elif solution.status == RAY:
            assert method == "dynamic"
            check_ray(problem, case, solution)
        else:
            assert solution.residual > 1e-9
    return said


def check_cases(seeds: range) -> Counter[tuple[str, str]]:
    said: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        try:
            said.update(check_case(seed))
        except AssertionError as error:
            raise AssertionError(f"case {seed}") from error
    return said


def check_rates(said: Counter[tuple[str, str]], cases: int) -> None:
    """An honest failure is an answer, but it must not be the rule. Dynamic friction alone has no solution for some."""
    assert said["dynamic", "solved"] + said["dynamic", "ray"] >= 0.999 * cases
    assert said["dynamic", "ray"] >= 0.1 * cases
    assert said["gauss_seidel", "solved"] >= 0.8 * cases


def test_planar_cases() -> None:
    check_rates(check_cases(range(400)), 400)


@pytest.mark.slow
def test_ten_thousand_planar_cases() -> None:
    said = check_cases(range(10_000))
    print(*sorted(said.items()), sep="\n")
    check_rates(said, 10_000)


def test_rod_with_two_answers() -> None:
    """Figure 10.2: without force it leaves at 1 m/s²; with f = m it stays. Nothing else is allowed."""
    rod = configuration([Rod(3.0, (0.0, 0.0), (0.0, 1.0), SPIN, GRAVITY)], None)
    case = frictional(rod)
    for force, acceleration in ((0.0, 1.0), (3.0, 0.0)):
        f = force * np.array([1.0, MU, 0.0])
        assert (case.A @ f + case.b)[0] == pytest.approx(acceleration, abs=1e-12)
    assert pytest.approx(-2) == 16 * (COS**2 - MU * COS * SIN)
    solution = solve_by_lemke(case)
    assert solution.status == SOLVED
    assert solution.x[0] == pytest.approx(0) or solution.x[0] == pytest.approx(3)


def test_rod_with_no_answer_gets_an_impulse_that_stops_it() -> None:
    """Figure 10.3: any push pulls the rod in. The impulse ends the slip of its end, and from then on it sticks."""
    rod = configuration([Rod(2.0, (0.0, 0.0), (0.0, 1.0), 0.0, 9.81)], None)
    case = frictional(rod)
    assert solve_by_trying(rod).status == INFEASIBLE
    solution = solve_by_lemke(case)
    assert solution.status == RAY
    check_ray(rod, case, solution)
    skimming = configuration([Rod(2.0, (0.0, 0.0), (0.0, 1.0), 0.0, 0.0)], None)
    assert solve_by_lemke(frictional(skimming)).x.tolist() == [0, 0, 0]
    assert solve_by_trying(skimming).status == SOLVED
