"""What the event inspector says: what an event was, and every figure of it with its unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.simulation.examining import Examined
from app.view.plots.axes import format_si
from engine.arrays import Floats
from engine.recording.events import EVENT_KINDS, REASONS

Rows = list[tuple[str, str]]

_WORDS = {
    "collision": "Collision",
    "microcollision": "Microcollision",
    "arrest": "Arrest",
    "stop": "Stopped",
    "to_constraint": "To constraint forces",
    "to_impulse": "Back to impulses",
    "sleep": "Falls asleep",
    "wake": "Wakes",
    "contact_impulse": "Impulse without a collision",
}


def say_event(event: np.void, names: Sequence[str]) -> str:
    """ "Collision: ball – floor"."""
    rows = dict.fromkeys((int(event["body_a"]), int(event["body_b"])))
    who = " – ".join(names[row] if row < len(names) else f"#{row}" for row in rows)
    return f"{_WORDS[EVENT_KINDS[int(event['kind'])]]}: {who}"


_NOTHING = 1e-6
"""Of the largest of what stands together: smaller numbers are rounding to a reader, and 0."""


def vector(values: Floats | Sequence[float], unit: str, largest: float = 0.0) -> str:
    """ "(0.12, 0, -1.5) m/s"; parts that are nothing beside the largest are 0. largest: of what stands beside it."""
    largest = max((abs(float(value)) for value in values), default=0.0) if largest == 0.0 else largest
    parts = ("0" if abs(float(v)) <= _NOTHING * largest else f"{float(v):.4g}" for v in values)
    return f"({', '.join(parts)}) {unit}"


def say_figures(event: np.void, seen: Examined | None, names: Sequence[str]) -> Rows:
    """What is known of an event, line by line."""
    rows = [("time", f"{float(event['time']):.9f} s")]
    if event["reason"]:
        rows.append(("reason", REASONS[int(event["reason"])]))
    if np.any(event["point"]):
        rows.append(("point", vector(event["point"], "m")))
    if np.any(event["normal"]):
        rows.append(("normal", vector(event["normal"], "")))
    if np.any(event["impulse"]):
        size = format_si(float(np.linalg.norm(event["impulse"])), "N s", 5)
        first = names[int(event["body_a"])] if int(event["body_a"]) < len(names) else "body a"
        rows.append((f"impulse on {first}", f"{size}   {vector(event['impulse'], 'N s')}"))
    if np.any(event["couple"]):
        rows.append(("couple", vector(event["couple"], "N m s")))
    return rows + ([] if seen is None else _say_seen(event, seen, names))


def _say_seen(event: np.void, seen: Examined, names: Sequence[str]) -> Rows:
    rows: Rows = []
    hit = seen.hit
    if hit is not None:
        rows.append(("of which", f"normal {format_si(hit.p[2], 'N s')}, friction {format_si(_length(hit.p), 'N s')}"))
        rows.append(("friction", f"{hit.mu_dynamic:.4g}, restitution {hit.restitution:.4g}"))
        rows.append(("ends", "sticking" if hit.sticks else f"sliding at {format_si(_length(hit.u_after), 'm/s')}"))
        fastest = float(max(np.abs(hit.u).max(), np.abs(hit.u_after).max()))
        for name, ends in (
            ("normal velocity", (hit.u[2], hit.u_after[2])),
            ("slip", (_length(hit.u), _length(hit.u_after))),
        ):
            before, after = (format_si(0.0 if abs(u) <= _NOTHING * fastest else u, "m/s") for u in ends)
            rows.append((name, f"{before} before, {after} after"))
    lost = {cause: loss for cause, loss in seen.losses.items() if abs(loss) > 1e-12}
    said = ", ".join(f"{cause} {format_si(loss, 'J')}" for cause, loss in lost.items())
    rows.append(("energy lost" if seen.together <= 1 else f"lost by all {seen.together}", said or "none"))
    for side, column in enumerate(("body_a", "body_b")) if hit is not None else ():
        row = int(event[column])
        if not np.allclose(hit.before[side], hit.after[side]):
            name = names[row] if row < len(names) else f"#{row}"
            twists = {"before": hit.before[side], "after": hit.after[side]}
            moving, turning = np.abs(list(twists.values())).max(axis=0).reshape(2, 3).max(axis=1).tolist()
            for word, twist in twists.items():
                v, w = vector(twist[:3], "m/s", moving), vector(twist[3:], "rad/s", turning)
                rows.append((f"{name}, {word}", f"v {v}   ω {w}"))
    return rows


def say_note(seen: Examined) -> str:
    """What one should know before reading the path."""
    if seen.hit is None:
        return "No hit: there is no path"
    if seen.hodograph is None:
        return "It does not approach before the event: others hit it at the same time, or pushed it. There is no path"
    if seen.together > 1:
        return f"One of {seen.together} hits at one time, which reach each other: the path is of this contact by itself"
    if seen.hit.is_alone:
        return ""
    return "Another law has found its impulse, as for microcollisions: the path is what a collision would have made"


def _length(vector_: Sequence[float]) -> float:
    return float(np.hypot(vector_[0], vector_[1]))
