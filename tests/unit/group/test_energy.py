"""Velocities within a step are so much lower than if they changed evenly that energy falls evenly."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.model import state as st
from engine.motion.held import bound_held, evolve_held, moves_with
from engine.motion.motion import Motion

INSTANTS = 400
DT = 2e-5


def is_eased(world: World) -> np.ndarray:
    """Which bodies are on eased arcs, (n,)."""
    arcs = world._state.arcs
    return (arcs[:, st.HELD] == st.STEPPING) & (arcs[:, st.HELD_EASE] > 0.0)


@pytest.mark.parametrize(("name", "since"), [("dominos", 0.3), ("collapsing_structure", 0.4)])
def test_energy_falls_from_instant_to_instant(name: str, since: float) -> None:
    world = World(load_scene(name))
    world.advance_to(since)
    eased = 0
    before = world.energy()
    scale = abs(before["potential"])
    for k in range(1, INSTANTS + 1):
        world.advance_to(since + k * DT)
        now = world.energy()
        assert now["total"] <= before["total"] + 1e-10 * scale, f"at t = {world.time}"
        before = now
        eased += int(is_eased(world).any())
    assert eased > INSTANTS // 4  # or there was nothing to see


def test_an_eased_body_is_slower_on_the_same_way() -> None:
    world = World(load_scene("dominos"))
    world.advance_to(0.3)
    for _ in range(INSTANTS):
        if is_eased(world).any():
            break
        world.advance(DT)
    assert is_eased(world).any()
    arcs = world._state.arcs
    i = int(np.argmax(np.where(is_eased(world), arcs[:, st.HELD_EASE], 0.0)))
    middle = 0.5 * (arcs[i, st.T0] + arcs[i, st.HELD_UNTIL])
    plain = arcs.copy()
    plain[i, st.HELD_EASE] = 0.0
    x, q, v, w = evolve_held(arcs, i, middle)
    x_plain, q_plain, v_plain, w_plain = evolve_held(plain, i, middle)
    assert (x, q) == (x_plain, q_plain)
    slower = np.linalg.norm(v) / np.linalg.norm(v_plain)
    assert 0.8 < slower < 1.0
    assert np.allclose(v, slower * np.array(v_plain), rtol=1e-12)
    assert np.allclose(w, slower * np.array(w_plain), rtol=1e-12)
    # What bounds its way is how it really moves.
    down = (0.0, 0.0, -1.0)
    bodies = world.model.bodies
    assert bound_held(bodies, arcs, i, middle, v, down) == pytest.approx(
        bound_held(bodies, plain, i, middle, v_plain, down), rel=1e-12
    )
    for moved, expected in zip(
        moves_with(arcs, i, Motion(x, q, v, w), middle)[2:],
        moves_with(plain, i, Motion(x, q, v_plain, w_plain), middle)[2:],
        strict=True,
    ):
        assert moved == pytest.approx(expected, rel=1e-12)
    for end in (arcs[i, st.T0], arcs[i, st.HELD_UNTIL]):
        assert evolve_held(arcs, i, end) == evolve_held(plain, i, end)
