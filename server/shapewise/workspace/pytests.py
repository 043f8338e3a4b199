"""A file of tests as a program: what a test runner would call is called at its end.

Nothing is imported or run to find that out. The text keeps its lines; decorators of test runners, which are not
followed, are blanked. A test that is given what nobody here can make is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

_DEPTH = 4
"""How deep fixtures may ask for fixtures."""

Function = ast.FunctionDef


def as_script(text: str, tree: ast.Module) -> str | None:
    """The text with calls of its tests behind it; None if it has none."""
    functions = [node for node in tree.body if isinstance(node, Function)]
    fixtures = {node.name: node for node in functions if any(map(_is_fixture, node.decorator_list))}
    calls = [
        line
        for node in functions
        if node.name.startswith("test") and node.name not in fixtures
        for line in _calls(node, node.name, node.args.args, fixtures)
    ]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    calls += [line for node in classes for line in _calls_of_class(node, fixtures)]
    if not calls:
        return None
    lines = text.split("\n")
    for definition in ast.walk(tree):
        for decorator in getattr(definition, "decorator_list", ()):
            if _root(decorator) in ("pytest", "unittest", "mock", "fixture"):
                for number in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1):
                    lines[number - 1] = ""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.With)
            and lines[node.lineno - 1]
            and any(_root(item.context_expr) == "pytest" for item in node.items)
        ):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = ""  # what must fail is no example
            lines[node.lineno - 1] = f"{' ' * node.col_offset}pass"
    for node in classes:
        if node.bases and all(_root(base) in ("unittest", "TestCase") for base in node.bases):
            header = lines[node.lineno - 1]
            if header.rstrip().endswith(":"):
                lines[node.lineno - 1] = f"{header[: header.index('class')]}class {node.name}:"
    return "\n".join([*lines, *calls, ""])


def _calls(
    node: Function, called: str, parameters: list[ast.arg], fixtures: Mapping[str, Function]
) -> Iterator[str]:
    """Statements that call a test, with each set of its parameters."""
    given: list[tuple[list[str], str]] = []
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize"):
            one = _parametrized(decorator)
            if one is None:
                return
            given.append(one)
    bound = {name for names, _ in given for name in names}
    arguments = []
    optional = {one.arg for one in parameters[len(parameters) - len(node.args.defaults) :]}
    for parameter in parameters:
        name = parameter.arg
        value = name if name in bound else _fixture(name, fixtures, _DEPTH)
        if value is not None:
            arguments.append(f"{name}={value}")
        elif name not in optional:
            return
    indent = ""
    for names, values in given:
        yield f"{indent}for {', '.join(names)} in {values}:"
        indent += "    "
    yield f"{indent}{called}({', '.join(arguments)})"


def _calls_of_class(node: ast.ClassDef, fixtures: Mapping[str, Function]) -> Iterator[str]:
    methods = [one for one in node.body if isinstance(one, Function)]
    before = [
        one.name for one in methods if one.name in ("setUp", "setup_method", "setUpClass", "setup_class")
    ]
    if not node.name.lower().startswith("test") and not node.name.endswith("Test"):
        return
    own = {one.name: one for one in methods if any(map(_is_fixture, one.decorator_list))}
    for method in methods:
        if method.name.startswith("test") and method.name not in own:
            lines = list(_calls(method, f"_{node.name}.{method.name}", method.args.args[1:], fixtures))
            if lines:
                yield f"_{node.name} = {node.name}()"
                yield from (f"_{node.name}.{name}()" for name in before)
                yield from lines


def _parametrized(decorator: ast.Call) -> tuple[list[str], str] | None:
    """The names of a `parametrize`, and the text of their values."""
    if len(decorator.args) < 2 or not isinstance(decorator.args[1], (ast.List, ast.Tuple)):
        return None
    first, rows = decorator.args[:2]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        names = [name.strip() for name in first.value.split(",")]
    elif isinstance(first, (ast.List, ast.Tuple)):
        names = [str(one.value) for one in first.elts if isinstance(one, ast.Constant)]
    else:
        return None
    if not all(name.isidentifier() for name in names) or "pytest" in ast.unparse(rows):
        return None
    return names, ast.unparse(rows)


def _fixture(name: str, fixtures: Mapping[str, Function], depth: int) -> str | None:
    """An expression that makes a fixture's value."""
    node = fixtures.get(name)
    if node is None or not depth or any(isinstance(one, ast.Yield) for one in ast.walk(node)):
        return None
    values = [_fixture(parameter.arg, fixtures, depth - 1) for parameter in node.args.args]
    if any(value is None for value in values):
        return None
    return f"{name}({', '.join(value for value in values if value is not None)})"


def _is_fixture(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        return _is_fixture(decorator.func) and not any(one.arg == "params" for one in decorator.keywords)
    return ast.unparse(decorator) in ("pytest.fixture", "fixture")


def _root(node: ast.expr) -> str:
    """The first name of a dotted one."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""
