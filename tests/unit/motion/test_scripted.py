"""Scripted motions: smooth, never outside their swept boxes or bounds, and these are not loose (Mirtich 1996, 2.5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.collision.pairs.time_of_impact import first_root
from engine.maths.quaternions import rotate
from engine.motion.arcs import bound_travel, evolve, sweep_box
from engine.scene.build import Built, build
from tests.scenes import body, scene

HALF = 0.1  # half the edge of the cube that moves

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers)
cyclers = st.fixed_dictionaries(
    {"along": vectors, "across": vectors, "frequency": st.floats(-3.0, 3.0), "phase": st.floats(-7.0, 7.0)}
).map(lambda script: {"cycler": script})
oscillators = st.fixed_dictionaries(
    {"amplitude": st.floats(0.0, 1.0), "frequency": st.floats(0.0, 3.0), "phase": st.floats(-7.0, 7.0)}
).map(lambda script: {"oscillator": script | {"direction": [1.0, -2.0, 0.5]}})
spinners = st.fixed_dictionaries({"rate": st.floats(-9.0, 9.0), "centre": vectors}).map(
    lambda script: {"spinner": script | {"axis": [0.3, -0.4, 0.5]}}
)


@st.composite
def keyframes(draw: st.DrawFn) -> dict[str, Any]:
    steps = draw(st.lists(st.floats(0.3, 2.0), min_size=2, max_size=5))
    end = draw(st.sampled_from(["hold", "loop"]))
    times = np.concatenate([[0.0], np.cumsum(steps)]) + (0.5 if end == "hold" else 0.0)
    one_axis = draw(st.booleans())
    keys: list[dict[str, Any]] = []
    for time in times:
        axis = [0.0, 0.6, 0.8] if one_axis else [1.0 + draw(numbers) / 2, draw(numbers), draw(numbers)]
        turn = {"axis": axis, "degrees": 80.0 * draw(numbers)}
        keys.append({"time": float(time), "offset": draw(vectors), "turn": turn})
    if end == "loop":
        keys[-1] |= {"offset": keys[0]["offset"], "turn": keys[0]["turn"]}
    return {"keyframes": {"keys": keys, "end": end}}


motions = st.one_of(cyclers, oscillators, spinners, keyframes())


def moving_cube(motion: dict[str, Any], **more: Any) -> Built:
    cube = body("cube", {"box": [2 * HALF] * 3}, (0.1, 0.2, 0.3), motion=motion, **more)
    return build(scene(cube))


def corners(built: Built, t: float) -> np.ndarray:
    x, q, _, _ = evolve(built.model.bodies, built.model.tags, built.state.arcs, 0, t)
    return np.array(
        [np.add(x, rotate(q, (a, b, c))) for a in (-HALF, HALF) for b in (-HALF, HALF) for c in (-HALF, HALF)]
    )


def velocity_of(built: Built, t: float, arm: np.ndarray) -> np.ndarray:
    _, _, v, w = evolve(built.model.bodies, built.model.tags, built.state.arcs, 0, t)
    return np.array(v) + np.cross(w, arm)


@settings(max_examples=80, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(motions, st.floats(0.0, 9.0))
def test_twists_are_the_rates_of_poses(motion: dict[str, Any], t: float) -> None:
    built = moving_cube(motion)
    h = 1e-6
    x, _, _, _ = evolve(built.model.bodies, built.model.tags, built.state.arcs, 0, t)
    here = corners(built, t)
    rates = (corners(built, t + h) - corners(built, max(t - h, 0.0))) / (t + h - max(t - h, 0.0))
    for corner, rate in zip(here, rates):
        assert np.abs(velocity_of(built, t, corner - x) - rate).max() < 2e-3


@settings(max_examples=150, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(motions, st.floats(0.0, 9.0), st.floats(1e-3, 3.0))
def test_no_corner_ever_leaves_the_swept_box(motion: dict[str, Any], t0: float, lasts: float) -> None:
    built = moving_cube(motion)
    if "spinner" in motion:
        box = built.state.boxes[0]
        low, high = box[:3], box[3:6]
    else:
        sides = [
            sweep_box(built.model.bodies, built.model.tags, built.state.arcs, 0, t0, t0 + lasts, axis)
            for axis in range(3)
        ]
        low, high = np.array(sides).T
    for t in np.linspace(t0, t0 + lasts, 60):
        here = corners(built, float(t))
        assert (here >= low - 1e-12).all()
        assert (here <= high + 1e-12).all()


@settings(max_examples=200, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(motions, st.floats(0.0, 9.0), vectors.filter(lambda d: np.linalg.norm(d) > 0.1), st.floats(-4.0, 0.5))
def test_no_corner_ever_travels_further_than_bounded(
    motion: dict[str, Any], t0: float, d: tuple[float, float, float], exponent: float
) -> None:
    built = moving_cube(motion)
    model, arcs = built.model, built.state.arcs
    way = tuple(float(c) for c in np.array(d) / np.linalg.norm(d))
    x, _, v, w = evolve(model.bodies, model.tags, arcs, 0, t0)
    slack = 10.0**exponent
    a, b, turn, c, until = bound_travel(model.bodies, model.tags, arcs, 0, t0, v, way, slack)
    assert 0.0 <= c <= 0.5 * slack
    assert until > t0
    start = corners(built, t0)
    spin = np.array([np.cross(w, corner - x) @ way for corner in start])
    for tau in np.linspace(0.0, min(until - t0, 3.0), 60)[:-1]:
        travelled = (corners(built, float(t0 + tau)) - start) @ way
        allowed = a * tau**2 + b * tau + c + spin * tau + turn * tau**2
        assert (travelled <= allowed + 1e-9).all()


@pytest.mark.parametrize(("slack", "least"), [(0.001, 0.99), (0.01, 0.98), (0.1, 0.87), (0.3, 0.7)])
def test_the_bound_of_a_cycler_is_the_tighter_of_two_and_not_loose(slack: float, least: float) -> None:
    """Time until the way is used up, as bounded over as it is: the median over directions in which it goes."""
    radius, rate = 1.0, np.pi
    built = moving_cube({"cycler": {"along": [radius, 0.0, 0.0], "across": [0.0, radius, 0.0], "frequency": 0.5}})
    model, arcs = built.model, built.state.arcs
    ratios = []
    for t0, turn in np.random.default_rng(3).uniform(0.0, 2 * np.pi, (400, 2)):
        d = (float(np.cos(turn)), float(np.sin(turn)), 0.0)
        _, _, v, _ = evolve(model.bodies, model.tags, arcs, 0, t0)
        if np.dot(v, d) < 0.5 * radius * rate:
            continue
        a, b, _, c, _ = bound_travel(model.bodies, model.tags, arcs, 0, t0, v, d, slack)
        if c > 0.0:  # it turns round before
            continue
        root = first_root(a, b, slack)
        pulled = first_root(0.5 * radius * rate**2, float(np.dot(v, d)), slack)
        assert root == pytest.approx(max(first_root(0.0, radius * rate, slack), pulled), rel=1e-12)
        times = root * np.linspace(0.9, 4.0, 3101)
        gone = radius * (np.cos(rate * (t0 + times) - turn) - np.cos(rate * t0 - turn))
        if (gone >= slack).any():
            ratios.append(root / times[np.argmax(gone >= slack)])
    assert len(ratios) > 60
    assert max(ratios) <= 1.001
    assert np.median(ratios) > least


def test_a_cycler_that_cannot_come_nearer_is_never_waited_for() -> None:
    shake = {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.001, "frequency": 60.0}}
    built = moving_cube(shake)
    _, _, v, _ = evolve(built.model.bodies, built.model.tags, built.state.arcs, 0, 0.1)
    a, b, turn, c, until = bound_travel(
        built.model.bodies, built.model.tags, built.state.arcs, 0, 0.1, v, (0.0, 0.0, 1.0), 0.01
    )
    assert (a, b, turn, until) == (0.0, 0.0, 0.0, np.inf)
    assert c <= 0.002


def test_keys_are_met_and_not_overshot() -> None:
    keys = [
        {"time": 0.0},
        {"time": 1.0, "offset": [0.0, 0.0, 1.0], "turn": {"axis": [0.0, 0.0, 1.0], "degrees": 90.0}},
        {"time": 2.0, "offset": [0.0, 0.0, 1.0], "turn": {"axis": [0.0, 0.0, 1.0], "degrees": 180.0}},
        {"time": 4.0, "offset": [3.0, 0.0, 1.0], "turn": {"axis": [0.0, 0.0, 1.0], "degrees": 180.0}},
    ]
    built = moving_cube({"keyframes": {"keys": keys}})
    model, arcs = built.model, built.state.arcs
    for key in keys:
        x, q, _, _ = evolve(model.bodies, model.tags, arcs, 0, float(key["time"]))
        assert np.allclose(np.subtract(x, (0.1, 0.2, 0.3)), key.get("offset", [0.0, 0.0, 0.0]), atol=1e-12)
        half = np.radians(key.get("turn", {"degrees": 0.0})["degrees"]) / 2
        assert abs(np.dot(q, [np.cos(half), 0.0, 0.0, np.sin(half)])) == pytest.approx(1.0, abs=1e-12)
    waiting = [evolve(model.bodies, model.tags, arcs, 0, t)[0][2] for t in np.linspace(1.0, 2.0, 50).tolist()]
    assert np.ptp(waiting) == 0.0
    _, _, _, w = evolve(model.bodies, model.tags, arcs, 0, 1.0)
    assert w[2] == pytest.approx(np.pi / 2, rel=1e-9)  # the turn goes on through a key
    assert evolve(model.bodies, model.tags, arcs, 0, 99.0)[2:] == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_lift_carries_a_box_up_and_is_a_gap_away_all_the_time() -> None:
    from engine import World

    keys = [{"time": 0.2}, {"time": 1.2, "offset": [0.0, 0.0, 0.5]}, {"time": 2.2, "offset": [0.5, 0.0, 0.5]}]
    lift = body("lift", {"box": [1.0, 1.0, 0.1]}, (0, 0, -0.05), motion={"keyframes": {"keys": keys}})
    parcel = body("parcel", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0502))
    world = World(scene(lift, parcel, friction=0.9, restitution=0.0))
    for k in range(1, 31):
        world.advance_to(0.1 * k)
    assert world.smallest_gap > 0.0
    x, y, z = world.body("parcel").position
    assert (x, y, z) == (pytest.approx(0.5, abs=0.02), pytest.approx(0.0, abs=1e-3), pytest.approx(0.55, abs=1e-3))
    energy = world.energy()
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(1.0 * 9.81 * 0.0502, rel=1e-9)


def test_a_ram_that_comes_from_afar_hits_what_stands_in_its_way() -> None:
    from engine import World

    ram = {"cycler": {"along": [-4.0, 0.0, 0.0], "across": [0.0, 4.0, 0.0], "frequency": 0.5}}
    ball = body("ball", {"sphere": {"radius": 0.05}}, (4.0, 0.0, 0.0))
    world = World(scene(body("ram", {"box": [0.2] * 3}, motion=ram), ball, gravity=(0, 0, 0), restitution=0.0))
    world.advance_to(0.9)
    assert world.body("ball").velocity[1] == 0.0
    world.advance_to(1.1)
    assert world.body("ball").velocity[1] < -4.0 * np.pi * 0.9
    assert world.smallest_gap > 0.0
