"""What sleeps lies on as others move on it: it wakes body by body, as far as a disturbance moves it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World, load_scene
from engine.arrays import Floats
from engine.group.sleepers import look_at_group
from engine.model import model as m
from engine.model import state as s
from engine.recording.contacts import read_contacts, read_held_by_sleep
from engine.recording.events import EVENT, EVENT_KINDS
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.tolerances import STIRRED_BY
from tests.momentum import wakes_next
from tests.scenario.test_settling_pile import pile
from tests.scenes import ball, body, floor, scene

G = 9.81


def hybrid(*bodies: dict[str, object], **more: object) -> Scene:
    return scene(*bodies, **{"contact": "hybrid"} | more)  # type: ignore[arg-type]


def brick(name: str, height: float, x: float = 0.0, **more: object) -> dict[str, object]:
    """A box of 20 x 20 x 10 cm, 1 kg, whose lower face is at `height`."""
    return body(name, {"box": [0.2, 0.2, 0.1]}, (x, 0, height + 0.05), mass=1.0, **more)


def tower(count: int, **more: object) -> list[dict[str, object]]:
    return [brick(f"b{k}", 0.1 * k + 1e-4 * (k + 1), **more) for k in range(count)]


def net_force(world: World, name: str) -> Floats:
    """What a body's weight and contacts give it [N]."""
    row, contacts = world.names.index(name), world.contacts()
    force = np.array(world.scene.world.gravity) * world.model.bodies[row, m.MASS]
    for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
        force = force + sign * contacts["force"][contacts[side] == row].sum(axis=0)
    return np.asarray(force)


def who_woke(world: World) -> set[str]:
    events = world.events()
    return {world.names[i] for i in events["body_a"][events["kind"] == EVENT_KINDS.index("wake")]}


def sliding_on_a_sleeper(step: float) -> World:
    """A box of 1 kg slides along a slab of 20 kg that sleeps on the floor, in steps so long."""
    slab = body("slab", {"box": [2.0, 0.4, 0.1]}, (0, 0, 0.0501), mass=20.0, asleep=True)
    box = body("box", {"box": [0.2, 0.2, 0.05]}, (-0.5, 0, 0.1252), mass=1.0, velocity=[1.0, 0.0, 0.0])
    return World(hybrid(floor(), slab, box, step=step, friction=0.3, restitution=0.0))


def rolling_on_a_sleeper(speed: float = 0.4, awake: bool = False) -> World:
    """A ball of half its weight rolls along a slab that sleeps on two others, or is about to."""
    piers = [body(f"pier{k}", {"box": [0.1, 0.3, 0.1]}, (x, 0, 0.0501), mass=2.0) for k, x in enumerate((-0.4, 0.4))]
    slab = body("slab", {"box": [1.0, 0.3, 0.1]}, (0, 0, 0.1502), mass=2.0)
    rows = [one | {"asleep": not awake} for one in (*piers, slab)]
    rolls = {"angular_velocity": [0.0, speed / 0.05, 0.0]}
    return World(hybrid(floor(), *rows, ball("ball", (-0.3, 0, 0.2503), (speed, 0, 0), radius=0.05, mass=1.0, **rolls)))


def test_what_bears_a_rolling_ball_sleeps_on() -> None:
    world = rolling_on_a_sleeper()
    for k in range(1, 6):
        world.advance_to(0.25 * k)
        asleep = dict(zip(world.names, world.asleep().tolist(), strict=True))
        assert [name for name in asleep if asleep[name]] == ["pier0", "pier1", "slab"]
    assert who_woke(world) == set()
    assert world.body("ball").position[0] == pytest.approx(-0.3 + 0.4 * 1.25, abs=1e-3)


def test_sleep_does_not_bear_hits_that_are_over() -> None:
    """The reader of contacts reports the mean of an impulse for some time; a sleeper's balance knows nothing of it."""
    world = rolling_on_a_sleeper()
    world.advance_to(0.3)
    contacts = world.contacts()
    hit = contacts[contacts["body_a"] == world.row("slab")][:1].copy()
    assert len(hit) == 1
    hit["paradigm"], hit["force"] = "impulse", (1.0, 2.0, 3.0)
    left = read_held_by_sleep(world.model, world._state, np.concatenate([contacts, hit]))
    np.testing.assert_array_equal(left, world.held_by_sleep())


