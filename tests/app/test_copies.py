"""Bodies by what says them: the same as one by one, with every question asked once for all copies of a repeat."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from app.document import placement
from app.document.copies import alike, entries_of, rows_of, said_poses
from app.document.repeats import take_apart
from app.view.viewport.meshes import body_set
from app.view.window.main_window import MainWindow
from engine import load_scene
from engine.scene import placing
from engine.scene.schema import Scene

NAMES = ("coin_shower", "dominos", "domino_spiral", "stone_arch", "vibrating_feeder", "superquadric_dice", "see_saw")


def one_by_one(scene: Scene) -> Scene:
    """The same bodies, none of which is a copy."""
    for repeat in scene.repeat:
        scene, _ = take_apart(scene, repeat.name)
    return scene


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_of_the_bodies(name: str) -> None:
    scene = load_scene(name)
    assert [body for _, copies in alike(scene) for body in copies] == list(scene.bodies)
    said = (*scene.body, *scene.repeat)
    for row in range(len(scene.bodies)):
        (entry,) = entries_of(scene, [row])
        part, which = scene.owner(row)
        assert said[entry] is getattr(scene, part)[which]
        assert row in rows_of(scene, [entry])
    assert rows_of(scene, range(len(said))) == list(range(len(scene.bodies)))
    expected = [(*body.position, *body.quaternion) for body in scene.bodies]
    np.testing.assert_allclose(said_poses(scene), expected, rtol=0, atol=0)


def without_colours(scene: Scene) -> Scene:
    """So that each free body wears one of its own."""
    plain = [repeat.model_copy(update={"colour": None, "material": None}) for repeat in scene.repeat]
    return scene.model_copy(update={"repeat": tuple(plain)})


@pytest.mark.parametrize("coloured", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_copies_are_drawn_and_measured_as_single_bodies_are(name: str, coloured: bool) -> None:
    scene = load_scene(name) if coloured else without_colours(load_scene(name))
    single = one_by_one(scene)
    drawn, alone = body_set(scene), body_set(single)
    for field in ("mesh", "scale", "colours", "radii", "extents", "order", "starts", "planes", "tinted", "fixed"):
        np.testing.assert_array_equal(getattr(drawn, field), getattr(alone, field), field)
    np.testing.assert_allclose(drawn.poses, alone.poses, atol=1e-12)
    assert placement.typical_size(scene) == placement.typical_size(single)
    assert placement.under_everything(scene) == pytest.approx(placement.under_everything(single))
    for place in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.2)):
        assert placement.free_spot(scene, place, 0.05) == pytest.approx(placement.free_spot(single, place, 0.05))


def test_names_of_what_was_a_repeat_are_free() -> None:
    scene = load_scene("coin_shower")
    (repeat, *_) = scene.repeat
    other = scene.body[0].model_copy(update={"name": f"{repeat.name}2"})
    scene = scene.model_copy(update={"body": (*scene.body, other)})
    single, names = take_apart(scene, repeat.name)
    assert len(names) == len(set(names)) == len(repeat.bodies)
    assert names[:3] == (repeat.name, f"{repeat.name}3", f"{repeat.name}4")
    assert [body.name for body in single.body] == [*(body.name for body in scene.body), *names]


def test_the_size_of_a_repeat_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, asked, measure = load_scene("coin_shower"), [], placement.bounding_radius

    def count(*what: Any) -> float:
        asked.append(what)
        return measure(*what)

    monkeypatch.setattr(placement, "bounding_radius", count)
    entries = len(scene.body) + len(scene.repeat)
    assert entries < len(scene.bodies)
    for ask in (
        lambda: placement.typical_size(scene),
        lambda: placement.free_spot(scene, (0, 0, 0), 0.02),
        lambda: placement.under_everything(scene),
    ):
        asked.clear()
        ask()
        assert 0 < len(asked) <= entries


def test_a_repeat_is_moved_and_looked_at_without_asking_whose_each_row_is(
    monkeypatch: pytest.MonkeyPatch, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("coin_shower")
    ready()
    asked, owner = [], Scene.owner

    def count(scene: Scene, row: int) -> tuple[str, int]:
        asked.append(row)
        return owner(scene, row)

    monkeypatch.setattr(Scene, "owner", count)
    window.document.set_focus(f"repeat.{window.document.scene.repeat[0].name}")
    window.viewport.look_along("top", glide=False)
    assert window.viewport.gizmo is not None and len(asked) < 5


@pytest.mark.parametrize(("action", "work"), [("edit.drop", "drop"), ("edit.push_apart", "push_apart")])
def test_bodies_are_dropped_and_pushed_apart_beside_the_window(
    monkeypatch: pytest.MonkeyPatch, window: MainWindow, ready: Callable[[], None], action: str, work: str
) -> None:
    """Which takes as long as there are bodies: the window draws and answers meanwhile."""
    window.files.open_path("coins")
    ready()
    window.document.select([next(body.name for body in window.document.scene.body if body.motion == "free")])
    threads, do = [], getattr(placing, work)

    def note(*what: Any) -> Any:
        threads.append(threading.current_thread())
        return do(*what)

    monkeypatch.setattr(placing, work, note)
    window.actions_[action].trigger()
    assert len(threads) == 1 and threads[0] is not threading.current_thread()
