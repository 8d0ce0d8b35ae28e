"""Fields by themselves: what is typed, refused, mended and selected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from app.view.forms.numbers import MIXED, NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Editor, Form, TextBox
from tests.app.test_timeline import drag_mouse

LEFT = Qt.MouseButton.LeftButton


def type_into(box: QLineEdit, text: str) -> None:
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


@pytest.fixture
def made(qtbot) -> Callable[[Editor], tuple[QLineEdit, QLabel]]:
    """Puts an editor that refuses what is below zero into a form; its box, and the line that says what is wrong."""
    forms = []

    def make(editor: Editor) -> tuple[QLineEdit, QLabel]:
        def apply(value: object, _gesture: object) -> str:
            first = value[0] if isinstance(value, list) else value
            return "must not be negative" if str(first).startswith("-") else ""

        form = Form("")
        form.add("Number", editor, apply)
        forms.append(form)
        qtbot.addWidget(form)
        form.show()
        qtbot.waitExposed(form)
        box = editor.boxes[0] if isinstance(editor, VectorBox) else editor
        assert isinstance(box, QLineEdit)
        error = form.findChild(QLabel, "error")
        assert error is not None
        return box, error

    return make


@pytest.mark.parametrize("kind", [NumberBox, VectorBox, TextBox])
@pytest.mark.parametrize("mend", ["type", "refresh", "escape"])
def test_a_mended_entry_loses_its_red(made, kind: type, mend: str) -> None:
    editor = kind()
    value: object = [3.0, 0.0, 0.0] if kind is VectorBox else "3" if kind is TextBox else 3.0
    editor.set_value(value)
    box, error = made(editor)
    type_into(box, "-2")
    assert box.property("invalid") and error.isVisible()
    if mend == "type":
        type_into(box, "3")
    elif mend == "refresh":  # undone elsewhere
        editor.set_value(value)
    else:
        QTest.keyClick(box, Qt.Key.Key_Escape)
    assert not box.property("invalid") and not error.isVisible()
    assert box.text() == "3"


def test_two_and_three_clicks_select_the_field(qtbot, made) -> None:
    box, _ = made(NumberBox())
    box.set_value(0.057)
    QTest.mouseDClick(box, LEFT)
    assert box.selectedText() == "0.057"
    QTest.mouseClick(box, LEFT)
    assert box.selectedText() == "0.057"


def test_an_axis_is_dragged_by_its_letter_past_zero(qtbot, made) -> None:
    vector = VectorBox("m/s")
    vector.set_value([0.01, 2.0, 0.0])
    box, _ = made(vector)
    told: list[list[float]] = []
    gestures: list[object] = []
    vector.committed.connect(lambda values, gesture: (told.append(values), gestures.append(gesture)))
    start = QPoint(8, box.height() // 2)
    QTest.mousePress(box, LEFT, pos=start)
    assert vector.is_held
    for step in range(1, 13):
        drag_mouse(box, start - QPoint(10 * step, 0), Qt.KeyboardModifier.NoModifier)
    QTest.mouseRelease(box, LEFT, pos=start)
    assert not vector.is_held and len(set(gestures)) == 1, "one step of undo"
    assert told[-1] == [pytest.approx(-0.01), 2.0, 0.0] and min(values[0] for values in told) == told[-1][0]
    QTest.mouseClick(box, LEFT, pos=box.rect().center())
    drag_mouse(box, box.rect().center() + QPoint(30, 0), Qt.KeyboardModifier.NoModifier)
    assert told[-1][0] == pytest.approx(-0.01), "in the field itself a drag selects"


def test_a_choice_that_has_no_room_beside_its_name_stands_under_it(qtbot) -> None:
    form = Form("")
    qtbot.addWidget(form)
    box = ChoiceBox([(1, "One"), (2, "One after the other")])
    form.add("Impacts", box, lambda _value, _gesture: "")
    form.resize(240, 200)
    form.show()
    label = form.findChild(QLabel)
    assert label is not None

    def is_under() -> bool:
        qtbot.wait(20)
        assert box.full_width <= box.width(), "nothing of it is cut"
        return box.y() > label.y() + label.height()

    assert not is_under()
    box.set_value(2)
    assert is_under()
    form.resize(400, 200)
    assert not is_under()
    form.resize(240, 200)
    assert is_under()
    box.set_value(1)
    assert not is_under()


def test_what_has_no_name_stands_under_the_editors_of_other_forms(qtbot) -> None:
    holder, named, nameless = QWidget(), Form(""), Form("")
    qtbot.addWidget(holder)
    box, button = TextBox(), QPushButton("Delete")
    named.add("Name", box, lambda _value, _gesture: "")
    nameless.add_wide(button)
    for form in (named, nameless):
        form.setParent(holder)
        form.resize(300, 60)
    holder.show()
    qtbot.wait(20)
    assert button.mapTo(nameless, button.rect().topLeft()).x() == box.mapTo(named, box.rect().topLeft()).x()


def test_several_numbers_are_not_stepped_to_one(made) -> None:
    box = NumberBox("m")
    made(box)
    box.set_value(MIXED)
    told: list[object] = []
    box.committed.connect(lambda value, _gesture: told.append(value))
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert told == [] and box.mixed
