"""What the microscope says: of a step, of a contact, of how far methods agree, and why there is nothing to see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from app.simulation.solving import NEGLIGIBLE, Run
from app.view.plots.axes import format_si
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Ints
from engine.solvers.solution import SOLVED

ALIKE = 1e-4  # beside the scales of a run: answers that differ by less count as the same


def count(number: int, thing: str) -> str:
    """ "1 contact", "2 contacts", "3 bodies"."""
    many = thing[:-1] + "ies" if thing.endswith("dy") else thing + "s"
    return f"{grouped(number)} {thing if number == 1 else many}"


def grouped(number: int) -> str:
    """ "1 234 567"."""
    return f"{number:,}".replace(",", "\u2009")


def contact_name(problem: ContactProblem, contact: int, names: Sequence[str]) -> str:
    """ "point 3: block – wedge"."""
    a, b = (names[row] if row < len(names) else f"#{row}" for row in problem.rows[contact])
    return f"point {contact + 1}: {a} – {b}"


def part_name(part: ContactProblem, names: Sequence[str]) -> str:
    """ "block, wedge and 3 more: 3 contacts, 12 points"."""
    known = [names[row] if row < len(names) else f"#{row}" for row in part.bodies]
    text = ", ".join(known[:3]) if len(known) <= 3 else f"{known[0]}, {known[1]} and {len(known) - 2} more"
    return f"{text}: {say_contacts(part.nodes)}"


def say_contacts(nodes: Ints) -> str:
    """ "4 contacts, 16 points" of the pieces (m, 2) that touch at m points, counted as the contact card does."""
    contacts, points = len(np.unique(nodes, axis=0)), len(nodes)
    return count(contacts, "contact") + (f", {count(points, 'point')}" if points != contacts else "")


def say_problem(problem: ContactProblem, time: float) -> str:
    """Of what instant and how large the problem is."""
    return f"t = {time:.6f} s · {say_contacts(problem.nodes)} of {count(len(problem.bodies), 'body')}"


def say_step(run: Run, step: int) -> str:
    """Where in its run a step is, what it does, and where it is worst."""
    number, word, cut = int(run.number[step]), "pivot" if run.pivots else "iteration", ""
    if run.cut:
        cut = f", of which the first {grouped(int(run.number[-2]))} are recorded"
    if number == 0:
        text = "start: zero forces"
    elif step == len(run.number) - 1:
        text = f"solution after {count(run.iterations, word)}{cut}"
    else:
        text = f"{word} {grouped(number)} of {grouped(run.iterations)}{cut}"
    driven = int(run.driven[step])
    if 0 <= driven < run.x.shape[1]:
        text += f" · drives point {driven + 1}"
    text += f" · residual {run.residual[step]:.1e}"
    worst = np.abs(np.minimum(run.x[step], run.w[step]))
    if worst.size and worst.max() > NEGLIGIBLE * min(run.scales):
        text += f", worst at point {int(np.argmax(worst)) + 1}"
    return text


def say_contact(run: Run, step: int, contact: int) -> str:
    """ "f = 4.200 N, a = 0: active"."""
    f, a = float(run.x[step, contact]), float(run.w[step, contact])
    f, a = (0.0 if abs(value) <= NEGLIGIBLE * scale else value for value, scale in zip((f, a), run.scales, strict=True))
    if a < 0.0:
        state = "would penetrate" if f <= 0.0 else "loaded, and would penetrate"
    elif f < 0.0:
        state = "would pull"
    elif f > 0.0:
        state = "active" if a == 0.0 else "loaded while separating: violates f a = 0"
    else:
        state = "separating" if a > 0.0 else "degenerate: touching without force"
    return f"f = {format_si(f, 'N')}, a = {format_si(a, 'm/s²')}: {state}"


def say_agreement(runs: Iterable[Run]) -> str:
    """How far the answers of methods that solved the problem agree, and which have answered to another one."""
    solved = [run for run in runs if run.status == SOLVED and run.x.shape[1]]
    moved = [run for run in solved if run.moved > ALIKE * run.scales[1]]
    same = [run for run in solved if run.moved <= ALIKE * run.scales[1]]
    texts = [_compare(same)] if len(same) > 1 else []
    if moved:
        by = format_si(max(run.moved for run in moved), "m/s²", 3)
        texts.append(f"b is outside the range of the contact Jacobian: motion space projects it, off by up to {by}")
    return "\n".join(texts)


def _compare(runs: Sequence[Run]) -> str:
    x, w = np.stack([run.x[-1] for run in runs]), np.stack([run.w[-1] for run in runs])
    of_x, of_w = float(np.ptp(x, axis=0).max()), float(np.ptp(w, axis=0).max())
    scale_x, scale_w = runs[0].scales
    if of_x > ALIKE * scale_x and of_w <= ALIKE * scale_w:
        differ = f"solutions with the same accelerations differ by up to {format_si(of_x, 'N', 3)}"
        return f"The forces are not unique: {differ}"
    forces, accelerations = format_si(of_x, "N", 2), format_si(of_w, "m/s²", 2)
    if of_w > ALIKE * scale_w:
        return f"The solvers disagree: forces by {forces}, accelerations by {accelerations}"
    return f"{len(runs)} solvers agree: forces to {forces}, accelerations to {accelerations}"


def say_nothing(state: str, time: float | None) -> str:
    """Why there is no problem to show, and what to do about it."""
    if state == "running":
        return "The scene is running.\nPause it (Space) to look into the contacts of that instant."
    if state == "failed":
        return "This scene cannot run, so it has no contacts to look into."
    if state in ("compiling", "starting"):
        return "Shown once the engine has been compiled."
    if time is None:
        return "Shown once a scene is loaded."
    return (
        f"Nothing touches at t = {time:.6f} s, so there are no contact forces.\n"
        "Go on until bodies touch, or open the scene “Impending motion” from the gallery."
    )
