"""Arrows and dots of contacts, forces and velocities over the bodies, and the scale that forces are drawn to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.view.contacts.rows import Instant, moving
from app.view.force_arrows import on_first
from app.view.theme import Colours
from app.view.viewport.overlays import Overlay, arrows_overlay, segments_overlay
from engine.arrays import Bools, Floats

LONGEST = 0.2
"""Of the picture's height, where the camera looks at: the arrow of the largest force."""
_FORGET = 0.97  # a frame: how fast the scale of force arrows comes down again
_NORMAL = 0.05  # of the picture's height: the arrow of a contact's normal
_SECONDS = 0.15  # a velocity's arrow reaches where the body would be after this time
LEAST = 1e-3  # of the largest force: smaller ones are left out


def signs(seen: Instant, selected: Sequence[int] = ()) -> Floats:
    """1 where the force of a contact is drawn on its first body, -1 where on its second, (k, 1)."""
    contacts = seen.contacts
    assert contacts is not None
    bodies = np.stack([contacts["body_a"], contacts["body_b"]], axis=1)
    on_a = on_first(bodies, moving(seen)[bodies], contacts["normal"], selected)
    return np.where(on_a, 1.0, -1.0)[:, None]


def contact_overlays(seen: Instant, selected: Sequence[int], height: float, c: Colours) -> dict[str, Overlay]:
    """Dots at the contact points, and their normals; height: what the picture shows at its target [m]."""
    assert seen.contacts is not None
    points, normals = seen.contacts["point"], signs(seen, selected) * seen.contacts["normal"]
    return {
        "contacts points": segments_overlay(np.stack([points, points], 1), c.series[4], 7.0),
        "contacts": arrows_overlay(points, _NORMAL * height * normals, c.series[4], 3.0),
    }


def velocity_overlay(seen: Instant, size: float, c: Colours) -> Overlay:
    """Arrows of the velocities of what moves; size: that of a typical body [m]."""
    arrows = np.asarray(seen.twists[:, :3], dtype=float) * _SECONDS
    lengths = np.linalg.norm(arrows, axis=1)
    arrows *= np.minimum(1.0, 8.0 * size / np.maximum(lengths, 1e-12))[:, None]
    moves = np.isfinite(lengths) & (lengths > 1e-3 * size)
    return arrows_overlay(seen.poses[moves, :3], arrows[moves], c.series[2], 4.0)


class ForceScale:
    """To what scale forces are drawn: the largest of late has an arrow of LONGEST, and what is small beside it none.

    The scale follows a larger force at once and comes down slowly, so that arrows do not jump when a hit is over.
    """

    def __init__(self) -> None:
        self.largest = 0.0  # [N]

    def follow(self, forces: Floats) -> float:
        """The force that has the longest arrow, once these (k, 3) are there, too [N]."""
        sizes = np.linalg.norm(forces, axis=1)
        self.largest = max(float(sizes.max(initial=0.0)), self.largest * _FORGET)
        return self.largest


def force_arrows(forces: Floats, largest: float, height: float, least: float = LEAST) -> tuple[Bools, Floats]:
    """Which of forces (k, 3) [N] are drawn, and their arrows [m], where the picture shows `height` [m] at its target.

    largest: the force of the longest arrow. least: smaller parts of it are left out.
    """
    shown = np.linalg.norm(forces, axis=1) > least * largest
    scale = LONGEST * height / largest if largest > 0.0 else 0.0
    return shown, scale * forces[shown]
