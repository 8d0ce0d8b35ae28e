"""The run pauses by itself where a condition is met, at the very event, and says why."""

from __future__ import annotations

import os
from math import nextafter

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.simulation.breaks import LOOKS, Break, Met, breaks_met, look_after, look_before
from app.view.theme import theme
from app.view.window.breaks_dialog import BreaksDialog
from engine import World, load_scene
from engine.recording.contacts import CONTACT
from engine.recording.events import EVENT, EVENT_KINDS
from tests.app.test_on_the_way import Hand
from tests.app.test_timeline import LEFT, settle

BALL = """
format = 1
[world]
{world}
[[body]]
name = "floor"
motion = "fixed"
shape = {{ plane = {{}} }}
[[body]]
name = "ball"
shape = {{ sphere = {{ radius = 0.1 }} }}
position = [0, 0, 0.5]
"""


class Still:
    """A world that stands, its bodies half a metre apart, with three joules."""

    def __init__(self, time: float) -> None:
        self.time = time

    def contacts(self) -> np.ndarray:
        return np.zeros(0, dtype=CONTACT)

    def distance(self, body: int, other: int) -> float:
        return 0.5

    def energy(self) -> dict[str, float]:
        return {"total": 3.0}


def test_the_earliest_condition_counts() -> None:
    events = np.zeros(3, dtype=EVENT)
    events["time"], events["body_a"], events["body_b"] = [0.1, 0.2, 0.3], [0, 1, 1], [1, 2, 2]
    events["kind"][2] = EVENT_KINDS.index("to_impulse")
    contact, switch = Break("contact", (2, 1)), Break("switch")
    assert breaks_met([switch, contact], events, Still(0.31)) == (Met(contact, 0.2, 0.0),)
    assert breaks_met([switch], events, Still(0.31)) == (Met(switch, 0.3, 0.0),)
    assert not breaks_met([Break("contact", (0, 2))], events, Still(0.31))
    events["impulse"][:, 2] = [1.0, 3.0, 2.0]
    hard = Break("impulse", limit=1.5)
    assert breaks_met([hard], events, Still(0.31)) == (Met(hard, 0.2, 3.0),)
    assert not breaks_met([hard._replace(bodies=(0,)), hard._replace(on=False)], events, Still(0.31))


def test_all_that_is_met_at_one_instant_is_met_together() -> None:
    events = np.zeros(2, dtype=EVENT)
    events["time"], events["body_b"] = 0.2, [1, 2]
    one, two = Break("contact", (0, 1)), Break("contact", (0, 2))
    near, slow = Break("gap", (0, 1), 1.0, below=True), Break("energy", (), 7.0, below=True, energy="total")
    assert breaks_met([one, two, near, slow], events, Still(0.25)) == (Met(one, 0.2, 0.0), Met(two, 0.2, 0.0))
    assert breaks_met([near, slow], events, Still(0.25)) == (Met(near, 0.25, 0.5), Met(slow, 0.25, 3.0))
    assert not breaks_met([near, slow], events, Still(0.26)), "no time to look"
    events["time"] = 0.25
    assert [met.condition for met in breaks_met([near, two], events, Still(0.25))] == [two, near]


def test_what_was_met_at_one_instant_is_off_and_told_together() -> None:
    hand, told = Hand(), []
    hand.worker._reports.on_met = told.append
    breaks = (Break("contact", (0, 1)), Break("impulse", limit=0.1), Break("impulse", limit=1.0))
    hand.worker.change_breaks(lambda _breaks: breaks)
    hand.worker.play()
    hand.jump()
    assert hand.stand() == told[0][0].time
    assert [[met.condition for met in one] for one in told] == [list(breaks[:2])]
    assert [one.on for one in hand.frame().breaks] == [False, False, True]
    hand.worker.play()
    for _ in range(60):
        hand.go_on()
    assert len(told) == 1, "nothing is met again"


