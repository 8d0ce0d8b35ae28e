"""Take a table to one place after the other: the next one as soon as it stands at the last (Mirtich 1996, 7.3).

Its body: the table. A PD controller pushes and turns it, no faster than it may go.
"""

import math

PLACES = [  # x, y [m], degrees
    (-2.2, 1.45, 0),
    (-3.2, -0.2, 90),
    (-1.9, 0.0, 180),
    (1.9, 0.0, 180),
    (3.2, 0.3, 270),
    (2.0, -1.45, 360),
    (2.0, 0.7, 405),
    (2.1, 0.0, 360),
]
MASS, INERTIA = 24.0, 4.5
FRICTION = 0.12 * MASS * 9.81  # what the floor takes while it slides [N]
ARM = 0.5  # about which its feet rub as it turns on the spot [m]
FASTEST, TURNING = 1.3, 1.2  # [m/s], [rad/s]
HURRY = 1.2  # acceleration: a bottle stands on it [m/s^2]
STAY = 75  # ticks at each place
EAGER = 6.0  # how fast what is missing dies away [1/s]


class Controller:
    def __init__(self):
        self.state = {"place": 0, "stood": 0}

    def act(self, world):
        table = world.body(self.bodies[0])
        x, y, angle = PLACES[self.state["place"]]
        w, _, _, k = table.orientation
        ways = [x - table.position[0], y - table.position[1]]
        turn = math.remainder(math.radians(angle) - 2 * math.atan2(k, w), 2 * math.pi)
        speeds, spin = table.velocity[:2], table.angular_velocity[2]

        away = math.hypot(*ways)
        wanted = min(0.5 * EAGER * away, math.sqrt(HURRY * away), FASTEST)
        force = [MASS * EAGER * (wanted * way / max(away, 1e-9) - speed) for way, speed in zip(ways, speeds)]
        much = min(1.0, MASS * HURRY / max(math.hypot(*force), 1e-9))
        force = [much * f + FRICTION * way / max(away, 0.02) for f, way in zip(force, ways)]
        wanted = max(-TURNING, min(0.5 * EAGER * turn, TURNING))
        couple = INERTIA * EAGER * (wanted - spin) + ARM * FRICTION * turn / max(abs(turn), 0.03)
        table.push((*force, 0.0), (0.0, 0.0, couple))

        there = away < 0.03 and abs(turn) < 0.03 and math.hypot(*speeds) < 0.03
        self.state["stood"] = self.state["stood"] + 1 if there else 0
        if self.state["stood"] > STAY and self.state["place"] < len(PLACES) - 1:
            self.state["place"] += 1