def test_the_ground_below_sleepers_bears_what_rolls_on_them() -> None:
    """They are held to what a solve leaves; and each pier bears what the ball's place asks for."""
    world = rolling_on_a_sleeper()
    for k in range(1, 6):
        world.advance_to(0.25 * k)
        for name, mass in (("slab", 2.0), ("pier0", 2.0), ("pier1", 2.0)):
            assert np.abs(net_force(world, name)).max() < 1e-6 * mass * G
        assert np.abs(world.held_by_sleep()).max() < 1e-6 * 2.0 * G
        contacts = world.contacts()
        row = world.names.index("pier1")
        on_pier = -contacts["force"][(contacts["body_b"] == row) & (contacts["body_a"] != 0)].sum(axis=0)
        on_pier += contacts["force"][(contacts["body_a"] == row)].sum(axis=0)
        share = 1.0 * G + 1.0 * G * (world.body("ball").position[0] + 0.4) / 0.8
        assert abs(on_pier[2]) == pytest.approx(share, rel=0.01)  # wherever on its top that is


def test_what_is_still_falls_asleep_beside_what_rolls() -> None:
    """As soon as no net force can be left, and not as late as what is only slow."""
    world = rolling_on_a_sleeper(awake=True)
    world.advance_to(0.2)
    asleep = dict(zip(world.names, world.asleep().tolist(), strict=True))
    assert [name for name in asleep if asleep[name]] == ["pier0", "pier1", "slab"]


def test_sleepers_of_a_pile_are_held_by_their_contacts() -> None:
    """Those with what moves among them; all but what sleep holds by itself. Others wake when the step ends."""
    world, partly = World(pile(800, 0.2, 0.35)), 0
    free = world.model.tags[:, m.KIND] == m.FREE
    weight = world.model.bodies[:, m.MASS] * G
    waits, looked, due, again = np.zeros(len(free)), 0, 0, 0
    world.advance_to(0.7)
    while not world.asleep()[free].all() and world.time < 2.0:
        world.advance(1 / 240)
        asleep, contacts = world.asleep() & free, world.contacts()
        partly += bool(asleep.any() and not asleep[free].all())
        net = -weight[:, None] * (0.0, 0.0, 1.0)
        np.add.at(net, contacts["body_a"], contacts["force"])
        np.add.at(net, contacts["body_b"], -contacts["force"])
        waking = wakes_next(world)
        kept = asleep & ~waking
        assert np.all(np.linalg.norm(net[kept], axis=1) < may_be_left(world, contacts)[kept])
        found = found_loads(world)
        left = np.linalg.norm(read_held_by_sleep(world.model, world._state, found)[:, :3], axis=1)
        assert np.all(left[kept] < may_be_left(world, found)[kept]), "as after a hit, which is over"
        waits = np.where(waking, waits + 1, 0)
        looked, due, again = looked + asleep.sum(), due + (waits == 1).sum(), again + (waits == 3).sum()
    assert partly >= 10
    assert due <= 0.03 * looked
    assert again <= 0.05 * due, "as another step loads what has just been held again"


def test_what_falls_asleep_beside_sleepers_leaves_them_as_they_were() -> None:
    """By what contacts have been found to bear, before those that look at it find loads that hold them whole. Others
    have been loaded by what moves, and wake as soon as the step ends."""
    world, alone = World(pile(800, 0.2, 0.35)), 0
    free = world.model.tags[:, m.KIND] == m.FREE
    world.advance_to(0.7)
    before, left_before = world.asleep() & free, np.zeros((len(free), 3))
    world.events()
    while not world.asleep()[free].all() and world.time < 2.0:
        world.advance(1 / 240)
        asleep, found, events = world.asleep() & free, found_loads(world), world.events()
        left = read_held_by_sleep(world.model, world._state, found)[:, :3]
        hits = events[np.linalg.norm(events["impulse"], axis=1) > 0.0]
        struck = np.isin(np.arange(len(free)), np.concatenate([hits["body_a"], hits["body_b"]]))
        # What is struck bears that for a step, beside its weight.
        kept = asleep & before & ~struck & ~wakes_next(world)
        more = np.linalg.norm(left[kept], axis=1) - np.linalg.norm(left_before[kept], axis=1)
        assert np.all(more < may_be_left(world, found)[kept])
        alone += bool((asleep & ~before).any() and kept.any())
        before, left_before = asleep, left
    assert alone >= 3


