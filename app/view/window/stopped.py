"""Who is stopped in the picture that is shown, since when and why: painted there, and said in the banner over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.simulation.messages import Batch, Frame
from app.view.viewport.viewport import Viewport
from app.view.window.banner import Banner
from engine.recording.events import EVENT_KINDS

_MOST = 4  # that are named
_STOP = EVENT_KINDS.index("stop")


class Stopped:
    """Follows the picture, through the past too. `say`: tells of those that were not stopped in the one before."""

    def __init__(self, banner: Banner, viewport: Viewport, say: Callable[[str], None]) -> None:
        self._banner, self._viewport, self._say = banner, viewport, say
        self._rows: tuple[int, ...] = ()
        self._run = -1
        self._when: dict[int, float] = {}  # each was, in the way that the run goes, by row [s]
        self._text = ""

    def look(self, batches: Sequence[Batch], frame: Frame | None, names: Sequence[str]) -> None:
        """Take in what has happened, and show what is new in the frame."""
        heard = self._hear(batches)
        if frame is None or (frame.stopped == self._rows and not heard):
            return
        new = set(frame.stopped) - set(self._rows)
        self._rows = frame.stopped
        self._viewport.set_stopped(frame.stopped)
        self._text = self._words(frame, names)
        self.show()
        if new:
            self._say(self._text)

    def show(self) -> None:
        """What the banner says where nothing else is to be said."""
        if self._text:
            self._banner.show_text(self._text, "")
        else:
            self._banner.hide()

    def _hear(self, batches: Sequence[Batch]) -> bool:
        """Whether a body was stopped. Where the run goes another way, all of that is told again."""
        heard = False
        for batch in batches:
            if batch.run != self._run:
                self._run = batch.run
                self._when.clear()
            stops = batch.events[batch.events["kind"] == _STOP]
            self._when.update(zip(stops["body_a"].tolist(), stops["time"].tolist(), strict=True))
            heard = heard or len(stops) > 0
        return heard

    def _words(self, frame: Frame, names: Sequence[str]) -> str:
        """ "Stopped: cube at t = 0.3000 s (crushed: no motion satisfies its contacts)"; "" where nobody is."""
        told = []
        for row, why in list(zip(frame.stopped, frame.why_stopped, strict=True))[:_MOST]:
            since = f" at t = {self._when[row]:.4f} s" if row in self._when else ""
            told.append(f"{names[row] if row < len(names) else f'#{row}'}{since} ({why})")
        more = f" and {len(frame.stopped) - _MOST} more" if len(frame.stopped) > _MOST else ""
        return f"Stopped: {', '.join(told)}{more}" if told else ""
