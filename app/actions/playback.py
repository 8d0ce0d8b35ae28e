"""The Simulation menu: the clock."""

from __future__ import annotations

from app.actions.action import Action, ready, scene_open

SIMULATION: tuple[Action, ...] = (
    Action(
        "simulation.reset",
        "Reset to the start",
        lambda h: h.playback.reset(),
        ("Backspace",),
        "mdi6.skip-backward",
        ready,
        toolbar=True,
    ),
    Action(
        "simulation.play",
        "Play",
        lambda h: h.playback.toggle(),
        ("Space",),
        "mdi6.play",
        ready,
        label=lambda f: "Pause" if f.running else "Play",
        toolbar=True,
    ),
    Action(
        "simulation.step_frame",
        "Step one frame",
        lambda h: h.playback.step_frame(),
        ("Right",),
        "mdi6.step-forward",
        ready,
        hint="1/60 s",
        toolbar=True,
    ),
    Action(
        "simulation.step_event",
        "Step one event",
        lambda h: h.playback.step_event(),
        ("Shift+Right",),
        "mdi6.debug-step-over",
        ready,
        hint="The next entry of the event queue: a check of one pair, a collision",
        toolbar=True,
    ),
    Action(
        "simulation.slower",
        "Half the speed",
        lambda h: h.playback.change_speed(0.5),
        ("[",),
        "mdi6.tortoise",
        scene_open,
        "speed",
    ),
    Action(
        "simulation.faster",
        "Twice the speed",
        lambda h: h.playback.change_speed(2.0),
        ("]",),
        "mdi6.rabbit",
        scene_open,
        "speed",
    ),
    Action(
        "simulation.real_time",
        "Real time",
        lambda h: h.playback.normal_speed(),
        ("\\",),
        "mdi6.clock-outline",
        scene_open,
        "speed",
    ),
)
