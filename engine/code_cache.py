"""Where machine code is kept: a folder whose name has a hash of all that the code was made of.

numba's own places look at paths and times of sources, must be writable to be read, and lie beside the sources where the
folder that was asked for cannot be written. Its index of files is written before them: of two processes that compile,
or after one that was killed, it could name the code of other types.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

_log = logging.getLogger(__name__)


class _Place(_CacheLocator):  # type: ignore[misc]
    """The folder that `config.CACHE_DIR` names while a kernel is made."""

    def __init__(self, folder: str, line: int) -> None:
        self._folder, self._line = folder, line

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return ""  # the folder's name is one

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Place:
        settings: Any = config
        return cls(str(settings.CACHE_DIR), py_func.__code__.co_firstlineno)


class _Files(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: list[type[object]] = [_Place]  # noqa: RUF012


_DIGEST = 16  # [bytes]


class _OneFileEach:
    """Each code in a file of its own, named after what it is asked for by, written whole and with a checksum."""

    def __init__(self, folder: str, base: str) -> None:
        self._folder, self._base = Path(folder), base

    def save(self, key: object, data: object) -> None:
        content: bytes = dumps((key, data))
        path = self._path(key)
        new = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            new.write_bytes(_digest(content) + content)
            new.replace(path)
        except OSError:
            with suppress(OSError):
                new.unlink()
            raise

    def load(self, key: object) -> object | None:
        """None: it is not there, or not whole."""
        content = self._path(key).read_bytes()
        if content[:_DIGEST] != _digest(content[_DIGEST:]):
            return None
        kept, data = pickle.loads(content[_DIGEST:])
        return data if kept == key else None

    def _path(self, key: object) -> Path:
        return self._folder / f"{self._base}.{_digest(repr(key).encode()).hex()}.nbc"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


class CodeCache(FunctionCache):  # type: ignore[misc]
    """The machine code of one kernel. What cannot be kept is compiled again next time."""

    _impl_class = _Files

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._cache_file: Any = _OneFileEach(self._cache_path, self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _log.warning("the code of %s cannot be kept: %s", self._name, error)
