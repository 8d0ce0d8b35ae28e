"""A pair that is not checked at once when an arc begins is not near before the time that it is given."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.collision.look_again import quickest_fall, time_to_close
from engine.model import state as s
from engine.model.model import FREE, KIND
from engine.motion.arcs import evolve
from engine.scene.build import build
from engine.tolerances import FAR
from tests.scenes import body, floor, scene


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_near_before_its_time(seed: int) -> None:
    """A box is thrown over a floor and kicked half a dozen times: its lowest corner stays above what is promised."""
    rng = np.random.default_rng(seed)
    thrown = body("box", {"box": [0.1, 0.2, 0.3]}, [0.0, 0.0, 2.0], velocity=rng.normal(size=3).tolist())
    built = build(scene(floor(), thrown, envelope=1e-3))
    model, arcs, pairs = built.model, built.state.arcs, built.state.pairs
    corners = built.shapes[1].vertices
    pairs[0, [s.PAIR_ENVELOPE, s.FLOOR, s.FLOOR_TIME, s.FALL_A, s.FALL_B]] = (1e-3, 2.0 - 0.19, 0.0, 20.0, 10.0)
    assert model.tags[1, KIND] == FREE

    def gap(t: float) -> float:
        x, q, _, _ = evolve(model.bodies, model.tags, arcs, 1, t)
        w, i, j, k = q
        up = (2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j))
        return float((corners @ np.array(up)).min() + x[2])

    t, waits = 0.0, 0
    for _ in range(6):
        arcs[1, s.POSITION : s.POSITION + 3] = evolve(model.bodies, model.tags, arcs, 1, t)[0]
        arcs[1, s.ORIENTATION : s.ORIENTATION + 4] = evolve(model.bodies, model.tags, arcs, 1, t)[1]
        arcs[1, s.VELOCITY : s.VELOCITY + 3] = rng.normal(size=3)
        arcs[1, s.OMEGA : s.OMEGA + 3] = spin = rng.normal(size=3)
        arcs[1, s.OMEGA_MAX] = 20.0 * np.linalg.norm(spin)
        arcs[1, s.T0] = t
        wait = time_to_close(pairs, 0, *quickest_fall(model.bodies, model.tags, arcs, 1), t)
        if wait == 0.0:
            break
        assert wait < inf
        waits += 1
        for share in np.linspace(0.0, 1.0, 50):
            assert gap(t + share * wait) >= 1e-3
        t += 0.3 * wait
    assert waits > 0


def test_what_is_near_or_moves_is_checked_at_once() -> None:
    built = build(scene(floor(), body("box", {"box": [0.1, 0.2, 0.3]}, [0.0, 0.0, 1.0]), envelope=1e-3))
    model, arcs, pairs = built.model, built.state.arcs, built.state.pairs
    pairs[0, [s.PAIR_ENVELOPE, s.FLOOR, s.FLOOR_TIME, s.FALL_A, s.FALL_B]] = (1e-3, 0.5, 0.0, 0.0, 0.0)
    fall = quickest_fall(model.bodies, model.tags, arcs, 1)
    assert 0.0 < time_to_close(pairs, 0, *fall, 0.0) < inf
    still = quickest_fall(model.bodies, model.tags, arcs, 0)
    assert still == (inf, inf), "only of free bodies is it known how they move on"
    assert time_to_close(pairs, 0, *still, 0.0) == 0.0
    pairs[0, s.FLOOR] = 0.5 * FAR * 1e-3
    assert time_to_close(pairs, 0, *fall, 0.0) == 0.0
    pairs[0, s.FLOOR] = 0.5
    arcs[1, s.VELOCITY] = np.nan
    assert not time_to_close(pairs, 0, *quickest_fall(model.bodies, model.tags, arcs, 1), 0.0) > 0.0
