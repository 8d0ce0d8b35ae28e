"""All that leans on numba's private parts: kernels that are compiled once, with the entries that call them.

Numba makes a library of machine code of every function that it compiles: it links, optimises and emits all that the
function calls, again for every caller (its issue 9566). Here a kernel that another kernel calls is only typed and
lowered. What Python calls is an *entry*: it links the kernels that it reaches, once each, hides them, and optimises and
emits the whole. Only entries have wrappers and are cached.

`tests/unit/test_compiler.py` says which of these parts has changed when numba does.
"""

from __future__ import annotations

import ctypes
import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, get_args, get_origin, get_type_hints

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, compiler, typed_passes, types, typing, untyped_passes
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler_machinery import PassManager
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.core.typing.typeof import typeof

from engine.code_cache import CodeCache

Report = Callable[[str, float], None]

_listeners: list[Report] = []


@contextmanager
def watch(report: Report) -> Iterator[None]:
    """While in the block, call `report(kernel, seconds)` when a kernel has been typed and lowered, and when an entry
    has been linked, optimised and emitted; without the kernels that it calls. Cached ones are not reported."""
    _listeners.append(report)
    try:
        yield
    finally:
        _listeners.remove(report)


class _Stopwatch:
    """Time that kernels take without what the kernels take that they call: numba types callees within their callers."""

    def __init__(self) -> None:
        self._inner = [0.0]

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        self._inner.append(0.0)
        try:
            return work()
        finally:
            spent = time.perf_counter() - started
            own = spent - self._inner.pop()
            self._inner[-1] += spent
            self.tell(name, own)

    def tell(self, name: str, seconds: float) -> None:
        for report in _listeners:
            report(name, seconds)


_stopwatch = _Stopwatch()


