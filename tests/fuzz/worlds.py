"""Seeded random worlds of primitives, and what is held against them from outside while they run."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from engine import World
from engine.model import model as m
from engine.scene.schema import Scene
from tests.momentum import Account
from tests.outside_gaps import OutsideGaps

UNTIL = 5.0
"""How long a world runs [s]."""
LOOKS = 20
"""How often it is looked at."""
SECONDS = 60.0
PENALTY_SECONDS = 300.0
"""Computing [s] after which a world that has not come to its end is a finding; stiff springs take small steps."""
GAIN = 1e-6
"""Energy that may appear, as a part of all that there has been [1]."""
OPEN = 1e-9
"""By how much the books may not balance, as a part of the same [1]."""

ACCOUNTED = (0.5, 0.52)
"""Between these times every change of momentum is held against reported impulses and forces [s]."""
LOST = 1e-6
"""What may be missing there, as a part of what weight gives in that time [1]."""

MODES = ("hybrid", "constraint", "impulse", "penalty")


def random_world(seed: int) -> dict[str, Any]:
    """A scene of 2 to 60 bodies above a ground with walls, which nothing presses together for ever."""
    draw = random.Random(seed)
    size = 10 ** draw.uniform(-1.5, 0.5)
    count = round(2 * 30 ** draw.random() ** 2)
    side = max(1, round(count ** (1 / 3)))
    apart = 2.4 * size
    bodies: list[dict[str, Any]] = [{"name": "ground", "motion": "fixed", "shape": {"plane": {}}}]
    wall = apart * (side + 1)
    for x in (-wall, wall) if draw.random() < 0.5 else ():
        box = {"box": [size, 3 * wall, 2 * size]}
        bodies.append({"name": f"wall{len(bodies)}", "motion": "fixed", "shape": box, "position": [x, 0, size]})
    for k in range(count):
        cell = (k % side, k // side % side, k // side**2)
        place = [apart * (cell[0] - (side - 1) / 2), apart * (cell[1] - (side - 1) / 2), apart * (cell[2] + 0.6)]
        axis = [draw.gauss(0, 1) for _ in range(3)]
        body = {
            "name": f"b{k}",
            "shape": _shape(draw, size),
            "material": draw.choice("pqr"),
            "position": place,
            "orientation": {"axis": axis, "degrees": draw.uniform(0, 360)},
            "mass": size**3 * 10 ** draw.uniform(1, 4),
        }
        if draw.random() < 0.5:
            body["velocity"] = [size * draw.gauss(0, 1) for _ in range(3)]
        bodies.append(body)
    if draw.random() < 0.3:
        far = {"time": 2, "offset": [0, size * draw.uniform(1, 4), 0]}
        keys = {"end": "loop", "keys": [{"time": 0}, far, {"time": 4}]}
        paddle = {"box": [size, size, 2 * size]}  # it reaches into the ground: nothing is jammed below its edge
        place = [0, -wall - 4 * size, 0.5 * size]
        moving = {"motion": {"keyframes": keys}, "shape": paddle, "position": place}
        bodies.append({"name": "paddle", **moving, "material": "s"})  # smooth: what it pushes could not roll, and jam
    material = {"s": {"friction": 0.0, "restitution": 0.3}}
    for name in "pqr":
        material[name] = {"friction": draw.choice((0, 0.3, 1)), "restitution": draw.choice((0, 0.3, 0.9))}
    world = {"gravity": [0, 0, -draw.choice((1.6, 9.81, 30))], "contact": MODES[seed % len(MODES)]}
    tied = [k for k in range(count - 1) if (k + 1) % side and draw.random() < 0.1]
    joints = [] if world["contact"] == "penalty" else [_joint(draw, k, apart, bodies) for k in tied]
    return {"format": 1, "world": world, "material": material, "body": bodies, "joint": joints}


def _shape(draw: random.Random, size: float) -> dict[str, Any]:
    """A shape within `size` of its middle, by kind."""
    a, b, c = (size * draw.uniform(0.3, 1.0) for _ in range(3))
    corners = [[size * draw.uniform(-0.5, 0.5) for _ in range(3)] for _ in range(8)]
    return draw.choice(
        (
            {"sphere": {"radius": 0.5 * a}},
            {"box": [a, b, c]},
            {"capsule": {"radius": 0.3 * a, "length": b}},
            {"rounded_box": {"size": [a, b, c], "radius": 0.05 * size}},
            {"cylinder": {"radius": 0.5 * a, "length": b}},
            {"cone": {"radius": 0.5 * a, "height": b}},
            {"ellipsoid": [0.5 * a, 0.5 * b, 0.5 * c]},
            {"prism": {"sides": draw.randrange(3, 9), "radius": 0.5 * a, "height": b}},
            {"convex": {"vertices": corners}},
        )
    )


def _joint(draw: random.Random, k: int, apart: float, bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """Between body k and the next of its row."""
    place = next(body["position"] for body in bodies if body["name"] == f"b{k}")
    joint = {
        "name": f"j{k}",
        "kind": draw.choice(("ball", "hinge")),
        "bodies": [f"b{k}", f"b{k + 1}"],
        "point": [place[0] + apart / 2, place[1], place[2]],
    }
    return joint | ({"axis": [0, 1, 0]} if joint["kind"] == "hinge" else {})


def run_world(seed: int, until: float = UNTIL) -> list[str]:
    """What is wrong with the run of a random world: nothing, or lines that say what and when."""
    scene = Scene.model_validate(random_world(seed))
    seconds = PENALTY_SECONDS if scene.world.contact == "penalty" else SECONDS
    world = World(scene)
    gaps = None if scene.world.contact == "penalty" else OutsideGaps(world)
    start, begun_with, most = _books(world)
    wrong = [] if scene.world.contact == "penalty" else _unaccounted(world)
    begun = time.process_time()  # accounts are kept event by event, in Python
    if wrong:
        return wrong
    for k in range(1, LOOKS + 1):
        while world.time < until * k / LOOKS:
            world.advance_events(200, until=until * k / LOOKS)
            if time.process_time() - begun > seconds:
                return [f"t = {world.time:.6g}: after {seconds:g} s of computing it is no further"]
        left, balance, size = _books(world)
        most = max(most, size)
        wrong = [f"{world.names[i]} is stopped: {world.why_stopped(i)}" for i in world.stopped]
        if left - start > GAIN * most:
            wrong.append(f"{left - start:.3g} J appeared, of {most:.3g} J")
        if not abs(balance - begun_with) <= OPEN * most:
            wrong.append(f"the books are {balance - begun_with:.3g} J from balance, of {most:.3g} J")
        least = gaps.smallest(world.poses()) if gaps else 0.0
        if least < 0.0:
            wrong.append(f"a gap of {least:.3g} m")
        if wrong:
            return [f"t = {world.time:.6g}: {line}" for line in wrong]
    return []


def _unaccounted(world: World) -> list[str]:
    """Bodies whose momentum, linear or angular, changes by more than what is reported."""
    account = Account(world)
    lost = np.abs(account.run(*ACCOUNTED))
    rows = world.model.bodies[account.free]
    least = LOST * rows[:, m.MASS] * np.linalg.norm(world.scene.world.gravity) * (ACCOUNTED[1] - ACCOUNTED[0])
    wrong = (lost[:, :3] > least[:, None]).any(axis=1)
    wrong |= (lost[:, 3:] > (least * rows[:, m.RADIUS])[:, None]).any(axis=1)
    return [f"of the momentum of {world.names[account.free[k]]} {lost[k]} are missing" for k in np.flatnonzero(wrong)]


def _books(world: World) -> tuple[float, float, float]:
    """Energy beyond the work put in, that with what was dissipated, and how much was moved about [J]."""
    now = world.energy()
    left = now["total"] - now["work"]
    return left, left + now["dissipated"], abs(now["kinetic"]) + abs(now["potential"]) + abs(now["work"])
