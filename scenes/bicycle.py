"""Keep a bicycle upright and on its course by its handlebars and its rear wheel (Getz 1994; Mirtich 1996, 7.3).

A bicycle whose path bends by s and that leans by a to the same side rolls about the line on which it stands as

    J a'' = m p g sin a - cos a (m p s v^2 (1 - p s sin a) + L s v + D (s v)'),

with m p the first moment of its mass in height, J and D moments of inertia about that line and between it and the
vertical, L the spin of its wheels. It contains s', so handlebars give any a'' at once: by that the lean follows what is
wanted of it, and where s goes is stable as long as it rides (nonminimum phase the other way: a turn begins with the
opposite one). Wanted is the lean that path and speed need in equilibrium, where all but a is at rest.

What the two motors must bear for this follows from M and h of the linkage with its wheels rolling on the ground,

    M q'' + h = S u + J^T f,      J q'' + J' q' = 0        (computed torque).
"""

import math

import numpy as np
from scipy.interpolate import CubicSpline

GRAVITY = 9.81
TICK = 0.01  # between two calls [s]
COURSE = [  # x, y, speed: a closed path
    (0, 0, 3.0),
    (3, 0, 3.0),
    (6, 0, 3.0),
    *((9 + 4.5 * k, 0.75 * (-1) ** k, 3.0) for k in range(6)),
    (35, 0, 3.2),
    (38, 0, 3.3),
    (42.24, 1.76, 3.3),
    (44, 6, 3.3),
    (42.24, 10.24, 3.3),
    (38, 12, 3.3),
    (35, 12, 3.3),
    (31, 12, 3.3),
    (28, 12, 3.3),
    (25, 12, 3.2),
    (21, 12, 3.2),
    (17, 12, 3.2),
    (13, 12, 4.0),
    (9, 12, 4.3),
    (5, 12, 3.8),
    (0, 12, 3.3),
    (-4.24, 10.24, 3.2),
    (-6, 6, 3.0),
    (-4.24, 1.76, 3.0),
]
FINE = 0.01  # rows of the path [m]
UP = np.array([0.0, 0.0, 1.0])
PIVOT = np.array([0.48, 0.0, 0.04])  # of the handlebars, in the frame [m]
STEERER = np.array([-1.0, 0.0, 3.0]) / math.sqrt(10.0)  # their axis

TRACK = 1.0  # how fast the bicycle comes back to its path [rad/s]
AHEAD = 0.45  # it looks so far ahead, as it leans later than it is told [s]
SMOOTH = 7.0  # of the lean that is wanted [rad/s]
ROLL = 5.0  # of the lean to that [rad/s]
STEER = 35.0  # of the handlebars' speed [1/s]
DRIVE = 2.0  # of the speed [1/s]
STEEPEST = 0.45  # lean [rad]
TURN = 0.6  # of the handlebars [rad]


class Course:
    """A closed path through points, a row for each centimetre of it."""

    def __init__(self, points):
        x, y, speed = np.array([*points, points[0]], dtype=float).T
        at = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
        way = CubicSpline(at, np.column_stack([x, y]), bc_type="periodic")
        fine = np.linspace(0.0, at[-1], 20 * len(x) ** 2)
        length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way(fine), axis=0).T))])
        s = np.interp(np.arange(0.0, length[-1], FINE), length, fine)
        along, bend = way(s, 1), way(s, 2)
        fast = np.hypot(*along.T)
        bends = (along[:, 0] * bend[:, 1] - along[:, 1] * bend[:, 0]) / fast**3
        self.rows = np.column_stack([way(s), along / fast[:, None], bends, np.interp(s, at, speed)])

    def read(self, s):
        """Point x and y, direction x and y, curvature, and speed."""
        return self.rows[int(s / FINE) % len(self.rows)].tolist()


