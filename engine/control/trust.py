"""Which Python files may run: those of bundled scenes, and those whose very content a person has trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_state_path

from engine.files import replace_file
from engine.resources import scenes_dir

_trusted_now: set[Path] = set()  # files trusted since this process began, whatever becomes of them


class UntrustedError(RuntimeError):
    """A scene names Python files that nobody has trusted."""

    def __init__(self, files: list[Path]) -> None:
        super().__init__(
            f"this scene runs Python that you have not trusted: {', '.join(path.name for path in files)} "
            "(look at it, then --trust runs it)"
        )
        self.files = files


def is_trusted(path: Path) -> bool:
    """May this file run? A trusted one that changes may go on until the process ends, then not any more."""
    path = path.resolve()
    if path in _trusted_now or path.is_relative_to(scenes_dir().resolve()):
        return True
    try:
        return _content(path) in _store().read_text(encoding="utf-8").split()
    except OSError:
        return False


def untrusted(files: Iterable[Path]) -> list[Path]:
    """Those of some files that may not run."""
    return [path for path in dict.fromkeys(files) if not is_trusted(path)]


def trust(files: Iterable[Path]) -> None:
    """From now on these files may run, as they are, and until this process ends as they become."""
    for path in files:
        _trusted_now.add(path.resolve())
        if not path.resolve().is_relative_to(scenes_dir().resolve()):
            _remember(_content(path))


def trusted_files() -> int:
    """How many contents of files are trusted for good."""
    try:
        return len(_store().read_text(encoding="utf-8").split())
    except OSError:
        return 0


def forget_trust() -> None:
    """No file but the bundled ones is trusted any more; those that run now do till this process ends.

    Raises OSError where what is stored cannot be removed.
    """
    _store().unlink(missing_ok=True)


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _store() -> Path:
    return user_state_path("carom") / "trusted"


def _remember(content: str) -> None:
    """A store that cannot be written only means that the person is asked again."""
    store = _store()
    try:
        known = store.read_text(encoding="utf-8").split() if store.is_file() else []
        if content not in known:
            store.parent.mkdir(parents=True, exist_ok=True)
            replace_file(store, ("\n".join([*known, content]) + "\n").encode())
    except OSError:
        return
