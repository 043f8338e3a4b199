"""What is said of made-up inputs, held against a real run with sizes that nobody made up."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

import torch

from shapewise.queries.facts import facts_of
from shapewise.trace import session


def said(text: str) -> dict[str, Any]:
    """`scope:name` -> the shape of each binding, parameter and return; the last of a name counts."""
    log = session.trace("file.py", textwrap.dedent(text), {})
    return {
        f"{fact.scope}:{fact.name}": getattr(fact.value, "shape", None)
        for fact in facts_of(log)
        if fact.kind != "expression"
    }


def really(text: str, scope: str, run: Any) -> dict[str, Any]:
    """The locals of a function when it returns, and what it returns, in a real run."""
    names: dict[str, Any] = {}
    code = compile(textwrap.dedent(text), "<really>", "exec")
    exec(code, names)
    found: dict[str, Any] = {}

    def watch(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename == "<really>" and frame.f_code.co_qualname == scope:
            if event == "return":
                found.update(frame.f_locals, **{"<return>": arg})
            return watch
        return None

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        run(names)
    finally:
        sys.settrace(before)
    return found


def holds(text: str, scope: str, run: Any, words: dict[str, int], at_least: int) -> None:
    """Each shape that is said of a function is that of a real run, with these numbers for the words."""
    stated, real = said(text), really(text, scope, run)
    seen = 0
    for place, shape in stated.items():
        where, name = place.split(":")
        value = real.get(name)
        if where != scope or shape is None or not isinstance(value, torch.Tensor):
            continue
        integers = {key: one for key, one in real.items() if type(one) is int}
        sizes = [eval(str(dim), {}, {**words, **integers}) for dim in shape]
        assert sizes == list(value.shape), f"{place} said {shape}, really {tuple(value.shape)}"
        seen += 1
    assert seen >= at_least, stated
