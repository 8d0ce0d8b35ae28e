"""The recorded bits of some scenes on some machines: `python -m tests.determinism.golden` records those of this one.

What is recorded is what anybody can see at some instants: poses, velocities, energies and events, and not the State.
Record anew only where a change of behaviour is meant, and say so.
"""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name

from engine import World, load_scene
from engine.scene.paths import set_path

FILE = Path(__file__).with_name("golden.json")
CASES = (
    ("block_drop", "impulse"),
    ("block_drop", "hybrid"),
    ("block_drop", "penalty"),
    ("stack_of_books", "constraint"),
    ("coins", "hybrid"),
    ("four_bar", "hybrid"),
    ("pool_break", "hybrid"),
    ("jack_on_stairs", "hybrid"),
    ("card_house", "hybrid"),
    ("superquadric_dice", "hybrid"),
    ("tippe_top", "impulse"),
)
INSTANTS, APART = 10, 0.05
"""How many, and how far from each other [s]."""
EVENT_FIELDS = ("time", "kind", "reason", "body_a", "body_b", "node_a", "node_b", "impulse", "point")


def machine() -> str:
    """What the bits depend on besides the source: the processor and the compiler, and whose sines they are."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    libc = " ".join(platform.libc_ver())
    tools = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"
    return f"{cpu} ({get_host_cpu_name()}), {libc}, {tools}"


def bits_of(name: str, contact: str) -> list[str]:
    """A hash of all that was to be seen of a scene so far, at each of INSTANTS."""
    world = World(set_path(load_scene(name), "world.contact", contact))
    seen, hashes = hashlib.blake2b(digest_size=8), []
    for k in range(1, INSTANTS + 1):
        world.advance_to(k * APART)
        events = world.events()
        for array in (world.poses(), world.twists(), *(events[field] for field in EVENT_FIELDS)):
            seen.update(np.ascontiguousarray(array).tobytes())
        for value in world.energy().values():
            seen.update(float(value).hex().encode())
        hashes.append(seen.hexdigest())
    return hashes


def recorded() -> dict[str, dict[str, list[str]]]:
    """By machine and by case, the hashes."""
    return dict(json.loads(FILE.read_text())) if FILE.exists() else {}


def case_name(name: str, contact: str) -> str:
    return f"{name}, {contact}"


def record() -> None:
    golden = recorded()
    golden[machine()] = {case_name(*case): bits_of(*case) for case in CASES}
    FILE.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")
    print(f"recorded {len(CASES)} cases of {machine()} in {FILE}")


if __name__ == "__main__":
    record()
