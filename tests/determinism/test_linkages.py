"""Joints leave determinism as it is: the same bits however a run is cut up, and after going back."""

from __future__ import annotations

from engine import World
from tests.linkages import chain


def test_chunks_and_snapshots_change_nothing() -> None:
    once = World(chain(3))
    once.advance_to(0.5)
    chunks = World(chain(3))
    for k in range(1, 130):
        chunks.advance_to(0.5 * k / 129)
        chunks.poses(), chunks.energy(), chunks.joints()
    assert chunks.digest == once.digest
    back = once.snapshot()
    once.advance_to(0.8)
    chunks.restore(back)
    chunks.advance_to(0.8)
    assert chunks.digest == once.digest
