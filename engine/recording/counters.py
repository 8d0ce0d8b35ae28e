"""What is counted while a world runs, and what each count means."""

from __future__ import annotations

from engine.model import state as s
from engine.model.state import State

COUNTERS = {
    "pair_checks": (s.PAIR_CHECKS, "gaps measured"),
    "collisions": (s.COLLISIONS, "collisions integrated"),
    "microcollisions": (
        s.MICROCOLLISIONS,
        "collisions slower than the fall through the envelope, or with a fiftieth of the speed at which a pair met",
    ),
    "heap_size": (s.HEAP_SIZE, "events that wait now"),
    "heap_pops": (s.HEAP_POPS, "events that happened"),
    "pairs": (s.PAIRS, "pairs whose swept boxes meet now"),
    "pairs_made": (s.PAIRS_MADE, "pairs whose swept boxes began to meet"),
    "box_updates": (s.BOX_UPDATES, "bodies that entered the broad phase anew"),
    "feature_steps": (s.FEATURE_STEPS, "steps of the closest-feature search"),
    "kicks": (s.KICKS, "kicks of the mouse's spring and of applied loads"),
    "hash_updates": (s.HASH_UPDATES, "boxes that entered or left tiles of the spatial hash"),
    "bucket_checks": (s.BUCKET_CHECKS, "buckets that the spatial hash looked into"),
    "close_pairs": (s.CLOSE_PAIRS, "pairs that share tiles now, of the hash with close counters"),
    "exchanges": (s.EXCHANGES, "box ends that sweep and prune moved past another"),
    "stalls": (s.STALLS, "checks whose bound was below the clock's resolution"),
    "unwraps": (s.UNWRAPS, "pairs of hulls that were replaced by pairs of their children"),
    "group_steps": (s.GROUP_STEPS, "steps of contact groups"),
    "group_sweeps": (s.GROUP_SWEEPS, "sweeps over the contact points of groups"),
    "group_retries": (s.GROUP_RETRIES, "steps of contact groups repeated at half the length"),
    "switches": (s.SWITCHES, "contacts that changed their paradigm"),
    "faults": (s.FAULTS, "collisions whose integration hit its step limit"),
}


def read_counters(state: State) -> dict[str, int]:
    """Counts since the start, by the names of COUNTERS."""
    return {name: int(state.counts[column]) for name, (column, _) in COUNTERS.items()}
