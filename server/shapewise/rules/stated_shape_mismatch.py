"""A comment, an annotation, a docstring or an assert that says another shape than the tensor has."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

from ..queries.stating import Runs
from ..stated.asserted import Demand, demands, failing
from ..stated.judged import Contradiction, Seen, contradictions
from ..stated.places import Places, Statement, statements_of
from ..stated.words import Size, Words
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, severity_of

RULE = "stated-shape-mismatch"
_NOTHING_YET = (0,)
"""The shape of `torch.tensor([])`, which keeps a place for what the statement is about."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every statement that can be true in none of the calls that are known."""
    if not tree.text:
        return
    words = Words(Places(tree.text), tree.course.tree)
    yield from _of_asserts(log, tree, words)
    statements = [
        one
        for one in statements_of(tree.text, tree.course.tree)
        if not _decides(one) and not _is_of_one_way(one)
    ]
    if not statements:
        return
    arms = _Arms(tree.course.tree)
    here = _Judged(statements, words, Runs(log, lambda span: literals(tree, span)), arms)
    yield from here.findings()
    rest = [one for one in statements if id(one) not in here.judged]
    if tree.tried is not None and rest:
        made_up = Runs(tree.tried, lambda span: set(), made_up=True)
        yield from _Judged(statements, words, made_up, arms).findings()


def _decides(statement: Statement) -> bool:
    """Whether the sizes of a parameter decide which way its function goes (`if points.shape[-1] == 2`): it takes others
    than are stated, too, and another way with them."""
    if statement.name is None or statement.within is None:
        return False
    sizes = tuple(f"{statement.name}.{of}" for of in ("shape", "size(", "ndim", "dim("))
    return any(
        isinstance(node, ast.Compare) and ast.unparse(node.left).startswith(sizes)
        for one in statement.within.body
        if isinstance(one, ast.stmt)
        for node in _asked(one)
    )


