"""Common ground of all tests: own settings, one window system, fast tests first, nothing left running.

The kernel cache is the one thing shared with everyday use: compiling takes minutes, and its key is the source itself.
"""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from hypothesis import settings

# Before anything imports Qt or the engine: settings, recent files and journals of a test run are its own.
os.environ.setdefault("CAROM_CACHE_DIR", platformdirs.user_cache_dir("carom"))
_home = tempfile.TemporaryDirectory(prefix="carom-tests-")
for _name, _folder in {
    "HOME": "",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_CACHE_HOME": "cache",
}.items():
    os.environ[_name] = str(Path(_home.name, _folder))
    Path(os.environ[_name]).mkdir(exist_ok=True)
os.environ["QT_QPA_PLATFORM"] = "xcb"
os.environ.setdefault("QT_API", "pyqt6")

# Tests run side by side already: each world has one thread unless a test asks for more.
os.environ.setdefault("CAROM_THREADS", "1")

# A first call compiles; an example's time says nothing.
settings.register_profile("carom", deadline=None, derandomize=True)
settings.load_profile("carom")

_ORDER = ("architecture", "unit", "fuzz", "oracle", "scenario", "determinism", "app", "benchmark")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast folders first, so that a mistake shows early; the order inside a folder stays.

    Tests of stages that the engine never calls by themselves run without the compiler, which would take minutes.
    """

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        return _ORDER.index(folder) if folder in _ORDER else 0

    items.sort(key=rank)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        config.hook.pytest_deselected(items=[item for item in items if "plain" in item.keywords])
        items[:] = [item for item in items if "plain" not in item.keywords]


@pytest.fixture(autouse=True)
def nothing_left_running(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test of the app that leaves a thread, a process or a timer behind spoils the ones after it: fail it instead."""
    if "app" not in request.path.relative_to(Path(__file__).parent).parts:
        yield
        return
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 5.0
    while (left := _running(before)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left, f"still running after the test: {', '.join(sorted(left))}"


def _running(before: set[threading.Thread]) -> set[str]:
    """Names of the threads that were not there before: Python's own, and Qt's as far as Python knows them."""
    from PyQt6.QtCore import QThread

    names = {
        thread.name
        for thread in threading.enumerate()
        if thread not in before and not thread.daemon and not thread.name.startswith("Dummy-")
    }
    for thing in gc.get_objects():
        if issubclass(type(thing), QThread):  # isinstance would ask a proxy whose object is gone
            try:
                if thing.isRunning() and thing is not QThread.currentThread():
                    names.add(thing.objectName() or type(thing).__name__)
            except RuntimeError:  # the C++ half is gone already: it cannot be running
                continue
    return names
