"""Controllers in a running world: ticks, orders, memory, reload, mistakes, and replays without them."""

from __future__ import annotations

import json
from math import cos, exp, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

from engine.control.orders import LoadOrder, MotorOrder
from engine.control.python_file import ControllerError
from engine.control.trust import UntrustedError
from engine.recording.inputs import from_json, to_json
from engine.recording.snapshot import Snapshot
from engine.scene.reading import load_scene, parse_scene
from engine.scene.schema import Scene
from engine.world import World

SCENE = """
format = 1
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "cart"
shape = { box = [0.2, 0.1, 0.1] }
mass = 1
position = [0, 0, 1]
[[body]]
name = "puck"
shape = { sphere = { radius = 0.1 } }
mass = 2
position = [0, 2, 1]
[[joint]]
name = "rail"
kind = "slider"
bodies = ["cart"]
point = [0, 0, 1]
axis = [1, 0, 0]
motor = { effort = 0, limit = 20 }
[[controller]]
name = "driver"
file = "driver.py"
rate = 100
bodies = ["puck"]
joints = ["rail"]
settings = { gain = 3 }
"""

COUNTS = """
class Controller:
    def act(self, world):
        self.state.setdefault("times", []).append(world.time)
"""

HOLDS = """
class Controller:
    def __init__(self):
        self.state = {"sum": 0.0}

    def act(self, world):
        rail = world.joint(self.joints[0])
        self.state["sum"] += 0.01 * (0.5 - rail.position)
        rail.apply(self.settings["gain"] * (4 * (0.5 - rail.position) - 3 * rail.velocity) + self.state["sum"])
"""

PUSHES = """
class Controller:
    def act(self, world):
        if world.time < 0.5:
            world.body("puck").push(force=(2, 0, 19.62), torque=(0, 0, 0.004))
        else:
            world.body("puck").push(force=(0, 0, 19.62))
"""


def scene_with(folder: Path, code: str, text: str = SCENE) -> Scene:
    (folder / "driver.py").write_text(code)
    return parse_scene(text.encode(), "scene.toml", folder, overlaps=False)


def running(folder: Path, code: str, text: str = SCENE) -> World:
    return World(scene_with(folder, code, text), python="run")


def remembered(world: World) -> str:
    return str(world.snapshot().said.memories[0].state)


def test_ticks_come_to_the_tick_whatever_the_chunking(tmp_path: Path) -> None:
    world = running(tmp_path, COUNTS)
    for t in np.linspace(0.0, 1.0, 38):
        world.advance_to(float(t))
    assert remembered(world) == str({"times": [k / 100 for k in range(101)]}).replace("'", '"')
    whole = running(tmp_path, COUNTS)
    whole.advance_to(1.0)
    assert remembered(whole) == remembered(world)


def test_a_controller_that_says_nothing_changes_no_bit(tmp_path: Path) -> None:
    world, alone = running(tmp_path, COUNTS), World(scene_with(tmp_path, COUNTS), python="off")
    world.advance_to(1.0)
    alone.advance_to(1.0)
    assert world.digest == alone.digest
    assert world.inputs == []


def test_events_one_by_one_tick_too(tmp_path: Path) -> None:
    world, whole = running(tmp_path, HOLDS), running(tmp_path, HOLDS)
    while world.time < 0.1:
        assert world.advance_events(1) == 1
    world.advance_to(0.2)
    whole.advance_to(0.2)
    assert world.digest == whole.digest


def test_a_motor_is_driven_by_its_effort(tmp_path: Path) -> None:
    """A mass under u = 12 (0.5 - x) - 9 v + I, held from tick to tick: the same recursion by hand."""
    world = running(tmp_path, HOLDS)
    x = v = total = 0.0
    for k in range(100):
        world.advance_to(k / 100)
        joint = world.joints()[0]
        assert joint["position"] == pytest.approx(x, abs=1e-9)
        assert joint["velocity"] == pytest.approx(v, abs=1e-9)
        total += 0.01 * (0.5 - x)
        u = 3 * (4 * (0.5 - x) - 3 * v) + total
        assert joint["effort"] == pytest.approx(u, abs=1e-9)
        x, v = x + 0.01 * v + 0.5e-4 * u, v + 0.01 * u


