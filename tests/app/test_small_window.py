"""A window of 1024 x 700 stays as small as that, whatever it says, and cuts no text without a sign."""

from __future__ import annotations

import os
from collections.abc import Iterator

from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtGui import QHelpEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QToolTip, QWidget

from app.view.commands.help import HelpOverlay
from app.view.force_arrows import RULE
from app.view.layouts import TextLine, heading, vbox
from app.view.overlays.card import Card
from app.view.overlays.force_layer import ForceLegend
from app.view.plots.axes import format_si
from app.view.theme import theme
from app.view.window.main_window import MainWindow

SIZE = (1024, 700)
LONG = "the second ball from the left in the third row of the rack"


def cut_labels(window: QWidget) -> Iterator[str]:
    """Texts that are wider than their labels, and say nothing of it."""
    for label in window.findChildren(QLabel):
        silent = not isinstance(label, TextLine) and not label.wordWrap()
        if label.isVisibleTo(window) and silent and label.width() < label.minimumSizeHint().width():
            yield f"{label.text()!r} in {label.width()} px"


def test_it_stays_small_whatever_it_says(qtbot, window: MainWindow, ready) -> None:
    window.resize(*SIZE)
    QTest.mouseClick(window.gallery.card("pool_break"), Qt.MouseButton.LeftButton)
    ready()
    window.editing.rename_to("cue", LONG)
    window.document.select([LONG])
    ready()
    window.playback.step_collision()
    qtbot.waitUntil(lambda: window.simulation.state == "paused" and window.playback.frame.time > 0, timeout=60_000)
    tabs = window.workspace.bottom
    for place in range(tabs.count()):
        tabs.setCurrentIndex(place)
        window.say(f"What is said of {LONG} and of {LONG} is longer than the line at the foot of the window")
        for scheme in ("light", "dark"):
            theme().apply(scheme)
            qtbot.wait(150)
            assert (window.width(), window.height()) == SIZE, tabs.tabText(place)
            assert not list(cut_labels(window)), tabs.tabText(place)


def test_the_picture_has_its_share_of_a_small_window(qtbot, window: MainWindow, ready) -> None:
    """Panels shrink with the window, and leave the picture the largest part of it."""
    QTest.mouseClick(window.gallery.card("pool_break"), Qt.MouseButton.LeftButton)
    ready()
    window.resize(*SIZE)
    qtbot.wait(100)
    areas = {name: panel.width() * panel.height() for name, panel in window.workspace.panels.items()}
    assert window.viewport.width() * window.viewport.height() > max(areas.values())
    assert window.viewport.width() > 0.5 * window.width()


