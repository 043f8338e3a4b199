"""Rules: one file each, found by themselves.

A rule is a module here whose name is the rule's (`_` for `-`), with a function
`check(log, tree) -> Iterator[Finding]`, and a page of the rule's name in `shared-rules/`. With `UNCALLED = True` beside it,
it is asked of functions that nothing calls as well.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache

from ..queries.positional import positional
from ..stale import Stale, look, until
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.one_each import one_each

_log = logging.getLogger(__name__)

LAST = "torch-raises"
"""The rule for whatever torch refuses: silent where another one knows the cause."""

Check = Callable[[Log, Tree], Iterator[Finding]]


@lru_cache(maxsize=1)
def all_rules() -> dict[str, Check]:
    """Every rule by its name."""
    found: dict[str, Check] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        rule_check = getattr(module, "check", None)
        if rule_check is not None:
            found[info.name.replace("_", "-")] = rule_check
    return found


@lru_cache(maxsize=1)
def rules_of_uncalled() -> dict[str, Check]:
    """Those that hold of functions that nothing calls as well: their inputs are made up, what ops do with dims is not."""
    return {
        name: one
        for name, one in all_rules().items()
        if getattr(sys.modules[one.__module__], "UNCALLED", False)
    }


def check(
    log: Log, text: str, tried: Log | None = None, is_stale: Callable[[], bool] = lambda: False
) -> tuple[Finding, ...]:
    """What all rules find in one log, in the order of the file; a place seen in several runs once.

    `tried`: the log with what happened on inputs that were made up, for what cannot depend on them.
    Once `is_stale`, what has not been found yet is left out.
    """
    tree = Tree(text, tried)
    log = positional(log)
    findings: dict[tuple[str, object], Finding] = {}
    asked = [(log, one) for one in all_rules().items()]
    if tree.made_up is not None:
        made_up = positional(tree.made_up)
        asked += [(made_up, one) for one in rules_of_uncalled().items()]
    with suppress(Stale), until(is_stale):
        for asked_of, (name, rule_check) in asked:
            look()
            try:
                for finding in rule_check(asked_of, tree):
                    findings.setdefault((finding.rule, finding.span), finding)
            except Exception:  # one rule that fails costs what it would have found, and nothing else
                _log.exception("rule %s", name)
    explained = {
        span
        for one in findings.values()
        if one.torch_error and one.rule != LAST
        for span in (one.span, *(related.span for related in one.related))
    }
    for one in list(findings.values()):
        if one.rule == LAST and one.span in explained:
            del findings[one.rule, one.span]
    left = one_each(list(findings.values()), log)
    return tuple(sorted(left, key=lambda finding: (finding.span, finding.rule)))
