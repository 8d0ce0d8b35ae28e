"""The methods' conditions of order, by rooted trees (Hairer, Norsett and Wanner 1993, II.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from engine.tree import dormand_prince_5 as order_5
from engine.tree.dormand_prince import ERROR_3, ERROR_5, LAST, NODES, SLOPES, TO_MIDDLE
from engine.tree.methods import EIGHTH, ERROR_4, FIFTH, MIDWAY, STAGES, WEIGHTS

Tree = tuple[Any, ...]


@cache
def rooted(order: int) -> list[Tree]:
    """Rooted trees with so many nodes, each as a sorted tuple of the trees that hang from its root."""

    def branches(left: int, largest: int) -> Iterator[list[Tree]]:
        if left == 0:
            yield []
        for size in range(min(left, largest), 0, -1):
            for tree in rooted(size):
                for rest in branches(left - size, size):
                    yield [tree, *rest]

    return sorted({tuple(sorted(found)) for found in branches(order - 1, order - 1)})


def nodes(tree: Tree) -> int:
    return 1 + sum(nodes(branch) for branch in tree)


def density(tree: Tree) -> int:
    product = nodes(tree)
    for branch in tree:
        product *= density(branch)
    return product


def weight(tree: Tree, method: int) -> np.ndarray:
    out = np.ones(STAGES)
    for branch in tree:
        out = out * (WEIGHTS[method, :STAGES] @ weight(branch, method))
    return out


def error(weights: np.ndarray, order: int, at: float = 1.0, method: int = EIGHTH) -> float:
    """The largest error in the conditions up to an order, for a moment at that part of the step."""
    trees = [tree for size in range(1, order + 1) for tree in rooted(size)]
    return max(abs(weights @ weight(tree, method) - at ** nodes(tree) / density(tree)) for tree in trees)


def test_a_step_is_of_order_eight() -> None:
    assert np.abs(SLOPES.sum(axis=1) - NODES).max() < 1e-14
    assert error(WEIGHTS[EIGHTH, LAST], 8) < 1e-14 < error(WEIGHTS[EIGHTH, LAST], 9)


def test_errors_are_differences_from_methods_of_orders_five_and_three() -> None:
    whole = WEIGHTS[EIGHTH, LAST]
    assert error(whole - ERROR_5, 5) < 1e-14 < error(whole - ERROR_5, 6)
    assert error(whole - ERROR_3, 3) < 1e-14 < error(whole - ERROR_3, 4)


def test_the_middle_is_reached_to_order_six() -> None:
    assert error(TO_MIDDLE, 6, 0.5) < 1e-15 < error(TO_MIDDLE, 7, 0.5)


def test_the_method_of_less_stages_is_of_order_five_its_error_of_order_four_and_so_is_its_middle() -> None:
    whole = WEIGHTS[FIFTH, LAST]
    assert np.abs(np.sum(order_5.SLOPES, axis=1) - order_5.NODES).max() < 1e-14
    assert error(whole, 5, method=FIFTH) < 1e-14 < error(whole, 6, method=FIFTH)
    assert error(whole - ERROR_4, 4, method=FIFTH) < 1e-14 < error(whole - ERROR_4, 5, method=FIFTH)
    assert error(WEIGHTS[FIFTH, MIDWAY], 4, 0.5, FIFTH) < 1e-14 < error(WEIGHTS[FIFTH, MIDWAY], 5, 0.5, FIFTH)
