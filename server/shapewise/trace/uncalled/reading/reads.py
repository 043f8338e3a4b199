"""How a function's own text uses a parameter: read field by field, listed, unpacked, counted, divided, given to torch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...gate.own import NODES
from ..targets import functions_of


def described(node: Any, name: str) -> str:
    """What the docstring of a function says that a parameter is, if that is a number, a flag or a text.

    `fft_size (int): FFT size.`, as Google's style has it, and `fft_size : int` of numpy's.
    """
    first = node.body[0] if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    text = (
        first.value.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None
    )
    if not isinstance(text, str) or name not in text:
        return ""
    found = re.search(
        rf"^ *{name} *(?:\((\w+)(?:, optional)?\):|: *(\w+)(?:, optional)?$)", text, re.MULTILINE
    )
    said = "" if found is None else found[1] or found[2]
    return said if said in _PLAIN else ""


_PLAIN = frozenset("int float bool str".split())


def walked(node: Any) -> tuple[ast.AST, ...]:
    """Every node of a definition: definitions outlive a trace, and each is asked about each of its parameters."""
    found: tuple[ast.AST, ...] | None = getattr(node, _WALKED, None)
    if found is None:
        found = tuple(ast.walk(node))
        setattr(node, _WALKED, found)
    return found


def calls(node: Any) -> tuple[tuple[str, ast.Call], ...]:
    """The calls of a definition, each with what it calls as it is written."""
    found: tuple[tuple[str, ast.Call], ...] | None = getattr(node, _CALLS, None)
    if found is None:
        found = tuple((ast.unparse(use.func), use) for use in walked(node) if isinstance(use, ast.Call))
        setattr(node, _CALLS, found)
    return found


_WALKED, _CALLS = "_shapewise_walked", "_shapewise_calls"


@dataclass(frozen=True)
class Around:
    """The definitions beside a function: `nodes`, that may read what it keeps, and by their names all that it may call."""

    nodes: list[Any]
    functions: dict[str, Any]
    constructors: tuple[Any, ...] = ()
    """Those of the classes beside it."""
    classes: Mapping[str, Any] = field(default_factory=dict)
    """The classes of the file."""
    tensors: frozenset[str] = frozenset()
    """Other names of the file for the class of tensors: `from torch import Tensor as T`."""

    def annotation(self, node: Any, name: str) -> str:
        """The annotation of a parameter as text, without quotes; empty if it has none."""
        for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            if arg.arg == name and arg.annotation is not None:
                found = arg.annotation
                text = str(found.value) if isinstance(found, ast.Constant) else ast.unparse(found)
                text = _OF_TYPING.sub("", text).replace("torch.tensor", "torch.Tensor")  # many write so
                return _WORD.sub(lambda word: "Tensor" if word[0] in self.tensors else word[0], text)
        return described(node, name)

    def uses(self, node: Any, name: str, depth: int = 3, kept: bool = False) -> list[tuple[Any, str]]:
        """A function and its parameter, and those of the file's own to which it hands the parameter on.

        `kept`: it is an attribute of `self` there.
        """
        found = [(node, name)]
        for called, use in calls(node) if depth else ():
            callee = self.functions.get(called) or lambda_of(node, called)
            if callee is None or callee is node:
                continue
            taken = [arg.arg for arg in (*callee.args.posonlyargs, *callee.args.args)]
            decorators = getattr(callee, "decorator_list", ())  # a lambda has none
            static = any(is_name(one, "staticmethod") for one in decorators)
            taken = taken[1:] if isinstance(use.func, ast.Attribute) and not static else taken
            given = [*zip(taken, use.args), *((one.arg, one.value) for one in use.keywords)]
            for parameter, value in given:
                is_it = is_attribute(value, name) if kept else is_name(value, name)
                if is_it and parameter is not None:
                    found += self.uses(callee, parameter, depth - 1)
        return found

    def layers(self, node: Any, name: str) -> Iterator[tuple[Any, str, Around]]:
        """The constructors of classes of the file that a function hands a parameter on to, each with its own parameter."""
        for called, use in calls(node):
            cls = self.classes.get(called)
            functions = functions_of(cls) if cls is not None else {}
            nodes = {one: NODES[id(function)] for one, function in functions.items() if id(function) in NODES}
            init: Any = nodes.get("__init__")
            if init is None or init is node:
                continue
            given = [
                *zip([arg.arg for arg in (*init.args.posonlyargs, *init.args.args)][1:], use.args),
                *((one.arg, one.value) for one in use.keywords),
            ]
            for parameter, value in given:
                if is_name(value, name) and parameter is not None:
                    functions = {**self.functions, **{f"self.{one}": own for one, own in nodes.items()}}
                    yield init, parameter, replace(self, nodes=[*nodes.values()], functions=functions)


_OF_TYPING = re.compile(r"\b\w+\.(?=(?:Tuple|List|Dict|Optional|Union|Sequence|Type|Literal|Callable)\b)")
"""The module of a word for types, whatever a file calls it: `tp.Tuple`."""
_WORD = re.compile(r"\b\w+\b")


def lambda_of(node: Any, name: str) -> Any:
    """The lambda that a function binds to a name; None if there is none."""
    bound = (one for one in walked(node) if isinstance(one, ast.Assign) and isinstance(one.value, ast.Lambda))
    return next((one.value for one in bound if is_name(one.targets[0], name)), None)


def computes_with_tensors(node: Any) -> bool:
    """Whether a function calls torch, or methods of tensors on what it is given."""
    return any(
        isinstance(use, ast.Attribute)
        and isinstance(use.value, ast.Name)
        and (use.value.id in ("torch", "F") or use.attr in ("unsqueeze", "float", "sum", "view", "reshape"))
        for use in walked(node)
    )


def is_something_else(node: Any, name: str) -> bool:
    """Whether a parameter is called, looped over, or asked what it is."""
    for use in walked(node):
        if is_called(use, name) or (
            isinstance(use, (ast.For, ast.comprehension)) and is_name(use.iter, name)
        ):
            return True
        asked = isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == "isinstance"
        if asked and any(is_name(arg, name) for arg in use.args):  # type: ignore[attr-defined]
            return True
    return False


def is_asked_for_a_tuple(node: Any, name: str) -> bool:
    """Whether a function wants to know of a parameter if it is a tuple."""
    return any(
        isinstance(use, ast.Call)
        and is_name(use.func, "isinstance")
        and len(use.args) == 2
        and is_name(use.args[0], name)
        and "tuple" in ast.unparse(use.args[1])
        for use in walked(node)
    )


def parameters_of(node: Any) -> list[str]:
    """The names of a function's parameters."""
    return [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def needed_by(node: Any) -> list[str]:
    """The names of a function's parameters that have no default."""
    positional = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    plain = [arg.arg for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default is None]
    return positional[: len(positional) - len(node.args.defaults)] + plain


def in_front(node: Any, values: dict[str, Any]) -> list[Any]:
    """What a function's `*args` take, and what stands before it; no longer among the others."""
    star = node.args.vararg.arg if node is not None and node.args.vararg is not None else None
    if star is None or star not in values:
        return []
    before = [name for name in parameters_of(node) if name in values]
    before = [name for name in before if name not in {one.arg for one in node.args.kwonlyargs}]
    return [*[values.pop(name) for name in before], *values.pop(star)]


def is_handed_on(node: Any, name: str) -> bool:
    """Whether a parameter is an argument of a call."""
    return any(
        is_name(value, name)
        for use in walked(node)
        if isinstance(use, ast.Call)
        for value in (*use.args, *(one.value for one in use.keywords))
    )


def fields_of(name: str, nodes: list[Any], kept: bool = False) -> Iterator[str]:
    """The fields that are read of a parameter, and of `self.<parameter>`; of that alone, if it is `kept` there."""
    for node in nodes:
        for use in walked(node):
            value, field = _read(use)
            if value is not None and (
                (not kept and isinstance(value, ast.Name) and value.id == name)
                or (isinstance(value, ast.Attribute) and value.attr == name and is_self(value.value))
            ):
                yield field


def _read(use: ast.AST) -> tuple[ast.expr | None, str]:
    """Of what a field is read, and which: `config.width`, `getattr(config, "width", config.dim // config.heads)`.

    What is a plain number where it is not given stays that.
    """
    if isinstance(use, ast.Attribute) and isinstance(use.ctx, ast.Load):
        return use.value, use.attr
    if isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == "getattr":
        if len(use.args) > 1 and isinstance(use.args[1], ast.Constant) and type(use.args[1].value) is str:
            if not any(isinstance(default, ast.Constant) for default in use.args[2:]):
                return use.args[0], use.args[1].value
    return None, ""


def is_asked_as_a_tensor(name: str, nodes: list[Any]) -> bool:
    """Whether a parameter that is kept is viewed later, repeated, or asked for its shape: `self.weight.view(...)`."""

    def is_asked(use: ast.AST) -> bool:
        if isinstance(use, ast.Call) and isinstance(use.func, ast.Attribute) and use.func.attr in _REPEATED:
            return is_attribute(use.func.value, name)
        return isinstance(use, ast.Attribute) and use.attr in _VIEWED and is_attribute(use.value, name)

    return any(is_asked(use) for node in nodes for use in walked(node))


_VIEWED = ("shape", "view", "reshape", "permute", "transpose", "unsqueeze")
_REPEATED = ("repeat", "expand", "squeeze", "masked_fill", "clone", "detach")
"""What tensors are asked for in a call, and fields of a configuration are called else."""


def is_attribute(node: ast.AST, name: str) -> bool:
    """Whether this is that attribute of `self`."""
    return isinstance(node, ast.Attribute) and node.attr == name and is_self(node.value)


def is_self(node: ast.AST) -> bool:
    """Whether this is `self`, by itself."""
    return isinstance(node, ast.Name) and node.id == "self"


def is_called(use: ast.AST, name: str) -> bool:
    """Whether a parameter is called here."""
    return isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == name


def kept_as(node: Any, name: str) -> set[str]:
    """The attributes that a constructor keeps a parameter as: `self.width = width`, `self.kind = kind or "none"`."""
    return {
        target.attr
        for use in walked(node)
        for target, value in _assigned(use)
        if isinstance(target, ast.Attribute) and is_self(target.value) and _may_be(value, name)
    }


def _assigned(use: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement assigns, and to what: each of several by itself (`self.a, self.b = a, b`)."""
    if isinstance(use, ast.AnnAssign) and use.value is not None:
        yield use.target, use.value
    elif isinstance(use, ast.Assign):
        for target in use.targets:
            parts = [one.elts for one in (target, use.value) if isinstance(one, ast.Tuple)]
            yield from (
                zip(*parts) if len(parts) == 2 and len(parts[0]) == len(parts[1]) else [(target, use.value)]
            )


def _may_be(value: ast.expr, name: str) -> bool:
    """Whether a value is a parameter as it is given: always, unless another is given, or in other letters (`.lower()`)."""
    if isinstance(value, ast.BoolOp):
        return any(is_name(one, name) for one in value.values)
    if isinstance(value, ast.IfExp):
        return is_name(value.body, name) or is_name(value.orelse, name)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in ("lower", "upper", "strip") and is_name(value.func.value, name)
    return is_name(value, name)


def kept_and_called(name: str, node: Any, around: list[Any]) -> bool:
    """Whether a constructor keeps a parameter that another method then calls."""
    kept = kept_as(node, name)
    return any(
        isinstance(use, ast.Call)
        and isinstance(use.func, ast.Attribute)
        and use.func.attr in kept
        and is_self(use.func.value)
        for other in around
        for use in walked(other)
    )


_COUNTING = frozenset(
    "range torch.arange torch.zeros torch.ones torch.empty torch.rand torch.randn torch.eye math.sqrt math.log".split()
)
_NUMBERS = frozenset("k num_classes minlength num_samples dim_size".split())
"""Arguments that are integers, by their keywords."""
_ENDS = ("start", "end", "step", "size", "n")
"""Arguments of what counts, by their keywords."""
_SIZED = frozenset("view reshape expand repeat chunk tile unflatten new_zeros new_ones".split())
"""Methods that are told sizes."""


def is_counted(use: ast.AST, name: str) -> bool:
    """Whether a parameter is used as an integer here."""
    if not isinstance(use, ast.Call):
        return False
    called = ast.unparse(use.func)
    parts = [
        one for arg in use.args for one in (arg.elts if isinstance(arg, (ast.Tuple, ast.List)) else [arg])
    ]
    given = [one for one in parts if is_name(one, name)]
    if called in _COUNTING and any(name in _terms(one) for one in parts):
        return True
    if called == "torch.linspace":
        steps = [*use.args[2:3], *(one.value for one in use.keywords if one.arg == "steps")]
        return any(is_name(one, name) for one in steps)
    if called in ("min", "max") and given:
        others = [ast.unparse(arg) for arg in use.args if not is_name(arg, name)]
        return any(".size(" in other or ".shape[" in other or "len(" in other for other in others)
    if any(one.arg in _NUMBERS and is_name(one.value, name) for one in use.keywords):
        return True
    if called in _COUNTING and any(one.arg in _ENDS and is_name(one.value, name) for one in use.keywords):
        return True
    last = called.rpartition(".")[2]
    if last in ("topk", "one_hot"):
        at = 1 if last == "one_hot" or called.startswith("torch.") else 0
        return len(use.args) > at and is_name(use.args[at], name)
    method = isinstance(use.func, ast.Attribute) and not is_name(use.func.value, "torch")
    sized = method and called.rsplit(".", 1)[-1] in _SIZED
    return bool(given) and (called in _COUNTING or sized)


def _terms(node: ast.AST) -> set[str]:
    """The names that integers are computed of: `width * stride`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
        return _terms(node.left) | _terms(node.right)
    return {node.id} if isinstance(node, ast.Name) else set()


_LAYERS = frozenset("Linear Conv1d Conv2d Conv3d Embedding LayerNorm BatchNorm1d BatchNorm2d".split())
"""Layers of torch's as they are called by themselves."""


def is_width_of_layer(use: ast.AST, name: str) -> bool:
    """Whether a parameter is handed to the constructor of a layer: `nn.Linear(dim, 4 * dim)`."""
    if not isinstance(use, ast.Call):
        return False
    last = ast.unparse(use.func).rpartition(".")[2]
    torchs = ast.unparse(use.func).startswith(("nn.", "torch.nn.")) or ast.unparse(use.func) in _LAYERS
    return (
        torchs and last[:1].isupper() and last != "Parameter" and any(is_name(arg, name) for arg in use.args)
    )


def is_divided(use: ast.AST, name: str) -> bool:
    """Whether a parameter is computed with as an integer here."""
    return (
        isinstance(use, ast.BinOp)
        and isinstance(use.op, (ast.FloorDiv, ast.Mod))
        and (is_name(use.left, name) or is_name(use.right, name))
    )


def is_name(node: ast.AST, name: str) -> bool:
    """Whether this is that name, by itself."""
    return isinstance(node, ast.Name) and node.id == name


def is_given_to_torch(use: ast.AST, name: str) -> bool:
    """Whether a parameter is handed to a function of torch, or is multiplied as a matrix."""
    if isinstance(use, ast.BinOp) and isinstance(use.op, ast.MatMult):
        return any(is_name(inner, name) for inner in ast.walk(use))
    return (
        isinstance(use, ast.Call)
        and ast.unparse(use.func).split(".")[0]
        in ("torch", "F", "nn", "einops", "rearrange", "repeat", "reduce", "einsum")
        and any(is_name(inner, name) for arg in use.args for inner in ast.walk(arg))
    )


def is_of_classes(use: ast.AST, name: str) -> bool:
    """Whether a parameter is the classes that a loss wants."""
    if not isinstance(use, ast.Call):
        return False
    called = ast.unparse(use.func).rpartition(".")[2]
    if called not in ("cross_entropy", "nll_loss", "cross_entropy_loss"):
        return False
    given = [*use.args[1:2], *(one.value for one in use.keywords if one.arg == "target")]
    return any(is_name(one, name) for one in given)
