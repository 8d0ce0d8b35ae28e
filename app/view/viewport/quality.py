"""How finely to draw while things move: as finely as the machine draws in time, and always finely at rest."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median

REST = 250
"""A picture that has stood for so long [ms] is drawn once more, finely."""
BUDGET, SLOW_BUDGET = 0.016, 0.042
"""A moving picture should not take longer than this [s]: the rest of the window needs its time too. Where the processor
draws, in a thread of its own, pictures may come less often."""


PATIENCE = 150
"""After so many pictures in time, at first, a finer level is tried."""
_FEW = 9
"""Pictures that tell how long one takes at a level."""
_HARDLY = 1.1
"""A level is worth its coarseness if the finer one takes more than so many times as long."""


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
    often it was in vain. Where even the coarsest level is late, something else than drawing finely takes the time: then
    it is the finest of those that take hardly longer, and coarser ones are tried as seldom.
    """

    def __init__(self, levels: tuple[Quality, ...] = LEVELS, budget: float = BUDGET, start: int = 1) -> None:
        self.level = start
        self._levels = levels
        self._budget = budget
        self._late = 0.0
        self._easy = 0
        self._steady = 0
        self._patience = PATIENCE
        self._recent: deque[float] = deque(maxlen=_FEW)  # how long the last pictures of this level took [s]
        self._known: dict[int, float] = {}  # how long those of finer levels took, since it began to go down [s]
        self._bears = 0  # so many more pictures may be late

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
        self._recent.append(seconds)
        self._bears = max(self._bears - 1, 0)
        if self._late > 3.0 and not self._bears:
            self._go_coarser()
        elif self.level > 0 and self._late == 0.0 and (self._easy >= 120 or self._steady >= self._patience):
            if self._easy >= 120:
                self._patience = PATIENCE
            self._known.clear()
            self._go(self.level - 1)

    def _go_coarser(self) -> None:
        self._known[self.level] = median(self._recent)
        if self.level < len(self._levels) - 1:
            if self._steady < PATIENCE:
                self._be_patient()
            self._go(self.level + 1)
        elif self._steady >= _FEW:
            enough = _HARDLY * self._known[self.level]
            finest = min(level for level, taken in self._known.items() if taken <= enough)
            if finest < self.level:
                self._be_patient()
                self._bears = self._patience
                self._known.clear()
                self._go(finest)

    def _be_patient(self) -> None:
        self._patience = min(2 * self._patience, 32 * PATIENCE)

    def _go(self, level: int) -> None:
        self.level = level
        self._late, self._easy, self._steady = 0.0, 0, 0
        self._recent.clear()
