"""Let a bug crawl where a potential field leads it (Mirtich 1996, 7.3): to the middle, away from what it fears if near.

Its bodies: its own, and the one that it fears. Its joints: left and right leg. One file serves all bugs.
"""

import math

MIDDLE = 0.5  # pull to the middle of the world [1/m]
FEAR, NEAR = 1.0, 1.2  # push from what it fears, and how near that must be [m]
SLOW, FAST = 0.2, 0.42  # speeds [m/s]
LEG, WIDTH = 0.058, 0.17  # mean radius of its legs, and how far they are apart [m]
TURNING = 4.0  # [rad/s]


class Controller:
    def act(self, world):
        if len(self.bodies) < 2:
            return  # one of them has been taken out
        bug, feared = (world.body(name) for name in self.bodies)
        legs = [world.joint(name) for name in self.joints]
        x, y, z = bug.position
        if z < -0.1:  # it falls
            for leg in legs:
                leg.seek_velocity(0.0)
            return
        (ahead, aside), up = self.axes(bug.orientation)
        away = [p - q for p, q in zip((x, y), feared.position)]
        far = math.hypot(*away)
        fear = FEAR * (1 / far - 1 / NEAR) / far**2 if far < NEAR else 0.0
        field = [-MIDDLE * p + fear * d for p, d in zip((x, y), away)]

        turn = math.atan2(ahead * field[1] - aside * field[0], ahead * field[0] + aside * field[1])
        speed = min(FAST, SLOW + 0.3 * fear) * max(0.0, math.cos(turn))
        if math.hypot(*field) < 0.1 and not fear:
            speed = turn = 0.0
        spin = max(-TURNING, min(3.0 * turn, TURNING))
        upright = math.copysign(1.0, up)  # on its back left is right, and forwards is backwards
        for leg, side in zip(legs, (1, -1)):
            leg.seek_velocity(upright * (speed - side * upright * spin * WIDTH / 2) / LEG)

    def axes(self, orientation):
        """Its forward direction on the ground, and how far its back points up."""
        w, i, j, k = orientation
        return (1 - 2 * (j * j + k * k), 2 * (i * j + w * k)), 1 - 2 * (i * i + j * j)
