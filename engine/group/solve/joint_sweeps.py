"""Sweeps over contact points with an exact iteration of all joints of a linkage between them."""

from __future__ import annotations

from engine.group.joints.linkages import aim_rows, hold_linkages
from engine.group.solve.gauss_seidel import correct_once, sweep_budget, sweep_once
from engine.group.work import CONTACTS, LINKAGES, V_END, V_PSEUDO, Work
from engine.joints.rows import is_dynamic
from engine.joints.tables import FLOW_V, FLOW_W
from engine.kernel import kernel
from engine.model.joints import ENTRIES, FIRST_ENTRY, Joints
from engine.model.model import Ints


@kernel
def sweep_linked(tags: Ints, members: Ints, joints: Joints, work: Work, small: float) -> int:
    """As `sweep_impulses`, with an iteration of the joints before every sweep and after the last."""
    before = beta = 0.0
    made = sweep_budget(work.sizes[CONTACTS])
    for sweep in range(made):
        hold_linkages(tags, members, joints, work, V_END)
        most, size = sweep_once(work, sweep == 0, beta)
        if most <= small:
            made = sweep + 1
            break
        beta = size / before if sweep > 0 else 0.0
        before = size
    hold_linkages(tags, members, joints, work, V_END)
    return made


@kernel
def correct_linked(tags: Ints, members: Ints, joints: Joints, work: Work, count: int, small: float) -> None:
    """As `sweep_corrections`, with iterations of the joints, so that no correction opens one."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if not is_dynamic(tags, joints, e):
                for k in range(3):
                    work.flow[e, FLOW_V + k], work.flow[e, FLOW_W + k] = 0.0, 0.0
        aim_rows(joints, work.flow, work.rows, link, False)
    for sweep in range(sweep_budget(count)):
        most = correct_once(work.twists, work.contact, work.contacts, count, sweep % 2 == 1)
        hold_linkages(tags, members, joints, work, V_PSEUDO)
        if most <= small:
            return
