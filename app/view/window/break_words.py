"""What a condition at which the run pauses is called, and what met it."""

from __future__ import annotations

from collections.abc import Sequence

from app.document.copies import names_of
from app.simulation.breaks import Break, Met
from engine.scene.schema import Scene, WorldSettings

_INSTEAD = {"contact": " (use a gap)", "impulse": " (use a held force)"}
UNITS = {"contact": "N s", "switch": "", "impulse": "N s", "force": "N", "gap": "m", "energy": "J"}


def say_break(one: Break, names: Sequence[str]) -> str:
    """ "an impulse above 1 N s on cue". names: of the bodies, by row."""
    who = [names[row] if row < len(names) else f"#{row}" for row in one.bodies]
    both = " and ".join(who)
    bound = f"{'below' if one.below else 'above'} {one.limit:g} {UNITS[one.kind]}"
    if one.kind == "contact":
        return f"first contact of {both}"
    if one.kind == "switch":
        return "a contact changes its paradigm"
    if one.kind == "gap":
        return f"the gap of {both} {bound}"
    if one.kind == "energy":
        return f"{one.energy} energy {bound}"
    what = "an impulse" if one.kind == "impulse" else "a held contact force"
    return f"{what} {bound}" + (f" {say_of(one.bodies, names)}" if who else "")


def why_never(one: Break, world: WorldSettings) -> str:
    """Why a condition is never met in a world like this; "" where it can be."""
    if not one.is_event:
        return ""
    if world.order == 1 or world.contact == "penalty":
        kind = "a first-order world" if world.order == 1 else "penalty contact"
        return f"never met, as {kind} has no events{_INSTEAD.get(one.kind, '')}"
    if one.kind == "switch" and world.contact == "impulse":
        return "never met, as every contact is left to impulses"
    return ""


def say_listed(one: Break, scene: Scene) -> str:
    """A condition in the list, and why it is never met, if it is not."""
    text, why = say_break(one, names_of(scene)), why_never(one, scene.world)
    return f"{text} – {why}" if why else text


def say_of(rows: Sequence[int], names: Sequence[str]) -> str:
    """Whose: "of any body", "on cue", "between cue and ball1"."""
    who = [names[row] if row < len(names) else f"#{row}" for row in rows]
    return ("of any body", f"on {who[0]}" if who else "", f"between {' and '.join(who)}")[min(len(who), 2)]


def say_met(met: Met, names: Sequence[str]) -> str:
    """Which it was, and its value."""
    unit = UNITS[met.condition.kind]
    return say_break(met.condition, names) + (f", {met.value:.4g} {unit}" if unit else "")
