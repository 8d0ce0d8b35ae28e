"""The tests of the viewport once more, drawn by the window's own OpenGL, as where there is a graphics card."""

from __future__ import annotations

import pytest

from tests.app.test_viewport import *  # noqa: F403


@pytest.fixture
def software() -> bool:
    return False
