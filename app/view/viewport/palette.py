"""Colours of the viewport: what each body wears and what it means, and the look of a scheme, dark or light.

A free body wears its own colour, else its material's, else one of eight that colour-blind people can tell apart (after
Okabe and Ito 2008 and Tol 2021). A fixed body is grey and a scripted one is purple unless the scene says otherwise. A
body that was stopped is drawn in a red that nothing else wears.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.document.copies import alike
from engine.arrays import Floats, Floats32
from engine.scene.schema import Body, Scene

FREE = ("#3d8fd1", "#e8a02c", "#2aa583", "#d9683c", "#7cc4ec", "#e3d35a", "#8a94e0", "#b9c05a")
FIXED = "#868d98"
SCRIPTED = "#b06ab8"
BROKEN = "#ff2f4f"


@dataclass(frozen=True)
class Look:
    """Colours and light of a scheme, as hex colours and plain numbers."""

    background_top: str = "#2b313b"
    background_bottom: str = "#15181d"
    glow: tuple[float, float, float] = (0.030, 0.034, 0.040)
    floor: str = "#4a515d"  # of a plane that the scene does not colour
    grid: str = "#8b94a3"
    sky: str = "#c4d4ea"  # light from above
    bounce: str = "#6d6459"  # light from below
    ambient: float = 0.52
    key: float = 1.40  # strength of the lamp
    shadow: float = 0.90  # how much of the lamp a shadow takes
    studio: float = 2.2  # strength of the soft boxes that materials reflect
    edge: float = 0.42  # how much light a line takes where two bodies meet
    selection: str = "#ffc247"
    hover: str = "#e8eef7"
    pull: str = "#ffc247"
    ghost: str = "#ff5fd2"  # bodies of the run that is pinned
    axes: tuple[str, str, str] = ("#ef6a5a", "#3fb68b", "#5aa6f0")


DARK = Look()
LIGHT = Look(
    background_top="#e9edf2",
    background_bottom="#c3cad4",
    floor="#c9ced6",
    grid="#7d8794",
    sky="#f2f6ff",
    bounce="#b9b2a8",
    ambient=0.66,
    key=1.25,
    studio=1.6,
    shadow=0.80,
    selection="#1f6fc4",
    hover="#39434f",
    pull="#c23b22",
    ghost="#b3149a",
    axes=("#c8402f", "#12805c", "#1f6fc4"),
)


def rgb(colour: str) -> tuple[float, float, float]:
    """The three parts of "#rrggbb" in 0..1, as stored (sRGB)."""
    return (int(colour[1:3], 16) / 255.0, int(colour[3:5], 16) / 255.0, int(colour[5:7], 16) / 255.0)


def linear(colour: ArrayLike) -> Floats:
    """Stored parts in 0..1 as amounts of light; gamma 2 instead of sRGB's 2.2, as a root is what shaders do fast."""
    return np.asarray(colour, dtype=float) ** 2


def develop(amounts: ArrayLike) -> Floats:
    """Amounts of light as stored parts: bright ones are compressed, not cut. The same as in `develop.glsl`."""
    x = np.asarray(amounts, dtype=float)
    return np.sqrt(x * (1.0 + 0.05 * x) / (1.0 + 0.28 * x))


def light(colour: str) -> tuple[float, float, float]:
    """Amounts of light in a hex colour."""
    red, green, blue = linear(rgb(colour))
    return (float(red), float(green), float(blue))


def own_colour(scene: Scene, body: Body) -> str | None:
    """The colour that the scene says a body has: its own, else its material's."""
    material = scene.material.get(body.material) if body.material is not None else None
    return body.colour or (None if material is None else material.colour)


def own_look(scene: Scene, body: Body) -> str:
    """What a body looks like: one of `MATERIAL_LOOKS`."""
    return "plain" if body.material is None else scene.material[body.material].look


def body_colours(scene: Scene) -> list[str]:
    """The colours that all bodies of a scene wear, in scene order."""
    free = itertools.cycle(FREE)
    colours: list[str] = []
    for body, copies in alike(scene):
        colour = own_colour(scene, body)
        if colour is None and body.motion_kind == "free":
            colours += itertools.islice(free, len(copies))
        else:
            colours += [colour or (FIXED if body.motion_kind == "fixed" else SCRIPTED)] * len(copies)
    return colours


def colour_array(colours: Sequence[str]) -> Floats32:
    """Amounts of light, (n, 3), of hex colours."""
    place = {colour: number for number, colour in enumerate(dict.fromkeys(colours))}
    stored = np.array([rgb(colour) for colour in place], dtype=float).reshape(len(place), 3)
    return linear(stored).astype(np.float32)[[place[colour] for colour in colours]]
