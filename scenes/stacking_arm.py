"""Build a tower of blocks. Its joints: yaw, shoulder, elbow, pitch and roll of the arm, and the two fingers.

The gripper always points down. Where it is to be is said by turn, reach, height and the turn of the fingers; the angles
of the hinges follow in closed form, and what their motors must bear from M and h of the arm (computed torque):

    efforts = M (q'' + 2 w (q' - q'_now) + w^2 (q - q_now)) + h.

The fingers have motors that seek a position; to press, they seek one inside the block.
"""

import math

import numpy as np

TICK = 0.01  # between two calls [s]
STIFF = 22.0  # w [rad/s]
SHOULDER = 0.26  # its height [m]
UPPER, FORE, TOOL = 0.34, 0.30, 0.21  # lengths: shoulder to elbow, to the wrist, and down to between the fingers [m]
BLOCK = 0.05  # [m]
WEIGHT = 0.86  # of a block [N]
ABOVE = 0.09  # it comes from so far above a block [m]
FREE = 0.0008  # a block is let go so far above the others [m]
OPEN, CLOSED = 0.002, 0.020  # where fingers are, and where they touch a block [m]
SPRING = 1500.0  # stiffness of their motors [N/m]
BLOCKS = ("block 1", "block 2", "block 3", "block 4", "block 5")
STAGES = (  # what is done for a block, and how long it takes [s]
    ("reach", 1.1),
    ("lower", 0.7),
    ("grip", 0.35),
    ("lift", 0.7),
    ("carry", 1.1),
    ("set", 0.8),
    ("let go", 0.25),
    ("leave", 0.5),
)


class Controller:
    def __init__(self):
        self.state = {"block": 0, "stage": 0, "since": 0.0, "from": None, "to": None}

    def act(self, world):
        state = self.state
        joints = [world.joint(name) for name in self.joints]
        if state["from"] is None:
            state["from"] = state["to"] = [*where([joint.position for joint in joints[:5]]), OPEN]
            self.choose(world)
        elif world.time - state["since"] >= STAGES[state["stage"]][1] - 0.5 * TICK:
            self.next(world)
        lasts = STAGES[state["stage"]][1]
        share = (world.time - state["since"]) / lasts
        before, now, after = (angles(self.on_the_way(share + late / lasts)) for late in (-TICK, 0.0, TICK))
        self.drive(world, joints, now, (after - before) / (2.0 * TICK), (after - 2.0 * now + before) / TICK**2)
        for finger in joints[5:]:
            finger.seek_position(self.on_the_way(share + TICK / lasts)[4])

    def next(self, world):
        """Begin the next stage, of this block or the next one."""
        state = self.state
        state["from"], state["since"] = state["to"], world.time
        state["stage"] += 1
        if state["stage"] == len(STAGES):
            state["stage"] = 0
            state["block"] += 1
        self.choose(world)

    def choose(self, world):
        """Where a stage leads: turn, reach and height of the gripper, turn of its fingers, and how far they close."""
        state, goal = self.state, self.settings
        stage, k = STAGES[state["stage"]][0], state["block"]
        turn, reach, height, fingers, closed = state["from"]
        above = self.height() + ABOVE
        if k >= len(BLOCKS):
            turn, reach, height, fingers = goal["turn"] - 1.2, 0.3, 0.3, 0.0
        elif stage in ("reach", "lower"):
            x, y, z = world.body(BLOCKS[k]).position.tolist()
            turn, reach, height = math.atan2(y, x), math.hypot(x, y), z + (ABOVE if stage == "reach" else 0.0)
            fingers = nearest(heading(world.body(BLOCKS[k]).orientation), turn)
        elif stage == "grip":
            closed = CLOSED + goal["squeeze"] / SPRING
        elif stage == "lift":
            height = above
        elif stage == "carry":
            turn, reach, height, fingers = goal["turn"], goal["radius"], above, nearest(goal["turn"], fingers)
        elif stage == "set":
            height = self.height() + FREE
        elif stage == "let go":
            closed = OPEN
        elif stage == "leave":
            height = above
        state["to"] = [turn, reach, height, fingers, closed]

    def height(self):
        """Of the middle of the block, when it is on the tower."""
        return BLOCK * (self.state["block"] + 0.5)

    def on_the_way(self, share):
        """Between where a stage begins and ends: with the least jerk."""
        share = min(max(share, 0.0), 1.0)
        gone = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
        return [a + gone * (b - a) for a, b in zip(self.state["from"], self.state["to"], strict=True)]

    def drive(self, world, joints, angles, rates, swings):
        """Let the motors of the hinges follow angles."""
        dynamics = world.dynamics(self.joints[0])
        order = [dynamics.place(name) for name in self.joints[:5]]
        q = np.array([joint.position for joint in joints[:5]])
        off, slow = angles - q, rates - dynamics.speeds[order]
        wanted = swings + 2.0 * STIFF * slow + STIFF**2 * off
        efforts = dynamics.mass[np.ix_(order, order)] @ wanted + dynamics.bias[order]
        if STAGES[self.state["stage"]][0] in ("lift", "carry", "set"):
            away = UPPER * math.sin(q[1]), FORE * math.sin(q[1] + q[2])
            efforts[1] -= WEIGHT * sum(away)
            efforts[2] -= WEIGHT * away[1]
        for joint, effort in zip(joints, efforts.tolist(), strict=False):
            joint.apply(effort)


def angles(at):
    """Of the hinges, for turn, reach and height of the gripper and the turn of its fingers."""
    turn, reach, height, fingers, _ = at
    rise = height + TOOL - SHOULDER
    bend = math.acos((reach**2 + rise**2 - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE))
    lean = math.atan2(reach, rise) - math.atan2(FORE * math.sin(bend), UPPER + FORE * math.cos(bend))
    return np.array([turn, lean, bend, math.pi - lean - bend, turn - fingers])


def where(q):
    """The other way round."""
    turn, lean, bend, _, roll = q
    reach = UPPER * math.sin(lean) + FORE * math.sin(lean + bend)
    return [turn, reach, SHOULDER - TOOL + UPPER * math.cos(lean) + FORE * math.cos(lean + bend), turn - roll]


def heading(q):
    """The turn of a body about the vertical."""
    w, x, y, z = q.tolist()
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def nearest(angle, to):
    """A cube looks the same after a quarter of a turn."""
    return to + math.remainder(angle - to, math.pi / 2)
