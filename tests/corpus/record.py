"""The truth of an entry script: run it for real and write down what every binding held.

    python record.py OUT.json SCRIPT.py FOLDER [KEEP]

The script itself and every module that it imports from the FOLDER are observed: each assignment,
parameter, target of a loop or `with`, and every returned value, the first KEEP times it is reached.
Whole numbers are kept too, also those in the fields of a configuration that is handed over: they are
what a symbolic dim may stand for. Of each call is kept which object it was made on, for that object's
own numbers are the ones that its methods mean. What ran up to an error is still the truth.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import traceback
import types
from collections import Counter
from pathlib import Path
from typing import Any

KEEP = 3  # observations of one place

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "truth"))
import recorder  # noqa: E402


class Observer:
    """Every place with what stood there, in the order of the first visit."""

    def __init__(self, keep: int = KEEP) -> None:
        self.keep = keep
        self.places: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        self.calls: Counter[tuple[str, str]] = Counter()
        self.objects: dict[int, tuple[int, Any]] = {}
        self.methods: list[tuple[str, str, int, int]] = []

    def enter(self, file: str, scope: str, *of: Any) -> int:
        """The number of a call of a function; `of`: the object, if it is a method."""
        self.calls[file, scope] += 1
        call = self.calls[file, scope]
        for one in of:
            number, _ = self.objects.setdefault(id(one), (len(self.objects), one))
            self.methods.append((file, scope, call, number))
        return call

    def __call__(
        self, file: str, kind: str, scope: str, call: int, line: int, column: int, name: str, value: Any
    ) -> Any:
        seen = self.places.setdefault((file, kind, scope, line, column, name), [])
        if len(seen) < self.keep:
            try:
                described = (
                    {"type": "int", "value": value} if type(value) is int else recorder.describe(value)
                )
                fields = _fields(value) if kind == "parameter" and described is None else {}
            except Exception:  # whatever a class of the script does when it is looked at
                described, fields = None, {}
            if described is not None:
                seen.append({"call": call, **described})
            for field, number in fields.items():
                self(file, "field", scope, call, line, column, f"{name}.{field}", number)
        return value

    def rows(self) -> list[dict[str, Any]]:
        keys = ("file", "kind", "scope", "line", "column", "name")
        return [{**dict(zip(keys, place)), "seen": seen} for place, seen in self.places.items() if seen]


def _fields(value: Any) -> dict[str, int]:
    """The whole numbers in a configuration: an object of plain fields, or a dict."""
    fields = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    plain = (int, float, str, bool, tuple, list, type(None))
    if not fields or not all(isinstance(key, str) and isinstance(one, plain) for key, one in fields.items()):
        return {}
    return {key: one for key, one in fields.items() if type(one) is int}


class Instrument(recorder.Instrument):
    """Says also of which file a place is, and in which call of its function."""

    def __init__(self, file: str, source: str) -> None:
        super().__init__(source)
        self.file = file

    def look(self, kind: str, node: Any, name: str, value: ast.expr) -> ast.Call:
        call = super().look(kind, node, name, value)
        kind_, scope, *rest = call.args
        number = ast.Name("__call__", ast.Load()) if self.numbered else ast.Constant(0)
        call.args = [ast.Constant(self.file), kind_, scope, number, *rest]
        return call

    @property
    def numbered(self) -> bool:
        return self.in_function or self.at_parameters

    at_parameters = False

    def inside(self, node: Any, function: bool) -> Any:
        self.at_parameters = False
        return super().inside(node, function)

    def visit_Return(self, node: ast.Return) -> Any:
        return super().visit_Return(node) if self.in_function else node

    def visit_FunctionDef(self, node: Any) -> Any:
        anchor = node.body[0]
        self.at_parameters = True
        super().visit_FunctionDef(node)
        scope = ".".join([*self.scopes, node.name])
        enter = ast.Attribute(ast.Name("__observe__", ast.Load()), "enter", ast.Load())
        of = [ast.Name(argument.arg, ast.Load()) for argument in node.args.args[:1] if argument.arg == "self"]
        number = ast.Assign(
            [ast.Name("__call__", ast.Store())],
            ast.Call(enter, [ast.Constant(self.file), ast.Constant(scope), *of], []),
        )
        node.body.insert(
            1 if ast.get_docstring(node, clean=False) is not None else 0, ast.copy_location(number, anchor)
        )
        return node

    visit_AsyncFunctionDef = visit_FunctionDef


def instrumented(path: str) -> types.CodeType:
    """The code of a file that tells the observer what it does."""
    text = Path(path).read_text(encoding="utf-8")
    tree = ast.fix_missing_locations(Instrument(os.path.realpath(path), text).visit(ast.parse(text, path)))
    code: types.CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


class Loader(importlib.abc.Loader):
    """Runs a module of the folder under observation."""

    def __init__(self, path: str, observer: Observer) -> None:
        self.path, self.observer = path, observer

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__observe__"] = self.observer
        exec(instrumented(self.path), module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules below a folder, and leaves the others to Python."""

    def __init__(self, folder: str, observer: Observer) -> None:
        self.folder, self.observer = os.path.realpath(folder) + os.sep, observer

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or not (spec.origin or "").endswith(".py"):
            return None
        if not os.path.realpath(str(spec.origin)).startswith(self.folder):
            return None
        return importlib.util.spec_from_file_location(
            name,
            spec.origin,
            loader=Loader(str(spec.origin), self.observer),
            submodule_search_locations=spec.submodule_search_locations,
        )


def record(script: Path, folder: str, keep: int = KEEP) -> dict[str, Any]:
    """Run it. `error` says what ended it early, if anything did."""
    import torch

    observer = Observer(keep)
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    if "torchmetrics" not in script.read_text(encoding="utf-8"):  # which asks whether it is there
        sys.path.append(str(recorder.STUBS))
    sys.meta_path.insert(0, Finder(folder, observer))
    torch.manual_seed(0)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=str(script), __observe__=observer)
    sys.modules["__main__"] = main
    error = None
    try:
        exec(instrumented(str(script)), main.__dict__)
    except SystemExit:
        pass
    except BaseException as raised:
        at = traceback.extract_tb(raised.__traceback__)[-1]
        error = f"{type(raised).__name__}: {raised} ({Path(at.filename).name}:{at.lineno})"
    return {
        "torch": torch.__version__,
        "error": error,
        "sites": observer.rows(),
        "methods": observer.methods,
    }


if __name__ == "__main__":
    out, script, folder, *keep = sys.argv[1:]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        truth = record(Path(script).resolve(), folder, *map(int, keep))
    Path(out).write_text(json.dumps(truth), encoding="utf-8")
    os._exit(0)  # whatever threads and exit handlers the script left behind
