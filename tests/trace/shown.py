"""What is shown of a short text."""

from __future__ import annotations

import textwrap

from shapewise.queries.facts import facts_of
from shapewise.trace import session

TOP = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def values(text: str) -> dict[str, object]:
    """`scope:name` -> what is known of each binding, parameter and return; the last of a name counts."""
    log = session.trace("file.py", TOP + textwrap.dedent(text), {})
    return {f"{fact.scope}:{fact.name}": fact.value for fact in facts_of(log) if fact.kind != "expression"}


def shapes(text: str) -> dict[str, object]:
    """The same with the shape of each."""
    return {name: getattr(value, "shape", None) for name, value in values(text).items()}


def variants(text: str) -> dict[str, list[object]]:
    """The same with the shape of each variant, or the one shape."""
    log = session.trace("file.py", TOP + textwrap.dedent(text), {})
    return {
        f"{fact.scope}:{fact.name}": [getattr(one, "shape", None) for one in fact.variants or (fact.value,)]
        for fact in facts_of(log)
        if fact.kind != "expression"
    }
