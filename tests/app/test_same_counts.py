"""What the window counts is what a world of its own has counted: events, pairs, checks, bodies.

And what its plots average over a time is what comes out when a world is followed through that time.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QTreeWidgetItem

from app.view.contacts.table import COLUMNS
from app.view.microscope.words import say_contact
from app.view.plots.choices import Choice
from app.view.plots.history import History
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.analysis.methods import METHODS
from engine.recording.events import EVENT_KINDS
from engine.recording.observe import CAUSE_NAMES
from engine.resources import scenes_dir
from tests.app.instants import Instant, legend, number, run_past, said, second_source
from tests.app.test_timeline import click_timeline, settle

SCENES = {
    "coins": 0.85,
    "part_sorter": 0.4,
    "see_saw": 0.8,
    "rows_and_rack": 0.3,
    "stack_of_books": 0.3,
    "vibrating_feeder": 0.25,
}
"""Scenes, and when they are looked at [s]."""
TALLIES = {
    "to constraint": "to_constraint",
    "to impulse": "to_impulse",
    "fell asleep": "sleep",
    "woke": "wake",
    "took a contact impulse": "contact_impulse",
}
CONTROL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


@pytest.fixture(params=SCENES)
def instant(request: Any, qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any) -> Instant:
    window.files.open_path(request.param)
    ready()
    run_past(qtbot, window, SCENES[request.param])
    qtbot.wait(300)
    return second_source(window, capsys)


def test_counts_agree(instant: Instant) -> None:
    check_switches(instant)
    check_timeline(instant)
    check_pairs(instant)
    check_queue(instant)
    check_rates(instant)
    check_scene(instant)


def test_forces_over_a_time_agree(qtbot: Any, instant: Instant) -> None:
    check_mean_forces(instant)
    check_problem(qtbot, instant)
    check_event(qtbot, instant)


def by_kind(events: np.ndarray) -> Counter[str]:
    return Counter(EVENT_KINDS[int(kind)] for kind in events["kind"])


def pair_of(record: np.void) -> frozenset[int]:
    return frozenset((int(record["body_a"]), int(record["body_b"])))


def caption(window: MainWindow) -> str:
    assert window.inspector.page is not None, "the page is made before its caption is read"
    return window.inspector._kind.text()


def check_switches(instant: Instant) -> None:
    """The line over the strip."""
    counted, words = by_kind(instant.events), instant.window.plots.strip.words
    found = {word: int(number) for number, word in re.findall(rf"(\d+) ({'|'.join(TALLIES)})", words)}
    assert found == {word: counted[kind] for word, kind in TALLIES.items() if counted[kind]}, words
    told = instant.told["counters"]
    assert counted["to_constraint"] + counted["to_impulse"] == told["switches"]


def check_timeline(instant: Instant) -> None:
    """Its bars and marks stand for as many collisions and switches as there were."""
    line, told = instant.window.timeline, instant.told["counters"]
    assert line._hits.counts.sum() == told["collisions"] == by_kind(instant.events)["collision"]
    assert line._switches.counts.sum() == told["switches"]


def check_pairs(instant: Instant) -> None:
    """The Gantt chart: how many pairs touched, and how often the two hit each other that did so most."""
    window, events = instant.window, instant.events
    window.workspace.open_tab("Contacts over time", 240)
    window.plots.refresh()
    gantt = window.plots.gantt
    gantt.refresh(instant.time)
    are_hits = [EVENT_KINDS[int(kind)] in ("collision", "microcollision", "arrest") for kind in events["kind"]]
    hits = Counter(pair_of(event) for event in events[np.array(are_hits, dtype=bool)])
    kept = {pair_of(event) for event in events[events["kind"] == EVENT_KINDS.index("to_constraint")]}
    held = {pair_of(one) for one in instant.world.contacts() if one["paradigm"] == "constraint"}
    text = gantt._said()
    number_said = 0 if text.startswith("no contacts") else int(re.findall(r"(\d+) pairs?$", text)[0])
    # A contact may be held for so short that no sample has seen it.
    assert len(hits.keys() | held) <= number_said <= len(hits.keys() | held | kept), text
    rows = {frozenset(gantt.log.bodies[pair].tolist()): row for row, pair in enumerate(gantt.shown)}
    if (most := max(hits, key=lambda pair: hits[pair], default=frozenset())) in rows:
        told = gantt.say(rows[most], 0.5 * instant.time, instant.time)
        many = re.findall(r"hit each other (\d+) times", told)
        assert (int(many[0]) if many else 1) == hits[most]


def check_queue(instant: Instant) -> None:
    """The queue: its length, as a number and in the chart, and the next checks."""
    window, size = instant.window, instant.told["counters"]["heap_size"]
    window.workspace.open_tab("Events", 240)
    window.plots.refresh()
    assert legend(window.plots.heap.charts[1]) == {"events": str(size)}
    window.workspace.open_tab("Event queue", 240)
    QTest.qWait(300)
    table = window.heap_table
    due = instant.world.heap(200)
    assert table._caption.text() == f"{size} events queued; the next {len(due)} pair checks"
    assert table.model.rowCount() == len(due)
    names = list(instant.told["bodies"])
    texts = [[table.model.data(table.model.index(row, column)) for column in range(6)] for row in range(len(due))]
    # Pieces of concave bodies are pairs of their own; which of those that are due at one time comes first is not said.
    shown = sorted((one, other, bound, number(gap, "m")) for one, other, gap, _, bound, _ in texts)
    expected = sorted(
        (
            names[record["body_a"]],
            names[record["body_b"]],
            f"{record['time']:.6f} s" if np.isfinite(record["time"]) else "never",
            float(record["gap"]) if np.isfinite(record["gap"]) else np.nan,
        )
        for record in due
    )
    assert [row[:3] for row in shown] == [row[:3] for row in expected]
    np.testing.assert_allclose([row[3] for row in shown], [row[3] for row in expected], rtol=6e-4, atol=1e-15)


def last_window(history: History) -> tuple[float, float]:
    """The last window of time that a history has values of [s]."""
    part = history.stretch(0.0, 1e9, 1 << 20)
    return float(part.begin[-1]), float(part.end[-1])


def check_rates(instant: Instant) -> None:
    """What is counted per second, over the last window."""
    window = instant.window
    heap, stages = window.plots.heap, window.plots.stages
    begin, end = last_window(heap.own.histories[0])
    rate = rates_between(window, begin, end)
    window.workspace.open_tab("Events", 240)
    rates, _, between = (legend(chart) for chart in heap.charts)
    assert is_within(number(rates["checks"], "/s"), rate["pair_checks"])
    assert is_within(number(rates["collisions"], "/s"), rate["collisions"])
    assert is_within(number(rates["microcollisions"], "/s"), rate["microcollisions"])
    if rate["heap_pops"][0] > 0.0:
        assert is_within(1.0 / number(between["mean"], "s"), rate["heap_pops"])
    window.workspace.open_tab("Profiler", 240)
    assert last_window(stages.own.histories[2]) == (begin, end)
    work = legend(stages.charts[2])
    for key, counter in (
        ("events", "heap_pops"),
        ("box updates", "box_updates"),
        ("new pairs", "pairs_made"),
        ("feature steps", "feature_steps"),
    ):
        assert is_within(number(work[key], "/s"), rate[counter]), key


def rates_between(window: MainWindow, begin: float, end: float) -> dict[str, tuple[float, float]]:
    """The least and the most that may be counted per second between two readings.

    A command, such as the one to pause, has the world read at its next event, and others of that instant may follow: so
    those of an instant at which a reading was count before it or after it. Most readings are between instants.
    """
    before_begin, begun = counters_about(window, begin)
    before_end, ended = counters_about(window, end)
    return {
        name: ((before_end[name] - begun[name]) / (end - begin), (ended[name] - before_begin[name]) / (end - begin))
        for name in ended
    }


def is_within(value: float, bounds: tuple[float, float]) -> bool:
    """Whether a number as it is written is in a range: to three figures at least."""
    return bounds[0] * (1.0 - 6e-4) <= value <= bounds[1] * (1.0 + 6e-4)


def counters_about(window: MainWindow, time: float) -> tuple[dict[str, int], dict[str, int]]:
    """What is counted before an instant, and with all that happens in it."""
    world = World(load_scene(window.document.name), python="run")
    world.advance_to(float(np.nextafter(time, 0.0)))
    before = dict(world.counters)
    world.advance_to(time)
    return before, dict(world.counters)


def check_scene(instant: Instant) -> None:
    """How many of what the tree and the inspector's pages count, beside the file itself."""
    window = instant.window
    said_there = tomllib.loads((scenes_dir() / f"{window.document.name}.toml").read_text(encoding="utf-8"))
    found = dict(groups(window))
    for title, key in (("Bodies", "body"), ("Repeats", "repeat"), ("Joints", "joint"), ("Materials", "material")):
        assert found.get(title, 0) == len(said_there.get(key, ())), title
    names = list(instant.told["bodies"])
    copies = {
        one["name"]: sum(name.startswith(f"{one['name']}.") for name in names) for one in said_there.get("repeat", ())
    }
    window.document.set_focus("world")
    assert caption(window) == f"World of {len(names)} bodies"
    for material in said_there.get("material", {}):
        wearers = sum(body.get("material") == material for body in said_there.get("body", ()))
        wearers += sum(copies[one["name"]] for one in said_there.get("repeat", ()) if one.get("material") == material)
        window.document.set_focus(f"material.{material}")
        assert caption(window) == f"Material of {wearers} {'body' if wearers == 1 else 'bodies'}"
    for name, count in copies.items():
        window.document.set_focus(f"repeat.{name}")
        assert caption(window).startswith(f"{count} bodies in a ")
        assert len(window.tree.findItems(f"{name}  × {count}", Qt.MatchFlag.MatchRecursive)) == 1
    window.document.set_focus("world")


