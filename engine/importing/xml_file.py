"""XML files whose elements know their lines; files that they include are read in their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from engine.scene.problems import Problem, SceneError


class Place(NamedTuple):
    """Where an element starts."""

    file: str
    line: int


@dataclass
class XmlFile:
    """A document: its root, where each element stands, and where something follows it that is no XML."""

    root: Element
    places: dict[Element, Place] = field(default_factory=dict)
    leftover: Place | None = None

    def place(self, element: Element) -> Place:
        """Where an element of this document starts."""
        return self.places[element]

    def walk(self) -> Iterator[tuple[Element, tuple[str, ...]]]:
        """All elements in order, each with the tags above it, from the root's."""
        waiting: list[tuple[Element, tuple[str, ...]]] = [(self.root, ())]
        while waiting:
            element, above = waiting.pop()
            yield element, above
            waiting += [(child, (*above, element.tag)) for child in reversed(element)]


def read_xml(path: Path, include: str = "") -> XmlFile:
    """The document in a file; elements of the tag `include` are replaced by what is in the root of the file they name.

    Raises SceneError, with the line, if it is not XML.
    """
    return _read(path, str(path), include, ())


def _read(path: Path, name: str, include: str, above: tuple[Path, ...]) -> XmlFile:
    builder, parser = TreeBuilder(), ParserCreate()
    places: dict[Element, Place] = {}
    open_tags: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        places[builder.start(tag, attributes)] = Place(name, parser.CurrentLineNumber)
        open_tags.append(tag)

    def end(tag: str) -> None:
        builder.end(tag)
        open_tags.pop()

    leftover = None
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(path.read_bytes(), True)
    except ExpatError as error:
        leftover = Place(name, error.lineno)
        if open_tags or not places:
            said = f"is no XML: {str(error).partition(':')[0]}"
            raise SceneError([Problem(name, error.lineno, "", said, "a whole XML file")]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SceneError([Problem(name, None, "", f"cannot be read: {reason}", "a readable file")]) from None
    document = XmlFile(builder.close(), places, leftover)
    if include:
        _include(document, path, name, include, (*above, path.resolve()))
    return document


def _include(document: XmlFile, path: Path, name: str, tag: str, above: tuple[Path, ...]) -> None:
    for parent in list(document.root.iter()):
        for child in [one for one in parent if one.tag == tag and one.get("file")]:
            file = path.parent / str(child.get("file"))
            if file.resolve() in above:
                raise SceneError([Problem(name, document.place(child).line, "", "includes itself", "another file")])
            other = _read(file, str(file), tag, above)
            row = list(parent).index(child)
            parent.remove(child)
            for k, inner in enumerate(other.root):
                parent.insert(row + k, inner)
            document.places |= other.places
