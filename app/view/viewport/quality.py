"""How finely to draw while things move: as finely as the machine draws in time, and always finely at rest."""

from __future__ import annotations

from dataclasses import dataclass

BUDGET = 0.020
"""A moving picture should not take longer than this [s]."""


@dataclass(frozen=True)
class Quality:
    """shadow_taps and shadow_texels as in the renderer; 0 taps: no shadows."""

    shadow_taps: int
    shadow_texels: int


LEVELS = (Quality(9, 2048), Quality(4, 1024), Quality(1, 1024), Quality(0, 1024))
"""From the finest on."""


class Governor:
    """Watches how long pictures take and picks a level. One step down at a time, and up again only after long ease."""

    def __init__(self, start: int = 1) -> None:
        self.level = start
        self._slow = 0
        self._easy = 0

    @property
    def moving(self) -> Quality:
        """For pictures that follow each other."""
        return LEVELS[self.level]

    @property
    def resting(self) -> Quality:
        """For a picture that stays."""
        return LEVELS[min(self.level, 1)]

    def took(self, seconds: float) -> None:
        """Tells how long a moving picture took to draw."""
        self._slow = self._slow + 1 if seconds > BUDGET else max(self._slow - 1, 0)
        self._easy = self._easy + 1 if seconds < 0.25 * BUDGET else 0
        if self._slow >= 5 and self.level < len(LEVELS) - 1:
            self.level += 1
            self._slow = 0
        elif self._easy >= 240 and self.level > 0:
            self.level -= 1
            self._easy = 0