@pytest.mark.slow
def test_a_marble_dropped_on_thousands_that_sleep_wakes_some_and_moves_few() -> None:
    """From 5 cm, which strikes the one below it with the weight of twenty throughout a step; the rest rests to the bit.

    Now and then a drop brings a whole slope down: of seven, each on the same pile, the middle one counts.
    """
    described = pile(4000, 0.2, 0.36).model_dump(exclude_unset=True, mode="json", by_alias=True)
    hanging = {"name": "drop", "shape": {"sphere": {"radius": 0.01}}, "position": [0.0, 0.0, 0.6], "asleep": True}
    world = World(Scene.model_validate(described | {"body": [*described["body"], hanging | {"material": "glass"}]}))
    while world.asleep().sum() < 4001:
        world.advance(0.05)
        assert world.time < 3.0
    settled = world.snapshot()
    drops = []
    for angle in 2.0 * np.pi * np.arange(7) / 7.0:
        world.restore(settled)
        drops.append(drop_marble(world, 0.05 * np.cos(angle), 0.05 * np.sin(angle)))
    woken, moved = np.median(drops, axis=0)
    assert woken < 2000 and moved < 100, drops


def drop_marble(world: World, x: float, y: float) -> tuple[int, int]:
    """Drop the marble that hangs asleep from 5 cm above the pile; how many wake, and how many move by 0.1 mm."""
    row, places = world.row("drop"), world.poses()[:, :3]
    below = (np.hypot(places[:, 0] - x, places[:, 1] - y) < 0.02) & (np.arange(len(places)) != row)
    world.pull("drop", (0, 0, 0), (0, 0, 0.6), stiffness=100.0)
    for part in np.linspace(0.0, 1.0, 50):
        z = 0.6 + part * (places[below, 2].max() + 0.07 - 0.6)
        world.move_pull((float(part * x), float(part * y), float(z)))
        world.advance(0.01)
    world.advance(0.1)
    assert world.asleep().sum() == 4000
    before, woken = world.poses().copy(), np.zeros(len(places), dtype=bool)
    world.release()
    until = world.time + 50 / 120
    while world.time < until:  # some wake for one step only
        world.advance_events(1, until)
        woken |= ~world.asleep()
    after = world.poses()
    moved = np.linalg.norm(after[:, :3] - before[:, :3], axis=1)
    assert np.array_equal(after[~woken], before[~woken])
    assert moved[row] > 0.04
    return int((woken & (world.model.tags[: len(woken), m.KIND] == m.FREE)).sum()), int((moved > 1e-4).sum())


def found_loads(world: World) -> NDArray[np.void]:
    """Contacts as they have been found to bear, before those that look at them find loads that hold sleepers whole."""
    rows = world._contacts.rows(world.model, world._state, world.inputs)
    return read_contacts(world.model, world._state, rows, np.zeros(0, dtype=EVENT))


def may_be_left(world: World, contacts: NDArray[np.void]) -> Floats:
    """What sleep may bear of each body that is held by such contacts [N], (bodies,): a part of its weight, or of half
    of what they bear if that is more."""
    borne, force = np.zeros(len(world.names)), np.linalg.norm(contacts["force"], axis=1)
    for side in ("body_a", "body_b"):
        np.add.at(borne, contacts[side], 0.5 * force)
    return np.asarray(STIRRED_BY * np.maximum(borne, world.model.bodies[: len(borne), m.MASS] * G))


def test_what_is_let_go_of_falls_at_once() -> None:
    """A bullet takes the lowest box out of a sleeping tower, faster than anything falls: all others fall freely."""
    bullet = ball("bullet", (-0.4, 0, 0.0501), (100, 0, 0), radius=0.02, mass=10.0)
    world = World(hybrid(floor(), *tower(6, asleep=True), bullet, friction=0.0, restitution=0.0))
    before = world.poses()[2:7, 2]
    world.advance_to(0.005)
    since = world.time
    assert world.body("b0").position[0] > 0.1
    world.advance_to(since + 0.05)
    fallen = before - world.poses()[2:7, 2]
    assert np.ptp(fallen) < 3e-4  # a step later each would be 2 mm
    assert fallen == pytest.approx(0.5 * G * 0.05**2, rel=0.25)


def test_what_cannot_bear_a_load_wakes_and_tips() -> None:
    """A plank asleep on an edge, and a ball that rolls out on its overhang: it tips where the lever says so."""
    block = body("block", {"box": [0.4, 0.3, 0.2]}, (-0.2, 0, 0.1), motion="fixed")
    plank = body("plank", {"box": [0.6, 0.2, 0.02]}, (0.0 - 0.05, 0, 0.2101), mass=1.0, asleep=True)
    rolls = {"angular_velocity": [0.0, 0.3 / 0.03, 0.0]}
    rolling = ball("ball", (-0.2, 0, 0.2502), (0.3, 0, 0), radius=0.03, mass=0.5, **rolls)
    world = World(hybrid(floor(), block, plank, rolling))
    row = world.names.index("plank")
    while world.asleep()[row] and world.time < 2.0:
        world.advance_to(world.time + 0.01)
    # 1 kg at -0.05 balances 0.5 kg at 0.1.
    assert world.body("ball").position[0] == pytest.approx(0.1, abs=0.02)
    world.advance_to(world.time + 0.5)
    assert abs(world.body("plank").orientation[2]) > 0.05  # about y


