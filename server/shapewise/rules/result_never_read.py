"""What was computed and is lost: set anew before anything reads it, or kept and never read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.liveness import Liveness, Scope, liveness_of, reads, sets
from ..program.modes import no_grad_around
from ..program.training import is_module
from ..program.values import INSTANCE, options_of
from ..queries.lineage import Lineage, lineage_of, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.statements import rebinds
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "result-never-read"
UNCALLED = True
_LOOPS = (ast.For, ast.AsyncFor)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each variable that is given what was computed of tensors, or a tensor as it was, on a way that never reads it."""
    computed: dict[Span, Op] | None = None
    for scope in _worth_a_look(tree):
        for one, kind, other in _lost(scope):
            if kind == "kept":
                if _in_forward(tree, scope):
                    yield _kept(tree, one, other)
                continue
            if kind == "unread":
                layer = _own_layer(tree, scope, one.value) if _in_forward(tree, scope) else None
                layer = layer or _model_called(tree, scope, one)
                if layer is not None:
                    yield _unread(tree, one, layer)
                continue
            if computed is None:
                computed = {op.span: op for op in ops_of(log) if any(True for _ in tensors(op.result))}
            value = _layer_called(one.value, other) if kind == "rounds" else one.value
            op = computed.get(tree.span(value)) if value is not None else None
            if op is None or not _is_of_others(lineage_of(log), op):
                continue
            if kind == "rounds":
                assert isinstance(value, ast.Call)
                yield _rounds(tree, one, value, other)
            elif not _is_tried(tree, one):
                yield _overwritten(tree, one, other)


def _worth_a_look(tree: Tree) -> list[Scope]:
    """The scopes in which a variable is set anew by what does not read it, keeps another one, or is set in a loop by what that goes
    over. What is live where is only asked there: it is asked at each keystroke.
    """
    trained = {tree.course.places.function(back.event.node) for back in tree.training.backwards}
    last_reads: dict[int, dict[str, int]] = {}
    places, seen, found_scopes = tree.course.places, set[tuple[int, str]](), dict[int, Scope]()
    for pair in tree.course.nodes(ast.Assign):
        around = places.function(pair) if isinstance(pair, ast.Assign) and _each(pair) else None
        if isinstance(around, ast.FunctionDef) and around.name.startswith("forward"):
            found_scopes[id(around)] = around
    assigns = [one for one in tree.course.nodes(ast.Assign) if isinstance(one, ast.Assign) and _name(one)]
    for one in sorted(assigns, key=lambda one: one.lineno):
        scope = places.function(one) or tree.course.tree
        if isinstance(scope, ast.AsyncFunctionDef) or id(scope) in found_scopes:
            continue
        key = id(scope), _name(one)
        parent = places.parent(one)
        if scope is tree.course.tree and not any(
            isinstance(above, (*_LOOPS, ast.While)) for above in places.above(one)
        ):
            continue
        if isinstance(scope, ast.FunctionDef) and (scope.name.startswith("forward") or scope in trained):
            if id(scope) not in last_reads:
                last_reads[id(scope)] = _last_reads(scope)
            if last_reads[id(scope)].get(key[1], 0) <= (one.end_lineno or one.lineno):
                found_scopes[id(scope)] = scope
        in_rounds = isinstance(parent, _LOOPS) and _layer_called(one.value, parent) is not None
        if in_rounds or _copied(one) is not None or (key in seen and key[1] not in reads(one.value)):
            found_scopes[id(scope)] = scope
        seen.add(key)
    return list(found_scopes.values())


def _last_reads(scope: Scope) -> dict[str, int]:
    """The last line in which each name is read."""
    lines: dict[str, int] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            lines[node.id] = max(lines.get(node.id, 0), node.lineno)
    return lines