def test_forces_on_free_bodies_act_from_tick_to_tick(tmp_path: Path) -> None:
    """Weight is held; a push of 2 N gives 2 kg 0.5 m/s in half a second, a couple turns it; then both are gone."""
    world = running(tmp_path, PUSHES)
    world.advance_to(0.25)
    assert world.body("puck").position == pytest.approx([0.5 * 0.25**2, 2.0, 1.0], abs=1e-9)
    world.advance_to(1.0)
    puck = world.body("puck")
    assert puck.velocity == pytest.approx([0.5, 0.0, 0.0], abs=1e-9)
    assert puck.position == pytest.approx([0.125 + 0.25, 2.0, 1.0], abs=1e-9)
    assert puck.angular_velocity == pytest.approx([0.0, 0.0, 0.5 * 0.004 / (0.4 * 2 * 0.01)], rel=1e-9)
    energy = world.energy()
    start = World(world.scene, python="off").energy()["total"]
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-6)


JUMPS = """
class Controller:
    def act(self, world):
        jumps = 0 <= world.time - self.settings["when"] < 0.005
        world.body("puck").push((0, 0, 60) if jumps else (0, 0, 0), (0, 0, 0) if jumps else (0.001, 0, 0))
"""


@pytest.mark.parametrize("rate, when", [(100, 0.04), (100, 0.05), (100, 0.06), (90, 0.04)])
def test_an_order_makes_what_rests_jump(tmp_path: Path, rate: float, when: float) -> None:
    """In the very tick that ends a torque: nothing is left of this, whether loads change then or a little later."""
    text = SCENE.replace("[[joint]]", '[[body]]\nname = "floor"\nmotion = "fixed"\nshape = { plane = {} }\n[[joint]]')
    text = text.replace("[0, 2, 1]", "[0, 2, 0.1]").replace("rate = 100", f"rate = {rate}")
    world = running(tmp_path, JUMPS, text.replace("gain = 3", f"when = {when}"))
    world.advance_to(when + 0.01)
    assert world.stopped == ()
    assert world.body("puck").velocity[2] > 0.1


def test_a_replay_without_the_file_gives_the_same_bits(tmp_path: Path) -> None:
    for code in (HOLDS, PUSHES):
        world = running(tmp_path, code)
        world.advance_to(0.7)
        world.pull("puck", (0, 0, 0), (0, 2, 2))
        world.advance_to(1.3)
        inputs = from_json(to_json(world.inputs))
        assert inputs == world.inputs
        scene = world.scene
        (tmp_path / "driver.py").unlink()
        other = World(scene, python="off")
        other.replay(inputs, 1.3)
        assert other.digest == world.digest


def test_a_snapshot_has_what_controllers_remember_and_have_said(tmp_path: Path) -> None:
    for code in (HOLDS, PUSHES):
        world = running(tmp_path, code)
        world.advance_to(0.333)
        kept = Snapshot.from_bytes(world.snapshot().to_bytes())
        assert kept.digest == world.digest
        assert kept.said == world.snapshot().said
        world.advance_to(1.0)
        after = world.digest, remembered(world)
        world.restore(kept)
        world.advance_to(1.0)
        assert (world.digest, remembered(world)) == after
        other = World(world.scene, python="run")
        other.restore(kept)
        other.advance_to(1.0)
        assert (other.digest, remembered(other)) == after


def test_back_at_the_start_all_is_as_the_scene_says(tmp_path: Path) -> None:
    world = running(tmp_path, PUSHES)
    start = world.snapshot()
    world.advance_to(1.0)
    after = world.digest
    world.restore(start)
    assert world.digest == World(world.scene, python="off").digest
    world.advance_to(1.0)
    assert world.digest == after


def test_a_file_that_changes_takes_effect_and_its_memory_stays(tmp_path: Path) -> None:
    world = running(tmp_path, HOLDS)
    world.advance_to(0.105)
    total = remembered(world)
    (tmp_path / "driver.py").write_text(
        'class Controller:\n    def act(self, world):\n        self.state["now"] = world.time\n'
    )
    world.advance_to(0.11)
    assert remembered(world) == total[:-1] + ', "now": 0.11}'


