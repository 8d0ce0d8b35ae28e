"""How Carom looks: two palettes, type sizes, a style sheet, icons. Every colour that the window uses is named here.

Qt's own colour scheme does nothing on several platforms, so the palette is set outright, and a short style sheet rounds
it off. Colours that carry meaning come from Okabe and Ito (2008), which colour-blind people can tell apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from string import Template
from typing import Any, Literal
from weakref import WeakMethod, ref

import pyqtgraph as pg
import qtawesome
from PyQt6 import sip
from PyQt6.QtCore import QObject, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QIcon, QPalette
from PyQt6.QtWidgets import QApplication, QWidget

from engine.resources import assets_dir

Scheme = Literal["dark", "light"]


@dataclass(frozen=True)
class Colours:
    """A palette: plain hex colours, named after what they are for."""

    scheme: Scheme
    window: str  # behind everything
    panel: str  # panels, docks, cards
    field: str  # where one types
    raised: str  # buttons, hovered rows
    border: str
    text: str
    muted: str  # captions, units, hints
    faint: str  # disabled
    accent: str  # what is selected or on
    accent_text: str  # on the accent
    good: str
    warning: str
    error: str
    record: str
    scene_top: str  # the viewport's background, above
    scene_bottom: str  # and below
    plot_grid: str
    series: tuple[str, ...]  # curves of a plot, in order; distinct for colour-blind people
    axes: tuple[str, str, str]  # x, y, z


DARK = Colours(
    scheme="dark",
    window="#14161a",
    panel="#1b1e24",
    field="#12141a",
    raised="#282d36",
    border="#2d323c",
    text="#e4e7ec",
    muted="#98a1b0",
    faint="#5d6573",
    accent="#4c9be8",
    accent_text="#0b1420",
    good="#3fb68b",
    warning="#e6a53a",
    error="#ef7a63",
    record="#f0584f",
    scene_top="#2b313b",
    scene_bottom="#15181d",
    plot_grid="#3a404b",
    series=("#56b4e9", "#e69f00", "#2fbf91", "#d98cb8", "#f0e442", "#e8703a"),
    axes=("#ef6a5a", "#3fb68b", "#5aa6f0"),
)

LIGHT = Colours(
    scheme="light",
    window="#eef0f3",
    panel="#f9fafb",
    field="#ffffff",
    raised="#e6e9ee",
    border="#d3d8df",
    text="#1d232c",
    muted="#5b6674",
    faint="#a1a9b5",
    accent="#1f6fc4",
    accent_text="#ffffff",
    good="#12805c",
    warning="#a86500",
    error="#c23b22",
    record="#d3342b",
    scene_top="#e9edf2",
    scene_bottom="#c3cad4",
    plot_grid="#c9ced6",
    series=("#0072b2", "#c77700", "#008f68", "#a8487f", "#8a7d00", "#c24a00"),
    axes=("#c8402f", "#12805c", "#1f6fc4"),
)

FAMILY = "Inter"
BASE_POINT_SIZE = 10.0
_BREATH = 1  # [ms] between two steps of a change


_Follower = tuple[ref[QObject], WeakMethod[Callable[[Colours], None]]]


class Theme(QObject):
    """The palette in force. `changed` tells those who paint by hand (viewport, icons) to fetch their colours anew; to
    whom that is much work, such as the plots, `follow` leaves a turn of their own."""

    changed = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self._colours = DARK
        self._wanted: Scheme | None = None  # to which it is to change
        self._coming: Scheme | None = None  # to which it changes now
        self._left: list[Callable[[], object]] = []  # to do for that
        self._held: list[QWidget] = []  # windows that are not painted meanwhile
        self._followers: list[_Follower] = []

    @property
    def scheme(self) -> Scheme:
        """The one in force, or the one that is about to be."""
        return self._wanted or self._coming or self._colours.scheme

    @property
    def colours(self) -> Colours:
        return self._colours

    def follow(self, owner: QObject, recolour: Callable[[Colours], None]) -> None:
        """Calls a method of `owner` with the colours whenever they have changed, as long as it lives."""
        self._followers.append((ref(owner), WeakMethod(recolour)))

    def apply(self, scheme: Scheme) -> None:
        """Sets palette, style sheet and the colours of plots for the whole application."""
        self._wanted, self._coming, self._left = None, None, []
        for step in self._steps(scheme):
            step()

    def change(self, scheme: Scheme) -> None:
        """The same step by step, so that the window goes on answering; nothing is painted till all is done."""
        self._wanted = scheme
        if not self._held:
            self._held = [window for window in _application().topLevelWidgets() if window.updatesEnabled()]
            for window in self._held:
                window.setUpdatesEnabled(False)
            self._go_on()

    def _go_on(self) -> None:
        if not self._left and self._wanted is not None:
            self._coming, self._wanted = self._wanted, None
            self._left = self._steps(self._coming)
        if self._left:
            self._left.pop(0)()
            QTimer.singleShot(_BREATH, self._go_on)
        else:
            self._paint_again()

    def _paint_again(self) -> None:
        for window in self._held:
            if not sip.isdeleted(window):
                window.setUpdatesEnabled(True)
        self._held, self._coming = [], None

    def _steps(self, scheme: Scheme) -> list[Callable[[], object]]:
        """A style sheet that is put in the place of another resolves every widget once for each that it stands in;
        one that comes where none was does so once."""
        app, palette = _application(), LIGHT if scheme == "light" else DARK

        def paint() -> None:
            self._colours = palette
            app.setPalette(_palette(palette))
            pg.setConfigOptions(background=palette.panel, foreground=palette.muted, antialias=False)

        def round_off() -> None:
            app.setStyleSheet(_style_sheet(palette))

        def make_room() -> None:
            if app.styleSheet():
                app.setStyleSheet("")
            else:
                app.setStyle("Fusion")

        def tell(follower: _Follower) -> None:
            owner, recolour = follower[0](), follower[1]()
            if owner is not None and recolour is not None and not sip.isdeleted(owner):
                recolour(palette)

        self._followers = [follower for follower in self._followers if follower[0]() is not None]
        tellings = [partial(tell, follower) for follower in self._followers]
        return [make_room, paint, round_off, *tellings, lambda: self.changed.emit(palette)]


def _application() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise RuntimeError("a theme needs a QApplication")
    return app


_theme: list[Theme] = []


def theme() -> Theme:
    """The application's one theme."""
    if not _theme:
        _theme.append(Theme())
    return _theme[0]


