"""Trees that swing in a plane move as they do in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine.model import joints as j
from engine.model import trees as f
from engine.model.joints import BALL, HINGE, SLIDER
from engine.model.model import RADIUS
from engine.tree.dynamics import accelerate_tree, carry_answers
from engine.tree.find import find_trees
from engine.tree.flow import _note_accelerations
from engine.tree.kinematics import place_links
from engine.tree.limbs import make_limbs
from engine.tree.plane import accelerate_flat, fastest_flat, lay_flat, note_flat, place_flat
from tests.trees import Tree, random_tree


def flat_tree(rng: np.random.Generator, links: int, tilt: float = 0.0) -> Tree:
    """Hinges along the z axes of all bodies, either way round; that of the first is tilted against its body's."""
    tree = random_tree(rng, links, False, (HINGE,))
    for k in range(links):
        for column in (j.AXES_A, j.AXES_B):
            turn = Rotation.from_euler("z", rng.uniform(0.0, 6.0)).as_matrix()
            turn = turn @ np.diag(rng.choice([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0)]))
            if k == 1:
                turn = Rotation.from_euler("x", tilt).as_matrix() @ turn
            tree.joints.frames[k, column : column + 9] = turn.T.ravel()
    trees = find_trees(tree.joints, tree.bodies)
    limbs = make_limbs(trees)
    limbs.coords[f.NOW], limbs.speeds[f.NOW] = rng.normal(size=links), rng.normal(size=links)
    tree = tree._replace(trees=trees, limbs=limbs, joints=tree.joints._replace(trees=trees))
    tree.place()
    return tree


def laid_flat(rng: np.random.Generator, links: int, turned: float) -> Tree:
    """Such a tree, whose joints have turned by about so much [rad] since it was laid flat."""
    tree = flat_tree(rng, links)
    trees, limbs = tree.trees, tree.limbs
    assert trees.trees[0, f.FLAT] == 1
    lay_flat(tree.bodies, trees, limbs, 0)
    limbs.coords[f.NOW] += turned * rng.normal(size=links)
    return tree


@pytest.mark.parametrize("links", [1, 2, 7, 30])
@pytest.mark.parametrize("turned", [0.0, 0.02, 2.0])
def test_accelerations_in_the_plane_are_those_in_space(links: int, turned: float) -> None:
    rng = np.random.default_rng(links)
    tree = laid_flat(rng, links, turned)
    trees, limbs = tree.trees, tree.limbs
    limbs.dofs[:, f.ACTED] = rng.normal(size=links)
    limbs.dofs[:, f.LOCKED] = rng.random(links) < 0.3
    accelerate_flat(trees, limbs, 0, 4)
    note_flat(trees, limbs, 0, f.START_A)
    assert (limbs.coords[f.STAGE + 4] == limbs.speeds[f.NOW]).all()
    locked = limbs.dofs[:, f.LOCKED]
    seen = np.column_stack([limbs.speeds[f.STAGE + 4], locked * limbs.dofs[:, f.HELD_BY]])
    place_links(trees, limbs, 0)
    accelerate_tree(tree.bodies, trees, limbs, 0)
    _note_accelerations(trees, limbs, 0, f.END_A, False)
    held = np.column_stack([limbs.dofs[:, f.DOF_ANSWER], locked * limbs.dofs[:, f.HELD_BY]])
    assert np.abs(seen - held).max() < 1e-12 * max(np.abs(held).max(), 1.0)
    here, there = (limbs.links[:links, c : c + 6] for c in (f.START_A, f.END_A))
    assert np.abs(here - there).max() < 1e-12 * max(np.abs(there).max(), 1.0)


@pytest.mark.parametrize("links", [1, 2, 7, 30])
@pytest.mark.parametrize("turned", [0.0, 0.02, 2.0])
def test_links_in_the_plane_stand_and_move_as_in_space(links: int, turned: float) -> None:
    rng = np.random.default_rng(links)
    tree = laid_flat(rng, links, turned)
    trees, limbs = tree.trees, tree.limbs
    limbs.speeds[f.NOW] = rng.normal(size=links)
    limbs.dofs[:, f.DOF_ANSWER] = rng.normal(size=links)
    place_flat(trees, limbs, 0)
    here, fastest = limbs.links[:links].copy(), fastest_flat(tree.bodies, trees, limbs, 0)
    place_links(trees, limbs, 0)
    for column, width in ((f.TURNED, 9), (f.AT, 3), (f.LEVER, 3), (f.CENTRE_LEVER, 3), (f.SPIN, 3), (f.DRIFT, 3)):
        there = limbs.links[:links, column : column + width]
        assert np.abs(here[:, column : column + width] - there).max() < 1e-13 * links * max(np.abs(there).max(), 1.0)
    carry_answers(trees, limbs, 0)
    w, v = limbs.links[:links, f.ANSWER : f.ANSWER + 3], limbs.links[:links, f.ANSWER + 3 : f.ANSWER + 6]
    v = v + np.cross(w, limbs.links[:links, f.CENTRE_LEVER : f.CENTRE_LEVER + 3])
    radii = tree.bodies[trees.links[:links, f.LINK_BODY], RADIUS]
    largest = np.hypot(np.linalg.norm(v, axis=1), radii * np.linalg.norm(w, axis=1)).max()
    assert fastest == pytest.approx(largest, rel=1e-12)


def test_only_trees_of_parallel_hinges_are_flat() -> None:
    rng = np.random.default_rng(3)
    assert flat_tree(rng, 6).trees.trees[0, f.FLAT] == 1
    assert flat_tree(rng, 6, 1e-9).trees.trees[0, f.FLAT] == 0
    assert random_tree(rng, 6, False, (HINGE,)).trees.trees[0, f.FLAT] == 0
    assert random_tree(rng, 1, False, (SLIDER,)).trees.trees[0, f.FLAT] == 0
    assert random_tree(rng, 1, False, (BALL,)).trees.trees[0, f.FLAT] == 0
    assert random_tree(rng, 6, True, (HINGE,)).trees.trees[0, f.FLAT] == 0
