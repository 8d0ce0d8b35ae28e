"""Let a bottle jump onto a table if it is not there, and stay in its middle (Mirtich 1996, 7.3).

Its bodies: the bottle and the table.
"""

import math

MASS, GRAVITY = 1.2, 9.81
TICK = 0.01  # [s]
HEIGHT, ABOVE = 0.74, 0.4  # of the table, and to fly above it, over chairs [m]
STRONGEST = 1.2  # to the middle [N]
UPRIGHT = 4.0  # torque by tilt [N m]


class Controller:
    def __init__(self):
        self.state = {"rest": 0}

    def act(self, world):
        bottle, table = (world.body(name) for name in self.bodies)
        way = [t - b for t, b in zip(table.position[:2], bottle.position[:2])]
        w, i, j, k = bottle.orientation
        lean = (-2 * (j * k - w * i), 2 * (i * k + w * j))
        spin = bottle.angular_velocity
        upright = (-UPRIGHT * lean[0] - 0.2 * spin[0], -UPRIGHT * lean[1] - 0.2 * spin[1], -0.002 * spin[2])
        still = max(abs(v) for v in bottle.velocity) < 0.05 and world.touches(self.bodies[0])
        low = bottle.position[2] < HEIGHT - 0.02
        self.state["rest"] = self.state["rest"] + 1 if still and low else 0
        if self.state["rest"] > 30:
            self.state["rest"] = 0
            bottle.push(self.jump(way, table.velocity, bottle.position[2]))
        elif world.touches(*self.bodies) and not low:
            slip = [t - b for t, b in zip(table.velocity, bottle.velocity)]
            force = [4.0 * one + 4.0 * other for one, other in zip(way, slip)]
            strong = min(1.0, STRONGEST / max(math.hypot(*force), 1e-9))
            bottle.push((strong * force[0], strong * force[1], 0.0), upright)
        else:
            bottle.push((0.0, 0.0, 0.0), upright)

    def jump(self, way, drift, height):
        """What to push with for a tick, so that it flies to the middle of the table, wherever that goes meanwhile."""
        up = math.sqrt(2 * GRAVITY * (HEIGHT + ABOVE - height))
        flight = up / GRAVITY + math.sqrt(2 * ABOVE / GRAVITY)
        speed = [w / flight + d for w, d in zip(way, drift)]
        return MASS * speed[0] / TICK, MASS * speed[1] / TICK, MASS * (up / TICK + GRAVITY)
