"""The numbers that the engine chooses, found in its sources and counted: no more than there are, and each explained.

A number counts wherever it stands, whatever its name. What is no choice is told apart by what it is:

* columns and words: whole numbers that count up from 0, line after line, and those of engine/model, which is tables;
* what follows from another constant: it names that, and has no number of its own but simple ones;
* simple numbers within functions: to ten by eighths, and powers of two;
* what is listed here by name, for one of the reasons at each list.

Benches of papers (engine/experiments) are not looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"

MOST_CHOICES = 39
MOST_ELSEWHERE = {"solvers": 26, "analysis": 18, "scene": 38, "importing": 13, "control": 3, "processes": 10}
"""Numbers of rooms in which nothing moves: how exact methods are, of which studies ask for forces at one instant; what
a file may say, and how robots are read; how long a process waits."""

PROCESSES = (
    "by_reference.py",
    "code_cache.py",
    "compiler.py",
    "entries.py",
    "files.py",
    "kernel.py",
    "replay.py",
    "stages.py",
    "warm.py",
)

FORMULAS = {
    "collision/pairs/time_of_impact.py": "a bound that is proved for this horizon",
    "geometry/hollow.py": "frames, and how deep a bowl may be",
    "geometry/mass_properties.py": "integrals of polynomials",
    "geometry/shapes.py": "frames, faces of a box, and exponents that a scene may say",
    "geometry/smooth_mass.py": "Gauss' nodes and weights",
    "group/joints/taken.py": "Gauss' nodes and weights",
    "maths/elliptic.py": "series, and the layout of floats",
    "maths/free_rotation.py": "the layout of floats",
    "maths/small_turns.py": "series, and up to where they say the same as closed forms",
    "motion/polynomial.py": "series, and the largest values of polynomials",
    "tree/dormand_prince.py": "Dormand and Prince's method of order 8",
    "tree/dormand_prince_5.py": "and that of order 5",
    "tree/flow.py": "how its two errors are put together",
}
"""Files whose numbers are those of formulas: another would be wrong."""

LAWS = {
    "group/joints/arcs.py": {"_LOOK"},  # where a polynomial is astray
    "group/joints/trees.py": {"_ELSEWHERE"},  # and how far
    "impulse/contact.py": {"_GOLDEN"},  # the golden section
    "impulse/microcollision.py": {"_THESIS_BOOST"},  # the thesis's own law
    "impulse/wave.py": {"ELASTICITY"},  # Hertz's
    "penalty/patches.py": {"_LEANING"},  # half way from lying to standing
    "tolerances.py": {"STANDARD_GRAVITY"},  # by definition
}
"""Numbers of a law that has them."""

ROOM = {
    "arrays.py": {"_LINE"},
    "collision/broad/swept_boxes.py": {"MOST_NEAR"},
    "collision/broad/tiles.py": {"MAX_RESOLUTIONS", "LABEL_BITS", "_WRAP", "_FARTHEST", "_LABEL"},
    "collision/narrow/faces.py": {"MOST_CORNERS"},
    "collision/narrow/manifold.py": {"MOST_POINTS"},
    "collision/narrow/smooth.py": {"_MOST_FACES", "_BITS", "_FEATURE_BITS"},
    "desk.py": {"LINES_EACH"},
    "geometry/pool.py": {"LENGTH", "INTO_LEFT", "INTO_RIGHT", "_FEW"},
    "geometry/sheet.py": {"FANOUT"},
    "geometry/smooth.py": {"AXES", "PARTS", "P_DUAL", "Q_DUAL"},
    "group/pair_states.py": {"QUIET_HIT", "LOUD_HIT", "TIME_UP", "MET"},
    "group/pair_tasks.py": {"_EACH"},
    "group/solve/domains.py": {"_LEAST_ENDS"},
    "group/solve/sweep_tasks.py": {"_BODIES_EACH"},
    "group/solve/lanes.py": {"_LEAST_LANES"},
    "group/work.py": {
        "POSE_WIDTH",
        "LANE_WIDTH",
        "GATHERED_WIDTH",
        "MOST_OWN",
        "MOST_COLOURS",
        "CLASSES",
        "MOST_DOMAINS",
    },
    "impulse/sliding.py": {"GAVE_UP"},
    "joints/tables.py": {"RATES", "STAGE_WIDTH"},
    "model/joints.py": {"LINEAR_ROWS", "ANGULAR_ROWS"},
    "recording/carom_file.py": {"FORMAT"},
    "recording/events.py": {"_MOST_UNREAD"},
    "recording/snapshot.py": {"FORMAT"},
    "rounds.py": {"_LINE", "_KINDS", "MOST_ALONE", "_SPINS", "_YIELDS"},
    "simd.py": {"LANES", "COLUMNS", "PRODUCTS", "PARTS", "_TWO"},
}
"""Columns, words and versions that the rule of counting up does not see, the size of tables and packed fields, and how
work is cut up for vectors and threads: another gives the same motion, if at most in another order of sums."""

ENDS = {
    "collision/narrow/extremal.py": {"_MOST_NEWTON"},
    "collision/narrow/gjk.py": {"_MOST_STEPS"},
    "collision/narrow/lin_canny.py": {"_PATIENCE", "_MOST_STEPS"},
    "collision/narrow/smooth.py": {"_MOST_MOVES"},
    "collision/pairs/time_of_impact.py": {"_MAX_PIECES"},
    "first_order/step.py": {"_ATTEMPTS"},
    "group/energy.py": {"_SMALLER"},
    "group/joints/flow.py": {"_ITERATIONS"},
    "group/room.py": {"_SPARE"},
    "group/solve/arrest.py": {"_FEW_HIT"},
    "group/solve/newton.py": {"_ITERATIONS", "_CUTS", "_ROUNDS"},
    "group/work.py": {"CORRECTIONS"},
    "impulse/newton.py": {"_ROUNDS"},
    "impulse/sequential.py": {"MOST_ROUNDS"},
    "impulse/simultaneous.py": {"_MOST_ITERATIONS"},
    "impulse/sliding.py": {"MOST_STEPS"},
    "impulse/taylor.py": {"ORDER"},
    "impulse/wave.py": {"MOST_STEPS"},
    "joints/rows.py": {"_PASSES"},
    "maths/elliptic.py": {"_RJ_STEPS"},
    "penalty/springs.py": {"_ROUNDS"},
    "penalty/step.py": {"_ROUNDS"},
    "tree/elements.py": {"_HALVINGS"},
}
"""After so many rounds an iteration is given up, which ends by itself before: then something slower follows, or the
step is made again, or it is reported."""

SHOWN = {
    "geometry/decomposition.py": {"CONCAVITY"},
    "recording/contacts.py": {"FORCE_WINDOW", "MOST_CHANGES"},
    "recording/inputs.py": {"_STIFF_RATE", "_DAMPING_RATIO"},
}
"""How a mesh is cut before it is used, over what a plot averages and how long it looks, and how a hand pulls."""


class Number(NamedTuple):
    """A number of the sources: where it stands, the names that it is bound to, and how it is written."""

    file: str
    line: int
    names: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {', '.join(self.names)} {self.text}"

    @property
    def room(self) -> str:
        """Its room, if nothing moves there; else empty."""
        top = "processes" if self.file in PROCESSES else self.file.partition("/")[0]
        return top if top in MOST_ELSEWHERE else ""

    def is_listed(self) -> bool:
        """Is it a number of one of the lists above?"""
        if self.file in FORMULAS:
            return True
        return any(set(self.names) <= kind.get(self.file, set()) for kind in (LAWS, ROOM, ENDS, SHOWN))


def test_the_engine_chooses_few_numbers() -> None:
    choices = [number for number in chosen_numbers() if not number.room]
    assert len(choices) <= MOST_CHOICES, "\n".join(map(str, choices))


def test_they_all_stand_in_one_file() -> None:
    assert [str(number) for number in chosen_numbers() if not number.room and number.file != "tolerances.py"] == []


def test_each_tells_its_unit_and_where_it_comes_from() -> None:
    """Unit, derivation and scaling, in the words below the constant."""
    told = docstrings(ENGINE / "tolerances.py")
    names = [name for number in chosen_numbers() if number.file == "tolerances.py" for name in number.names]
    names += sorted(LAWS["tolerances.py"])
    assert len(names) > 20
    lacking = [
        f"{name}: {part}"
        for name in names
        for part in ("[", "\nDerivation: ", "Scaling:")
        if part not in told.get(name, "")
    ]
    assert lacking == []


@pytest.mark.parametrize("room", sorted(MOST_ELSEWHERE))
def test_rooms_in_which_nothing_moves_get_no_more_of_them(room: str) -> None:
    numbers = [number for number in chosen_numbers() if number.room == room]
    assert len(numbers) <= MOST_ELSEWHERE[room], "\n".join(map(str, numbers))


def test_functions_hide_no_numbers() -> None:
    hidden = [
        f"{path.relative_to(ENGINE)}:{node.lineno} {node.value}"
        for path in sources()
        if not Number(str(path.relative_to(ENGINE)), 0, (), "").room and str(path.relative_to(ENGINE)) not in FORMULAS
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and not is_simple(node.value)
    ]
    assert hidden == []


def test_what_is_listed_is_there() -> None:
    """A list that names what is gone would excuse what comes."""
    files = {str(path.relative_to(ENGINE)) for path in sources()}
    bound = {(number.file, name) for number in numbers_of_modules() for name in number.names}
    listed = [(file, name) for kind in (LAWS, ROOM, ENDS, SHOWN) for file, names in kind.items() for name in names]
    assert [each for each in listed if each not in bound] == []
    assert [file for file in (*FORMULAS, *PROCESSES) if file not in files] == []


@pytest.mark.parametrize(
    ("source", "is_chosen"),
    [
        ("SMALL = 1e-3", True),
        ("SMALL = 2.0", True),
        ("MOST = 12", True),
        ("SMALL: float = 1.0 / 240.0", True),
        ("SMALL, LARGE = 1e-3, 1e3", True),
        ("SMALL = 0.37 * OTHER", True),
        ("SMALL = float('1e-3')", True),
        ("SMALL = 0.5 * OTHER", False),
        ("SMALL = OTHER ** (1.0 / 3.0)", False),
        ("FIRST = 0\nSECOND = 1\nWIDTH = 4", False),
        ("FIRST = 0\nSMALL = 0.5 * OTHER\nMOST = 3", True),
    ],
)
def test_a_number_is_a_choice_or_not(source: str, is_chosen: bool) -> None:
    assert (numbers_of("somewhere.py", source) != []) == is_chosen


def chosen_numbers() -> list[Number]:
    """All that is no column, follows from nothing else, and is on no list."""
    return [number for number in numbers_of_modules() if not number.is_listed() and not number.names[0].islower()]


@cache
def numbers_of_modules() -> tuple[Number, ...]:
    """What modules bind to numbers of their own, columns apart."""
    found = [(str(path.relative_to(ENGINE)), path.read_text(encoding="utf-8")) for path in sources()]
    return tuple(number for file, text in found for number in numbers_of(file, text))


def sources() -> list[Path]:
    return [path for path in sorted(ENGINE.rglob("*.py")) if path.relative_to(ENGINE).parts[0] != "experiments"]


def numbers_of(file: str, text: str) -> list[Number]:
    """Those of one module."""
    found = []
    tables = file.startswith("model/")
    column: float | None = None  # the last of a run that counts up
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Expr):
            continue  # words about the last one
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            column = None
            continue
        numbers = list(literals(statement.value))
        if not numbers:
            continue
        own = numbers[0] if isinstance(statement.value, ast.Constant) and numbers[0] == int(numbers[0]) else None
        if own is not None and (own == 0 or tables or (column is not None and 0 < own - column <= 12)):
            column = own
            continue
        column = None
        if not follows(statement.value, numbers) and not is_empty(statement.value, numbers):
            found.append(Number(file, statement.lineno, names_of(statement), ast.unparse(statement.value)[:60]))
    return found


def literals(node: ast.expr) -> Iterator[float]:
    """The numbers in an expression, those written as words of a float among them; the types of columns are none."""
    for part in ast.walk(node):
        if not isinstance(part, ast.Constant) or isinstance(part.value, bool):
            continue
        if isinstance(part.value, (int, float)):
            yield part.value
        elif isinstance(part.value, str) and isinstance(node, ast.Call) and ast.unparse(node.func) == "float":
            yield float(part.value)


def follows(node: ast.expr, numbers: list[float]) -> bool:
    """Does an expression follow from other constants, or from columns, by simple numbers?"""
    others = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)) and is_constant(part)]
    return others != [] and all(is_simple(number) for number in numbers)


def is_constant(node: ast.Name | ast.Attribute) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr.isupper() or ast.unparse(node).startswith("sys.float_info.")
    return node.id.isupper()


def is_empty(node: ast.expr, numbers: list[float]) -> bool:
    """Is it nothing but zeros and ones, as a vector or a frame, -1, the type of a record, or made by a function?"""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("np.dtype", "np.zeros", "np.empty", "np.ones", "_column", "np.vstack")
    return all(number in (0, 1) for number in numbers) or isinstance(node, ast.Subscript)


def is_simple(number: float) -> bool:
    """To ten by eighths, or a power of two."""
    size = abs(number)
    return (size <= 10 and 8 * size == int(8 * size)) or float(size).hex().startswith("0x1.0000000000000p")


def names_of(statement: ast.Assign | ast.AnnAssign) -> tuple[str, ...]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return tuple(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def docstrings(path: Path) -> dict[str, str]:
    """The words below each constant of a module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        name: below.value.value
        for statement, below in pairwise(body)
        if isinstance(statement, ast.Assign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        for name in names_of(statement)
        if isinstance(below.value.value, str)
    }
