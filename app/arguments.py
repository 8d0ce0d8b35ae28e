"""What may stand behind options of the command line, each as a function from its text."""

from __future__ import annotations

import argparse
import math
import re
from fractions import Fraction
from pathlib import Path

from app.simulation.files import TABLES


def count(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 10_000):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 10000")
    return int(text)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def positive(text: str) -> float:
    value = number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def duration(text: str) -> float:
    value = number(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def rate(text: str) -> Fraction:
    """Exact, so that 29.97 and 30000/1001 both mean what they say."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a frame rate") from None


def size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, such as 1280x720")
    width, height = int(match[1]), int(match[2])
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise argparse.ArgumentTypeError(f"{text!r}: from 16x16 to 8192x8192 is possible")
    return width, height


def with_suffix(suffix: str, text: str) -> Path:
    if not text.lower().endswith(suffix):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in {suffix}")
    return Path(text)


def table(text: str) -> Path:
    if not text.lower().endswith(TABLES):
        raise argparse.ArgumentTypeError(f"{text!r} ends neither in {' nor in '.join(TABLES)}")
    return Path(text)


def drawing(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in ("", ".svg", ".png") and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} ends neither in .svg nor in .png, and is no folder")
    return path
