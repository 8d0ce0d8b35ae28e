"""Reference values of free rotation: Euler's equations and the attitude's, integrated by Taylor series to 40 digits.

It shares nothing with the engine but the equations of motion. `python tests/oracle/free_tumble_reference.py` writes
`free_tumble_reference.json` beside itself (some four minutes).
"""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import mpmath as mp

FILE = Path(__file__).with_suffix(".json")
DIGITS = 40
ORDER = 38

Series = list[list[mp.mpf]]


def _beside_separatrix(moments: tuple[float, float, float], offset: float) -> tuple[float, float, float]:
    """Angular velocity with L^2 = 2 E I_2, but for w_1, which is larger by the relative `offset`; I_1 > I_2 > I_3."""
    i1, i2, i3 = moments
    w3 = 1.4
    return (w3 * sqrt(i3 * (i2 - i3) / (i1 * (i1 - i2))) * (1 + offset), 0.8, w3)


_321 = (3.0, 2.0, 1.0)
_BOX = (0.41, 0.29, 0.17)

# name: moments, angular velocity in the body, time
CASES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], float]] = {
    "about the smallest moment": (_321, (0.6, -2.4, 3.6), 100.0),
    "about the largest moment": (_321, (3.6, 2.4, -0.6), 100.0),
    "moments rising": ((1.0, 2.0, 3.0), (-0.6, -1.9, 2.6), 100.0),
    "middle moment first": ((0.29, 0.17, 0.41), (1.1, 4.0, 3.0), 100.0),
    "middle moment last": ((0.17, 0.41, 0.29), (-1.1, 0.3, -3.0), 100.0),
    "backwards": (_BOX, (2.0, -1.0, 3.0), -100.0),
    "fast": (_BOX, (12.0, -9.0, 20.0), 100.0),
    "separatrix + 1e-6": (_321, _beside_separatrix(_321, 1e-6), 100.0),
    "separatrix - 1e-6": (_321, _beside_separatrix(_321, -1e-6), 100.0),
    "separatrix + 1e-10": (_BOX, _beside_separatrix(_BOX, 1e-10), 100.0),
    "separatrix - 1e-10": (_BOX, _beside_separatrix(_BOX, -1e-10), 100.0),
    "separatrix - 1e-14": (_321, _beside_separatrix(_321, -1e-14), 100.0),
    "separatrix, rounded": (_321, _beside_separatrix(_321, 0.0), 100.0),
    "saddle, slightly off": (_321, (1e-10, 2.0, 1e-10), 100.0),
    "saddle, off along one axis": (_BOX, (1e-8, -3.0, 0.0), 100.0),
    "thin plate": ((0.25, 0.2500001, 0.5), (3.0, 0.1, 1e-3), 100.0),
    "needle": ((1e-4, 1.0, 1.0001), (30.0, 1.0, 2.0), 20.0),
    "moments equal but for rounding": ((1.0, 1.0 + 4e-16, 1.0 - 3e-16), (2.0, -3.0, 1.0), 100.0),
    "top but for rounding": ((1.0, 2.0, 1.0 + 2e-15), (2.0, -3.0, 1.0), 100.0),
    "top": ((0.3, 0.5, 0.5), (2.0, -3.0, 1.0), 100.0),
    "sphere": ((0.4, 0.4, 0.4), (2.0, -3.0, 1.0), 100.0),
}


def _product(a: list[mp.mpf], reversed_b: list[mp.mpf]) -> mp.mpf:
    """The newest coefficient of a product of two series."""
    return mp.fdot(zip(a, reversed_b))


def _expand(moments: list[mp.mpf], w: list[mp.mpf], q: list[mp.mpf]) -> tuple[Series, Series]:
    """Taylor coefficients of w and q, from I w' = I w x w and q' = q (0, w) / 2."""
    i1, i2, i3 = moments
    rates = ((i2 - i3) / i1, (i3 - i1) / i2, (i1 - i2) / i3)
    ws, qs = [[x] for x in w], [[x] for x in q]
    for n in range(1, ORDER + 1):
        r = [list(reversed(series)) for series in ws]
        swaps = (_product(ws[1], r[2]), _product(ws[2], r[0]), _product(ws[0], r[1]))
        p = [[_product(series, other) for other in r] for series in qs]
        turns = (
            -p[1][0] - p[2][1] - p[3][2],
            p[0][0] + p[2][2] - p[3][1],
            p[0][1] + p[3][0] - p[1][2],
            p[0][2] + p[1][1] - p[2][0],
        )
        for series, rate, swap in zip(ws, rates, swaps):
            series.append(rate * swap / n)
        for series, turn in zip(qs, turns):
            series.append(turn / (2 * n))
    return ws, qs


def _sum(series: list[mp.mpf], h: mp.mpf) -> mp.mpf:
    """The series at h, by Horner's rule."""
    total = mp.mpf(0)
    for coefficient in reversed(series):
        total = total * h + coefficient
    return total


def reference(
    moments: tuple[float, float, float], w: tuple[float, float, float], time: float
) -> tuple[list[float], list[float]]:
    """Attitude (from (1, 0, 0, 0)) and body angular velocity after `time`, correctly rounded."""
    with mp.workdps(DIGITS + 10):
        inertia, ws = [mp.mpf(x) for x in moments], [mp.mpf(x) for x in w]
        qs = [mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(0)]
        left, sign = abs(mp.mpf(time)), mp.sign(time)
        while left > 0:
            w_series, q_series = _expand(inertia, ws, qs)
            speed = mp.sqrt(sum(x * x for x in ws))
            last = max(max(abs(s[-1]) / speed for s in w_series), max(abs(s[-1]) for s in q_series))
            h = min(left, (mp.mpf(10) ** -DIGITS / last) ** (mp.mpf(1) / ORDER))
            left -= h
            ws = [_sum(s, sign * h) for s in w_series]
            qs = [_sum(s, sign * h) for s in q_series]
        return [float(x) for x in qs], [float(x) for x in ws]


def main() -> None:
    """Integrate every case and write the file."""
    results = {}
    for name, (moments, w, time) in CASES.items():
        attitude, w_end = reference(moments, w, time)
        results[name] = {"moments": moments, "w": w, "time": time, "attitude": attitude, "w_end": w_end}
        print(name)
    FILE.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