def colours() -> Colours:
    """The colours in force."""
    return theme().colours


def load_fonts(app: QApplication) -> None:
    """Loads the bundled typeface and sets it; falls back to the system's where the files are missing."""
    loaded = [QFontDatabase.addApplicationFont(str(path)) for path in (assets_dir() / "fonts").glob("*.otf")]
    font = QFont(FAMILY) if any(number >= 0 for number in loaded) else QFont(app.font())
    font.setPointSizeF(BASE_POINT_SIZE)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    app.setFont(font)


def scaled_font(scale: float = 1.0, weight: QFont.Weight = QFont.Weight.Normal, figures: bool = False) -> QFont:
    """The window's typeface, `scale` times its base size; `figures` gives all digits the same width."""
    font = QFont(QApplication.font())
    font.setPointSizeF(BASE_POINT_SIZE * scale)
    font.setWeight(weight)
    if figures:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def fitted_font(font: QFont, text: str, width: int) -> QFont:
    """The font, condensed where a text would be wider than `width` pixels."""
    needed = QFontMetrics(font).horizontalAdvance(text)
    if needed > width:
        font.setStretch(100 * width // needed)
    return font


def icon(name: str, colour: str | None = None) -> QIcon:
    """A Material Design icon such as "mdi6.play" in the text's colour, greyed out when disabled."""
    shade = colour or colours().text
    options: dict[str, Any] = {
        "color": shade,
        "color_disabled": colours().faint,
        "color_selected": colours().accent_text,
    }
    return qtawesome.icon(name, **options)


def _palette(c: Colours) -> QPalette:
    role = QPalette.ColorRole
    table = {
        role.Window: c.window,
        role.WindowText: c.text,
        role.Base: c.field,
        role.AlternateBase: c.panel,
        role.Text: c.text,
        role.PlaceholderText: c.faint,
        role.Button: c.raised,
        role.ButtonText: c.text,
        role.BrightText: c.error,
        role.Highlight: c.accent,
        role.HighlightedText: c.accent_text,
        role.Link: c.accent,
        role.ToolTipBase: c.raised,
        role.ToolTipText: c.text,
        role.Light: c.raised,
        role.Midlight: c.raised,
        role.Mid: c.border,
        role.Dark: c.border,
        role.Shadow: c.window,
        role.Accent: c.accent,
    }
    palette = QPalette()
    for key, value in table.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(c.faint))
    return palette


def _style_sheet(c: Colours) -> str:
    """Rounds off the Fusion style."""
    icons = assets_dir() / "icons"
    pictures = {
        "arrow": (icons / f"chevron_down_{c.scheme}.svg").as_posix(),
        "arrow_up": (icons / f"chevron_up_{c.scheme}.svg").as_posix(),
        "check": (icons / f"check_{c.scheme}.svg").as_posix(),
    }
    sheet = (assets_dir() / "themes" / "window.qss").read_text(encoding="utf-8")
    return Template(sheet).substitute(vars(c), **pictures)
