"""Rows of bodies by their names, for those who must not hold a world."""

from __future__ import annotations


class BodyRows:
    """Where the bodies of a model stand."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._rows = {name: row for row, name in enumerate(names)}

    def find(self, body: str | int) -> int:
        """Row of a body by name or row; KeyError names the ones there are."""
        if isinstance(body, str):
            if body not in self._rows:
                raise KeyError(f"no body is called {body!r} (there are {', '.join(self._names)})")
            return self._rows[body]
        if not 0 <= body < len(self._names):
            raise KeyError(f"no body {body} (there are {len(self._names)})")
        return int(body)
