"""What a world says of the bodies that touch: paradigms as codes, coefficients, how they slide."""

from __future__ import annotations

import numpy as np

from engine import World
from engine.recording.touching import PARADIGMS
from engine.scene.schema import Scene


def slider(contact: str = "hybrid") -> World:
    """A block that slides along x on the ground, and a ball high above it."""
    return World(
        Scene.model_validate(
            {
                "format": 1,
                "world": {"contact": contact},
                "material": {"wood": {"friction": 0.5, "restitution": 0.0, "density": 700.0}},
                "body": [
                    {"name": "ground", "motion": "fixed", "shape": {"plane": {}}, "material": "wood"},
                    {
                        "name": "block",
                        "shape": {"box": [0.2, 0.2, 0.1]},
                        "material": "wood",
                        "position": [0.0, 0.0, 0.0501],
                        "velocity": [1.0, 0.0, 0.0],
                    },
                    {"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "position": [0.0, 0.0, 30.0]},
                ],
            }
        )
    )


def test_codes_are_the_words_of_paradigms() -> None:
    world = slider()
    world.advance_to(0.05)
    assert world.paradigms() == ["scripted", "constraint", "free"]
    assert [PARADIGMS[code] for code in world.paradigm_codes()] == world.paradigms()
    assert not world.asleep().any()
    world.advance_to(1.0)  # the block has come to rest, and the ball still falls
    assert world.asleep().tolist() == [False, True, False]


def test_penalty_contact_has_a_word_of_its_own() -> None:
    world = slider("penalty")
    world.advance_to(0.05)
    assert world.paradigms() == ["scripted", "penalty", "free"]
    assert set(world.contacts()["paradigm"]) == {"penalty"}
    assert world.contacts()["gap"][0] < 0.0


def test_contacts_say_how_they_slide() -> None:
    world = slider()
    world.advance_to(0.05)
    (contact,) = world.contacts()
    moving = 1.0 if world.names[contact["body_a"]] == "block" else -1.0
    np.testing.assert_allclose(contact["velocity"], moving * world.twists()[1, :3], atol=1e-3)
    np.testing.assert_allclose(contact["velocity"][0] * moving, 1.0 - 0.5 * 9.81 * 0.05, rtol=0.02)
    np.testing.assert_array_equal(contact["friction"], (0.5, 0.5))
    assert np.hypot(*contact["force"][:2]) <= 0.5 * abs(contact["force"][2]) * (1.0 + 1e-6)


def test_problem_names_the_pieces_that_touch() -> None:
    world = slider()
    world.advance_to(0.05)
    problem, contacts = world.contact_problem(), world.contacts()
    known = {(int(row["node_a"]), int(row["node_b"])) for row in contacts}
    assert {tuple(pair) for pair in problem.nodes.tolist()} == known


def test_what_touches_is_looked_for_again_when_something_has_happened() -> None:
    world, start = slider(), slider().snapshot()
    assert not len(world.touching())
    world.advance_to(0.05)
    assert world.touching().tolist() == [[0, 1]]
    later = world.snapshot()
    world.restore(start)
    assert not len(world.touching()) and not len(world.contacts())
    world.restore(later)
    assert world.touching().tolist() == [[0, 1]] and len(world.contacts()) == 1
    world.advance_to(3.0)  # the ball has fallen beside the block, or on it
    fresh = slider()
    fresh.advance_to(3.0)
    assert world.touching().tolist() == fresh.touching().tolist()
    np.testing.assert_array_equal(world.contacts()["force"], fresh.contacts()["force"])