class Pipeline(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's passes from source to machine code, without those that find nothing in a kernel: `with` blocks, closures,
    generators, inlining of Python code, literal arguments, annotated listings."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes, in order."""
        self.state.type_annotation = None
        manager = PassManager("kernel")
        for one in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.RewriteSemanticConstants,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            *([typed_passes.NopythonRewrites] if self.state.flags.nrt else []),  # expressions of whole arrays
            typed_passes.IRLegalization,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(one, one.__name__)
        manager.finalize()
        return [manager]


def _remember_types() -> None:
    """Let numba look up once what an operator or a function of `math` makes of arguments of some types: it tries all
    that it knows of, every time, which is a fifth of all compiling."""
    find = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or getattr(self.typing_key, "__module__", None) not in ("_operator", "math", "builtins"):
            return find(self, context, args, kws)
        flags = ConfigStack().top_or_none()
        key = (self, args, flags is not None and flags.nrt)
        if key not in known:
            known[key] = find(self, context, args, kws)
        return known[key]

    known: dict[Any, Any] = {}
    BaseFunction.get_call_type = get_call_type  # type: ignore[method-assign]


_remember_types()


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel as other kernels call it: never optimised nor emitted by itself."""

    noalias = False  # its arguments share no memory

    def __init__(self, codegen: CPUCodegen, name: str) -> None:
        super().__init__(codegen, name)
        self.callees: list[Any] = []

    def add_linking_library(self, library: Any) -> None:
        """Remember what this kernel calls: its entry links that."""
        self.callees.append(library)

    def add_ir_module(self, ir_module: Any) -> None:
        """Take the kernel's code as it is: optimising and checking it is for its entry."""
        self._final_module = llvm.parse_assembly(cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        """There is nothing to make of it yet."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The kernel with all that it reaches, for a function that is compiled by numba's own decorator."""
        if self._shared_module is None:
            module = self._final_module.clone()
            _link_in(module, reached := _reached(self))
            for library in reached:
                for load in library._reload_init:
                    load()
            for function in module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry and of all kernels that it reaches, each once."""

    def __init__(self, codegen: CPUCodegen, name: str) -> None:
        super().__init__(codegen, name)
        self.callees: list[Any] = []
        self._own: Any = None

    def add_linking_library(self, library: Any) -> None:
        """Remember what the entry calls, until it is finalized."""
        self.callees.append(library)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Take the entry's own code as it is: it is optimised with what it calls."""
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        """Link what the entry reaches, keep only the entry visible, optimise once, emit."""
        self._raise_if_finalized()
        started = time.perf_counter()
        self._codegen._check_llvm_bugs()
        self._own = self._final_module.clone()
        kept = {function.name for function in self._own.functions if not function.is_declaration}
        _link_in(self._final_module, reached := _reached(self))
        for library in reached:
            self._reload_init.update(library._reload_init)
        self._final_module.data_layout = self._codegen._data_layout
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in kept:
                # Private: a name in the object's table would be taken for that of the same kernel in another entry.
                function.linkage = llvm.Linkage.private
            elif not function.is_declaration and "cpython" not in function.name:
                # Its wrapper writes what the entry may take for constant (engine.by_reference).
                function.add_function_attribute("noinline")
        manager, builder = self._codegen._module_pass_manager()
        if any(isinstance(one, InnerLibrary) and one.noalias for one in reached):
            # Inlining keeps that arguments are apart for those that do not lie in the kernel's frame by then.
            early = llvm.create_new_module_pass_manager()
            early.add_sroa_pass()
            early.add_instruction_combine_pass()
            early.run(self._final_module, builder)
        manager.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()
        _stopwatch.tell(self.name, time.perf_counter() - started)

    def _get_module_for_linking(self) -> Any:
        """What the cache keeps beside the machine code: nothing links an entry, so its own code will do."""
        return self._own


def _link_in(module: Any, libraries: list[Any]) -> None:
    """Add the libraries' own code to a module; a linked kernel's is not, it is called by its address.

    What is always inlined is so in this order: callees first, so that nothing is left to call in it by then.
    """
    if kernels := [one._final_module for one in reversed(libraries) if isinstance(one, InnerLibrary)]:
        module.link_in(_linked(kernels))
    for one in libraries:  # what nothing there calls yet would be left out
        if not isinstance(one, (InnerLibrary, Link)):
            module.link_in(one._get_module_for_linking(), preserve=True)


def _linked(modules: list[Any]) -> Any:
    """A module with all that is in some modules, which stay as they are.

    By halves: each time LLVM looks through all of the module that another is linked into.
    """
    if len(modules) == 1:
        return modules[0].clone()
    middle = len(modules) // 2
    module = _linked(modules[:middle])
    module.link_in(_linked(modules[middle:]))
    return module


def _reached(library: Any) -> list[Any]:
    """The libraries that a library calls, directly or through kernels, each once, callees after their callers."""
    found: dict[int, Any] = {}
    frontier = list(library.callees)
    while frontier:
        one = frontier.pop(0)
        if id(one) not in found:
            found[id(one)] = one
            frontier.extend(getattr(one, "callees", ()))
    return list(found.values())


# --- links between entries ------------------------------------------------------------------------------------------


class Link:
    """A linked kernel as its callers see it: an address that is read when it is called.

    What `Kernel` does when one kernel calls another needs the callee's code; a linked kernel is an entry of its own,
    compiled once for all that call it, apart from them and perhaps after them.
    """

    def __init__(self, kernel: Kernel, args: Any) -> None:
        self.key = object()
        self.signature = typing.signature(kernel.result_type(), *args)
        self._reload_init = {partial(link, kernel.py_func.__module__, kernel.py_func.__name__, self.signature)}
        self.libs = (self,)
        self._symbol = kernel.symbol
        kernel.targetctx._defns[self.key].append(self, tuple(args))

    def __call__(self, context: Any, builder: Any, signature: Any, args: Any) -> Any:
        """Write the call."""
        form = context.call_conv.get_function_type(signature.return_type, signature.args)
        slot = builder.module.globals.get(self._symbol)
        if slot is None:  # a second one would get another name
            slot = cgutils.add_global_variable(builder.module, ir.IntType(64), self._symbol)
        callee = builder.inttoptr(builder.load(slot), form.as_pointer())
        status, result = context.call_conv.call_function(builder, callee, signature.return_type, signature.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result


_deferring: list[bool] = []


def link(module: str, name: str, signature: Any) -> None:
    """Have a linked kernel ready for whoever calls it: from the cache, or compiled now."""
    kernel = getattr(importlib.import_module(module), name)
    if _deferring:
        kernel.wait(signature)
    else:
        kernel.load(signature)


@contextmanager
def deferred_links() -> Iterator[None]:
    """Entries that are loaded in the block do not load the kernels that they are linked to: `Kernel.load` does.

    Calling a linked kernel that is not loaded ends the process.
    """
    _deferring.append(True)
    try:
        yield
    finally:
        _deferring.pop()


def _numba_type(annotation: Any) -> Any:
    """What numba makes of a result's annotation."""
    if hasattr(annotation, "_fields"):
        return types.NamedTuple([_numba_type(one) for one in get_type_hints(annotation).values()], annotation)
    if get_origin(annotation) is tuple:
        return types.Tuple([_numba_type(one) for one in get_args(annotation)])
    return {float: types.float64, int: types.int64, bool: types.boolean, type(None): types.none}[annotation]


# --- kernels --------------------------------------------------------------------------------------------------------


class _EntryCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles a kernel as an entry, or as what another kernel calls."""

    noalias = False  # no array that it is given as a kernel's callee shares memory with another one

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        result = self._compile(args, return_type, EntryLibrary)
        for load in result.reload_init:
            load()
        return result

    def compile_inner(self, args: Any) -> Any:
        """Type and lower the kernel for arguments of these types; no wrappers, no machine code."""
        more = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_compile": True, "noalias": self.noalias}
        result = self._compile(args, None, InnerLibrary, **more)
        result.library.noalias = self.noalias
        return result

    def _compile(self, args: Any, return_type: Any, library_type: Any, **more: bool) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions | {"no_cfunc_wrapper": True})
        for name, value in more.items():
            setattr(flags, name, value)
        context = self.targetdescr.target_context
        library = library_type(context.codegen(), f"{self.py_func.__module__}.{self.py_func.__name__}")
        library.enable_object_caching()
        return compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles: an entry when Python calls it, a part of its callers when kernels do."""

    def __init__(
        self, py_func: Callable[..., Any], options: dict[str, Any], linked: bool = False, noalias: bool = False
    ) -> None:
        super().__init__(py_func, locals={}, targetoptions=options)
        self._compiler = _EntryCompiler(py_func, self.targetdescr, options, {}, Pipeline)
        self._compiler.noalias = noalias
        self._callees: dict[Any, _Inner | Link] = {}
        self._linked = linked
        self._loaded: Any = None
        self._waiting: Any = None
        self._slot = ctypes.c_int64(0)
        self.symbol = f"carom.{self.qualified_name}"
        if linked:
            llvm.add_symbol(self.symbol, ctypes.addressof(self._slot))

    def enable_caching(self) -> None:
        self._cache = CodeCache(self.py_func)

    @property
    def qualified_name(self) -> str:
        """`module.function`."""
        return f"{self.py_func.__module__}.{self.py_func.__name__}"

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba's typing asks when a kernel calls this one. Constants are arguments like all others."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(types.unliteral(one) for one in args)
        if args not in self._callees:
            self._callees[args] = Link(self, args) if self._linked else self._compile_inner(args)
        callee = self._callees[args]
        template = typing.make_concrete_template(self.py_func.__name__, self.py_func.__name__, [callee.signature])
        return template, signature, args, {}

    def get_overload(self, sig: Any) -> Any:
        """What numba's lowering asks: the key under which the target knows the function."""
        return self._callees[tuple(sig)].key

    def result_type(self) -> Any:
        """The type of a linked kernel's result, as annotated: its callers do not look into it."""
        return _numba_type(get_type_hints(self.py_func)["return"])

    def compile(self, sig: Any) -> Any:
        """Compile for a list of types, or load from the cache; a linked kernel always with the result it announces."""
        if self._linked and isinstance(sig, tuple):
            sig = typing.signature(self.result_type(), *sig)
        return super().compile(sig)

    def wait(self, signature: Any) -> None:
        """Remember for what types a linked kernel will have to be loaded."""
        self._waiting = signature

    def load(self, signature: Any = None) -> None:
        """Compile a linked kernel, or load it from the cache, and tell its callers where it is.

        signature: for what types, by default those it waits for. It can be linked for one list of types only.
        """
        signature = signature or self._loaded or self._waiting
        if signature is None:
            raise TypeError(f"{self.qualified_name}: no kernel that has been loaded is linked to it")
        if self._loaded is None:
            self.compile(signature)
            result: Any = self.overloads[signature.args]
            self._slot.value = result.library.get_pointer_to_function(result.fndesc.mangled_name)
            self._loaded = signature
        elif self._loaded != signature:
            raise TypeError(f"{self.qualified_name} is linked for {self._loaded}, so not for {signature}")

    def compile_for(self, *arguments: object) -> None:
        """Compile the kernel for arguments of the types of these, or load it from the cache, without calling it."""
        self.compile(tuple(typeof(one) for one in arguments))

    def _compile_inner(self, args: Any) -> _Inner:
        inner: _Inner = _stopwatch.run(self.qualified_name, lambda: _Inner(self._compiler, args))
        return inner


class _Inner:
    """A kernel as other kernels call it, for arguments of some types."""

    def __init__(self, compiling: _EntryCompiler, args: Any) -> None:
        result = compiling.compile_inner(args)
        self.key = object()
        self.signature = result.signature
        compiling.targetdescr.target_context.insert_user_function(self.key, result.fndesc, [result.library])
