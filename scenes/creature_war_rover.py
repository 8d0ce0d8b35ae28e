"""Hunt bugs: a machine of five states (Mirtich 1996, figures 7.26 and 7.27).

    fwd   drive towards the victim; spin if it is far aside, push when it is near and ahead
    spin  turn on the spot
    push  the rear jacked up, so that the blade is low; reverse where the victim will not stop before the edge
    rev   reverse, until it goes backwards on safe ground
    pick  blade up, choose the nearest that is left

Its bodies: the chassis, then its victims. Its joints: the left wheels, the right ones, the pistons.
"""

import math

SPEED = 0.7  # [m/s]
WHEEL = 0.08  # radius [m]
EDGE = 2.0  # from the middle of the world [m]
BRAKE = 4.0  # with which what is pushed slides to rest [m/s^2]
NOSE, HALF = 0.2, 0.24  # from the middle of the chassis to ahead of the front wheels, and to their sides [m]
SAFE = 0.6  # from the edge, to turn round [m]
JACK = {"kp": 4000.0, "kv": 60.0}
EASE = {"kp": 0.0, "kv": 0.0}


class Controller:
    def __init__(self):
        self.state = {"doing": "pick", "victim": ""}

    def act(self, world):
        doing, victim = self.state["doing"], self.state["victim"]
        chassis = world.body(self.bodies[0])
        ahead = self.ahead(chassis.orientation)
        speed = sum(v * a for v, a in zip(chassis.velocity, ahead))
        if doing == "pick" or not victim:
            return self.pick(world)

        prey = world.body(victim)
        (x, y, z), _ = world.pose(victim, seen_from=self.bodies[0])
        away, bearing = math.hypot(x, y), math.degrees(math.atan2(y, x))
        rise = math.degrees(math.atan2(z, away))
        steer = SPEED * (0.04 * bearing - 0.15 * chassis.angular_velocity[2])
        steer = max(-SPEED, min(steer, SPEED))
        dead = prey.position[2] < -0.1
        over = any(self.stops_outside(chassis.position, chassis.velocity, corner) for corner in self.corners(ahead))
        left, right = SPEED - steer, SPEED + steer

        if doing == "fwd":
            if dead:
                doing = "pick"
            elif over or rise < -20:
                doing = "rev"
            elif abs(bearing) > 60:
                doing = "spin"
            elif away < 0.7 and abs(bearing) < 25:
                doing = "push"
                self.jack(world, JACK)
        elif doing == "spin":
            left, right = -steer, steer
            if dead or rise < -20:
                doing = "rev"
            elif abs(bearing) < 20:
                doing = "fwd"
        elif doing == "push":
            falls = self.stops_outside(prey.position, prey.velocity, (0.0, 0.0))
            if falls or over or dead or abs(bearing) > 40 or rise < -20:
                doing = "rev"
        elif doing == "rev":
            x, y, _ = chassis.position
            aside = (
                SPEED * (ahead[0] * y - ahead[1] * x) / math.hypot(x, y)
            )  # its tail turns to the middle of the world
            left, right = -1.5 * SPEED - aside, -1.5 * SPEED + aside
            if speed < -0.05 and max(abs(x), abs(y)) < EDGE - SAFE:
                doing = "pick"
        self.state["doing"] = doing
        self.drive(world, left, right)

    def pick(self, world):
        """Choose the nearest victim that is left; blade up."""
        here = world.body(self.bodies[0]).position
        alive = {}
        for name in self.bodies[1:]:
            x, y, z = world.body(name).position
            if z > -0.1:
                alive[name] = math.hypot(x - here[0], y - here[1])
        self.state = {"doing": "fwd", "victim": min(alive, key=alive.get, default="")}
        self.jack(world, EASE)
        self.drive(world, 0.0, 0.0)

    def drive(self, world, left, right):
        """Speeds of the wheels [m/s], two on each side."""
        for name, speed in zip(self.joints[:4], (left, left, right, right)):
            world.joint(name).seek_velocity(speed / WHEEL)

    def jack(self, world, gains):
        """Let the pistons seek their length, or leave them to their springs."""
        for name in self.joints[4:]:
            world.joint(name).gains(**gains)

    def stops_outside(self, position, velocity, ahead):
        """Will a point that brakes now come to rest beyond the edge?"""
        long = math.hypot(*velocity[:2]) / (2 * BRAKE)
        return any(abs(p + a + long * v) > EDGE for p, a, v in zip(position, ahead, velocity))

    def corners(self, ahead):
        """Where its front wheels are, seen from the middle of the chassis."""
        x, y = ahead
        return [(NOSE * x - side * HALF * y, NOSE * y + side * HALF * x) for side in (1, -1)]

    def ahead(self, orientation):
        """The way that it faces, on the ground."""
        w, i, j, k = orientation
        return 1 - 2 * (j * j + k * k), 2 * (i * j + w * k)
