"""A recorded run is the same when it is run again, and what differs is named: an input, or an event."""

from __future__ import annotations

import math
import os
import shutil
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.carom_file import Recording, read_recording
from engine.replay import Recorder, verify
from engine.scene.paths import set_path
from engine.scene.text import scene_text

UNTIL = 0.8


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A break with ten pulls in it."""
    path = tmp_path_factory.mktemp("recorded") / "break.carom"
    world = World(load_scene("pool_break"))
    recorder = Recorder(world, path, every=64, stretch=0.2)
    for k in range(10):
        recorder.advance_to(0.05 * (k + 1))
        world.pull("cue", (0.0, 0.0, 0.02), (0.1 * k, 0.3, 0.2))
    world.release()
    recorder.advance_to(UNTIL)
    recorder.close()
    return path


@pytest.fixture
def recording(file: Path) -> Recording:
    return read_recording(file)


def test_a_recording_is_run_again_to_the_same_bits(recording: Recording) -> None:
    assert [entry.what for entry in recording.inputs].count("pull") == 10
    assert all(entry.event >= 0 for entry in recording.inputs)
    assert recording.time == UNTIL and len(recording.keyframes) >= 4
    verdict = verify(recording)
    assert verdict.difference == "" and verdict.marks == len(recording.marks)


def test_recording_changes_no_bit(recording: Recording) -> None:
    world = World(load_scene("pool_break"))
    world.replay(recording.inputs, UNTIL)
    assert world.digest == recording.marks[-1].digest


def test_one_bit_of_an_input_is_named(recording: Recording) -> None:
    """The one that was flipped, and the event it follows; those before it agree."""
    flipped = 8
    entry = recording.inputs[flipped]
    assert entry.what == "pull"
    x, y, z = entry.target
    recording.inputs[flipped] = replace(entry, target=(x, math.nextafter(y, 1.0), z))
    verdict = verify(recording)
    assert verdict.difference.startswith(f"input {flipped + 1} (pull of cue at t = {entry.time!r} s")
    assert verdict.differs_at == entry.event


def test_an_event_with_another_outcome_is_named(recording: Recording) -> None:
    """Here the recording is made to disagree in the last bit of one impulse, and in the digest after it."""
    wrong = len(recording.events) // 2
    recording.events = recording.events.copy()
    impulse = recording.events["impulse"]
    impulse[wrong, 0] = np.nextafter(impulse[wrong, 0], np.inf)
    at = next(k for k, mark in enumerate(recording.marks) if mark.happened > wrong)
    recording.marks[at:] = [mark._replace(digest="0" * 32) for mark in recording.marks[at:]]
    verdict = verify(recording)
    row = recording.events[wrong]
    assert f"t = {float(row['time'])!r} s" in verdict.difference and "; recorded: " in verdict.difference
    assert recording.marks[at - 1].event < verdict.differs_at <= recording.marks[at].event


def test_a_state_that_differs_without_an_event_is_narrowed_to_its_marks(recording: Recording) -> None:
    at = len(recording.marks) - 1
    recording.marks[at] = recording.marks[at]._replace(digest="0" * 32)
    verdict = verify(recording)
    assert "the states differ" in verdict.difference and verdict.marks == at


def test_another_scene_is_refused(recording: Recording) -> None:
    scene = set_path(load_scene("pool_break"), "world.gravity", (0.0, 0.0, -9.8))
    recording.source = recording.source._replace(text=scene_text(scene))
    with pytest.raises(ValueError, match="another model"):
        verify(recording)


@pytest.mark.parametrize("name", ["cart_pole", "free_tumble"])
def test_a_recording_with_files_of_its_own_needs_no_folder_and_no_python(name: str, tmp_path: Path) -> None:
    world = World(load_scene(name))
    recorder = Recorder(world, tmp_path / "x.carom")
    recorder.advance_to(0.2)
    recorder.close()
    moved = shutil.move(tmp_path / "x.carom", tmp_path / "elsewhere")
    recording = read_recording(Path(moved))
    assert recording.source.files
    assert verify(recording).difference == ""


KILLS = int(os.environ.get("CAROM_KILLS", "10"))


def record_until_killed(path: Path) -> None:
    recorder = Recorder(World(load_scene("coins")), path, stretch=0.05)
    recorder.advance_to(1e6)


def test_killed_at_any_moment_the_file_opens_up_to_its_last_keyframe(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    World(load_scene("coins")).advance_to(0.5)  # what is compiled here is there in the processes too
    path, longest = tmp_path / "killed.carom", 0.0
    for _ in range(KILLS):
        path.unlink(missing_ok=True)
        running = get_context("fork").Process(target=record_until_killed, args=(path,))
        running.start()
        while not path.exists() or path.stat().st_size < 5000:
            time.sleep(0.002)
        time.sleep(float(random.uniform(0.0, 0.2)))
        running.kill()
        running.join()
        recording = read_recording(path)
        assert recording.marks and max(recording.keyframes) == len(recording.marks) - 1
        assert recording.keyframes[len(recording.marks) - 1]
        longest = max(longest, recording.time)
    assert longest > 0.0
    assert verify(recording).difference == ""
