"""Words over the picture: what a gesture does, and why there is no picture."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QLabel, QWidget


class Hint(QLabel):
    """One line at the lower edge of its parent, there only while it says something."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("viewport-hint")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._over = QTimer(self)
        self._over.setSingleShot(True)
        self._over.timeout.connect(lambda: self.say(""))
        self.hide()

    def say(self, text: str) -> None:
        """Shows a text; "" hides the hint."""
        self._over.stop()
        self.setText(text)
        self.setVisible(bool(text))
        self.place()

    def say_for(self, text: str, duration: int) -> None:
        """Shows a text for a while [ms], unless another comes before that."""
        self.say(text)
        self._over.start(duration)

    def place(self) -> None:
        """Goes to its place in a parent that has changed its size."""
        parent = self.parentWidget()
        if parent is not None:
            self.adjustSize()
            self.move((parent.width() - self.width()) // 2, parent.height() - self.height() - 14)
            self.raise_()

    def set_dark(self, dark: bool) -> None:
        """Light letters on dark, or the other way round."""
        paper, ink = ("rgba(16, 18, 22, 200)", "#e4e7ec") if dark else ("rgba(255, 255, 255, 215)", "#1d232c")
        self.setStyleSheet(f"background: {paper}; color: {ink}; border-radius: 6px; padding: 6px 12px;")


class Failure(QLabel):
    """Fills its parent and says why nothing can be drawn there."""

    def __init__(self, parent: QWidget, text: str) -> None:
        super().__init__(f"The 3D view needs OpenGL 3.3, and this computer's driver says:\n{text}", parent)
        self.setObjectName("viewport-failure")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setGeometry(parent.rect())
        self.show()
