"""Bodies that start inside each other: the one check of a scene that needs the collision kernels."""

from __future__ import annotations

from typing import NamedTuple

from engine.scene.messages import Finding
from engine.scene.schema import Scene
from engine.scene.solids import Solids

# Touching bodies may overlap by rounding: this fraction of the smaller one's radius is not called an overlap.
_ROUNDING = 1e-9
INSIDE = "inside body"
"""Words by which it is said that a body starts inside another: these can be pushed apart."""


class Overlap(NamedTuple):
    """Two bodies, by row, that start inside each other: by how much [m]; the normal points from b to a."""

    a: int
    b: int
    depth: float
    normal: tuple[float, float, float]


def find_overlaps(scene: Scene) -> list[Finding]:
    """What is wrong with bodies that start inside each other, as `overlapping` finds them."""
    return _once_a_repeat([_overlap(scene, *found) for found in overlapping(scene)])


def overlapping(scene: Scene) -> list[Overlap]:
    """Pairs of bodies that start in penetration, of which at least one is free. Shapes must be valid by themselves."""
    if not any(body.motion == "free" for body in scene.bodies):
        return []
    solids = Solids(scene)
    rows = solids.rows
    return [Overlap(rows[a], rows[b], depth, normal) for a, b, depth, normal in inside(solids)]


def inside(solids: Solids) -> list[Overlap]:
    """The same of bodies where they are now, by place among them."""
    found = []
    for a, b in solids.meeting(solids.boxes()):
        gap, normal = solids.gap(a, b, -_ROUNDING * min(solids.radii[a], solids.radii[b]))
        if gap < -_ROUNDING * min(solids.radii[a], solids.radii[b]):
            found.append(Overlap(a, b, -gap, normal))
    return found


def _once_a_repeat(found: list[Finding]) -> list[Finding]:
    """Of what is wrong with the bodies of one `[[repeat]]`, the first: the others have the same cause."""
    first = {finding.loc: finding for finding in reversed(found) if finding.loc[0] == "repeat"}
    return [finding for finding in found if finding.loc[0] != "repeat" or first[finding.loc] is finding]


def _overlap(scene: Scene, a: int, b: int, depth: float, normal: tuple[float, float, float]) -> Finding:
    """`normal` points from b to a. Named is the later of the two, or the one that is free."""
    if scene.bodies[b].motion == "free":
        a, b = b, a
        normal = (-normal[0], -normal[1], -normal[2])
    way = ", ".join(f"{c:.3g}" if abs(c) > 1e-9 else "0" for c in normal)
    owner = scene.owner(a)
    who = f"{scene.bodies[a].name} " if owner[0] == "repeat" else ""
    message = f'{who}starts {depth:.3g} m {INSIDE} "{scene.bodies[b].name}"'
    return Finding((*owner, "position"), message, f"at least {depth:.3g} m further along [{way}]")