def groups(window: MainWindow) -> Iterator[tuple[str, int]]:
    """Titles of the tree with the numbers after them."""
    for row in range(window.tree.topLevelItemCount()):
        item = window.tree.topLevelItem(row)
        assert isinstance(item, QTreeWidgetItem)
        title, _, number_there = item.text(0).partition("  ")
        if number_there:
            yield title, int(number_there)


def check_mean_forces(instant: Instant) -> None:
    """The plot of contact forces: the mean of the last window, of all and of a body that is selected.

    A reading tells of held forces on the mean since the one before, for up to a sixtieth of a second. Where they change
    fast that blurs what comes before an end of a window and what after it: much of one of 20 ms, little of 100.
    """
    window, panel = instant.window, instant.window.plots.forces
    panel.set_window(0.1)
    name = instant.busiest
    window.document.select((name,))
    window.workspace.open_tab("Contact forces", 240)
    window.plots.refresh()
    texts = legend(panel.charts[0])
    begin, end = last_window(panel.own.histories[0])
    row = list(instant.told["bodies"]).index(name) if name else -1
    means, ranges = mean_forces(window, begin, end, row)
    names = [("normal", "friction"), *([(f"{name}, normal", f"{name}, friction")] if name else [])]
    for mean, spread, keys in zip(means, ranges, names, strict=False):
        for force, most, key in zip(mean, spread, keys, strict=True):
            # Forces that hold are read sixty times a second or oftener, and here two thousand times: at both ends of
            # the window a twelfth of it may be of what came just before.
            blur = 0.05 * abs(force) + 0.02 * means[0, 0] + most / 12.0 + 1e-9
            assert number(texts[key], "N") == pytest.approx(force, abs=blur), key
    weights = window.playback.frame.weights
    assert weights is not None
    chart = panel.charts[0]
    weight = weights[row] if name else weights.sum()
    assert chart.level is None or number(chart.level_key.text, "N") == said(weight)
    window.document.select(())


