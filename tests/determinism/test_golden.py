"""On a machine whose bits are recorded, scenes have the same bits as then; on any other there is nothing to compare."""

from __future__ import annotations

import pytest

from tests.determinism.golden import APART, CASES, bits_of, case_name, machine, recorded


@pytest.mark.parametrize(("name", "contact"), CASES)
def test_the_bits_are_those_that_were_recorded(name: str, contact: str) -> None:
    then = recorded().get(machine(), {}).get(case_name(name, contact))
    if then is None:
        pytest.skip(f"no bits of it are recorded of {machine()} (python -m tests.determinism.golden records them)")
    now = bits_of(name, contact)
    differs = next((k for k, (a, b) in enumerate(zip(then, now, strict=True)) if a != b), None)
    assert differs is None, f"since before t = {(differs + 1) * APART:.2f} s; if that is meant, record them anew"
