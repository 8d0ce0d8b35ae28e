"""A snapshot that is kept packed comes back to the bit, in a fraction of the memory."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import replace

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.snapshot import Snapshot
from engine.scene.paths import set_path


def test_a_packed_snapshot_comes_back_to_the_bit() -> None:
    world = World(load_scene("coins"))
    world.advance_to(0.7)
    snapshot = world.snapshot()
    packed = snapshot.pack()
    again = packed.unpack()
    assert again.digest == snapshot.digest == world.digest
    assert (packed.time, packed.model, packed.said) == (snapshot.time, snapshot.model, snapshot.said)
    for name, array, other in zip(snapshot.state._fields, snapshot.state, again.state, strict=True):
        assert array.dtype == other.dtype and array.shape == other.shape, name
        np.testing.assert_array_equal(array, other)
    assert packed.nbytes < 0.25 * snapshot.nbytes


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library how much it holds")
def test_a_packed_snapshot_holds_no_more_than_it_says() -> None:
    """Before, it kept the room that the packer had asked for: as much as the snapshot itself."""
    packed = World(load_scene("pool_break")).snapshot().pack()
    held = ctypes.CDLL(None).malloc_usable_size(ctypes.c_void_p(id(packed.data)))
    assert len(packed.data) <= held < 1.1 * packed.nbytes + 100


def test_a_world_goes_on_from_a_packed_snapshot_as_from_the_snapshot() -> None:
    world = World(load_scene("coins"))
    world.advance_to(0.4)
    packed = world.snapshot().pack()
    world.advance_to(0.9)
    there = world.digest
    world.restore(packed.unpack())
    world.advance_to(0.9)
    assert world.digest == there


@pytest.mark.parametrize("table", ["groups", "arcs", "patches", "clock", "counts"])
def test_a_snapshot_of_other_columns_is_an_error(table: str) -> None:
    """One of an older Carom: kernels would read beyond the ends of its tables."""
    snapshot = World(load_scene("coins")).snapshot()
    array = getattr(snapshot.state, table)
    older = replace(snapshot, state=snapshot.state._replace(**{table: np.ascontiguousarray(array[..., :-1])}))
    for read in (lambda: Snapshot.from_bytes(older.to_bytes()), older.pack().unpack):
        with pytest.raises(ValueError, match=f"another version of Carom: its {table}"):
            read()


@pytest.mark.parametrize("name", ["coins", "four_bar", "free_tumble"])
def test_snapshots_of_all_kinds_of_worlds_come_back(name: str) -> None:
    for phase in ("hierarchical_hash", "sweep_prune", "none"):
        for contact in ("hybrid", "impulse"):
            scene = set_path(set_path(load_scene(name), "world.broad_phase", phase), "world.contact", contact)
            snapshot = World(scene).snapshot()
            assert Snapshot.from_bytes(snapshot.to_bytes()).digest == snapshot.digest == snapshot.pack().unpack().digest
