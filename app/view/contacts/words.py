"""What the contact card says in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from app.simulation.messages import Frame
from app.simulation.solving import Run
from app.view.contacts.rows import ContactRows
from app.view.microscope.words import count, say_agreement, say_contacts
from app.view.plots.axes import format_si
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Floats
from engine.recording.contacts import FORCE_WINDOW

MOST_SOLVED = 400
"""Contacts up to which forces are looked for: seven methods would take seconds."""


def say_heading(rows: ContactRows, names: Sequence[str], problem: ContactProblem | None = None) -> str:
    """Whose contacts these are, and how many; where the engine has stepped none yet, those that will be."""
    number = len(rows) + rows.left_out
    who = "The whole scene" if not rows.of else names[rows.of[0]] if len(rows.of) == 1 else count(len(rows.of), "body")
    more = f", the {len(rows)} with the largest forces are shown" if rows.left_out else ""
    if number == 0 and problem is not None:
        touching = problem.nodes[np.isin(problem.rows, rows.of).any(axis=1)] if rows.of else problem.nodes
        if len(touching):
            return f"{who}: {say_contacts(touching)}, without forces before the first step"
    return f"{who}: {count(number, 'contact') if number else 'no contacts'}{more}"


def say_sum(rows: ContactRows, problem: ContactProblem | None, jointed: Collection[int] = ()) -> str:
    """What the contacts bear in all, and what those of one body do to it together, beside what else does.

    Its acceleration is told where all forces are known, and of the instant. jointed: bodies that joints tie.
    """
    if not len(rows):
        return ""
    text = "normal {}, friction {}".format(*(format_si(force, "N", 4) for force in rows.total))
    if len(rows.of) != 1:
        return text
    text += f"; sum of forces {vector(rows.sum)}" + (f" (mean of {1e3 * FORCE_WINDOW:g} ms)" if rows.averaged else "")
    place = -1 if problem is None else next(iter(np.flatnonzero(problem.bodies == rows.of[0])), -1)
    if problem is not None and place >= 0:
        outside = problem.force[place, :3]
        text += f", other forces {vector(outside)}"
        if rows.of[0] in jointed:
            text += ", and those of its joints"
        elif not rows.averaged:
            acceleration = (rows.sum + outside) / problem.mass[place, 0, 0]
            text += f": a = {format_si(float(np.linalg.norm(acceleration)), 'm/s²', 3)}"
    return text


def vector(force: Floats) -> str:
    """ "(0, 0.12, 27.5) N"; parts that are nothing beside the largest are 0."""
    largest = float(np.abs(force).max(initial=0.0))
    parts = [0.0 if abs(x) < 1e-4 * largest else float(x) for x in force]
    return "(" + ", ".join(f"{x:.4g}" for x in parts) + ") N"


def say_forces(frame: Frame | None, problem: ContactProblem | None, runs: Mapping[str, Run], waiting: int) -> str:
    """Of what the solvers' forces are, or why there are none."""
    if frame is None or frame.running:
        return "Pause (Space) to solve for the forces of that instant"
    if problem is None or not len(problem.pair):
        return "Nothing to solve: no dynamic body touches anything"
    if len(problem.pair) > MOST_SOLVED:
        return f"{count(len(problem.pair), 'point')} are too many for all solvers (up to {MOST_SOLVED}); select a body"
    if waiting:
        return f"Solving, {count(waiting, 'solver')} to go…"
    rough = "friction ignored, " if (problem.friction > 0.0).any() else ""
    agreed = say_agreement(runs.values()).replace("\n", ". ")
    return f"Acceleration-level normal forces (Baraff's 8-7), {rough}{count(len(problem.pair), 'point')}. {agreed}"