def _is_of_one_way(statement: Statement) -> bool:
    """Whether a docstring says what comes out of a function that a flag (`flatten=True`) sends one of two ways to it."""
    function = statement.within
    if statement.kind != "docstring" or statement.name is not None or function is None:
        return False
    arguments = function.args
    given = (
        [*arguments.posonlyargs, *arguments.args][-len(arguments.defaults) :] if arguments.defaults else []
    )
    with_default = [*zip(given, arguments.defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    flags = {
        one.arg
        for one, default in with_default
        if isinstance(default, ast.Constant) and isinstance(default.value, bool)
    }
    return any(
        isinstance(node, ast.If)
        and (getattr(node.test, "id", "") or getattr(node.test, "attr", "")) in flags
        and _bound(node.body) & _bound(node.orelse)
        for one in function.body
        for node in ast.walk(one)
    )


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements set."""
    nodes = [node for one in body for node in ast.walk(one)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _asked(statement: ast.stmt) -> Iterator[ast.AST]:
    """What the conditions within a statement consist of; an assert only demands."""
    for node in ast.walk(statement):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield from ast.walk(node.test)


class _Arms:
    """The two ways of each `if`: of what nobody knows both are taken in one call, but what is said on one is not said on the
    other."""

    def __init__(self, tree: ast.Module) -> None:
        self._forks = [
            (_lines(node.body), _lines(node.orelse))
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and node.orelse
        ]

    def apart(self, seen: Sequence[Seen]) -> list[list[Seen]]:
        """Those that can be true together; all of them, mostly."""
        groups = [list(seen)]
        for body, orelse in self._forks:
            groups = [part for group in groups for part in _parted(group, body, orelse)]
        return groups


def _lines(body: Sequence[ast.stmt]) -> range:
    return range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def _parted(group: list[Seen], body: range, orelse: range) -> list[list[Seen]]:
    """A group, or two where it has statements on both ways of an `if`."""
    one = [seen for seen in group if seen.statement.span.line not in orelse]
    other = [seen for seen in group if seen.statement.span.line not in body]
    return [group] if len(one) == len(group) or len(other) == len(group) else [one, other]


class _Judged:
    """All statements, held against some runs. `judged`: those of which anything is known."""

    def __init__(self, statements: Sequence[Statement], words: Words, runs: Runs, arms: _Arms) -> None:
        self._wrong: dict[int, list[Contradiction]] = {}
        self._held: set[int] = set()
        for frame in runs.frames:
            seen: list[Seen] = []
            for one in statements:
                values = [value for span in one.subjects for value in runs.at(frame, span)]
                if any(value is None or value.shape == _NOTHING_YET for value in values):
                    self._held.add(id(one))  # it may be what is lost that is meant, or what will stand there
                    continue
                seen += [
                    Seen(one, value.shape, runs.given(frame, value), runs.made_up, runs.spread(value))
                    for value in values
                    if value is not None
                ]
            if not seen:
                continue
            known = _known(words, seen, runs, frame)
            found = [one for beside in arms.apart(seen) for one in contradictions(beside, known)]
            off = {id(one.seen) for one in found}
            self._held |= {id(one.statement) for one in seen if id(one) not in off}
            for contradiction in found:
                self._wrong.setdefault(id(contradiction.seen.statement), []).append(contradiction)

    @property
    def judged(self) -> set[int]:
        return self._held | set(self._wrong)

    def findings(self) -> Iterator[Finding]:
        """Those that can be true in none of the runs."""
        for number, every in self._wrong.items():
            if number not in self._held:
                yield _finding(every[0])


def _of_asserts(log: Log, tree: Tree, words: Words) -> Iterator[Finding]:
    """Those that fail in every call."""
    asked = list(demands(tree.course.tree))
    if not asked:
        return
    runs = Runs(log, lambda span: set())
    frames = list(runs.frames)
    for demand, within in asked:
        outcomes = []
        for frame in frames:
            read = functools.partial(runs.shape, frame)
            if runs.at(frame, tree.span(demand.of)):
                sizes = read(tree.span(demand.of))
                evaluated = functools.partial(words.evaluated, within=within, read=read)
                outcomes.append(None if sizes is None else failing(demand, sizes, evaluated))
        if outcomes and outcomes[0] is not None and None not in outcomes:
            yield _failing(tree, demand, *outcomes[0])


def _failing(tree: Tree, demand: Demand, wanted: tuple[Size, ...], there: tuple[Size, ...]) -> Finding:
    subject = ast.unparse(demand.of)
    what = f"{subject} has {there[0]} dims" if demand.rank else f"{subject} is {_listed(there)}"
    if demand.at is not None:
        what = f"dim {demand.at} of {subject} is {there[0]}"
    fixes = []
    elements = demand.elements() or []
    literal = [one for one in elements if isinstance(one, ast.Constant)]
    if len(elements) == len(there):
        wrong = [(one, size) for one, want, size in zip(elements, wanted, there) if want not in (None, size)]
        if all(one in literal for one, _ in wrong):
            edits = [Edit(tree.span(one), str(size)) for one, size in wrong]
            fixes = [fix("assert what it is", *edits)]
    return found(RULE, tree, demand.compared, f"This assert fails: {what}.", *fixes)


def _listed(sizes: tuple[Size, ...]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in sizes) + "]"


def _known(words: Words, seen: list[Seen], runs: Runs, frame: int) -> dict[str, int | str]:
    """What the code itself binds the names to that are stated in a call."""
    known: dict[str, int | str] = {}
    for one in seen:
        for name in _names(one.statement):
            if words.of_another(name, one.statement.within, one.statement.span.line):
                continue
            number = words.number(name, one.statement.within, lambda span: runs.shape(frame, span))
            if number is not None:
                known[name] = number
    return known


def _names(statement: Statement) -> Iterator[str]:
    yield from statement.shape.names()
    for dim in statement.shape.dims:
        if dim.size is not None:
            yield from (one.id for one in ast.walk(dim.size) if isinstance(one, ast.Name))


def literals(tree: Tree, span: object) -> set[int]:
    """The whole numbers that a call is written with."""
    node = tree.at(span, ast.Call)  # type: ignore[arg-type]
    if node is None:
        return set()
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return {
        one.value
        for arg in given
        for one in ast.walk(arg)
        if isinstance(one, ast.Constant) and type(one.value) is int
    }


def _finding(one: Contradiction) -> Finding:
    statement = one.seen.statement
    written = statement.shape.written(one.dims)
    message = f"This {statement.kind} states another shape than {_listed(one.seen.sizes)}: {one.why}."
    related: tuple[Related, ...] = ()
    if one.against is not None:
        related = (Related(one.against.span, "by what is stated here"),)
    fixes: tuple[Fix, ...] = ()
    if statement.span.line == statement.span.end_line and "?" not in one.dims:
        fixes = (fix(f"state ({written})", Edit(statement.span, written)),)
    return Finding(RULE, statement.span, severity_of(RULE), message, None, related, fixes)
