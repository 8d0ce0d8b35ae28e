"""Rows by names, for those who must not hold a world."""

from __future__ import annotations

from collections.abc import Iterable


class Rows:
    """Where the bodies of a model stand, or the joints of a scene."""

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        """kind: what has these names, "body" or "joint"."""
        self._kind = kind
        self._rows = {name: row for row, name in enumerate(names)}

    def find(self, which: str | int) -> int:
        """Row by name or row; KeyError names the ones there are."""
        if isinstance(which, str):
            if which not in self._rows:
                raise KeyError(f"no {self._kind} is called {which!r} (there are {', '.join(self._rows) or 'none'})")
            return self._rows[which]
        if not 0 <= which < len(self._rows):
            raise KeyError(f"no {self._kind} {which} (there are {len(self._rows)})")
        return int(which)
