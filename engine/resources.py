"""Where the bundled scenes and assets lie: beside the packages in a checkout, inside this one when installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def scenes_dir() -> Path:
    """Folder of the bundled scene files (`*.toml`)."""
    return _find("scenes")


def assets_dir() -> Path:
    """Folder of meshes, icons and whatever else the app shows that is not code."""
    return _find("assets")


def _find(name: str) -> Path:
    """`name` in the checkout, `_name` in an installed package; FileNotFoundError if there is neither."""
    checkout = _PACKAGE.parent
    places = [_PACKAGE / f"_{name}"]
    if (checkout / "pyproject.toml").is_file():
        places.insert(0, checkout / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"Carom's {name} are missing: looked in " + " and ".join(map(str, places)))
