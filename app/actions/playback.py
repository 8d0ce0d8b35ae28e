"""The Simulation menu: the clock."""

from __future__ import annotations

from app.actions.action import Action, Facts, Menu, ready, scene_open

_row = Menu("simulation", lambda host: host.playback)
_EVENT = "The next entry of the event queue: a check of one pair, a collision"


def two_selected(facts: Facts) -> bool:
    return ready(facts) and facts.selected == 2


SIMULATION: tuple[Action, ...] = (
    _row("reset", "Reset to the start", lambda p: p.reset(), "Backspace", "mdi6.skip-backward", ready, toolbar=True),
    _row("step_back", "Step back one frame", lambda p: p.step_back(), "Left", "mdi6.step-backward", ready,
         hint="1/60 s", toolbar=True),
    _row("play", "Play", lambda p: p.toggle(), "Space", "mdi6.play", ready,
         label=lambda f: "Pause" if f.running else "Play", toolbar=True),
    _row("play_back", "Play backwards", lambda p: p.play_back(), "Shift+Space", "mdi6.play-outline", ready,
         hint="As far as the start, at the speed that is set"),
    _row("step_event_back", "Step back one event", lambda p: p.step_event_back(), "Shift+Left", "", ready, "past"),
    _row("step_collision_back", "Previous collision", lambda p: p.step_collision_back(), "Ctrl+Left",
         "mdi6.arrow-collapse-left", ready, "past"),
    _row("to_start", "Go to the start of the run", lambda p: p.to_start(), "Home", "mdi6.page-first", ready, "past"),
    _row("to_end", "Go to the end of the run", lambda p: p.to_end(), "End", "mdi6.page-last", ready, "past"),
    _row("step_frame", "Step one frame", lambda p: p.step_frame(), "Right", "mdi6.step-forward", ready,
         hint="1/60 s", toolbar=True),
    _row("step_event", "Step one event", lambda p: p.step_event(), "Shift+Right", "mdi6.debug-step-over", ready,
         hint=_EVENT, toolbar=True),
    _row("step_collision", "Next collision", lambda p: p.step_collision(), "Ctrl+Right", "mdi6.arrow-collapse-right",
         ready, hint="Goes on until bodies hit each other", toolbar=True),
    _row("loop_from", "Loop from here", lambda p: p.loop_from(), "I", "mdi6.ray-start", ready, "loop",
         "Shift+drag on the timeline chooses a range too"),
    _row("loop_until", "Loop until here", lambda p: p.loop_until(), "O", "mdi6.ray-end", ready, "loop"),
    _row("end_loop", "No loop", lambda p: p.end_loop(), "Shift+I", "", ready, "loop"),
    _row("break_contact", "Pause at their first contact", lambda p: p.break_at_contact(), "P",
         "mdi6.pause-octagon-outline", two_selected, "break", "Of the two selected bodies: the run pauses there, once"),
    _row("break_switch", "Pause at the next switch", lambda p: p.break_at_switch(), "Shift+P", "", ready, "break",
         "Where a contact goes to constraint forces or back to impulses, once"),
    _row("breaks", "Pause when…", lambda p: p.show_breaks(), "Ctrl+P", "", ready, "break",
         "The list of what the run pauses at"),
    _row("no_breaks", "Pause at nothing", lambda p: p.no_breaks(), "", "", ready, "break"),
    _row("next_branch", "Next branch", lambda p: p.next_branch(), "B", "mdi6.source-branch", ready, "branch",
         "Another way that the run went"),
    _row("branch_off", "Branch off here", lambda p: p.branch_off(), "Shift+B", "mdi6.source-branch-plus", ready,
         "branch", "Go on from the past without what came from outside later; the old future stays as a branch"),
    _row("slower", "Half the speed", lambda p: p.change_speed(0.5), "[", "mdi6.tortoise", scene_open, "speed"),
    _row("faster", "Twice the speed", lambda p: p.change_speed(2.0), "]", "mdi6.rabbit", scene_open, "speed"),
    _row("real_time", "Real time", lambda p: p.normal_speed(), "\\", "mdi6.clock-outline", scene_open, "speed"),
)  # fmt: skip
