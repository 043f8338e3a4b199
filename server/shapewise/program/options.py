"""How options of the command line are named."""

from __future__ import annotations

from collections.abc import Sequence

from .values import Value


def option_names(args: Sequence[Value]) -> list[str]:
    """The names under which an option that is declared so is read; the one that holds first: `--learning-rate`."""
    names = [one.const for one in args if isinstance(one.const, str) and one.const]
    bare = [one for one in names if not one.startswith("-")]
    long = [one for one in names if one.startswith("--")]
    return [one.lstrip("-").replace("-", "_") for one in (*bare, *long, *names)]
