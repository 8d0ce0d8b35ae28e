"""Residuals and traces."""

from __future__ import annotations

import numpy as np

from engine.solvers.solution import lcp_residual, make_trace, no_trace, note_iteration


def test_residual_is_the_worst_broken_condition() -> None:
    b = np.array([3.0, -1.0])
    assert lcp_residual(np.array([0.0, 2.0]), np.array([5.0, 0.0]), b) == 0
    assert lcp_residual(np.array([-2.0, 0.0]), np.array([1.0, 1.0]), b) == 0.5
    assert lcp_residual(np.array([4.0, 1.0]), np.array([1.0, 3.0]), b) == 0.25


def test_trace_keeps_the_first_rows_only() -> None:
    trace = make_trace(2, 1)
    for k in range(3):
        note_iteration(trace, np.array([float(k)]), np.array([10.0 + k]), 0.1 * k, k)
    assert trace.rows[0] == 2
    assert trace.x[:, 0].tolist() == [0, 1]
    assert trace.w[:, 0].tolist() == [10, 11]
    assert trace.driven.tolist() == [0, 1]
    empty = no_trace()
    note_iteration(empty, np.array([1.0]), np.array([1.0]), 0.0, 0)
    assert empty.rows[0] == 0
