"""Random keys and clicks on the real window: `python -m tests.monkey.monkey --minutes 5 --seed 0`, or `make monkey`.

One act every few milliseconds, on whatever window is in front, dialogs among them; every so often another scene opens.
Every other scene is one that goes wrong (tests.monkey.faults), of which the window has to tell; in the end it has to
offer to save. An exception, in whatever thread, a window that does not answer, memory or widgets beyond a bound are
findings.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.memory import held
from tests.monkey.faults import write_faults

PACE = 15  # [ms] between two acts
SCENE = 20.0  # [s] for each scene
ANSWER = 30.0  # [s] that the window may take for one act
MEMORY = 3 << 30  # [bytes] that the process may hold
WIDGETS = 2500  # that there may be: the window has some thousand, and what was closed is gone
SCENES = Path(__file__).parents[2] / "scenes"
_TEXT = "0123456789.-e abc\t"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", nargs="*", default=[], help="by default every bundled one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="carom-monkey-") as home:
        _move_into(Path(home))
        scenes = options.scenes or sorted(path.stem for path in SCENES.glob("*.toml"))
        return run(options.minutes, options.seed, scenes, write_faults(Path(home)))


def _move_into(home: Path) -> None:
    """What it saves and sets stays in a folder of its own."""
    os.environ.setdefault("CAROM_CACHE_DIR", str(Path.home() / ".cache" / "carom"))
    os.environ["HOME"] = str(home)
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())
    os.chdir(home)


def run(minutes: float, seed: int, scenes: list[str], faults: dict[str, Path]) -> int:
    """So many minutes of it; the number of findings, which are printed."""
    from PyQt6.QtCore import QCoreApplication, Qt, QTimer

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    from app.view.start import make_application
    from app.view.window.main_window import MainWindow

    def open_window() -> MainWindow:
        window = MainWindow()
        window.resize(1400, 900)
        window.show()
        return window

    app = make_application(["carom-monkey"])
    app.setQuitOnLastWindowClosed(False)  # the monkey finds the way to Quit, and opens another window
    monkey = Monkey(open_window, seed, scenes, faults)
    monkey.install()
    began = time.monotonic()
    over = round(60_000 * minutes)
    QTimer.singleShot(over, Qt.TimerType.PreciseTimer, lambda: app.exit(0))  # quit asks about unsaved work
    app.exec()
    took = (time.monotonic() - began) / 60.0
    if took < 0.99 * minutes:
        monkey.found.append(f"it ended after {took:.1f} of {minutes:.1f} minutes")
    monkey.stop()
    monkey.check_told()
    monkey.check_saving(app)
    monkey.close()
    monkey.remove()
    print(f"{sum(monkey.acts.values())} acts on {len(monkey.opened)} scenes: {dict(monkey.acts)}; ", end="")
    print(f"{took:.1f} minutes, {monkey.windows} windows, ", end="")
    print(f"{monkey.most >> 20} MB and {monkey.most_widgets} widgets at most; {len(monkey.found)} findings")
    for what, said in monkey.told.items():
        print(f"{what}, opened {monkey.opened.count(what)} times: {dict(said.most_common(3))}")
    for found in monkey.found[:20]:
        print(found)
    return len(monkey.found)


class _Logged(logging.Handler):
    """Errors that the app survives, and logs: the simulation ended by what nobody foresaw."""

    def __init__(self, found: Callable[[Any, Any, Any], None]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[1] is not None:
            self._found(*record.exc_info)


class Monkey:
    """Acts from a timer, so also while a dialog runs its own loop."""

    def __init__(self, open_window: Callable[[], Any], seed: int, scenes: list[str], faults: dict[str, Path]) -> None:
        self.found: list[str] = []
        self._logged = _Logged(self._catch)
        self.acts: Counter[str] = Counter()
        self.opened: list[str] = []
        self.most = self.most_widgets = 0
        self._open_window, self._draw, self._scenes = open_window, random.Random(seed), scenes
        self._window = open_window()
        self.windows = 1
        self._faults, self._open_one = faults, ""
        self.told: dict[str, Counter[str]] = {what: Counter() for what in faults}
        self._last: deque[str] = deque(maxlen=12)
        self._next_scene = 0.0
        self._acting = True

    def install(self) -> None:
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._catch
        threading.excepthook = lambda args: self._catch(args.exc_type, args.exc_value, args.exc_traceback)
        logging.getLogger().addHandler(self._logged)
        faulthandler.enable()
        self._act_later()

    def stop(self) -> None:
        """No more acts; what goes wrong from now on is caught all the same."""
        self._acting = False
        faulthandler.cancel_dump_traceback_later()

    def close(self) -> None:
        self._window.document.undo_stack.setClean()
        self._window.close()

    def remove(self) -> None:
        sys.excepthook, threading.excepthook = self._hooks
        logging.getLogger().removeHandler(self._logged)

    def _catch(self, kind: Any, error: Any, trace: Any) -> None:
        text = "".join(traceback.format_exception(kind, error, trace)[-12:])
        self.found.append(f"{' > '.join(self._last)}\n{text}")

    def _act_later(self) -> None:
        """By a timer of its own: one that is still in its slot, because a dialog runs there, does not fire again."""
        from PyQt6.QtCore import QTimer

        if self._acting:
            QTimer.singleShot(PACE, self._act)

    def _act(self) -> None:
        from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog

        if not self._acting:
            return
        self._act_later()
        faulthandler.dump_traceback_later(ANSWER, exit=True)
        self._measure()
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        self._listen(front)
        if not self._window.isVisible():
            self._open_anew()
        if front is None and time.monotonic() > self._next_scene:
            self._open()
        elif isinstance(front, QFileDialog):
            self._note("file dialog")
            front.reject()  # its keys could delete what is not ours
        elif isinstance(front, QDialog) and self._draw.random() < 0.05:
            self._note("dialog")
            front.reject()
        else:
            getattr(self, self._draw.choice(("_key", "_key", "_click", "_click", "_drag", "_wheel", "_choose")))(
                front or self._window
            )

    def _open_anew(self) -> None:
        """The window was closed, as a person closes it: the next one begins with nothing of it."""
        self._note("closed")
        self._window.deleteLater()
        self._window = self._open_window()
        self.windows += 1
        self._open_one = ""

    def _measure(self) -> None:
        now = held()
        if now > MEMORY >= self.most:
            self.found.append(f"{' > '.join(self._last)}\n{now >> 20} MB are held")
        self.most = max(self.most, now)

    def _count_widgets(self) -> None:
        from PyQt6.QtWidgets import QApplication

        number = len(QApplication.allWidgets())
        if number > WIDGETS >= self.most_widgets:
            self.found.append(f"{' > '.join(self._last)}\nthere are {number} widgets")
        self.most_widgets = max(self.most_widgets, number)

    def _note(self, what: str, more: str = "") -> None:
        self.acts[what] += 1
        self._last.append(f"{what} {more}".strip())

    def _open(self) -> None:
        self._next_scene = time.monotonic() + SCENE
        self._count_widgets()
        scenes: list[str] = self._scenes if self._draw.random() < 0.5 else list(self._faults)
        name = self._draw.choice(scenes)
        self._note("scene", name)
        self.opened.append(name)
        self._open_one = name
        self._window.document.undo_stack.setClean()
        if not self._window.files.open_path(self._faults.get(name, name)):
            self._open_one = ""  # the scene before is still there: what is said from now on is said of that
        elif name in self._faults:
            self._window.playback.toggle()

    def _listen(self, front: Any) -> None:
        """What the window says of the scene that goes wrong, over the picture or in the dialog of problems."""
        said = ""
        if front is not None and front.objectName() == "problems":
            said = front.windowTitle()
        elif self._window.banner.isVisible():
            said = self._window.banner.text.text()
        if said and self._open_one in self.told:
            self.told[self._open_one][said] += 1

    def check_told(self) -> None:
        """Of what was opened several times something must have been said: once, keys may have ended it before."""
        for what, said in self.told.items():
            if self.opened.count(what) >= 3 and not said:
                self.found.append(f"{what} went wrong and nothing was said")

    def check_saving(self, app: Any) -> None:
        """Closing asks what becomes of the work."""
        from PyQt6.QtCore import QTimer
        from PyQt6.QtWidgets import QApplication, QMessageBox

        while (front := QApplication.activeModalWidget()) is not None:
            front.close()
            app.processEvents()
        document = self._window.document
        document.undo_stack.setClean()
        self._window.files.open_path(self._faults["crushed"])
        document.edit("be something else", document.scene.model_copy(update={"title": "Changed"}))
        asked: list[str] = []

        def answer() -> None:
            box = QApplication.activeModalWidget()
            if isinstance(box, QMessageBox) and box.button(QMessageBox.StandardButton.Save) is not None:
                asked.append(box.text())
                box.button(QMessageBox.StandardButton.Cancel).click()

        QTimer.singleShot(500, answer)
        self._window.close()
        if not asked or not self._window.isVisible():
            self.found.append("closing did not offer to save")

    def _place(self, widget: Any) -> tuple[Any, Any]:
        """A widget somewhere in a window, and a point in it."""
        from PyQt6.QtCore import QPoint

        point = QPoint(self._draw.randrange(max(widget.width(), 1)), self._draw.randrange(max(widget.height(), 1)))
        child = widget.childAt(point) or widget
        return child, child.mapFrom(widget, point) if child is not widget else point

    def _key(self, front: Any) -> None:
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        keys = [Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Tab]
        keys += [Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Delete, Qt.Key.Key_Up, Qt.Key.Key_Down]
        keys += [Qt.Key(number) for number in range(int(Qt.Key.Key_F1), int(Qt.Key.Key_F12) + 1)]
        keys += [Qt.Key(ord(letter)) for letter in "ABCDEFGHIJKLMNOPRSTUVWXYZ0123456789"]
        modifiers = [Qt.KeyboardModifier.NoModifier] * 4
        modifiers += [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier]
        modifiers += [Qt.KeyboardModifier.ShiftModifier]
        key, modifier = self._draw.choice(keys), self._draw.choice(modifiers)
        self._note("key", f"{modifier.name}+{key.name}")
        QTest.keyClick(front.focusWidget() or front, key, modifier)

    def _click(self, front: Any) -> None:
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        widget, point = self._place(front)
        buttons = [Qt.MouseButton.LeftButton] * 4 + [Qt.MouseButton.RightButton]
        way = self._draw.choice((QTest.mouseClick, QTest.mouseClick, QTest.mouseDClick))
        self._note("click", type(widget).__name__)
        way(widget, self._draw.choice(buttons), Qt.KeyboardModifier.NoModifier, point)

    def _drag(self, front: Any) -> None:
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        widget, point = self._place(front)
        modifier = self._draw.choice((Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier))
        self._note("drag", type(widget).__name__)
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, modifier, point)
        for _ in range(self._draw.randrange(1, 5)):
            point.setX(point.x() + self._draw.randrange(-60, 61))
            point.setY(point.y() + self._draw.randrange(-60, 61))
            QTest.mouseMove(widget, point)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, modifier, point)

    def _wheel(self, front: Any) -> None:
        from PyQt6.QtCore import QPoint, QPointF, Qt
        from PyQt6.QtGui import QWheelEvent
        from PyQt6.QtWidgets import QApplication

        widget, point = self._place(front)
        at, turn = QPointF(point), QPoint(0, self._draw.choice((-120, 120)))
        none = Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(
            at, QPointF(widget.mapToGlobal(point)), QPoint(), turn, Qt.MouseButton.NoButton, none,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        self._note("wheel", type(widget).__name__)
        QApplication.sendEvent(widget, event)

    def _choose(self, front: Any) -> None:
        """An action of the menus, or a text into the field that has the keys."""
        from PyQt6.QtTest import QTest
        from PyQt6.QtWidgets import QAbstractSpinBox, QLineEdit

        field = front.focusWidget()
        if isinstance(field, (QLineEdit, QAbstractSpinBox)):
            text = "".join(self._draw.choices(_TEXT, k=self._draw.randrange(1, 6)))
            self._note("text", text)
            field.selectAll()
            QTest.keyClicks(field, text)
        elif front is self._window:
            action = self._draw.choice([action for action in _entries(self._window.menuBar()) if action.isEnabled()])
            if "Quit" not in action.text():
                self._note("action", action.text())
                action.trigger()


def _entries(menu: Any) -> list[Any]:
    """The actions of a menu and of those in it."""
    found = []
    for action in menu.actions():
        found += _entries(action.menu()) if action.menu() is not None else [action]
    return [action for action in found if action.text()]


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
