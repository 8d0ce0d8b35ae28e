"""The scene tree by itself."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLineEdit

from app.document.document import Document
from app.view.window.tree import SceneTree
from engine.scene import paths


@pytest.fixture
def tree(qtbot, stored) -> SceneTree:
    document = Document()
    document.load("pool_break")
    made = SceneTree(document)
    made.renamed.connect(
        lambda old, new: document.edit("rename", paths.rename(document.scene, f"body.{old}", new), (new,))
    )
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    document.select(["cue"])
    return made


def typing(tree: SceneTree) -> QLineEdit | None:
    return tree.findChild(QLineEdit)


@pytest.mark.parametrize("folded", [False, True])
def test_a_name_is_typed_in_the_tree(qtbot, tree: SceneTree, folded: bool) -> None:
    bodies = tree.topLevelItem(1)
    assert bodies is not None
    bodies.setExpanded(not folded)
    tree.edit_name()
    field = typing(tree)
    assert field is not None and field.text() == "cue"
    QTest.keyClicks(field, "white")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tree._document.selection == ("white",), timeout=2000)
    assert [item.text(0) for item in tree.selectedItems()] == ["white"]
    tree.edit_name()
    field = typing(tree)
    assert field is not None and field.text() == "white"
    QTest.keyClicks(field, "other")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.wait(20)
    assert tree._document.selection == ("white",)


def test_a_body_that_goes_while_its_name_is_typed(qtbot, tree: SceneTree) -> None:
    document = tree._document
    tree.edit_name()
    document.edit("delete", paths.remove_body(document.scene, "cue"), ())
    qtbot.wait(20)
    assert not tree.selectedItems()
