"""How finely to draw while things move: as finely as the machine draws in time, and always finely at rest."""

from __future__ import annotations

from dataclasses import dataclass

BUDGET = 0.016
"""A moving picture should not take longer than this [s]: the rest of the window needs its time too."""


@dataclass(frozen=True)
class Quality:
    """shadow_taps, shadow_texels: as in the renderer, no taps are no shadows. scale: of the picture drawn, each way."""

    shadow_taps: int
    shadow_texels: int
    samples: int
    scale: float = 1.0


FINEST = Quality(9, 2048, 4)
LEVELS = (
    FINEST,
    Quality(4, 1024, 4),
    Quality(1, 1024, 4),
    Quality(1, 1024, 2, 0.75),
    Quality(1, 512, 2, 0.5),
    Quality(0, 512, 2, 0.5),
)
"""From the finest on."""


class Governor:
    """Watches how long pictures take and picks a level: down at once when they are late, up after long ease."""

    def __init__(self, start: int = 1) -> None:
        self.level = start
        self._late = 0.0
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
        self._late = max(self._late + seconds / BUDGET - 1.0, 0.0)
        self._easy = self._easy + 1 if seconds < 0.3 * BUDGET else 0
        if self._late > 3.0 and self.level < len(LEVELS) - 1:
            self.level += 1
            self._late = 0.0
        elif self._easy >= 120 and self.level > 0:
            self.level -= 1
            self._easy = 0
