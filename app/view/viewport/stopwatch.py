"""How long the graphics card takes for a picture. It draws after the calls have returned, so it is asked later."""

from __future__ import annotations

import time
from ctypes import byref, c_uint64

from OpenGL import GL
from OpenGL.GL.ARB.timer_query import glInitTimerQueryARB
from OpenGL.raw.GL.ARB.timer_query import glGetQueryObjectui64v

from app.view.viewport.quality import Quality


class Stopwatch:
    """Takes the time of one picture after the other, in the OpenGL context that is current.

    While the card has not said how long one took, others go by untimed. A card that does not tell times has none taken,
    but the calls are: drivers that draw in them do it at once.
    """

    def __init__(self) -> None:
        self._tells: bool | None = None
        self._query = 0
        self._runs = False
        self._of: Quality | None = None  # of the picture that is timed
        self._began = self._since = self._calls = 0.0

    def start(self, quality: Quality) -> None:
        """A picture of this quality begins."""
        if self._tells is None:
            self._tells = bool(glInitTimerQueryARB())
            self._query = int(GL.glGenQueries(1)[0]) if self._tells else 0
        self._began = time.perf_counter()
        self._runs = self._of is None
        if self._runs:
            self._of, self._since = quality, self._began
            if self._tells:
                GL.glBeginQuery(GL.GL_TIME_ELAPSED, self._query)

    def stop(self) -> float:
        """It has been drawn, as far as the calls go. How long they took [s]."""
        self._calls = time.perf_counter() - self._began
        if self._runs and self._tells:
            GL.glEndQuery(GL.GL_TIME_ELAPSED)
        return self._calls

    def read(self) -> tuple[Quality, float] | None:
        """The quality of a picture and how long it took [s], once for each that was timed; None: not known yet."""
        if self._of is None:
            return None
        seconds = self._calls
        if self._tells:
            if not GL.glGetQueryObjectuiv(self._query, GL.GL_QUERY_RESULT_AVAILABLE):
                return None
            nanoseconds = c_uint64()
            glGetQueryObjectui64v(self._query, GL.GL_QUERY_RESULT, byref(nanoseconds))
            # Mesa's processor says when it ended, not how long it took, of a picture in which nothing is drawn.
            seconds = min(1e-9 * nanoseconds.value, time.perf_counter() - self._since)
        of, self._of = self._of, None
        return of, seconds
