"""Rules: one file each, found by themselves.

A rule is a module here whose name is the rule's (`_` for `-`), with a function
`check(log, tree) -> Iterator[Finding]`, and a page of the rule's name in `shared-rules/`.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
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
    with suppress(Stale), until(is_stale):
        for name, rule_check in all_rules().items():
            look()
            try:
                for finding in rule_check(log, tree):
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
