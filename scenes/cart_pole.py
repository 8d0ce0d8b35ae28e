"""Swing a pole up by moving the cart it hangs from, and balance it there. Its joints: the slider and the hinge.

What the motor must bear for an acceleration of the cart follows from mass matrix M and bias h of cart and pole, of
which only the cart is driven (computed torque; the pole accelerates as it may):

    M11 a + M12 b + h1 = force,      M12 a + M22 b + h2 = 0.
"""

import math

import numpy as np

GRAVITY = 9.81
STRONGEST = 12.0  # acceleration of the cart [m/s^2]
SWING = 3.0  # of it, to swing the pole up
PUMP = 12.0
CATCH = 0.4  # from upright [rad]
LOSE = 0.9


class Controller:
    def __init__(self):
        self.state = {"mode": "swing"}

    def act(self, world):
        cart, pole = (world.joint(name) for name in self.joints)
        dynamics = world.dynamics(self.joints[0])
        order = [dynamics.place(name) for name in self.joints]
        mass, bias = dynamics.mass[np.ix_(order, order)], dynamics.bias[order]
        weight = math.hypot(bias[1], GRAVITY * mass[0, 1])  # mass times distance of the pole's centre, times gravity

        lean = math.remainder(pole.position - math.pi, 2 * math.pi)  # from upright
        missing = 0.5 * mass[1, 1] * pole.velocity**2 - weight * (1 - math.cos(lean))  # energy, below that of standing
        caught = abs(missing) < 0.15 * weight
        if self.state["mode"] == "swing" and abs(lean) < CATCH and caught:
            self.state["mode"] = "balance"
        elif abs(lean) > LOSE:
            self.state["mode"] = "swing"

        if self.state["mode"] == "balance":
            gains = self.gains(mass, weight)
            wanted = -gains @ [cart.position, lean, cart.velocity, pole.velocity]
        else:
            pump = PUMP / weight * missing * pole.velocity * mass[0, 1] / mass[1, 1]
            wanted = min(max(pump, -SWING), SWING) - 4.0 * cart.position - 1.0 * cart.velocity
        wanted = min(max(wanted, -STRONGEST), STRONGEST)
        turning = -(mass[1, 0] * wanted + bias[1]) / mass[1, 1]
        cart.apply(mass[0, 0] * wanted + mass[0, 1] * turning + bias[0])

    def gains(self, mass, weight):
        """Of cart and upright pole: all that is astray dies away as fast as the pole would fall (Ackermann 1972)."""
        fall = math.sqrt(weight / mass[1, 1])
        lever = math.copysign(weight / GRAVITY / mass[1, 1], mass[0, 1])
        a = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, fall**2, 0, 0]])
        b = np.array([0, 0, 1, -lever])
        reach = np.column_stack([b, a @ b, a @ a @ b, a @ a @ a @ b])
        wanted = np.eye(4)
        for rate in (0.5, 0.6, 1.0, 1.4):
            wanted = wanted @ (a + rate * fall * np.eye(4))
        return np.linalg.solve(reach.T, [0, 0, 0, 1]) @ wanted
