"""The Simulation menu: the clock."""

from __future__ import annotations

from app.actions.action import Action, Menu, ready, scene_open

_row = Menu("simulation", lambda host: host.playback)
_EVENT = "The next entry of the event queue: a check of one pair, a collision"

SIMULATION: tuple[Action, ...] = (
    _row("reset", "Reset to the start", lambda p: p.reset(), "Backspace", "mdi6.skip-backward", ready, toolbar=True),
    _row("step_back", "Step back one frame", lambda p: p.step_back(), "Left", "mdi6.step-backward", ready,
         hint="1/60 s", toolbar=True),
    _row("play", "Play", lambda p: p.toggle(), "Space", "mdi6.play", ready,
         label=lambda f: "Pause" if f.running else "Play", toolbar=True),
    _row("to_start", "Go to the start of the run", lambda p: p.to_start(), "Home", "mdi6.page-first", ready, "past"),
    _row("to_end", "Go to the end of the run", lambda p: p.to_end(), "End", "mdi6.page-last", ready, "past"),
    _row("step_frame", "Step one frame", lambda p: p.step_frame(), "Right", "mdi6.step-forward", ready,
         hint="1/60 s", toolbar=True),
    _row("step_event", "Step one event", lambda p: p.step_event(), "Shift+Right", "mdi6.debug-step-over", ready,
         hint=_EVENT, toolbar=True),
    _row("step_collision", "Next collision", lambda p: p.step_collision(), "Ctrl+Right", "mdi6.arrow-collapse-right",
         ready, hint="Goes on until bodies hit each other", toolbar=True),
    _row("slower", "Half the speed", lambda p: p.change_speed(0.5), "[", "mdi6.tortoise", scene_open, "speed"),
    _row("faster", "Twice the speed", lambda p: p.change_speed(2.0), "]", "mdi6.rabbit", scene_open, "speed"),
    _row("real_time", "Real time", lambda p: p.normal_speed(), "\\", "mdi6.clock-outline", scene_open, "speed"),
)  # fmt: skip