def test_times_to_look_follow_each_other() -> None:
    """Each is the one after the one before, and the last one up to itself: none is missed by rounding."""
    for k in range(100_000):
        assert look_before(k / LOOKS) == k / LOOKS
        assert look_after(k / LOOKS) == (k + 1) / LOOKS
        short = nextafter(k / LOOKS, -1.0)  # of a look, by a rounding: that is still to come
        assert (look_before(short), look_after(short)) == ((k - 1) / LOOKS, k / LOOKS)


def type_limit(dialog: BreaksDialog, text: str) -> None:
    """Over what stands in the field of the chosen kind."""
    limit = dialog.limits[dialog.kind.currentIndex()]
    limit.setFocus()
    limit.selectAll()
    QTest.keyClicks(limit, text)


def choose(dialog: BreaksDialog, kind: str, of: str) -> None:
    """By keys, up and then down each list."""
    for box, wanted in ((dialog.kind, kind), (dialog.of, of)):
        box.setFocus()
        keys = [Qt.Key.Key_Up] * box.count() + [Qt.Key.Key_Down] * box.count()
        while box.currentText() != wanted and keys:
            QTest.keyClick(box, keys.pop(0))
        assert box.currentText() == wanted


def test_the_list_is_as_wide_as_what_it_shows(qtbot, window, ready) -> None:
    """Before, it had room for the limits of all kinds side by side: more than a small screen is wide."""
    window.files.open_path("coins")
    ready()
    window.actions_["simulation.breaks"].trigger()
    qtbot.waitExposed(window.breaks)
    assert window.breaks.width() < 640


def test_the_run_pauses_at_the_first_contact_of_two_bodies(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    names = [body.name for body in window.document.scene.bodies]
    world = World(load_scene("pool_break"))
    world.advance_to(0.3)
    events = world.events()
    first = Break("contact", (names.index("cue"), names.index("ball1"))).rows(events)["time"][0]
    window.document.select(["cue", "ball1"])
    said: list[str] = []
    window.playback.said.connect(said.append)
    QTest.keyClick(window, Qt.Key.Key_P)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: any(text.startswith("Paused at") for text in said), timeout=60_000)
    assert settle(qtbot, window) == first
    assert "first contact of cue and ball1" in said[-1]

    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > first + 0.1, timeout=60_000)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: "changes its paradigm" in said[-1] and said[-1].startswith("Paused"), timeout=60_000)
    assert settle(qtbot, window) > first + 0.1