@pytest.mark.parametrize(("lacks", "sleeps"), [(0.0, True), (0.04, True), (0.07, False)])
def test_what_contacts_hold_but_for_what_sleep_may_bear_sleeps_on(lacks: float, sleeps: bool) -> None:
    """A box asleep on a slope, which grows heavier on a surface that has become too smooth for it by so much."""
    tangent = 0.48
    cosine = 1.0 / np.hypot(1.0, tangent)
    box = body("box", {"box": [0.4, 0.4, 0.02]}, (0, 0, 0.0101), mass=1.0, asleep=True)
    gravity = (G * tangent * cosine, 0.0, -G * cosine)
    world = World(hybrid(floor(), box, friction=0.5, gravity=gravity))
    world.advance_to(0.01)
    row = world.row("box")
    assert world.asleep()[row]
    heavier = 1.2
    (pair,) = np.flatnonzero(world._state.patches[:, s.PATCH_POINTS] > 0.0)
    world._state.pairs[pair, s.PAIR_SURFACE + m.MU_STATIC] = tangent - lacks / (heavier * cosine)
    world.model.bodies[row, m.GRAVITY : m.GRAVITY + 3] *= heavier
    desk = world._desk
    look_at_group(world.model, world._state, desk.work, desk.log, desk.log_size, row, world.time)
    assert world.asleep()[row] == sleeps
    assert 0.5 * STIRRED_BY < 0.04 < STIRRED_BY < 0.07


def test_looking_at_what_sleepers_bear_changes_nothing() -> None:
    """What is stored of their loads lags behind what rolls on them; whoever looks finds loads that hold them, and the
    run goes on alike."""
    alone, watched = rolling_on_a_sleeper(), rolling_on_a_sleeper()
    mass = watched.model.bodies[:, m.MASS]
    stored = 0.0
    for k in range(1, 21):
        watched.advance_to(0.05 * k)
        asleep = watched.asleep() & (watched.model.tags[:, m.KIND] == m.FREE)
        assert asleep.sum() == 3
        left = watched.held_by_sleep()[asleep]
        assert np.abs(left[:, :3]).max() < 1e-6 * mass[asleep].min() * G
        raw = read_held_by_sleep(watched.model, watched._state, found_loads(watched))[asleep]
        stored = max(stored, float(np.abs(raw[:, :3]).max() / (mass[asleep].min() * G)))
    assert stored > 1e-3, "so much was left to sleep before"
    alone.advance_to(watched.time)
    assert alone.digest == watched.digest


def test_partly_asleep_is_the_same_for_any_number_of_threads() -> None:
    digests = []
    for threads in (1, 2):
        said = set_path(load_scene("balls_in_dish"), "world.threads", threads)
        world = World(said)
        world.advance_to(2.2)
        digests.append((world.poses().tobytes(), world.asleep().tobytes()))
    assert digests[0] == digests[1]


def test_sleepers_keep_their_bits() -> None:
    world = rolling_on_a_sleeper()
    before = world._state.arcs[1:4, s.POSITION : s.POSITION + 10].copy()
    world.advance_to(1.2)
    assert np.array_equal(world._state.arcs[1:4, s.POSITION : s.POSITION + 10], before)


@pytest.mark.parametrize("step", [1.0 / 240.0, 0.05, 0.1])
def test_what_slides_on_a_sleeper_loads_it_where_they_touch(step: float) -> None:
    """Its weight acts before its centre by mu h, for its own balance; the floor bears both where their moments ask."""
    world, mu, load = sliding_on_a_sleeper(step), 0.3, G
    for t in np.arange(0.11, 0.3, 0.023):
        world.advance_to(t)
        assert world.asleep()[world.row("slab")]
        contacts = world.contacts()
        (under,) = contacts[contacts["body_a"] == world.row("floor")]
        (upon,) = contacts[contacts["body_b"] == world.row("box")]
        middle = 0.5 * world._state.arcs[world.row("box"), [s.T0, s.HELD_UNTIL]].sum()
        x = -0.5 + middle - 0.5 * mu * G * middle**2 + mu * 0.025
        np.testing.assert_allclose(upon["point"], (x, 0.0, 0.1), atol=3e-4)
        np.testing.assert_allclose(under["point"], ((load * x + mu * load * 0.1) / (21.0 * G), 0.0, 0.0), atol=3e-4)
        assert np.abs(world.held_by_sleep()).max() < 1e-3