def _lost(scope: Scope) -> tuple[tuple[ast.Assign, str, ast.stmt], ...]:
    """The assignments whose value is lost: `set` anew by another, in all `rounds` of a loop but the last, or `kept` and never read."""
    if isinstance(scope, ast.FunctionDef) and scope.name.startswith(("test", "bench", "_test", "_bench")):
        return ()
    own = [one for one in _statements(scope.body) if isinstance(one, ast.Assign) and _name(one)]
    live = liveness_of(scope)
    if live.is_open:
        return ()
    lost: list[tuple[ast.Assign, str, ast.stmt]] = []
    for one in own:
        name = _name(one)
        if name.startswith("_") or name in live.always or id(one) not in live.after:
            continue
        if name not in live.after[id(one)]:
            again = next((each for each in own if each.lineno > one.lineno and rebinds(each, name)), None)
            if again is not None and name not in reads(again.value) and not _is_plain(one, again):
                lost.append((one, "set", again))
            elif again is None and isinstance(scope, ast.FunctionDef) and _is_kept(one, own, scope):
                lost.append((one, "kept", one))
            elif again is None and isinstance(scope, ast.FunctionDef):
                lost.append((one, "unread", one))
    if isinstance(scope, ast.FunctionDef):
        lost += [
            (each, "unread", one)
            for one in _statements(scope.body)
            if isinstance(one, ast.Assign) and id(one) in live.after
            for each in _each(one)
            if not _name(each).startswith("_") and _name(each) not in live.after[id(one)] | live.always
        ]
    for loop in _statements(scope.body):
        if isinstance(loop, _LOOPS) and not _breaks(loop):
            lost += [
                (one, "rounds", loop)
                for one in loop.body
                if isinstance(one, ast.Assign) and _is_lost_in_rounds(one, loop, live)
            ]
    if isinstance(scope, ast.FunctionDef):
        return tuple(lost)
    loops = [one for one in _statements(scope.body) if isinstance(one, (*_LOOPS, ast.While))]
    rounds = [{id(inner) for inner in ast.walk(one)} for one in loops]
    # What a script computes at its top is shown, or tried out.
    return tuple(each for each in lost if any({id(each[0]), id(each[2])} <= inner for inner in rounds))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a scope, in their order, but for those of functions and classes in it."""
    for one in body:
        yield one
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(one, part, []))
        for handler in getattr(one, "handlers", []):
            yield from _statements(handler.body)


def _name(one: ast.Assign) -> str:
    target = one.targets[0] if len(one.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else ""


def _each(one: ast.Assign) -> list[ast.Assign]:
    """`t, i = text(ids), image(x)` as two assignments."""
    target, value = one.targets[0], one.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(one.targets) != 1:
        return []
    if len(target.elts) != len(value.elts) or not all(isinstance(part, ast.Name) for part in target.elts):
        return []
    pairs = zip(target.elts, value.elts)
    return [ast.copy_location(ast.Assign([name], made), one) for name, made in pairs]


def _is_plain(one: ast.Assign, again: ast.Assign) -> bool:
    """Whether a value is only there for a start, or is made a second time: how long that takes may be what is asked."""
    return isinstance(one.value, (ast.Constant, ast.Name, ast.Attribute)) or ast.dump(one.value) == ast.dump(
        again.value
    )


def _is_kept(one: ast.Assign, own: list[ast.Assign], scope: ast.FunctionDef) -> bool:
    """Whether it keeps what a variable holds that is set anew later: `identity = x`, `identity = x.clone()`."""
    value = _copied(one)
    if value is None:
        return False
    named, given = value.id, {arg.arg for arg in scope.args.args}
    later = any(each.lineno > one.lineno and _name(each) == named for each in own)
    return later and named in given | {_name(each) for each in own} and _name(one) != named


def _copied(one: ast.Assign) -> ast.Name | None:
    """The variable that an assignment keeps in another one."""
    value = one.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "clone":
        value = value.func.value
    return value if isinstance(value, ast.Name) else None


def _is_lost_in_rounds(one: ast.Assign, loop: ast.For | ast.AsyncFor, live: Liveness) -> bool:
    """Whether what each round computes is read after the loop alone, and depends on nothing that the rounds change but their layer."""
    name = _name(one)
    call = _layer_called(one.value, loop) if name else None
    if call is None or name in live.next_round.get(id(loop), ()) or name not in live.after.get(id(loop), ()):
        return False
    if name in live.always or any(name in reads(each) for each in loop.body):
        return False
    changed = frozenset[str]().union(*(sets(each) for each in loop.body), sets(loop.target))
    given = frozenset[str]().union(*(reads(arg) for arg in (*call.args, *call.keywords)), frozenset())
    return bool(call.args) and not given & changed


def _layer_called(value: ast.expr, loop: ast.stmt) -> ast.Call | None:
    """The call in a value of what a loop goes over, or of what stands in a list under its number."""
    assert isinstance(loop, _LOOPS)
    target = sets(loop.target)
    for node in ast.walk(value):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, (ast.Name, ast.Subscript))
            and reads(node.func) & target
        ):
            return node
    return None


def _breaks(loop: ast.For | ast.AsyncFor) -> bool:
    return any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(loop))


def _is_of_others(lineage: Lineage, op: Op) -> bool:
    """Whether a value was computed of a tensor that was there before it: not only made, as zeros to begin with are."""
    for tensor in (inner for arg in op.args for inner in tensors(arg)):
        for _ in range(8):
            maker = lineage.maker(tensor)
            if maker is None or not op.span.covers(maker.span):
                return True
            inner = next((arg for arg in maker.args if isinstance(arg, Tensor)), None)
            if inner is None:
                break
            tensor = inner
    return False


def _is_tried(tree: Tree, one: ast.stmt) -> bool:
    """Whether it stands in a `try`, or in a `with` that may say what is measured or expected."""
    return any(
        isinstance(above, (ast.Try, ast.With)) and not _is_of_torch(above)
        for above in tree.course.places.above(one)
    )


def _is_of_torch(above: ast.AST) -> bool:
    return isinstance(above, ast.With) and all(
        any(
            word in ast.unparse(item.context_expr)
            for word in ("no_grad", "inference_mode", "autocast", "enable_grad")
        )
        for item in above.items
    )


def _in_forward(tree: Tree, scope: Scope) -> bool:
    return any(
        function.node is scope and name.startswith("forward")
        for cls in tree.course.classes
        if cls.is_module
        for name, function in cls.methods.items()
    )


def _own_layer(tree: Tree, scope: Scope, value: ast.expr) -> ast.expr | None:
    """What is learned of the module's own in a value: a layer that is called, or a parameter."""
    cls = next(
        (cls for cls in tree.course.classes if any(one.node is scope for one in cls.methods.values())), None
    )
    learned = {
        event.name
        for event, owner, made in tree.course.attributes_made()
        if owner is cls
        and any(one.by.startswith("torch.nn.") or one.by == INSTANCE for one in options_of(made))
    }
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            if node.attr in learned:
                return node
    return None


