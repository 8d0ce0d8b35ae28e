"""Which linkages are trees, from where they hang, and in what order their links stand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model import trees as f
from engine.model.model import Model
from engine.model.trees import FREE_LINK
from engine.scene.build import build
from tests.linkages import joint, linked_scene, rod


def model_of(ties: list[tuple[str, ...]], masses: dict[str, float] | None = None) -> Model:
    """Rods a, b, c, ... of 1 m in a row, tied where the second of two begins, or where the only one does."""
    names = "abcde"
    rods = [rod(n, (k, 0, 0), (k + 1, 0, 0), (masses or {}).get(n, 1.0)) for k, n in enumerate(names)]
    fixed = [{"name": w, "motion": "fixed", "shape": {"box": [0.1, 0.1, 0.1]}, "position": [9, 9, 9]} for w in "xy"]
    joints = [joint(f"{k}", "hinge", tie, (names.index(tie[-1]), 0, 0), (0, 1, 0)) for k, tie in enumerate(ties)]
    return build(linked_scene(rods + fixed, joints)).model


def links_of(model: Model, tree: int) -> list[tuple[str, str]]:
    """The links of a tree, each with its parent; none if it is no tree."""
    table = model.joints.trees
    first, count = table.trees[tree, f.FIRST_LINK], table.trees[tree, f.LINKS]
    named = ["abcdexy"[i] for i in table.links[:, f.LINK_BODY]]
    return [
        (named[i], named[up] if (up := table.links[i, f.PARENT]) < len(named) else "")
        for i in range(first, first + count)
    ]


def test_a_tree_hangs_from_what_does_not_move() -> None:
    model = model_of([("b", "a"), ("b", "c"), ("x", "b"), ("c", "d")])
    assert links_of(model, 0) == [("b", ""), ("a", "b"), ("c", "b"), ("d", "c")]
    assert model.joints.trees.trees[0, f.BASE_BODY] == 5


def test_a_tree_that_floats_begins_with_its_heaviest_body() -> None:
    model = model_of([("a", "b"), ("b", "c")], {"c": 3.0})
    assert links_of(model, 0) == [("c", ""), ("b", "c"), ("a", "b")]
    assert model.joints.trees.links[0, f.LINK_KIND] == FREE_LINK
    assert model.joints.trees.trees[0, f.BASE_BODY] == -1
    assert model.joints.trees.trees[0, f.TREE_DOFS] == 8


@pytest.mark.parametrize(
    "ties",
    [
        [("a", "b"), ("b", "c"), ("a", "c")],
        [("a", "b"), ("b", "a")],
        [("x", "a"), ("a", "b"), ("b", "c"), ("c",)],
        [("x", "a"), ("a", "b"), ("y", "b")],
        [("a",), ("a",)],
    ],
)
def test_a_loop_is_no_tree_also_through_the_ground(ties: list[tuple[str, ...]]) -> None:
    model = model_of([*ties, ("d", "e")])
    assert links_of(model, 0) == []
    assert links_of(model, 1) == [("d", ""), ("e", "d")]


def test_frames_meet_in_the_joint_as_the_scene_begins() -> None:
    model = model_of([("x", "b"), ("b", "a"), ("b", "c")])
    table = model.joints.trees
    for link, frame in zip(table.links, table.frames):
        turn, at = frame[f.BODY_TURN : f.BODY_TURN + 9].reshape(3, 3), frame[f.BODY_AT : f.BODY_AT + 3]
        assert np.allclose(turn.T @ turn, np.eye(3), atol=1e-15)
        assert np.allclose(frame[f.CENTRE : f.CENTRE + 3], -turn.T @ at, atol=1e-15)
        assert frame[f.LINK_MASS] == 1.0
        assert link[f.DOFS] == 1
