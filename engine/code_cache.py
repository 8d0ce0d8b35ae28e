"""Where machine code is kept: a folder whose name has a hash of all that the code was made of.

numba's own places look at paths and times of sources, must be writable to be read, and lie beside the sources where the
folder that was asked for cannot be written.
"""

from __future__ import annotations

import logging
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

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


class CodeCache(FunctionCache):  # type: ignore[misc]
    """The machine code of one kernel. What cannot be kept is compiled again next time."""

    _impl_class = _Files

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
