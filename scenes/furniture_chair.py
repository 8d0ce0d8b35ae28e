"""Keep a chair at its place at a table, in from it where a wall is near (Mirtich 1996, 7.3).

Its bodies: the chair and the table. Settings: its place along and across this. On the wrong side of it, it goes round.
"""

import math

MASS, INERTIA = 5.0, 0.22
FRICTION = 0.12 * MASS * 9.81  # what the floor takes while it slides [N]
FASTEST, TURNING = 1.6, 4.0  # [m/s], [rad/s]
EAGER = 8.0  # how fast what is missing dies away [1/s]
ARM = 0.15  # about which its feet rub as it turns on the spot [m]
UPRIGHT, DAMPING = 30.0, 1.0  # torque by tilt [N m], by how fast it tilts [N m s]
STEP = 0.6  # of the way round the table [rad]
WALLS = ("west wall", "east wall", "south wall", "north wall", "south partition", "north partition")
ROOM, MOST = 0.08, 0.16  # to leave to walls, and the most it scoots in [m]


class Controller:
    def __init__(self):
        self.state = {"in": 0.0, "ticks": 0}

    def act(self, world):
        chair, table = (world.body(name) for name in self.bodies)
        self.scoot(world)
        place, turned = world.pose(*self.bodies)
        along, across, facing = self.goal(place)
        w, _, _, k = table.orientation
        c, s = 1 - 2 * k * k, 2 * k * w
        x, y = c * along - s * across, s * along + c * across
        spin = table.angular_velocity[2]
        carried = [table.velocity[0] - spin * y, table.velocity[1] + spin * x]
        ways = [table.position[0] + x - chair.position[0], table.position[1] + y - chair.position[1]]
        away = math.hypot(*ways)
        wanted = min(0.5 * EAGER * away, FASTEST) / max(away, 1e-9)
        force = [MASS * EAGER * (wanted * way + u - v) for way, u, v in zip(ways, carried, chair.velocity)]
        force = [f + FRICTION * way / max(away, 0.02) for f, way in zip(force, ways)]

        turn = math.remainder(facing - 2 * math.atan2(turned[3], turned[0]), 2 * math.pi)
        wanted = max(-TURNING, min(0.5 * EAGER * turn, TURNING))
        couple = INERTIA * EAGER * (wanted - chair.angular_velocity[2]) + ARM * FRICTION * turn / max(abs(turn), 0.03)
        chair.push((*force, 0.0), (*self.upright(chair), couple))

    def upright(self, chair):
        """The torque against leaning, about level axes."""
        w, i, j, k = chair.orientation
        spin = chair.angular_velocity
        return UPRIGHT * 2 * (j * k - w * i) - DAMPING * spin[0], -UPRIGHT * 2 * (i * k + w * j) - DAMPING * spin[1]

    def goal(self, place):
        """Where to go now, seen from the table, and where to look: its place, or on the way round to it."""
        along, across = self.settings["along"], self.settings["across"]
        shorter = 1 - self.state["in"] / math.hypot(along, across)
        out = math.atan2(across, along)
        now = math.atan2(place[1], place[0])
        left = math.remainder(out - now, 2 * math.pi)
        if abs(left) > STEP:
            now += math.copysign(STEP, left)
            return 1.15 * math.cos(now), 0.95 * math.sin(now), now + math.pi
        facing = math.copysign(math.pi / 2, -across) if across else math.pi * (along > 0)
        return shorter * along, shorter * across, facing

    def scoot(self, world):
        """Feel for walls, ten times a second."""
        self.state["ticks"] += 1
        if self.state["ticks"] % 5 == 0:
            near = min(world.distance(self.bodies[0], wall) for wall in WALLS)
            self.state["in"] = max(0.0, min(self.state["in"] + 0.3 * (ROOM - near), MOST))
