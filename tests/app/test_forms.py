"""Fields by themselves: what is typed, refused, mended and selected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QLineEdit

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import Editor, Form, TextBox

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
