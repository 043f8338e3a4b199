"""Formatting: the text of values that are plain, as Python itself writes it."""

from __future__ import annotations

import pathlib
import re
import string
from typing import Any

import torch

from ..gate.own import interpreted_class, is_interpreted
from ..unknowns import texts
from ..unknowns.unknown import Lost, Unknown
from .plain import is_plain, is_scalar

_SPEC = re.compile(r"(.?[<>=^])?[-+ ]?z?#?0?(\d{0,4})[,_]?(\.\d{1,4})?[a-zA-Z%]?\Z", re.DOTALL)
_FIELD = re.compile(r"\w*\Z")
_PERCENT = re.compile(r"%(\(\w*\))?[-#0 +]*(\d{0,4})(\.\d{0,4})?[a-zA-Z%]")
_NAMED_ONLY = (torch.Size, torch.dtype, torch.device)
_LONGEST = 200_000


def text_of(value: Any, spec: Any = "", conversion: str = "") -> Any:
    """`f"{value!conversion:spec}"`, or an Unknown."""
    if type(value) is Unknown or type(spec) is not str:
        return texts.text("text of a value")
    if isinstance(value, BaseException):
        value = value.args[0] if len(value.args) == 1 and not isinstance(value, KeyError) else value.args
    if interpreted_class(type(value)) and not spec:
        method: Any = type(value).__str__
        if conversion in ("r", "a") or method is object.__str__:
            method = type(value).__repr__
        return method(value) if is_interpreted(method) else texts.text("text of a value")
    text = shown(value, spec, conversion)
    return texts.text("text of a value") if text is None else text


def shown(value: Any, spec: str = "", conversion: str = "") -> str | None:
    """The text of a plain value; None where it is not known."""
    if isinstance(value, pathlib.PurePath):
        value = str(value)
    if not is_scalar(value) and type(value) not in _NAMED_ONLY and not (is_plain(value) and _short(value)):
        return None
    if conversion:
        value = str(value) if conversion == "s" else repr(value) if conversion == "r" else ascii(value)
    if not spec:
        return str(value)
    if _SPEC.match(spec) is None or type(value) not in (int, float, bool, str):
        return None
    try:
        return format(value, spec)
    except ValueError:
        return None


def _short(value: Any) -> bool:
    """Whether the text of a container stays short."""
    if type(value) is range:
        return True
    parts = [*value, *(value.values() if type(value) is dict else ())]
    return len(parts) <= 1000 and all(
        is_scalar(part) or (type(part) in (list, tuple, dict, set) and _short(part)) for part in parts
    )


def filled(template: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """`template.format(*args, **named)`, where its fields are plain names and numbers."""
    parts: list[str] = []
    number = 0
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return texts.text("text made by str.format")
    for text, field, spec, conversion in fields:
        parts.append(text)
        if field is None:
            continue
        if _FIELD.match(field) is None or "{" in (spec or ""):
            return texts.text("text made by str.format")
        key: Any = field if field else str(number)
        number += not field
        value = (
            args[int(key)] if key.isdecimal() and int(key) < len(args) else named.get(key, Unknown("text"))
        )
        done = shown(value, spec or "", conversion or "")
        if done is None:
            return texts.text("text of a value")
        parts.append(done)
    made = "".join(parts)
    return made if len(made) <= _LONGEST else Unknown("too long a text to follow")


def percent(template: Any, values: Any) -> Any:
    """`template % values`."""
    if type(template) is not str or len(template) > 10_000:
        return texts.text("text of a value")
    given = values if type(values) is tuple else (values,)
    if type(values) is dict:
        given = tuple(values.values())
    rest = _PERCENT.sub("", template)
    if "%" in rest or not all(
        is_scalar(value) or isinstance(value, pathlib.PurePath) or (is_plain(value) and _short(value))
        for value in given
    ):
        return texts.text("text of a value")
    try:
        return template % values
    except (TypeError, ValueError, KeyError) as error:
        raise Lost(f"{type(error).__name__}: {str(error)[:80]}") from error
