"""The shape of the code: who may import whom, where numba may appear, what the package declares."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for top in ("engine", "app") for path in (ROOT / top).rglob("*.py"))


def test_modules_import_only_from_layers_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml")) == EXIT_STATUS_SUCCESS


def test_only_the_compiler_its_cache_and_its_instructions_know_numba() -> None:
    """Kernels differ from plain functions in one place: no other decorator, no fastmath, no explicit signature.

    What no kernel can say by itself, atomic and vector instructions, are intrinsics of numba.
    """
    names = ("kernel.py", "compiler.py", "by_reference.py", "code_cache.py", "atomic.py", "simd.py")
    own = [ROOT / "engine" / name for name in names]
    users = [where(path, node) for path in SOURCES for node in numba_imports(path) if path not in own]
    assert users == []


def test_arithmetic_is_ieee() -> None:
    """fastmath breaks isfinite and makes results depend on the compiler."""
    users = [
        where(path, node)
        for path in SOURCES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.keyword) and node.arg in ("fastmath", "parallel")
    ]
    assert users == []


def test_kernels_do_not_raise() -> None:
    """A kernel returns a status; the façade raises."""
    raising = [
        f"{where(path, node)} {function.name}"
        for path in SOURCES
        for function in kernel_functions(path)
        for node in ast.walk(function)
        if isinstance(node, (ast.Raise, ast.Assert, ast.Try))
    ]
    assert raising == []


def test_kernels_take_few_arguments() -> None:
    """What belongs together goes together: more than ten are a table or a tuple that has no name yet."""
    many = [
        f"{where(path, function)} {function.name}: {count}"
        for path in SOURCES
        for function in kernel_functions(path)
        if (count := len(function.args.args)) > 10
    ]
    assert many == []


def test_every_import_is_declared() -> None:
    """What the packages import is in [project] dependencies or for imports of robots, and nothing else is."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    imports = project["optional-dependencies"]["import"]
    declared = {module_of(requirement) for requirement in [*project["dependencies"], *imports]}
    imported = {name for path in SOURCES for name in top_level_imports(path)}
    imported -= set(sys.stdlib_module_names) | {"engine", "app"}
    imported -= {"llvmlite", "pydantic_core"}  # the other halves of numba and pydantic, of one version with them
    declared -= {"PyQt6_Qt6"}  # Qt itself, named to cap its version
    declared -= {"pycollada"}  # by which trimesh reads some meshes
    assert imported == declared


def test_functions_stay_readable() -> None:
    """Nobody should need to scroll through one function, or one file."""
    long_functions = [
        f"{where(path, node)} {node.name}: {length} lines"
        for path in SOURCES
        for node in ast.walk(parse(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (length := lines_of(node)) > 60
    ]
    long_files = [
        f"{path.relative_to(ROOT)}: {length} lines"
        for path in SOURCES
        if (length := path.read_text(encoding="utf-8").count("\n")) > 500
    ]
    assert long_functions + long_files == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(parse(path))
    ]
    assert silent == []


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def where(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', '?')}"


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Every absolute import, wherever in the file, with the module named."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node, node.module


def top_level_imports(path: Path) -> set[str]:
    return {name.partition(".")[0] for _, name in imports(path)}


def numba_imports(path: Path) -> list[ast.stmt]:
    return [node for node, name in imports(path) if name.partition(".")[0] == "numba"]


def kernel_functions(path: Path) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id.endswith("kernel") for mark in node.decorator_list)
    ]


def module_of(requirement: str) -> str:
    """Import name of a requirement: `PyOpenGL>=3.1.10,<4` is `OpenGL`."""
    name = requirement
    for stop in "[<>=!~; ":
        name = name.partition(stop)[0]
    name = name.replace("-", "_")
    other = {
        "PyOpenGL": "OpenGL",
        "Pillow": "PIL",
        "QtAwesome": "qtawesome",
        "arro3_core": "arro3",
        "arro3_io": "arro3",
    }
    return other.get(name, name)