def _model_called(tree: Tree, scope: Scope, one: ast.Assign) -> ast.expr | None:
    """The model whose output a value is, in a function in which a loss is differentiated."""
    backwards = tree.training.backwards
    if not isinstance(one.value, ast.Call) or not any(
        tree.course.places.function(back.event.node) is scope for back in backwards
    ):
        return None
    calls = [event for event in tree.course.calls("()") if event.node is one.value]
    # Without gradients it may be run for what it does to itself: layers that are built at the first call, running statistics.
    is_model = calls and all(is_module(one.on, surely=True) and no_grad_around(one) is None for one in calls)
    return one.value.func if is_model and not _is_tried(tree, one) else None


def _overwritten(tree: Tree, one: ast.Assign, again: ast.stmt) -> Finding:
    name = _name(one)
    return found(
        RULE,
        tree,
        one,
        f"{name} is set anew before anything has read this: what is computed here is lost.",
        related=[Related(tree.span(again), f"{name} is set anew here")],
    )


def _kept(tree: Tree, one: ast.Assign, _: ast.stmt) -> Finding:
    name, was = _name(one), ast.unparse(one.value).removesuffix(".clone()")
    return found(
        RULE,
        tree,
        one,
        f"{name} keeps {was} as it was here, and nothing reads it: as it is written, what {was} was has no way around what follows.",
    )


def _unread(tree: Tree, one: ast.Assign, layer: ast.expr) -> Finding:
    name = _name(one)
    return found(
        RULE,
        tree,
        one,
        f"nothing reads {name}: what {ast.unparse(layer)} makes here has no part in anything.",
    )


def _rounds(tree: Tree, one: ast.Assign, call: ast.Call, loop: ast.stmt) -> Finding:
    name = _name(one)
    first, fixes = call.args[0], list[Fix]()
    if isinstance(first, ast.Name) and _is_set_before(tree, loop, name):
        fixes.append(fix(f"give it {name}", replace(tree.text, first, name)))
    elif isinstance(first, ast.Name):
        target = one.targets[0]
        after = [
            node
            for node in tree.course.places.nodes
            if isinstance(node, ast.Name)
            and node.id == name
            and node.lineno > (loop.end_lineno or loop.lineno)
            and tree.course.places.function(node) is tree.course.places.function(loop)
        ]
        fixes.append(
            fix(f"go on with {first.id}", *(replace(tree.text, node, first.id) for node in (target, *after)))
        )
    return found(
        RULE,
        tree,
        one,
        f"each round gives {source(tree.text, call.func)} the same, {ast.unparse(first)}, and sets {name} anew: what all but the last gave "
        "is lost.",
        *fixes,
        related=[Related(tree.span(loop), "the rounds")],
    )


def _is_set_before(tree: Tree, loop: ast.stmt, name: str) -> bool:
    places = tree.course.places
    block = places.block(loop)
    return any(rebinds(one, name) for one in block[: block.index(loop)])
