"""How finely to draw while things move: as finely as the machine draws in time, and always finely at rest."""

from __future__ import annotations

from dataclasses import dataclass

REST = 250
"""A picture that has stood for so long [ms] is drawn once more, finely."""
BUDGET, SLOW_BUDGET = 0.016, 0.042
"""A moving picture should not take longer than this [s]: the rest of the window needs its time too. Where the processor
draws, in a thread of its own, pictures may come less often."""


PATIENCE = 150
"""After so many pictures in time, at first, a finer level is tried."""


@dataclass(frozen=True)
class Quality:
    """shadow_taps, shadow_texels: as in the renderer, no taps are no shadows. scale: of the picture drawn, each way.
    off: pixels that the outline of a ball may be off.
    ambient: samples of the ambient occlusion, none without it and without edges where bodies meet.
    """

    shadow_taps: int
    shadow_texels: int
    samples: int
    scale: float = 1.0
    ambient: int = 0
    off: float = 0.4


FINEST = Quality(32, 2048, 4, ambient=20)
LEVELS = (
    FINEST,
    Quality(16, 2048, 4, ambient=12),
    Quality(1, 1024, 4, ambient=8),
    Quality(1, 1024, 2, 0.75),
    Quality(1, 512, 2, 0.5),
    Quality(0, 512, 2, 0.5),
)
"""From the finest on."""
SLOW_LEVELS = (
    FINEST,
    Quality(4, 1024, 4),
    Quality(1, 1024, 2),
    Quality(1, 1024, 0, off=1.0),
    Quality(1, 512, 0, 0.7, off=1.0),
    Quality(1, 512, 0, 0.5, off=1.0),
    Quality(0, 512, 0, 0.5, off=1.0),
)
"""The same for a processor: to it several samples a pixel cost more than pixels do."""


class Governor:
    """Watches how long pictures take and picks a level: down at once when they are late, up after long ease.

    A finer level is also tried now and then when the present one is only just in time, and the more seldom the more
    often it was in vain.
    """

    def __init__(self, levels: tuple[Quality, ...] = LEVELS, budget: float = BUDGET, start: int = 1) -> None:
        self.level = start
        self._levels = levels
        self._budget = budget
        self._late = 0.0
        self._easy = 0
        self._steady = 0
        self._patience = PATIENCE

    @property
    def moving(self) -> Quality:
        """For pictures that follow each other."""
        return self._levels[self.level]

    @property
    def resting(self) -> Quality:
        """For a picture that stays."""
        return self._levels[min(self.level, 1)]

    def took(self, seconds: float) -> None:
        """Tells how long a moving picture took to draw."""
        self._late = min(max(self._late + seconds / self._budget - 1.0, 0.0), 4.0)
        self._easy = self._easy + 1 if seconds < 0.3 * self._budget else 0
        self._steady += 1
        if self._late > 3.0 and self.level < len(self._levels) - 1:
            if self._steady < PATIENCE:
                self._patience = min(2 * self._patience, 32 * PATIENCE)
            self._go(self.level + 1)
        elif self.level > 0 and self._late == 0.0 and (self._easy >= 120 or self._steady >= self._patience):
            if self._easy >= 120:
                self._patience = PATIENCE
            self._go(self.level - 1)

    def _go(self, level: int) -> None:
        self.level = level
        self._late, self._easy, self._steady = 0.0, 0, 0
