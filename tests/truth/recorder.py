"""The truth: run a script for real and write down what every binding held.

    python recorder.py FOLDER SCRIPT.py|NOTEBOOK.ipynb ...

writes FOLDER/NAME.truth.json for each, each in a fork of its own (torch is imported once).

Every assignment, parameter, target of a loop or `with`, and every returned value is recorded by
kind, scope, name, line and column, as `facts --json` names them: all tensors, also those one or two
levels deep in tuples, lists and dicts. What ran up to an error is still the truth.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KEEP = 8  # observations of one place
STUBS = Path(__file__).parent / "stubs"  # modules that are not installed and hold no tensors


def text_of(path: Path) -> str:
    """A script's text, or the code cells of a notebook one below the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells)


# ---------------------------------------------------------------- what is seen


def describe(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """A tensor, a group of tensors, or None."""
    import torch

    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            return None
        return {
            "type": "tensor",
            "shape": list(value.shape),
            "dtype": str(value.dtype).removeprefix("torch."),
            "device": value.device.type,
            "stride": list(value.stride()),
            "contiguous": value.is_contiguous(),
            "requires_grad": value.requires_grad,
        }
    if depth >= 2 or not isinstance(value, (tuple, list, dict)) or not 0 < len(value) <= 16:
        return None
    items: dict[str, Any] | list[Any]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            return None
        items = {key: describe(item, depth + 1) for key, item in value.items()}
        found = list(items.values())
    else:
        items = found = [describe(item, depth + 1) for item in value]
    return {"type": "group", "items": items} if any(found) else None


class Observer:
    """Every place with what stood there, in the order of the first visit."""

    def __init__(self) -> None:
        self.places: dict[tuple[Any, ...], list[dict[str, Any]]] = {}

    def __call__(self, kind: str, scope: str, line: int, column: int, name: str, value: Any) -> Any:
        seen = self.places.setdefault((kind, scope, line, column, name), [])
        if len(seen) < KEEP and (described := describe(value)) is not None and described not in seen:
            seen.append(described)
        return value

    def rows(self) -> list[dict[str, Any]]:
        keys = ("kind", "scope", "line", "column", "name")
        return [{**dict(zip(keys, place)), "seen": seen} for place, seen in self.places.items() if seen]


# ---------------------------------------------------------------- where to look


class Instrument(ast.NodeTransformer):
    """Adds a call of the observer behind every binding."""

    def __init__(self, source: str) -> None:
        self.rows = source.encode().split(b"\n")
        self.scopes: list[str] = []
        self.in_function = False

    def look(self, kind: str, node: Any, name: str, value: ast.expr) -> ast.Call:
        column = len(self.rows[node.lineno - 1][: node.col_offset].decode(errors="replace"))
        scope = ".".join(self.scopes) or "<module>"
        place = [ast.Constant(part) for part in (kind, scope, node.lineno, column, name)]
        return ast.Call(ast.Name("__observe__", ast.Load()), [*place, value], [])

    def targets(self, target: ast.expr) -> Iterator[ast.stmt]:
        if isinstance(target, ast.Name):
            yield ast.Expr(self.look("binding", target, target.id, ast.Name(target.id, ast.Load())))
        elif (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == "self"
        ):
            read = ast.Attribute(ast.Name("self", ast.Load()), target.attr, ast.Load())
            yield ast.Expr(self.look("binding", target, f"self.{target.attr}", read))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                yield from self.targets(element.value if isinstance(element, ast.Starred) else element)

    def after(self, node: ast.stmt, targets: list[ast.expr]) -> list[ast.stmt]:
        self.generic_visit(node)
        looks = [look for target in targets for look in self.targets(target)]
        return [node, *[ast.copy_location(look, node) for look in looks]]

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self.after(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        return self.after(node, [node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return self.after(node, [node.target] if node.value is not None else [])

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.body[:0] = [ast.copy_location(look, node.body[0]) for look in self.targets(node.target)]
        return node

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        names = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body[:0] = [
            ast.copy_location(look, node.body[0]) for name in names for look in self.targets(name)
        ]
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if node.value is not None:
            node.value = self.look("return", node, "<return>", node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return self.inside(node, False)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.scopes.append(node.name)
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        looks = [
            ast.Expr(self.look("parameter", argument, argument.arg, ast.Name(argument.arg, ast.Load())))
            for argument in arguments
            if argument.arg not in ("self", "cls")
        ]
        self.scopes.pop()
        self.inside(node, True)
        behind = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[behind:behind] = [ast.copy_location(look, node.body[0]) for look in looks]
        return node

    def inside(self, node: Any, function: bool) -> Any:
        self.scopes.append(node.name)
        before, self.in_function = self.in_function, function
        node.body = [new for old in node.body for new in _listed(self.visit(old))]
        self.in_function = before
        self.scopes.pop()
        return node


def _listed(visited: Any) -> list[ast.stmt]:
    return visited if isinstance(visited, list) else [visited]


def record(path: Path) -> dict[str, Any]:
    """Run it. `error` says what ended it early, if anything did."""
    import torch

    text = text_of(path)
    tree = ast.fix_missing_locations(Instrument(text).visit(ast.parse(text)))
    observer = Observer()
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=str(path), __observe__=observer)
    sys.modules["__main__"] = main
    sys.path[0] = str(path.parent)
    sys.path.append(str(STUBS))
    torch.manual_seed(0)
    error = None
    try:
        exec(compile(tree, str(path), "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        pass
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    return {"torch": torch.__version__, "error": error, "places": observer.rows()}


def main(folder: Path, paths: list[Path]) -> None:
    import torch  # noqa: F401

    for path in paths:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            text = json.dumps(record(path))
        (folder / f"{path.name}.truth.json").write_text(text, encoding="utf-8")
        os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(argument).resolve() for argument in sys.argv[2:]])
