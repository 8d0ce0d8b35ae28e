"""The one error of this package: something about a shape that a person can put right."""

from __future__ import annotations


class GeometryError(ValueError):
    """A shape that cannot be built; the message says what is wrong and what would be right."""