@pytest.mark.parametrize(
    "code, said",
    [
        ("class Controller:\n    def act(self, world):\n        1 / 0\n", "driver.py:3: ZeroDivisionError"),
        ("class Controller:\n    def act(self, world)\n", "driver.py:2: SyntaxError: expected ':'"),
        ("import nowhere_to_be_found\n", "driver.py:1: ModuleNotFoundError"),
        ("x = 1\n", "has no class Controller with a method act"),
        ("class Controller:\n    def act(self, world):\n        self.state['a'] = (1, 2)\n", "['a'] is a tuple"),
        ("class Controller:\n    def act(self, world):\n        self.state[1] = 2\n", "the key 1, which is no text"),
        ("class Controller:\n    def act(self, world):\n        world.joint('x')\n", "driver.py:3: KeyError"),
        (
            "class Controller:\n    def act(self, world):\n        world.body('cart').push()\n",
            "driver.py:3: ValueError",
        ),
        (
            "class Controller:\n    def act(self, world):\n        world.joint('rail').apply(float('nan'))\n",
            "driver.py:3: ValueError: nan cannot be ordered",
        ),
        (
            "class Controller:\n    def act(self, world):\n        world.joint('rail').gains(kp=-5)\n",
            "driver.py:3: ValueError: kp = -5 is no gain: 0 or more is, and finite",
        ),
        ("class Controller:\n    def act(self, world):\n        del self.state\n", "no attribute 'state'"),
        (
            "class Controller:\n    def act(self, world):\n        self.state = {'a': [10**5000]}\n",
            "driver.py: self.state['a'][0] is a number of too many digits",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_can_be_mended(tmp_path: Path, code: str, said: str) -> None:
    world = running(tmp_path, HOLDS)
    world.advance_to(0.5)
    before = remembered(world)
    (tmp_path / "driver.py").write_text(code)
    with pytest.raises(ControllerError) as failure:
        world.advance_to(1.0)
    assert said in str(failure.value)
    assert world.time == 0.51
    assert remembered(world) == before
    (tmp_path / "driver.py").write_text(HOLDS)
    world.advance_to(1.0)
    unhurt = running(tmp_path, HOLDS)
    unhurt.advance_to(1.0)
    assert world.digest == unhurt.digest


def test_nothing_runs_that_nobody_has_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    scene = scene_with(tmp_path, "raise SystemExit('it ran')\n")
    with pytest.raises(UntrustedError, match=r"driver\.py"):
        World(scene)
    World(scene, python="off").advance_to(0.1)


def test_one_file_serves_many(tmp_path: Path) -> None:
    """Two pucks, each pushed by a controller of its own, of one file."""
    text = SCENE.replace('name = "puck"', 'name = "other"').replace("[0, 2, 1]", "[0, 4, 1]")
    body = text[text.index('[[body]]\nname = "other"') : text.index("[[joint]]")]
    entry = SCENE[SCENE.index("[[controller]]") :].replace('"driver"', '"second"').replace('["puck"]', '["other"]')
    code = "class Controller:\n    def act(self, world):\n        world.body(self.bodies[0]).push((0, 0, 19.62))\n"
    both = SCENE.replace("[[joint]]", body + "[[joint]]") + entry
    world = running(tmp_path, code, both)
    world.advance_to(1.0)
    assert world.body("puck").position[2] == pytest.approx(1.0)
    assert world.body("other").position[2] == pytest.approx(1.0)


def test_sensors_tell_distance_contact_and_relative_pose(tmp_path: Path) -> None:
    code = """
class Controller:
    def act(self, world):
        place, turn = world.pose("puck", seen_from="cart")
        self.state["seen"] = [world.distance("puck", "cart"), *place.tolist(), *turn.tolist()]
        self.state["touches"] = [world.touches("puck"), world.touches("cart", "puck")]
        self.state["force"] = world.force("puck").tolist()
        self.state["speed"] = world.body("puck").velocity.tolist()
"""
    text = SCENE.replace("[[joint]]", '[[body]]\nname = "floor"\nmotion = "fixed"\nshape = { plane = {} }\n[[joint]]')
    text = text.replace("[0, 2, 1]", "[0, 2, 0.1]")
    world = running(tmp_path, code, text)
    world.advance_to(1.0)
    memory = json.loads(remembered(world))
    assert memory["seen"][1:4] == pytest.approx([0, 2, -0.9], abs=1e-2)
    assert memory["seen"][0] == pytest.approx(np.hypot(1.95, 0.85) - 0.1, abs=1e-2)
    assert memory["touches"] == [True, False]
    assert memory["force"] == pytest.approx([0, 0, 19.62], rel=1e-6)
    assert memory["speed"] == pytest.approx([0, 0, 0], abs=1e-6)


def test_controllers_of_one_instant_read_the_world_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once an event: an order that changes something is seen by those after it."""
    code = """
class Controller:
    def act(self, world):
        self.state["place"] = world.body("puck").position.tolist()
        self.state["there"] = world.touches("puck", "cart")
"""
    entry = SCENE[SCENE.index("[[controller]]") :].replace('"driver"', '"second"')
    world = running(tmp_path, code, SCENE + entry)
    read: list[float] = []
    poses, touching = World.poses, World.touching
    monkeypatch.setattr(World, "poses", lambda self: (read.append(self.time), poses(self))[1])
    monkeypatch.setattr(World, "touching", lambda self: (read.append(self.time), touching(self))[1])
    world.advance_to(0.025)
    assert read == [0.0, 0.0, 0.01, 0.01, 0.02, 0.02]
    monkeypatch.undo()
    memories = [json.loads(state or "")["place"] for _, _, state in world._schedule.memories]
    assert memories[0] == memories[1] != [0.0, 2.0, 1.0]


def test_what_touches_are_the_pairs_of_the_contacts() -> None:
    world = World(load_scene("coins"))
    world.advance_to(0.3)
    contacts = world.contacts()
    assert len(contacts) and np.array_equal(world.touching(), np.column_stack([contacts["body_a"], contacts["body_b"]]))


def driven(motor: str) -> World:
    text = SCENE[: SCENE.index("[[controller]]")].replace("effort = 0, limit = 20", motor)
    return World(parse_scene(text.encode(), "scene.toml", overlaps=False))


def test_a_motor_with_a_rate_obeys_at_its_next_tick() -> None:
    """From 0.1 s on, where it ticks next, it bears kp times what is missing."""
    world = driven("position = 0, kp = 3, rate = 10")
    world.advance_to(0.05)
    world.drive("rail", "position", 2.0)
    world.advance_to(0.1)
    assert world.joint(0)[0] == 0.0
    world.advance_to(0.15)
    assert world.joint(0)[0] == pytest.approx(0.5 * 6.0 * 0.05**2, abs=1e-9)


def test_an_order_holds_over_another_kind_and_back() -> None:
    """A motor that seeks a position bears an effort for a while, and then seeks the position again."""
    world = driven("position = 0, kp = 100, kv = 20")
    world.drive("rail", "effort", 4.0)
    world.advance_to(0.5)
    assert world.joint(0)[0] == pytest.approx(0.5 * 4.0 * 0.25, abs=1e-9)
    world.drive("rail", "position", 0.25)
    world.advance_to(3.0)
    assert world.joint(0)[0] == pytest.approx(0.25, abs=1e-6)
    with pytest.raises(ValueError, match="cannot seek 'torque'"):
        world.drive("rail", "torque", 1.0)


@pytest.mark.parametrize("late", [0.0, 2e-4, 5e-4, 8e-4])
@pytest.mark.parametrize("load", ["", "torque = [0, 1e-9, 0]", "force = [1e-9, 0, 0]"])
def test_a_motor_obeys_at_once_whatever_else_acts(late: float, load: str) -> None:
    """Orders at kicks of the cart's load and between them, against the equation of the cart."""
    text = SCENE[: SCENE.index("[[controller]]")].replace("effort = 0, limit = 20", "position = 0, kp = 50, kv = 5")
    world = World(parse_scene(text.replace("mass = 1\n", f"mass = 1\n{load}\n").encode(), "scene.toml", overlaps=False))
    x = v = t = target = 0.0
    rate, way = 2.5, sqrt(50.0 - 2.5**2)  # of the cart's own swinging
    for k in range(1, 51):
        until = k * 0.01 + late
        world.advance_to(until)
        off, h = x - target, until - t
        c, s, fade = cos(way * h), sin(way * h), exp(-rate * h)
        x = target + fade * (off * c + (v + rate * off) / way * s)
        v = fade * (v * c - (rate * v + 50.0 * off) / way * s)
        t, target = until, sin(0.3 * k)
        world.drive("rail", "position", target)
    assert world.joint(0)[0] == pytest.approx(x, abs=1e-7)
    assert world.joint(0)[1] == pytest.approx(v, abs=1e-6)
    energy, start = world.energy(), World(world.scene).energy()["total"]
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-9)
    assert abs(energy["numerics"]) < 1e-6


@pytest.mark.parametrize(
    ("gains", "said"),
    [
        ({"kp": -1.0}, "kp = -1 is no gain"),
        ({"kv": float("nan")}, "kv = nan is no gain"),
        ({"ki": float("inf")}, "ki = inf is no gain"),
        ({"ki": 1.0}, "the motor of rail has no rate"),
    ],
)
def test_gains_are_refused_that_no_scene_may_say(gains: dict[str, float], said: str) -> None:
    world = driven("position = 0, kp = 3, kv = 1")
    before = world.digest
    with pytest.raises(ValueError, match=said):
        world.drive("rail", "position", 1.0, **gains)
    with pytest.raises(ValueError, match="nan cannot be ordered"):
        world.drive("rail", "position", float("nan"))
    assert world.digest == before and not world.inputs


def test_a_motor_with_a_rate_takes_a_gain_of_the_integral() -> None:
    world = driven("position = 0, kp = 3, rate = 10")
    world.drive("rail", "position", 1.0, ki=2.0)
    assert world.motor("rail")[1:6] == ("position", 1.0, 3.0, 0.0, 2.0)


def test_joints_are_found_by_name_or_place_and_others_named() -> None:
    world = driven("position = 0, kp = 3")
    world.advance_to(0.1)
    assert world.joint("rail") == world.joint(0)
    assert world.motor("rail") == world.motor(0)
    assert np.isnan(world.joint(7)).all()  # as a window asks that has heard of another scene
    for ask in (world.joint, world.motor, lambda name: world.drive(name, "position", 1.0)):
        with pytest.raises(KeyError, match=r"no joint is called 'rial' \(there are rail\)"):
            ask("rial")
    with pytest.raises(KeyError, match=r"no joint 7 \(there are 1\)"):
        world.drive(7, "position", 1.0)


def test_a_world_is_built_from_a_scene() -> None:
    with pytest.raises(TypeError, match=r"from a Scene, such as load_scene gives, and this is a dict"):
        World({})  # type: ignore[arg-type]


def test_an_order_wakes_what_sleeps() -> None:
    world = driven("position = 0, kp = 100, kv = 20")
    world.advance_to(5.0)
    sleeps = world.body("cart").asleep
    world.drive("rail", "position", 0.5)
    world.advance_to(8.0)
    assert world.joint(0)[0] == pytest.approx(0.5, abs=1e-4), sleeps


def test_what_controllers_order_at_one_instant_is_one_input(tmp_path: Path) -> None:
    """Of the same motor the last one's word counts, and each sees what those before it have said."""
    (tmp_path / "second.py").write_text(
        "class Controller:\n    def act(self, world):\n"
        '        self.state["found"] = world.now.poses[0, 0]\n'
        '        rail = world.joint("rail")\n        rail.gains(kp=3)\n        rail.apply(2.0)\n'
    )
    second = SCENE.split("[[controller]]")[1].replace("driver", "second")
    pushes = 'class Controller:\n    def act(self, world):\n        world.joint("rail").apply(1.0)\n'
    pushes += '        world.joint("rail").gains(kv=5)\n        world.body("puck").push(force=(0, 0, 19.62))\n'
    world = running(tmp_path, pushes, SCENE + "[[controller]]" + second)
    world.advance_to(0.015)
    first, then = world.inputs
    assert (first.time, then.time) == (0.0, 0.01)
    motor, load = sorted(first.orders, key=lambda order: type(order).__name__, reverse=True)
    assert isinstance(motor, MotorOrder) and isinstance(load, LoadOrder)
    assert (motor.target, motor.kp, motor.kv) == (2.0, 3.0, 5.0) and load.force == (0.0, 0.0, 19.62)
    assert len(then.orders) == 1, "the push holds already, an effort is said anew"
    assert world.joint(0)[2] == 2.0


def test_what_was_ordered_before_a_mistake_is_done(tmp_path: Path) -> None:
    (tmp_path / "second.py").write_text("class Controller:\n    def act(self, world):\n        1 / 0\n")
    second = SCENE.split("[[controller]]")[1].replace("driver", "second")
    pushes = 'class Controller:\n    def act(self, world):\n        world.joint("rail").apply(1.0)\n'
    world = running(tmp_path, pushes, SCENE + "[[controller]]" + second)
    with pytest.raises(ControllerError, match=r"second\.py:3: ZeroDivisionError"):
        world.advance_to(0.5)
    assert [entry.time for entry in world.inputs] == [0.0]
    (tmp_path / "second.py").write_text("class Controller:\n    def act(self, world):\n        pass\n")
    world.advance_to(0.005)
    assert world.time == 0.005 and len(world.inputs) == 1, "the first one has had its tick"
