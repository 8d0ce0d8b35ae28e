"""The table of actions: nothing is said twice, nothing leads nowhere, everything can be found."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from PyQt6.QtGui import QKeySequence

from app.actions.action import MENUS
from app.actions.host import Facts
from app.actions.table import ACTIONS, action
from app.view.arithmetic import parse_number
from app.view.commands.help import section_rows
from app.view.commands.palette import Entry, matches, score
from app.view.forms.numbers import NumberBox, number_text
from app.view.gallery.gallery import SCHEMES, gallery_entries
from app.view.theme import DARK, LIGHT, theme
from app.view.window.main_window import MainWindow


def test_ids_and_keys_are_unique() -> None:
    for what in ([row.id for row in ACTIONS], [key for row in ACTIONS for key in row.keys]):
        twice = [name for name, count in Counter(what).items() if count > 1]
        assert not twice


def test_keys_can_be_understood() -> None:
    for row in ACTIONS:
        for key in row.keys:
            assert not QKeySequence(key).isEmpty() and QKeySequence(key)[0].key() != 0, f"{row.id}: {key}"


def test_every_action_has_its_menu_and_is_found_there(window: MainWindow) -> None:
    for row in ACTIONS:
        assert row.menu in MENUS
        assert window.actions_[row.id] in window.menus[row.menu].actions()


def test_without_a_scene_nothing_can_be_edited() -> None:
    usable = {row.id for row in ACTIONS if row.enabled(Facts())}
    assert usable == {
        "file.new",
        "file.open",
        "file.gallery",
        "file.import_model",
        "file.quit",
        "edit.preferences",
        "view.light",
        "view.full_screen",
        "help.palette",
        "help.keys",
        "help.about",
    }


def test_labels_follow_the_facts() -> None:
    play, undo = action("simulation.play"), action("edit.undo")
    assert play.label is not None and undo.label is not None
    assert (play.label(Facts()), play.label(Facts(running=True))) == ("Play", "Pause")
    assert undo.label(Facts(undo_text="move cue")) == "Undo move cue"


def test_the_help_shows_every_key() -> None:
    shown = {text for name in MENUS for _, text in section_rows(name)}
    assert shown == {row.text.removesuffix("…") for row in ACTIONS if row.keys}


def test_the_palette_finds_by_a_few_letters() -> None:
    entries = [Entry(row.id, row.text, row.menu, "") for row in ACTIONS]
    assert matches("step ev", entries)[0].id == "simulation.step_event"
    assert matches("fr sel", entries)[0].id == "view.frame"
    assert matches("rec", entries)[0].id == "file.record"
    assert matches("zzz", entries) == []
    assert matches("", entries) == entries
    assert score("ab", "ba") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), (" 0.05715/2 ", 0.028575), ("2*pi", 6.283185307179586), ("-3e-2", -0.03), ("1,5", 1.5)],
)
def test_numbers_may_be_arithmetic(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "one", "1/0", "__import__('os')", "2**9", "1e999", "[1]", "x"])
def test_what_is_no_number_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|value"):
        parse_number(text)


def test_numbers_are_written_without_noise() -> None:
    assert [number_text(v) for v in (0.1, 7800.0, 1e-5, -0.0, 0.30000000000000004)] == [
        "0.1",
        "7800",
        "1e-05",
        "0",
        "0.3",
    ]


def test_steps_fit_the_number(qtbot) -> None:
    box = NumberBox("m")
    qtbot.addWidget(box)
    seen: list[object] = []
    box.committed.connect(lambda value, _gesture: seen.append(value))
    for start, after in ((8.0, 8.1), (0.0, 0.01), (1e-4, 1.1e-4), (7800.0, 7900.0)):
        box.set_value(start)
        box.step(1)
        assert seen[-1] == pytest.approx(after)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours after WCAG 2.1."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [DARK, LIGHT], ids=["dark", "light"])
def test_text_can_be_read(colours) -> None:
    for surface in (colours.window, colours.panel, colours.field, colours.raised):
        assert contrast(colours.text, surface) > 7
        assert contrast(colours.muted, surface) > 4.5
    assert contrast(colours.accent_text, colours.accent) > 4.5
    assert contrast(colours.error, colours.panel) > 4.5
    for shade in colours.series:
        assert contrast(shade, colours.panel) > 3


def test_every_bundled_scene_has_a_card_with_a_picture(qapp) -> None:
    for entry in gallery_entries():
        assert set(entry.thumbnails) == set(SCHEMES), f"python -m app.view.gallery.thumbnails {entry.name}"
        assert re.match(r"[A-Z]", entry.title) and entry.text


def test_cards_follow_the_theme(qtbot, window) -> None:
    """The picture of a card is light in the light theme, and dark in the dark one."""
    card = window.gallery.card("coins")
    brightness = {}
    for scheme in ("light", "dark"):
        theme().apply(scheme)
        picture = card.grab().toImage()
        brightness[scheme] = picture.pixelColor(picture.width() // 2, 6).lightnessF()
    assert brightness["light"] > 0.7 and brightness["dark"] < 0.4