class Controller:
    def __init__(self):
        self.course = Course(COURSE)
        speed = COURSE[0][2]
        self.state = {"way": 0.0, "lean": 0.0, "speed": speed, "wanted lean": 0.0, "wanted speed": speed, "rate": 0.0}

    def act(self, world):
        bike = Bicycle(world, self.joints, self.settings)
        bend, speed_up = self.wanted(bike)
        turning = self.turn_of_handlebars(bike, bend)
        steering, drive = bike.efforts(turning, speed_up / bike.radius)
        world.joint(self.joints[0]).apply(steering)
        world.joint(self.joints[1]).apply(drive)

    def wanted(self, bike):
        """Lean's second derivative, and acceleration; what is wanted of lean and speed is remembered."""
        state = self.state
        x, y, ahead_x, ahead_y, _, goal = self.course.read(state["way"])
        off_x, off_y = bike.place[0] - x, bike.place[1] - y
        state["way"] += float(ahead_x * off_x + ahead_y * off_y)
        ahead = self.course.read(state["way"] + bike.speed * AHEAD)[4]
        aside = float(ahead_x * off_y - ahead_y * off_x)
        askew = float(ahead_x * bike.along[1] - ahead_y * bike.along[0])
        bend = ahead - TRACK**2 * aside / bike.speed**2 - 2.0 * TRACK * askew / bike.speed
        seek = max(min(bike.equilibrium(bend), STEEPEST), -STEEPEST)
        lean, rate, speed = state["wanted lean"], state["rate"], state["wanted speed"]
        quick = SMOOTH**2 * (seek - lean) - 2.0 * SMOOTH * rate
        gain = max(min(1.5 * (goal - speed), 1.0), -1.0)
        roll = quick + ROLL**2 * (lean - bike.lean) + 2.0 * ROLL * (rate - bike.roll)
        forward = gain + DRIVE * (speed - bike.speed)
        state["lean"], state["speed"] = bike.lean, bike.speed
        state["rate"] = rate + TICK * quick
        state["wanted lean"] = lean + TICK * state["rate"]
        state["wanted speed"] = speed + TICK * gain
        return roll, forward

    def turn_of_handlebars(self, bike, roll):
        """Their acceleration, for that of the lean."""
        if not all(bike.rolling):
            return STEER * (-4.0 * bike.steered - bike.turning)
        rate = bike.bend_rate(roll) * bike.base * math.cos(bike.steered) ** 2 / bike.upright
        rate = max(min(rate, 6.0 * (TURN - bike.steered)), -6.0 * (TURN + bike.steered))
        return STEER * (rate - bike.turning)


