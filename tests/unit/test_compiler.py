"""What Carom takes from numba's inside is there, and does what Carom expects of it: fails when numba changes it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import codegen, compiler, dispatcher, types
from numba.core.types.functions import BaseFunction
from numba.core.typing.typeof import typeof

from engine.compiler import Link, Pipeline, deferred_links
from engine.kernel import array_kernel, compile_for, kernel, linked_kernel, load_linked


@kernel
def place(values: np.ndarray, at: int) -> float:
    """One of the values."""
    return values[at]


@kernel
def ends(values: np.ndarray) -> float:
    """The first, the second and the last value: constants for arguments."""
    return place(values, 0) + place(values, 1) + place(values, -1)


@linked_kernel
def apart(values: np.ndarray, factor: float) -> tuple[float, int]:
    """A kernel that its callers call by its address."""
    return factor * ends(values), values.shape[0]


@kernel
def calls_apart(values: np.ndarray) -> float:
    """A caller of it."""
    total, count = apart(values, 2.0)
    return total / count


@kernel
def calls_apart_twice(values: np.ndarray) -> float:
    """A caller that calls it twice."""
    return apart(values, 1.0)[0] + apart(values, 2.0)[0]


@array_kernel
def squares(n: int) -> np.ndarray:
    """A kernel that makes an array."""
    out = np.zeros(n)
    for k in range(n):
        out[k] = k * k
    return out


@array_kernel
def mean_of_squares(n: int) -> float:
    """Another one, which keeps its array to itself."""
    values = np.zeros(n)
    for k in range(n):
        values[k] = k * k
    return values.mean()


@kernel
def asks_for_squares(n: int) -> float:
    """A kernel without reference counts that calls one with."""
    return mean_of_squares(n) + 1.0


def test_what_is_taken_from_numba_takes_what_it_took() -> None:
    """The private parts, by their parameters: a version that changes them needs a look at engine.compiler."""
    expected = {
        compiler.compile_extra: "typingctx targetctx func args return_type flags locals library pipeline_class",
        dispatcher._FunctionCompiler.__init__: "self py_func targetdescr targetoptions locals pipeline_class",
        dispatcher._FunctionCompiler._compile_core: "self args return_type",
        dispatcher.Dispatcher.get_call_template: "self args kws",
        dispatcher.Dispatcher.get_overload: "self sig",
        BaseFunction.get_call_type: "self context args kws",
        codegen.CPUCodeLibrary.finalize: "self",
        codegen.CPUCodeLibrary.add_linking_library: "self library",
        codegen.CPUCodeLibrary.add_ir_module: "self ir_module",
        codegen.CPUCodeLibrary._get_module_for_linking: "self",
        codegen.CPUCodeLibrary._finalize_final_module: "self",
        codegen.CPUCodegen._module_pass_manager: "self kwargs",
    }
    found = {one: " ".join(inspect.signature(one).parameters) for one in expected}
    assert found == expected


def test_passes_are_numbas_own_but_for_those_that_find_nothing() -> None:
    left_out = {
        "WithLifting", "InlineClosureLikes", "DeadBranchPrune", "RewriteDynamicRaises", "MakeFunctionToJitFunction",
        "InlineInlinables", "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass",
        "InlineOverloads", "NoPythonSupportedFeatureValidation", "AnnotateTypes", "DumpParforDiagnostics",
    }  # fmt: skip
    passes = Pipeline.define_pipelines(SimpleNamespace(state=SimpleNamespace(flags=SimpleNamespace(nrt=True))))[
        0
    ].passes  # type: ignore[arg-type]
    kept = {one.__name__ for one, _ in passes}
    state = SimpleNamespace(func_ir=None, flags=compiler.Flags())
    numbas = compiler.DefaultPassBuilder.define_nopython_pipeline(state).passes
    assert {one.__name__ for one, _ in numbas} - kept == left_out


def test_a_kernel_is_compiled_once_whatever_constants_it_is_called_with() -> None:
    values = typeof(np.arange(4.0))
    for constant in (0, 1, -1):
        _, _, args, _ = place.get_call_template((values, types.literal(constant)), {})
        assert args == (values, types.int64)
    assert len(place._callees) == 1
    assert ends(np.arange(4.0)) == 4.0


def test_only_what_python_calls_has_machine_code() -> None:
    assert ends(np.arange(4.0)) == 4.0
    assert len(ends.overloads) == 1
    before = len(place.overloads)
    assert place(np.arange(4.0), 2) == 2.0
    assert len(place.overloads) == before + 1


def test_linked_kernels_are_called_by_their_address() -> None:
    values = np.arange(4.0)
    assert calls_apart(values) == 2.0
    assert calls_apart_twice(values) == 12.0
    assert all(isinstance(one, Link) for one in apart._callees.values())
    assert apart(values, 1.0) == (4.0, 4)


def test_functions_of_numbas_own_decorator_call_kernels_with_all_that_they_reach() -> None:
    assert ends(np.arange(4.0)) == 4.0, "as an entry of its own, too: it must not be taken for what the others reach"
    foreign: Any = numba.njit(lambda values: ends(values) + calls_apart(values))
    assert foreign(np.arange(4.0)) == 6.0


def test_a_linked_kernel_has_one_list_of_types() -> None:
    calls_apart(np.arange(4.0))
    with pytest.raises(TypeError, match="linked for"):
        apart.load(apart._loaded.replace(return_type=apart._loaded.args[1]))


def test_kernels_that_make_arrays_give_them_away() -> None:
    assert squares(4).tolist() == [0.0, 1.0, 4.0, 9.0]


def test_a_kernel_is_compiled_the_same_whoever_calls_it_first() -> None:
    assert asks_for_squares(4) == 4.5
    assert mean_of_squares(4) == 3.5


def test_what_is_cached_loads_what_it_is_linked_to(tmp_path: Path) -> None:
    """A process that finds a kernel in the cache finds the ones it is linked to there as well, now or when asked."""
    (tmp_path / "linked_example.py").write_text(
        textwrap.dedent(
            """
            from engine.kernel import kernel, linked_kernel

            @linked_kernel
            def apart(x: float) -> float:
                return 2.0 * x

            @kernel
            def caller(x: float) -> float:
                return apart(x) + 1.0
            """
        )
    )
    program = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from engine.compiler import deferred_links, watch
        from engine.kernel import compile_for, load_linked
        import linked_example as example
        names = []
        with watch(lambda name, _: names.append(name)):
            if sys.argv[1] == "later":
                with deferred_links():
                    compile_for(example.caller, 3.0)
                load_linked(example.apart)
            print(example.caller(3.0), len(names))
        """
    )
    environment = {"CAROM_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/usr/bin", "PYTHONPATH": str(Path.cwd())}
    said = [
        subprocess.run(
            [sys.executable, "-c", program, when], capture_output=True, text=True, check=True, env=environment
        ).stdout.split()
        for when in ("now", "now", "later")
    ]
    assert said[0][0] == "7.0" and int(said[0][1]) > 0
    assert said[1:] == [["7.0", "0"], ["7.0", "0"]]


def test_deferred_links_are_loaded_by_name() -> None:
    values = np.arange(4.0)
    with deferred_links():
        compile_for(calls_apart, values)
    load_linked(apart)
    assert calls_apart(values) == 2.0
