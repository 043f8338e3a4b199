"""What torch says of its own functions: how they are called, and what they do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

import torch

from ..wall import allowed

_LONGEST = 1500
"""Characters of a docstring that are sent: its first paragraphs."""

_CALL = re.compile(r"\w[\w.]*\([^)]*(?:\([^)]*\)[^)]*)*\)[^\n]*")
_ELSEWHERE = re.compile(r"\s*(?:See|Alias for) :(?:func|meth):`~?([\w.]+)`", re.IGNORECASE)


def documentation(names: Iterable[str]) -> dict[str, list[str]]:
    """By the names of ops in a log: signature (empty if there is none) and docstring without it.

    What is not on the wall's list, or says nothing, is left out.
    """
    found = {}
    for name in names:
        function = _listed(name)
        said = _said(name, function) if function is not None else None
        if said is not None:
            found[name] = list(said)
    return found


def _listed(name: str) -> Any:
    """What goes by a name in the log: a function, a class, of `nn.Linear()` its class, a method of tensors."""
    if name.endswith("()"):
        return _by_name(f"torch.{name.removesuffix('()')}")
    if "." in name:
        return _by_name(name)
    return getattr(torch.Tensor, name, None) if name.isidentifier() and allowed.readable(name) else None


def _by_name(name: str) -> Any:
    return next((function for function, own in allowed.listed() if own == name), None)


def _said(name: str, function: Any) -> tuple[str, str] | None:
    text = getattr(function, "__doc__", None)
    if not isinstance(text, str):
        return None
    text = inspect.cleandoc(text)
    call = _CALL.match(text)
    if call is not None and call[0].count("(") == call[0].count(")"):
        signature, text = call[0].rstrip(" :"), text[call.end() :].strip()
    else:
        signature = _signature(name, function)
    elsewhere = _ELSEWHERE.match(text)
    if elsewhere is not None:
        other = _by_name(elsewhere[1])
        if other is not None and other is not function:
            said = _said(elsewhere[1], other)
            text = said[1] if said is not None else text
    return signature, text[:_LONGEST]


def _signature(name: str, function: Any) -> str:
    if not callable(function):
        return ""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    shown = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    return f"{name.removesuffix('()').rsplit('.', 1)[-1]}{shown}"
