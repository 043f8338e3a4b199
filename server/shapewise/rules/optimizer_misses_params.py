"""A layer put into the model after the optimizer was made: it is never trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.course import Course
from ..program.events import Entered, Event
from ..program.given import all_given, holds, is_in
from ..program.modes import may_have_grad_off, mode_calls
from ..program.training import Backward, is_module, is_optimizer, owned
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "optimizer-misses-params"
_NOT_RANDOM = ("requires_grad", "load_state_dict", "pretrained", "torch.load", "hub.load")

_WITHOUT_GRADIENT = (".detach", ".detach_", ".item", ".tolist", ".numpy", ".argmax", ".size", "compare")
_WITH_WEIGHTS = tuple(
    f"torch.nn.{name}"
    for name in (
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag "
        "RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer "
        "TransformerEncoder TransformerDecoder Transformer"
    ).split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer set on a model after an optimizer got the model's parameters."""
    course = tree.course
    if course.calls(".add_param_group"):
        return
    told = list(_part_only(tree))
    yield from told or _of_the_loss(tree)
    makers = [
        e for e in course.of_kind("call") if e.name.startswith("torch.optim.") and is_optimizer(e.value)
    ]
    for maker in makers:
        assert maker.value is not None
        models = owned(maker.value)
        for event in (*course.of_kind("set"), *course.of_kind("store")):
            if event.root != maker.root or event.index < maker.index or event.on is None:
                continue
            layer = event.args[-1]
            owners = (event.on,) if event.kind == "set" else (event.on, event.on.on)
            if not any(same(owner, model) for owner in owners if owner is not None for model in models or ()):
                continue
            later = [
                other.index for other in makers if other.root == maker.root and other.index > event.index
            ]
            stepped = any(
                step.event.root == maker.root and event.index < step.event.index < min(later)
                for step in tree.training.steps
                if later and same(step.optimizer, maker.value)
            )
            if not is_module(layer, surely=True) or (later and not stepped):
                continue
            yield found(
                RULE,
                tree,
                event.node,
                "the optimizer was given the parameters before this layer was there: it goes on training the old "
                "one. Change the model first, then make the optimizer.",
                related=[Related(tree.span(maker.node), "the optimizer")],
            )


def _part_only(tree: Tree) -> Iterator[Finding]:
    """An optimizer given one part of a model whose other parts start at random and are trained by none."""
    course = tree.course
    if any(word in tree.text for word in _NOT_RANDOM):
        return  # then the other parts are good as they are
    makers = [
        e for e in course.of_kind("call") if e.name.startswith("torch.optim.") and is_optimizer(e.value)
    ]
    given = [event.argument("params", 0) for event in makers]
    if len(makers) != 1 or given[0] is None or given[0].by != ".parameters" or given[0].on is None:
        return
    part = given[0].on
    for whole, built in ((one, one.cls) for one in course.instances.values() if one.cls is not None):
        if not built.is_only_module or not any(same(one, part) for one in whole.attrs.values()):
            continue
        trained = any(any(root is whole for root in roots(event.on)) for event in course.calls("()"))
        others = [
            name
            for name, one in whole.attrs.items()
            if not same(one, part) and _has_weights(one) and name not in ("ema", "target")
        ]
        if trained and others and tree.training.backwards and "no_grad" not in ast.unparse(built.node):
            node = makers[0].node
            yield found(
                RULE,
                tree,
                node,
                f"the optimizer gets one part of the model only: {', '.join(others)} keep their random weights.",
            )
            return


def _of_the_loss(tree: Tree) -> Iterator[Finding]:
    """A layer that this file builds and that a loss is computed with, and that no optimizer was given."""
    course = tree.course
    if any(word in tree.text for word in (*_NOT_RANDOM, "deepcopy", "checkpoint", "freeze", "frozen")):
        return
    makers = [
        e for e in course.of_kind("call") if e.name.startswith("torch.optim.") and is_optimizer(e.value)
    ]
    trained: list[Value] = []
    for maker in makers:
        given = maker.argument("params", 0)
        modules = None if given is None else all_given(given)
        if modules is None:
            return
        trained += modules
    if not makers:
        return
    made_in_forward = [event.value for event in course.of_kind("call") if _is_below_forward(event)]
    for back in tree.training.backwards:
        used = [one for one in _layers_behind(back, course) if not _is_only_evaluated(one, back, course)]
        missed = [layer for layer in used if not any(is_in(layer, one) for one in trained)]
        if len(missed) == len(used) and not _is_stepped_after(back, tree):
            continue
        for layer in missed:
            root = roots(layer)
            if len(root) != 1 or not _has_weights(layer) or root[0] in made_in_forward:
                continue
            owners = [one for one in course.instances.values() if holds(one, root[0])]
            if any(course.escapes(one) for one in (root[0], *owners)):
                continue
            whole = [one for one in owners if one.name and is_module(one, surely=True)]
            name = next((one.name for one in whole), root[0].name or layer.name)
            yield found(
                RULE,
                tree,
                makers[-1].node,
                f"{name or 'a layer'} is part of what the loss is computed with, and no optimizer gets its parameters: it "
                "keeps its random weights.",
                related=[Related(tree.span(back.event.node), "differentiated here")],
            )
            return


def _is_stepped_after(back: Backward, tree: Tree) -> bool:
    """Whether an optimizer steps after a loss was differentiated, and before another one is."""
    following = [
        other.event.index
        for other in tree.training.backwards
        if other.event.root == back.event.root and other.event.index > back.event.index
    ]
    return any(
        step.event.root == back.event.root
        and back.event.index < step.event.index < min(following, default=step.event.index + 1)
        and step.event.function is back.event.function
        for step in tree.training.steps
    )


def _is_below_forward(event: Event) -> bool:
    """Whether it happens in a forward, or in what one calls."""
    return any(isinstance(one, Entered) and one.function.name == "forward" for one in event.where)


def _layers_behind(back: Backward, course: Course) -> Iterator[Value]:
    """The layers whose weights get a gradient of a loss, as far as values are followed."""
    made = {id(event.value): event for event in course.calls("()")}
    seen: set[int] = set()
    waiting = [back.loss]
    while waiting and len(seen) < 400:
        one = waiting.pop(0)
        if id(one) in seen or one.by in _WITHOUT_GRADIENT or one.by == "." and one.name == "data":
            continue
        seen.add(id(one))
        event = made.get(id(one))
        if event is not None and may_have_grad_off(event):
            continue
        if one.by == "()" and one.on is not None:
            yield one.on
        if one.by == "torch.nn.Parameter":
            yield one
        waiting += one.made_of()


def _is_only_evaluated(layer: Value, back: Backward, course: Course) -> bool:
    """Whether a layer was put into evaluation before: a fixed judge of what another one makes."""
    return any(
        event.on is not None
        and event.root == back.event.root
        and event.index < back.event.index
        and same(event.on, layer)
        for event, mode in mode_calls(course)
        if mode is False
    )


def _has_weights(value: Value, depth: int = 0) -> bool:
    """Whether a module is, or is built of, layers with weights that this file makes."""
    for root in roots(value):
        if root.by in _WITH_WEIGHTS or root.by == "torch.nn.Parameter":
            return True
        if root.by in ("torch.nn.Sequential", "torch.nn.ModuleList") and depth < 4:
            if any(_has_weights(one, depth + 1) for one in root.args):
                return True
        if root.cls is not None and root.cls.is_only_module and depth < 4:
            if any(_has_weights(one, depth + 1) for one in root.attrs.values()):
                return True
    return False
