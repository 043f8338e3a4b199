"""A temperature for a choice that is not made by chance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.events import Event
from ..program.values import constant, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.hugging import is_pretrained
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of, text_of

RULE = "hf-temperature-without-sampling"
_CONFIG = "transformers.GenerationConfig"
_OF_SAMPLING = ("temperature", "top_p", "top_k", "typical_p")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every generate with an option of sampling, and without do_sample."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(".generate", _CONFIG):
        node = event.node
        names = [name for name in _OF_SAMPLING if name in event.kwargs]
        if not names or node in told or not isinstance(node, ast.Call) or "generation_config" in event.kwargs:
            continue
        sampling = event.kwargs.get("do_sample")
        if sampling is not None and constant(sampling) is not False:
            continue
        written = any(keyword_of(node, name) is not None for name in names)
        if (
            "**" in event.kwargs
            and written
            and any(kw.arg is None and "gen" in text_of(tree, kw.value).lower() for kw in node.keywords)
        ):
            continue
        if any(constant(event.kwargs[name]) is None for name in names) and len(names) == 1:
            continue
        if event.name == _CONFIG:
            if any(
                one.name == "do_sample" and same(one.on, event.value) for one in tree.course.of_kind("set")
            ):
                continue
        elif not is_pretrained(event.on) and not _is_hf(event, node):
            continue
        told.add(node)
        keyword = keyword_of(node, names[0])
        yield found(
            RULE,
            tree,
            keyword or node,
            f"without do_sample=True the likeliest token is taken each time, and {names[0]} has no effect.",
            fix("do_sample=True", add_keyword(tree.text, node, "do_sample=True")),
        )


def _is_hf(event: Event, call: ast.Call) -> bool:
    """Whether the call looks like that of transformers and not like another generate: `generate(**inputs)`."""
    own = event.function.node.args.kwarg if event.function is not None else None
    handed_on = own is not None and any(
        one.arg is None and isinstance(one.value, ast.Name) and one.value.id == own.arg
        for one in call.keywords
    )
    names = ("input_ids", "do_sample", "pad_token_id", "attention_mask", *(() if handed_on else ("**",)))
    return any(name in event.kwargs for name in names)
