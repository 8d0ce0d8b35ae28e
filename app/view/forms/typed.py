"""What is being typed in a field, when something else happens: an action takes it, another scene does not get it.

A field in which typing counts when it is left has `commit_text`, which takes it, and `drop_text`, which forgets it.
"""

from __future__ import annotations

from PyQt6.QtWidgets import QAbstractItemView, QLineEdit, QWidget


def take_typed(window: QWidget) -> None:
    """Lets what is being typed in a window count, as if the field had been left; the focus stays."""
    field = window.focusWidget()
    if field is not None and hasattr(field, "commit_text"):
        field.commit_text()
    elif isinstance(field, QLineEdit) and (holder := field.parentWidget()) is not None:
        if isinstance(holder.parentWidget(), QAbstractItemView):
            field.clearFocus()  # the editor of a row, which takes what was typed when it is left


def drop_typed(page: QWidget) -> None:
    """Forgets what is being typed in a page whose thing is gone."""
    field = page.focusWidget()
    if field is not None and hasattr(field, "drop_text"):
        field.drop_text()