def test_a_line_shows_the_pointer_what_is_cut(qtbot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    line = TextLine(LONG)
    line.setParent(holder)
    holder.show()
    line.resize(line.sizeHint())
    assert not line.is_cut
    line.resize(80, 20)
    assert line.is_cut and line.text() == LONG and line.minimumSizeHint().width() < 40
    at = QPoint(5, 5)
    QApplication.sendEvent(line, QHelpEvent(QHelpEvent.Type.ToolTip, at, line.mapToGlobal(at)))
    assert QToolTip.text() == LONG
    line.setText("short")
    assert not line.is_cut


def test_what_is_far_too_small_for_a_prefix_is_a_power_of_ten() -> None:
    assert format_si(1.3e-156, "m/s²", 2) == "1.3e-156 m/s²"
    assert format_si(4.4e-14, "N", 2) == "0.044 pN"
    assert format_si(2e21, "N", 2) == "2.0e+21 N"


def test_the_sheet_of_keys_fits_a_small_screen(qtbot, window: MainWindow) -> None:
    """Fewer columns, and what has no room is scrolled to."""
    full, small = HelpOverlay(window), HelpOverlay(window, QSize(*SIZE))
    assert not hidden_height(full)
    small.open_over(window)
    assert small.width() <= SIZE[0] and small.height() <= SIZE[1]
    sheet = small.view.widget()
    assert sheet is not None and sheet.minimumSizeHint().width() <= small.view.width()
    assert not list(cut_labels(small))
    if pictures := os.environ.get("CAROM_PICTURES"):
        small.grab().save(f"{pictures}/help.png")
    bar = small.view.verticalScrollBar()
    for _ in range(100):
        QTest.keyClick(small, Qt.Key.Key_PageDown)
    assert bar is not None and small.isVisible() and bar.value() == bar.maximum() > 0
    QTest.keyClick(small, Qt.Key.Key_Escape)
    assert not small.isVisible()


def hidden_height(overlay: HelpOverlay) -> int:
    """How much of the sheet does not fit [px]."""
    overlay.show()
    bar = overlay.view.verticalScrollBar()
    overlay.close()
    return 0 if bar is None else bar.maximum()


class Sized(Card):
    """A card that wants to be so large."""

    def __init__(self, picture: QWidget, name: str, corner: Qt.Corner, size: tuple[int, int]) -> None:
        super().__init__(picture, name, corner, heading(name, 1.0))
        self._size = QSize(*size)
        vbox(self, self.title, QLabel("what else it says"), None, margins=(14, 10, 14, 10))

    def sizeHint(self) -> QSize:
        return self._size


def test_cards_over_a_small_picture_go_aside(qtbot) -> None:
    picture = QWidget()
    qtbot.addWidget(picture)
    first = Sized(picture, "first", Qt.Corner.TopRightCorner, (190, 150))
    second = Sized(picture, "second", Qt.Corner.BottomRightCorner, (260, 110))
    picture.resize(580, 190)
    picture.show()
    second.show()
    assert second.geometry().right() == 580 - 13, "its corner while nothing else is there"
    first.show()
    assert first.geometry().right() == 580 - 13 and second.geometry().right() < first.geometry().left()
    picture.resize(580, 320)
    assert second.geometry().right() == 580 - 13, "there is room for both"
    picture.resize(400, 190)
    assert second.folded and first.size() == QSize(190, 150), "the one that was opened last stays whole"
    assert picture.rect().contains(second.geometry()) and not first.geometry().intersects(second.geometry())
    QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    assert first.folded and second.size() == QSize(260, 110)
    assert picture.rect().contains(first.geometry()) and not first.geometry().intersects(second.geometry())
    first.hide()
    assert second.geometry().right() == 400 - 13


def test_the_legend_of_forces_leaves_a_small_picture_its_room(qtbot) -> None:
    picture = QWidget()
    qtbot.addWidget(picture)
    legend = ForceLegend(picture)
    picture.resize(560, 180)
    picture.show()
    legend.show_sets({"of the step, or of hits": 0}, 1.0)
    qtbot.wait(20)
    assert 2 * legend.height() <= 180 and legend.rule.isHidden() and RULE in legend.toolTip()
    picture.resize(560, 400)
    qtbot.wait(20)
    assert legend.rule.isVisible() and picture.rect().contains(legend.geometry())
    picture.resize(560, 180)
    assert legend.rule.isHidden()


def test_cards_stand_in_rows_where_one_row_is_too_short(qtbot) -> None:
    """As where many overlays are on: before, the third stood half behind the first."""
    picture = QWidget()
    qtbot.addWidget(picture)
    picture.resize(570, 300)
    picture.show()
    bottom, top = Qt.Corner.BottomRightCorner, Qt.Corner.TopRightCorner
    cards = []
    for k, size in enumerate(((210, 160), (250, 115), (180, 70), (220, 60), (200, 60))):
        cards.append(Sized(picture, f"card{k}", bottom if k == 3 else top, size))
        cards[-1].show()
    places = [card.geometry() for card in cards]
    assert all(picture.rect().contains(place) for place in places)
    assert not any(one.intersects(other) for k, one in enumerate(places) for other in places[:k])
    picture.resize(1200, 400)
    assert [card.geometry().top() for card in cards if card is not cards[3]] == 4 * [12], "one row is enough"


def test_cards_that_have_no_room_fold_to_their_titles(qtbot) -> None:
    """As over the low picture of a small window: before, the later ones lay on the others."""
    picture = QWidget()
    qtbot.addWidget(picture)
    picture.resize(560, 200)
    picture.show()
    sizes = ((280, 170), (250, 115), (180, 160), (220, 110))
    cards = [Sized(picture, f"card{k}", Qt.Corner.TopRightCorner, size) for k, size in enumerate(sizes)]
    for card in (cards[1], cards[2], cards[3], cards[0]):
        card.show()

    def hold() -> list[bool]:
        places = [card.geometry() for card in cards if not card.isHidden()]
        assert all(picture.rect().contains(place) for place in places)
        assert not any(one.intersects(other) for k, one in enumerate(places) for other in places[:k])
        return [card.folded for card in cards]

    assert hold() == [False, True, True, False], "those that were opened last are whole, as many as there is room for"
    for card in cards:
        seen = [label for label in card.findChildren(QLabel) if label.y() < card.height()]
        assert card.title in seen and (len(seen) == 1) == card.folded, "each says what it is"
        assert card.title.x() + card.title.sizeHint().width() < card.width()
    QTest.mouseClick(cards[2], Qt.MouseButton.LeftButton)
    assert not hold()[2], "a click opens it"
    picture.resize(330, 260)
    assert hold() == [True, True, False, True]
    cards[2].hide()
    assert not hold()[0], "there is room for the one that was opened before it"
    picture.resize(1100, 400)
    assert hold() == 4 * [False]
