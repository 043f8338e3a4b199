"""Errors that come of the text as it stands, and not of what it is given: no other inputs can mend them.

A line that is being written has them most often. It costs what it would have bound, and what follows is followed.
"""

from __future__ import annotations

import re
import types
from typing import TYPE_CHECKING, Any

from ..gate.own import is_interpreted

if TYPE_CHECKING:
    from ..run import Env
    from ..sources.modules import Module

_WITH_A_DOT = re.compile(r"(\w+)\.")


def lacks_arguments(error: Exception, env: Env) -> bool:
    """Whether a call that is written with a module or with `self` is not given all that it needs: `F.pad()`, `self.fc()`."""
    if not isinstance(error, TypeError) or "required positional argument" not in str(error):
        return False
    site, top = env.run.site, env.module.env
    rows = env.module.text.split("\n")
    if site is None or top is None or not 0 < site.line <= len(rows):
        return False
    called = _WITH_A_DOT.match(rows[site.line - 1], site.column)
    return called is not None and (
        called[1] == "self" or isinstance(top.names.get(called[1]), types.ModuleType)
    )


def is_nowhere(value: Any, name: str, module: Module) -> bool:
    """Whether an attribute that is not there is one of a module of torch's, or is set nowhere in the text of the object's class."""
    if isinstance(value, types.ModuleType):
        return True
    bases = [base for base in type(value).__mro__ if is_interpreted(base)]
    if not bases or any(base.__module__ != module.alias for base in bases):
        return False
    word = re.escape(name)
    is_set = rf"(?<![.\w]){word}\b|\.{word}\s*(?:[-+*/@|&]?=(?!=)|:|,[^()\n]*=)"
    return re.search(is_set, module.text) is None
