"""The independent parts of a contact problem: what does not touch, directly or through others, can be solved apart."""

from __future__ import annotations

import numpy as np

from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Bools, Ints


def split_problem(problem: ContactProblem) -> list[ContactProblem]:
    """One problem for each set of movable bodies that push on each other, most contacts first, then first bodies first.

    Static and kinematic bodies tie nothing together: two blocks on one floor are two parts. Bodies and contacts
    keep their order within a part.
    """
    labels = body_labels(problem)
    of_contact = labels[problem.pair.max(axis=1)]
    parts = [_part(problem, labels == label, of_contact == label) for label in np.unique(of_contact)]
    return sorted(parts, key=lambda part: -len(part.pair))


def body_labels(problem: ContactProblem) -> Ints:
    """(n,) the first body of each body's part, as a place in `bodies`."""
    labels = np.arange(len(problem.bodies))
    a, b = problem.pair[(problem.pair >= 0).all(axis=1)].T
    while True:  # labels fall along contacts, and then straight to the label's own label: few rounds even for chains
        lower = np.minimum(labels[a], labels[b])
        fallen = labels.copy()
        np.minimum.at(fallen, a, lower)
        np.minimum.at(fallen, b, lower)
        fallen = fallen[fallen]
        if np.array_equal(fallen, labels):
            return labels
        labels = fallen


def _part(problem: ContactProblem, bodies: Bools, contacts: Bools) -> ContactProblem:
    place = np.where(bodies, np.cumsum(bodies) - 1, -1)
    pair = problem.pair[contacts]
    return problem._replace(
        bodies=problem.bodies[bodies],
        centre=problem.centre[bodies],
        mass=problem.mass[bodies],
        force=problem.force[bodies],
        velocity=problem.velocity[bodies],
        pair=np.where(pair >= 0, place[pair], -1),
        rows=problem.rows[contacts],
        nodes=problem.nodes[contacts],
        point=problem.point[contacts],
        frame=problem.frame[contacts],
        gap=problem.gap[contacts],
        prescribed=problem.prescribed[contacts],
        curvature=problem.curvature[contacts],
        friction=problem.friction[contacts],
        restitution=problem.restitution[contacts],
    )
