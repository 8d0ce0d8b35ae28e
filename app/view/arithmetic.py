"""Arithmetic in places where numbers are typed."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_NAMES = {"pi": math.pi, "g": 9.81}


def parse_number(text: str) -> float:
    """A number, or plain arithmetic such as "0.057/2" or "2*pi"; ValueError with a sentence if it is neither."""
    try:
        value = _evaluate(ast.parse(text.strip().replace(",", "."), mode="eval").body)
    except (SyntaxError, KeyError, TypeError) as error:
        raise ValueError(f"“{text.strip()}” is not a number") from error
    except (ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"“{text.strip()}” has no value") from error
    if not math.isfinite(value):
        raise ValueError("the number must be finite")
    return value


def _evaluate(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return _NAMES[node.id]
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    raise TypeError("not arithmetic")
