"""What holds from which version of torch on."""

from __future__ import annotations

import ast
import re

from ...vocabulary.events import Log
from .tree import Tree

_ASKS = re.compile("version|hasattr", re.IGNORECASE)


def at_least(log: Log, major: int, minor: int) -> bool:
    """Whether the file's torch is that version or a later one; True if it is not known."""
    match = re.match(r"(\d+)\.(\d+)", log.torch)
    return match is None or (int(match[1]), int(match[2])) >= (major, minor)


def is_for_older(tree: Tree, node: ast.AST) -> bool:
    """Whether it stands on the way without a newer version, after a question for it: `else` of `if hasattr(...)`."""
    inside = node
    for above in tree.course.places.above(node):
        if isinstance(above, (ast.If, ast.IfExp)) and _ASKS.search(ast.unparse(above.test)):
            if inside is not above.test:
                return True
        inside = above
    return False
