"""How links of each kind may move, and the scratch that trees need for it."""

from __future__ import annotations

import numpy as np

from engine.model.joints import BALL, HINGE, SLIDER, WELD
from engine.model.trees import (
    AXIS,
    COORD_WIDTH,
    DOF_WIDTH,
    DOFS,
    FIRST_DOF,
    FLAT_WIDTH,
    FREE_LINK,
    LIMB_WIDTH,
    LINK_KIND,
    PLANAR,
    TURN_WIDTH,
    Limbs,
    Trees,
)

COORDS_OF = {BALL: 4, HINGE: 1, SLIDER: 1, WELD: 0, PLANAR: 3, FREE_LINK: 7}
TURNS_OF = {
    BALL: (True, True, True),
    HINGE: (True,),
    SLIDER: (False,),
    WELD: (),
    PLANAR: (False, False, True),
    FREE_LINK: (False, False, False, True, True, True),
}


def make_limbs(trees: Trees) -> Limbs:
    """Scratch for these trees."""
    coords = sum(COORDS_OF[kind] for kind in trees.links[:, LINK_KIND].tolist())
    dofs = np.zeros((len(trees.dofs), DOF_WIDTH))
    for link in trees.links:
        if link[LINK_KIND] in (BALL, FREE_LINK):  # these have the world's axes for ever
            for k in range(link[DOFS]):
                dofs[link[FIRST_DOF] + k, AXIS + k % 3] = 1.0
    return Limbs(
        links=np.zeros((len(trees.links) + len(trees.trees), LIMB_WIDTH)),
        dofs=dofs,
        coords=np.zeros((COORD_WIDTH, coords)),
        speeds=np.zeros((COORD_WIDTH, len(dofs))),
        flat=np.zeros((len(trees.links) + len(trees.trees), FLAT_WIDTH)),
        turns=np.zeros((TURN_WIDTH, len(trees.links) + len(trees.trees))),
    )
