"""Random trees of bodies for tests, said as the tables of a Model, with every kind of joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from engine.arrays import Floats, Ints
from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.joints import BALL, HINGE, SLIDER, WELD, Joints, no_joints
from engine.model.state import ARC_WIDTH
from engine.model.trees import FREE_LINK, PLANAR, Limbs, Trees
from engine.tree.find import find_trees
from engine.tree.kinematics import place_base, place_links, weigh_links
from engine.tree.limbs import make_limbs

KINDS = (HINGE, SLIDER, BALL, PLANAR, WELD)


class Tree(NamedTuple):
    """A tree that is placed at random, moving at random."""

    bodies: Floats
    tags: Ints
    arcs: Floats
    joints: Joints
    trees: Trees
    limbs: Limbs

    @property
    def links(self) -> int:
        return len(self.trees.links)

    def place(self) -> None:
        place_base(self.bodies, self.tags, self.arcs, self.trees, self.limbs, 0, 0.0)
        place_links(self.trees, self.limbs, 0)
        weigh_links(self.bodies, self.trees, self.limbs, 0)


def random_tree(rng: np.random.Generator, links: int, floating: bool, kinds: tuple[int, ...] = KINDS) -> Tree:
    """Bodies 0 .. links - 1, each tied to an earlier one, or the first to the world unless it floats."""
    bodies = np.zeros((links, m.BODY_WIDTH))
    bodies[:, m.MASS] = rng.uniform(0.5, 2.0, links)
    moments = rng.uniform(0.5, 1.0, (links, 3)) * bodies[:, m.MASS, None]  # of any three none exceeds two others
    bodies[:, m.MOMENTS : m.MOMENTS + 3] = 0.1 * moments
    bodies[:, m.GRAVITY : m.GRAVITY + 3] = (0.3, -0.2, -9.81)
    tags = np.zeros((links, m.TAG_WIDTH), dtype=np.int64)
    first = 1 if floating else 0
    count = links - first
    frames = np.zeros((count, j.FRAMES_WIDTH))
    table = np.zeros((count, j.JOINT_WIDTH), dtype=np.int64)
    for k in range(count):
        child = k + first
        parent = int(rng.integers(0, child)) if child else links  # the last entry: the world
        kind = int(rng.choice(kinds))
        frames[k, j.ANCHOR_A : j.ANCHOR_A + 6] = rng.normal(size=6) * 0.5
        for column in (j.AXES_A, j.AXES_B):
            frames[k, column : column + 9] = Rotation.random(random_state=rng).as_matrix().ravel()
        sides = (parent, child) if rng.random() < 0.5 else (child, parent)
        table[k, [j.JOINT_KIND, j.ENTRY_A, j.ENTRY_B, j.AUTHORED]] = (kind, *sides, k)
    entries = [(i, 1) for i in range(links)] + ([] if floating else [(-1, 0)])
    span = np.zeros((1, j.LINKAGE_WIDTH), dtype=np.int64)
    span[0, [j.ENTRIES, j.JOINTS]] = len(entries), count
    tables = {"frames": frames, "joints": table, "entries": np.array(entries, dtype=np.int64), "linkages": span}
    joints = no_joints()._replace(**tables)
    trees = find_trees(joints, bodies)
    limbs = make_limbs(trees)
    limbs.speeds[f.NOW] = rng.normal(size=len(trees.dofs))
    limbs.coords[f.NOW] = rng.normal(size=limbs.coords.shape[1])
    for link in trees.links:
        if link[f.LINK_KIND] in (BALL, FREE_LINK):
            at = link[f.FIRST_COORD] + (3 if link[f.LINK_KIND] == FREE_LINK else 0)
            limbs.coords[f.NOW, at : at + 4] /= np.linalg.norm(limbs.coords[f.NOW, at : at + 4])
    tree = Tree(bodies, tags, np.zeros((links, ARC_WIDTH)), joints, trees, limbs)
    tree.place()
    return tree