class Bicycle:
    """What the state of the linkage says of a bicycle. `along` and `left` are level, `up` leans with it."""

    def __init__(self, world, joints, settings):
        self.dynamics = dynamics = world.dynamics(joints[0])
        frame, fork, rear, front = (world.body(settings[name]) for name in ("frame", "fork", "rear", "front"))
        self.rolling = [world.touches(settings[name]) for name in ("rear", "front")]
        turned = [_matrix(body.orientation) for body in (frame, fork)]
        self.radius = settings["radius"]
        names = [f"{settings['frame']}.{axis}" for axis in ("x", "y", "z", "wx", "wy", "wz")]
        self.order = [dynamics.place(name) for name in (*names, *joints)]
        self.speeds = dynamics.speeds[self.order]

        steer = turned[0] @ STEERER
        self.axes = np.array([steer, turned[0][:, 1], turned[1][:, 1]])
        self.turns = np.array([frame.angular_velocity, frame.angular_velocity, fork.angular_velocity])
        pivot = frame.position + turned[0] @ PIVOT
        moves = frame.velocity + _across(frame.angular_velocity, pivot - frame.position)
        self.points = np.array([frame.position, pivot, rear.position, front.position])
        self.moves = np.array([frame.velocity, moves, rear.velocity, front.velocity])

        self.along, self.up, self.place = self._stand(1)
        ahead, _, touch = self._stand(2)
        self.left = _across(UP, self.along)
        self.lean = -math.asin(self.axes[1, 2])
        self.roll = -float(frame.angular_velocity @ self.along)
        self.speed = self.speeds[7] * self.radius
        self.steered = math.atan2(float(ahead @ self.left), float(ahead @ self.along))
        self.turning = self.speeds[6]
        self.upright = steer[2] / math.cos(self.lean)
        self.base = float((touch - self.place) @ self.along)
        self.bend = math.tan(self.steered) / self.base
        self._weigh()

    def _stand(self, axle):
        """Of a wheel: where it heads, which way is up in it, and where it touches the ground."""
        along = _unit(_across(self.axes[axle], UP))
        up = _across(along, self.axes[axle])
        return along, up, self.points[axle + 1] - self.radius * up

    def _weigh(self):
        """Moments of the mass about where the rear wheel touches, from the mass matrix: as rigid as it is now."""
        mass = self.dynamics.mass[np.ix_(self.order, self.order)]
        self.mass, self.bias = mass, self.dynamics.bias[self.order]
        total, first, second = mass[0, 0], _vector(mass[3:6, :3]), mass[3:6, 3:6]
        arm = self.points[0] - self.place
        shift = total * arm + first
        second = second + (2.0 * arm @ first + total * arm @ arm) * np.eye(3)
        second -= np.outer(arm, first) + np.outer(first, arm) + total * np.outer(arm, arm)
        self.height = float(shift @ self.up)
        self.arm = self.height / total
        self.inertia = float(self.along @ second @ self.along)
        self.cross = -float(self.along @ second @ self.up)
        self.spin = mass[7, 7] * self.speeds[7] + mass[8, 8] * self.speeds[8]

    def _push(self, bend, lean):
        """What a path that bends makes of an upright bicycle's roll."""
        moved = self.height * self.speed * (1.0 - self.arm * bend * math.sin(lean))
        return bend * self.speed * (moved + self.spin)

    def equilibrium(self, bend):
        """The lean of a steady turn."""
        lean = 0.0
        for _ in range(8):
            lean = math.atan(self._push(bend, lean) / (self.height * GRAVITY))
        return lean

    def bend_rate(self, roll):
        """How fast the path must bend for this acceleration of the lean."""
        sine, cosine = math.sin(self.lean), math.cos(self.lean)
        turn = (self.height * GRAVITY * sine - self.inertia * roll) / cosine - self._push(self.bend, self.lean)
        return turn / (self.cross * self.speed)

    def efforts(self, turning, spinning):
        """Of handlebars and rear wheel, which accelerate so, while what touches the ground rolls on it."""
        held = np.repeat(self.rolling, 3)
        step = 1e-6
        rolls = self._rolls(self.points, self.axes)
        swings = np.array([_across(turn, axis) for turn, axis in zip(self.turns, self.axes, strict=True)])
        later = self._rolls(self.points + step * self.moves, self.axes + step * swings)
        drift = ((later - rolls) @ self.speeds / step)[held]
        rolls = rolls[held]
        n, k = len(self.speeds), len(rolls)
        whole = np.zeros((n + k + 2, n + k + 2))
        whole[:n, :n] = self.mass
        whole[n : n + k, :n] = rolls
        whole[n + k, 6] = whole[n + k + 1, 7] = 1.0
        whole[:n, n:] = -whole[n:, :n].T
        found = np.linalg.solve(whole, [*-self.bias, *-drift, turning, spinning])
        return found[-2], found[-1]

    def _rolls(self, points, axes):
        """(6, 9): velocities of the wheels where they touch the ground, by those of the degrees of freedom."""
        rows = np.zeros((6, 9))
        for k, axle in enumerate((1, 2)):
            up = _across(_unit(_across(axes[axle], UP)), axes[axle])
            touch = points[axle + 1] - self.radius * up
            arms = touch - points
            row = rows[3 * k : 3 * k + 3]
            row[:, :3] = np.eye(3)
            row[:, 3:6] = -_cross(arms[0])
            if axle == 2:
                row[:, 6] = _across(axes[0], arms[1])
            row[:, 6 + axle] = _across(axes[axle], arms[axle + 1])
        return rows


def _unit(v):
    return v / math.sqrt(v @ v)


def _across(a, b):
    """The cross product, quicker than numpy's."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _cross(v):
    """The matrix of v x."""
    x, y, z = v.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _vector(m):
    """v of its cross matrix."""
    return np.array([m[2, 1], m[0, 2], m[1, 0]])


def _matrix(q):
    w, x, y, z = q.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
