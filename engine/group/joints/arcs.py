"""What leads bodies of a linkage through a step, from where and how its flow has left them."""

from __future__ import annotations

from engine.group.work import BENDS, V_END, V_FLOW, V_PSEUDO, W_END, W_FLOW, W_PSEUDO, Q, V, W, X
from engine.joints.tables import FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, turn_between
from engine.maths.vectors import Vec3, vector_at
from engine.model.model import Floats
from engine.motion.polynomial import dexp_inverse, turn_acceleration
from engine.tree.dormand_prince_5 import LAST


@kernel
def write_end(twists: Floats, poses: Floats, at: int, flow: Floats, e: int, h: float) -> Vec3:
    """The velocities of entry e as those at the end of row `at`, and what flow leads to its pose. How far it turns."""
    turn = turn_between(quat_at(poses, at, Q), quat_at(flow, e, POSE + 3))
    for k in range(3):
        twists[at, V_END + k], twists[at, W_END + k] = flow[e, FLOW_V + k], flow[e, FLOW_W + k]
        mean = 0.5 * (twists[at, V + k] + twists[at, V_END + k]) + twists[at, V_PSEUDO + k]
        twists[at, V_FLOW + k] = (flow[e, POSE + k] - poses[at, X + k]) / h - mean
        mean = 0.5 * (twists[at, W + k] + twists[at, W_END + k]) + twists[at, W_PSEUDO + k]
        twists[at, W_FLOW + k] = turn[k] / h - mean
    return turn


@kernel
def write_bends(twists: Floats, poses: Floats, at: int, flow: Floats, e: int, turn: Vec3, h: float) -> None:
    """Accelerations at both ends of the flow of entry e, less those of the cubic that has its ends and velocities."""
    last = RATES + STAGE_WIDTH * LAST
    w = vector_at(twists, at, W)
    rate = dexp_inverse(turn, vector_at(flow, e, FLOW_W))
    bent = turn_acceleration(turn, rate, vector_at(flow, e, last + 10))
    for k in range(3):
        mean = (flow[e, FLOW_V + k] - twists[at, V + k]) / h
        curl = 6.0 / h * ((flow[e, POSE + k] - poses[at, X + k]) / h - 0.5 * (flow[e, FLOW_V + k] + twists[at, V + k]))
        poses[at, BENDS + k] = flow[e, RATES + 7 + k] - mean - curl
        poses[at, BENDS + 3 + k] = flow[e, last + 7 + k] - mean + curl
        mean = (rate[k] - w[k]) / h
        curl = 6.0 / h * (turn[k] / h - 0.5 * (rate[k] + w[k]))
        poses[at, BENDS + 6 + k] = flow[e, RATES + 10 + k] - mean - curl
        poses[at, BENDS + 9 + k] = bent[k] - mean + curl