def test_forces_gaps_and_energies_are_looked_at_at_the_same_times_at_every_speed(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    world = World(load_scene("pool_break"))
    asked = (
        ("Gap below", "between cue and ball1", "0.4 m", lambda: world.distance("cue", "ball1")),
        ("Energy below", "total", "4 J", lambda: world.energy()["total"]),
        ("Held force above", "on ball9", "1.5 N", lambda: held_force(world, "ball9")),
    )
    said: list[str] = []
    window.playback.said.connect(said.append)
    dialog = window.breaks
    for number, (kind, of, limit, read) in enumerate(asked):
        bound, unit = limit.split()
        world.advance_to(look_after(world.time))
        while (read() < float(bound)) != kind.endswith("below"):
            world.advance_to(look_after(world.time))
        window.document.select(["cue", "ball1"] if kind == "Gap below" else ["ball9"])
        QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
        choose(dialog, kind, of)
        type_limit(dialog, bound)
        QTest.mouseClick(dialog.add, LEFT)
        assert said[-1].startswith("Will pause"), said
        qtbot.waitUntil(lambda: dialog.list.count() == len(window.playback.frame.breaks))
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        ready()
        window.playback.set_speed((1.0, float("inf"), 0.5)[number])
        QTest.keyClick(window, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: said[-1].startswith("Paused at"), timeout=60_000)
        assert settle(qtbot, window) == world.time
        assert said[-1].endswith(f", {read():.4g} {unit}"), said[-1]
    assert [one.on for one in window.playback.frame.breaks] == [False] * 3
    if pictures := os.environ.get("CAROM_PICTURES"):
        shoot_dialog(qtbot, window, pictures)


def held_force(world: World, name: str) -> float:
    """The largest force that holds a contact of a body [N]."""
    contacts, row = world.contacts(), world.row(name)
    ours = contacts[(contacts["body_a"] == row) | (contacts["body_b"] == row)]
    return float(np.linalg.norm(ours[ours["paradigm"] == "constraint"]["force"], axis=1).max(initial=0.0))


def shoot_dialog(qtbot, window, pictures: str) -> None:
    """Pictures in both themes, for whoever wants to look."""
    window.playback.show_breaks()
    for scheme in ("light", "dark"):
        theme().apply(scheme)
        qtbot.wait(200)
        window.breaks.grab().save(f"{pictures}/breaks_{scheme}.png")


def test_a_list_of_breaks_is_switched_and_shortened_by_hand(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    world = World(load_scene("pool_break"))
    world.advance_to(0.3)
    events = world.events()
    hard = Break("impulse", limit=1.0)
    (met,) = breaks_met([hard], events, world)
    said: list[str] = []
    window.playback.said.connect(said.append)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    dialog = window.breaks
    assert dialog.isVisible() and dialog.nothing.isVisible() and not dialog.remove.isEnabled()
    QTest.mouseClick(dialog.add, LEFT)  # an impulse above 1 N s
    qtbot.waitUntil(lambda: dialog.remove.isEnabled() and not dialog.nothing.isVisible(), timeout=5000)
    type_limit(dialog, "1e-3")
    QTest.mouseClick(dialog.add, LEFT)
    qtbot.waitUntil(lambda: dialog.list.count() == 2)
    dialog.list.setFocus()
    dialog.list.setCurrentRow(1)
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)  # off: the ball's weight does not stop the run
    qtbot.waitUntil(lambda: [one.on for one in window.playback.frame.breaks] == [True, False])

    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    ready()  # it has the keys again
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: any(text.startswith("Paused at") for text in said), timeout=60_000)
    assert settle(qtbot, window) == met.time
    assert said[-1].endswith(f"an impulse above 1 N s, {met.value:.4g} N s")
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: dialog.list.item(0).checkState() == Qt.CheckState.Unchecked)

    dialog.list.setCurrentRow(1)
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: dialog.list.count() == 1)


@pytest.mark.parametrize(
    ("world", "one", "why"),
    [
        ('contact = "penalty"', Break("contact", (0, 1)), "never met, as penalty contact has no events (use a gap)"),
        ('contact = "penalty"', Break("impulse"), "never met, as penalty contact has no events (use a held force)"),
        ('contact = "penalty"', Break("gap", (0, 1), 0.0, below=True), ""),
        ("order = 1", Break("contact", (0, 1)), "never met, as a first-order world has no events (use a gap)"),
        ('contact = "impulse"', Break("switch"), "never met, as every contact is left to impulses"),
        ('contact = "impulse"', Break("contact", (0, 1)), ""),
    ],
)
def test_a_condition_that_is_never_met_says_so(
    qtbot, window, ready, tmp_path, world: str, one: Break, why: str
) -> None:
    (tmp_path / "ball.toml").write_text(BALL.format(world=world))
    window.files.open_path(tmp_path / "ball.toml")
    ready()
    said: list[str] = []
    window.playback.said.connect(said.append)
    window.playback.add_break(one)
    assert said[-1].startswith("Will not pause: " if why else "Will pause, once: ") and why in said[-1]
    window.playback.show_breaks()
    qtbot.waitUntil(lambda: window.breaks.list.count() == 1, timeout=5000)
    text = window.breaks.list.item(0).text()
    assert text.endswith(why) and ("never" in text) == bool(why)
    window.playback.switch_break(one, False)
    window.playback.switch_break(one, True)
    assert said[-1].startswith("Will not pause: " if why else "Will pause, once: ")
