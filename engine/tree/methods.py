"""Methods that integrate trees, by their weights of the same rows of stages; the last one is at the step's end."""

from __future__ import annotations

import numpy as np

from engine.tree import dormand_prince as order_8
from engine.tree import dormand_prince_5 as order_5

EIGHTH, FIFTH = 0, 1
STAGES, LAST = order_8.STAGES, order_8.LAST
MIDWAY = STAGES  # the row of what leads to the middle of the step
_FEW = [*range(order_5.LAST), LAST]  # the rows of the method of order 5, which has fewer stages

WEIGHTS = np.zeros((2, STAGES + 1, STAGES))
WEIGHTS[EIGHTH, :STAGES, :LAST], WEIGHTS[EIGHTH, MIDWAY] = order_8.SLOPES, order_8.TO_MIDDLE
WEIGHTS[FIFTH, _FEW, : order_5.LAST], WEIGHTS[FIFTH, MIDWAY, _FEW] = order_5.SLOPES, order_5.TO_MIDDLE

NODES = np.full((2, STAGES), np.nan)
"""When stages are, as parts of the step; nan: the method has no such stage."""
NODES[EIGHTH], NODES[FIFTH, _FEW] = order_8.NODES, order_5.NODES

ERROR_5, ERROR_3 = order_8.ERROR_5, order_8.ERROR_3
"""Errors of the method of order 8, of these orders."""
ERROR_4 = np.zeros(STAGES)
"""The error of the method of order 5."""
ERROR_4[_FEW] = order_5.ERROR