def mean_forces(window: MainWindow, begin: float, end: float, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal and friction forces of all contacts and of those of one body, as means over a time, (2, 2) [N]; and by how
    much those that hold change in it."""
    world = World(load_scene(window.document.name), python="run")
    world.advance_to(begin)
    world.events()
    held = np.zeros((200, 2, 2))
    for part, now in zip(held, np.linspace(begin, end, 201)[1:], strict=True):
        world.advance_to(float(now))
        contacts = world.contacts()
        add(part, contacts[contacts["paradigm"] != "impulse"], "force", 1.0, row)
    hits = np.zeros((2, 2))
    add(hits, world.events(), "impulse", 1.0 / (end - begin), row)
    return held.mean(axis=0) + hits, np.ptp(held, axis=0)


def add(sums: np.ndarray, records: np.ndarray, field: str, by: float, row: int) -> None:
    """Adds parts along the normal and across it, of all records and of those of one body."""
    along = (records[field] * records["normal"]).sum(axis=1)
    across = np.linalg.norm(np.cross(records[field], records["normal"]), axis=1)
    mine = (records["body_a"] == row) | (records["body_b"] == row)
    sums[0] += by * np.array([along.sum(), across.sum()])
    sums[1] += by * np.array([along[mine].sum(), across[mine].sum()])


def check_problem(qtbot: Any, instant: Instant) -> None:
    """The solver microscope and the card of impending motion count bodies, contacts and points alike."""
    window, problem = instant.window, instant.world.contact_problem()
    QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
    QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.overlays.impending.result is not None, timeout=20_000)
    qtbot.wait(300)
    contacts, points, bodies = len(np.unique(problem.nodes, axis=0)), len(problem.nodes), len(problem.bodies)
    if not points:
        assert "touches" in window.overlays.impending.card.said.text()
        return
    expected = f"{contacts} contact{'' if contacts == 1 else 's'}"
    expected += f", {points} points" if points != contacts else ""
    assert f"· {expected} of {bodies} bod" in window.microscope.caption.text()
    assert re.match(rf"{bodies} bod\w+, {expected}[.,]", window.overlays.impending.card.said.text())


def check_event(qtbot: Any, instant: Instant) -> None:
    """The event inspector: the last collision, with its impulse and what it took."""
    window, panel, events = instant.window, instant.window.events, instant.events
    QTest.keyClick(window, Qt.Key.Key_E)
    hits = events[events["kind"] == EVENT_KINDS.index("collision")]
    if not len(hits):
        return
    qtbot.waitUntil(lambda: panel.seen is not None, timeout=30_000)
    figures = dict(panel.figures)
    last = hits[hits["time"] == hits["time"][-1]]
    sizes = np.linalg.norm(last["impulse"], axis=1)
    event = last[int(sizes.argmax())]
    first = list(instant.told["bodies"])[int(event["body_a"])]
    text = figures[f"impulse on {first}"]
    assert number(text.partition("(")[0], "N s") == said(sizes.max())
    normal = float(np.dot(event["impulse"], event["normal"]))
    friction = float(np.linalg.norm(event["impulse"] - normal * event["normal"]))
    parts = figures["of which"].split(", ")
    assert number(parts[0], "N s") == pytest.approx(normal, rel=2e-3)
    assert number(parts[1], "N s") == pytest.approx(friction, rel=2e-3, abs=2e-3 * normal)
    if len(last) > 1:
        assert f"lost by all {len(last)}" in figures
    alone = [float(time) for time in hits["time"] if np.sum(events["time"] == time) == 1]
    # A busy group resolves some hits in its own time, up to a step early: at their instant nothing is lost any more.
    for time in reversed(alone):
        lost = losses_at(instant, time)
        if max(map(abs, lost.values())) > 1e-15:
            panel.open_near(time)
            qtbot.waitUntil(lambda: panel.seen is not None, timeout=30_000)
            check_losses(dict(panel.figures)["energy lost"], lost)
            break


def losses_at(instant: Instant, time: float) -> dict[str, float]:
    """What is lost at an instant, by cause [J]: by the energies of a world of its own just before it and then."""
    world = World(load_scene(instant.window.document.name), python="run")
    world.advance_to(float(np.nextafter(time, 0.0)))
    before = world.energy()
    world.advance_to(time)
    after = world.energy()
    return {cause: after[cause] - before[cause] for cause in CAUSE_NAMES}


def check_losses(text: str, lost: dict[str, float]) -> None:
    """What one event has taken, as the panel writes it."""
    most = max(map(abs, lost.values()))
    for cause in CAUSE_NAMES:
        (part,) = [part for part in text.split(", ") if part.startswith(f"{cause} ")] or ["0 J"]
        assert number(part, "J") == pytest.approx(lost[cause], rel=2e-3, abs=1e-6 * most + 2e-12), text


def test_points_of_the_microscope_add_up_to_what_contacts_bear(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any
) -> None:
    """At rest, where the forces that the step has found and those that solvers find are the same."""
    window.files.open_path("stack_of_books")
    ready()
    run_past(qtbot, window, 0.5)
    instant = second_source(window, capsys)
    QTest.keyClick(window, Qt.Key.Key_C, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    card = window.contact_card
    card.solve_box.click()
    qtbot.waitUntil(lambda: len(card.runs) == len(METHODS), timeout=30_000)
    told = [contact["normal_force"] for contact in instant.told["contacts"]]
    for place in range(len(METHODS)):
        column = len(COLUMNS) + 1 + place
        texts = [card.table.contacts.text(row, column) for row in range(len(told))]
        assert [number(text, "N") for text in texts] == pytest.approx(told, rel=5e-3)
    QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
    panel = window.microscope
    qtbot.waitUntil(lambda: panel.run is not None, timeout=30_000)
    assert panel.problem is not None and panel.run is not None
    sums: Counter[frozenset[str]] = Counter()
    names = list(instant.told["bodies"])
    for point, rows in enumerate(panel.problem.rows):
        text = say_contact(panel.run, panel.stepper.step, point)
        sums[frozenset(names[row] for row in rows)] += number(text.split(",")[0], "N")
    assert sums == pytest.approx(
        {frozenset(contact["bodies"]): contact["normal_force"] for contact in instant.told["contacts"]}, rel=5e-3
    )


@pytest.mark.parametrize(("name", "time"), [("coins", 0.7), ("part_sorter", 0.4), ("cart_pole", 0.5)])
@pytest.mark.parametrize("back", [False, True], ids=["newest", "gone back"])
def test_chosen_quantities_agree(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any, name: str, time: float, back: bool
) -> None:
    """Energies of bodies, forces of a pair, the effort of a joint: each curve says what holds at the instant."""
    window.files.open_path(name)
    ready()
    run_past(qtbot, window, time)
    if back:
        click_timeline(window, 0.567 * time)
        settle(qtbot, window)
    instant = second_source(window, capsys)
    scene, world = window.document.scene, instant.world
    free = [body.name for body in scene.body if body.motion == "free"][:20]
    choices = [Choice("body", (body,), "kinetic energy") for body in free]
    pair = max(instant.told["contacts"], key=lambda one: one["normal_force"], default=None)
    if pair is not None:
        choices += [Choice("pair", tuple(pair["bodies"]), f"{part} force") for part in ("normal", "friction")]
    joints = [joint.name for joint in scene.joint if joint.kind in ("hinge", "slider")]
    choices += [Choice("joint", (joint,), "effort") for joint in joints[:1]]
    window.workspace.open_tab("Quantities", 400)
    panel = window.plots.quantities
    panel.set_choices(choices)
    qtbot.wait(400)
    texts = {key: text for chart in panel.charts for key, text in legend(chart).items()}
    energies = [number(texts[f"{body}, kinetic energy"], "J") for body in free]
    if len(free) == sum(body.motion == "free" for body in scene.bodies):
        assert sum(energies) == pytest.approx(instant.told["energy"]["kinetic"], rel=2e-3, abs=1e-12)
    for body, energy in zip(free, energies, strict=True):
        assert energy == said(kinetic(world, body)), body
    if pair is not None:
        together = [one for one in instant.told["contacts"] if set(one["bodies"]) == set(pair["bodies"])]
        for part in ("normal", "friction"):
            force = sum(one[f"{part}_force"] for one in together)
            text = texts[f"{' – '.join(pair['bodies'])}, {part} force"]
            assert number(text, "N") == said(force, pair["normal_force"])
    if joints:
        place = [joint.name for joint in scene.joint].index(joints[0])
        unit = "N m" if scene.joint[place].kind == "hinge" else "N"
        effort = world.joint(place)[2]
        assert number(texts[f"{joints[0]}, effort"], unit) == said(effort)
        window.document.set_focus(f"joint.{joints[0]}")
        window.workspace.open_tab("Joint", 240)
        qtbot.wait(400)
        assert number(legend(window.plots.joint.charts[2])["effort"], unit) == said(effort)


def kinetic(world: World, name: str) -> float:
    """Of a body [J]: what it loses if its own velocities are all that a world of it has."""
    from engine.model.model import FRAME, MASS, MOMENTS

    body, view = world.model.bodies[world.row(name)], world.body(name)
    turn = rotation(view.orientation) @ rotation(body[FRAME + 3 : FRAME + 7]).T
    spin = turn.T @ view.angular_velocity
    return float(0.5 * body[MASS] * view.velocity @ view.velocity + 0.5 * spin**2 @ body[MOMENTS : MOMENTS + 3])


def rotation(q: np.ndarray) -> np.ndarray:
    """The matrix of a quaternion w x y z."""
    w, v = q[0], np.asarray(q[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)
