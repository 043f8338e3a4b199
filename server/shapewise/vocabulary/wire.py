"""Frozen data to JSON and back, and the framing of messages between server and tracer.

A tuple becomes `[0, ...]`, a dataclass `[its number, fields...]`; a dataclass met again (the same
object) becomes `[-1, index]`, which keeps a log of shared values small and quick to read.
Messages are framed as in LSP: a `Content-Length` header in bytes, a blank line, JSON.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from . import events, facts, findings, layers, span

PROTOCOL = 1
MAGIC = b"shapewise-tracer 1\n"
"""Printed first by the tracer: whatever a login shell says before it is discarded."""

RESIZES = "it changes the sizes of layers"
"""How the reason ends why a package is not followed that has what it is given in other sizes after it."""

_CLASSES: tuple[type, ...] = (
    span.Span,
    events.Tensor,
    events.Unknown,
    events.Scalar,
    events.Group,
    events.Other,
    events.Frame,
    events.Modes,
    events.Bound,
    events.Failure,
    events.Op,
    events.Log,
    facts.TensorFact,
    facts.GroupFact,
    facts.Fact,
    findings.Edit,
    findings.Fix,
    findings.Related,
    findings.Finding,
    layers.LayerCall,
    layers.Step,
    layers.Measured,
    events.Weights,
)
_PLAIN = frozenset((type(None), int, float, str, bool))
_NUMBERS = {cls: number for number, cls in enumerate(_CLASSES, start=1)}
_FIELDS = {
    cls: span.Span._fields if cls is span.Span else tuple(field.name for field in fields(cls))
    for cls in _CLASSES
}


def encode(value: Any) -> Any:
    """The JSON form of frozen data. Raises TypeError for anything that is not vocabulary."""
    return _encoded(value, {})


def _encoded(item: Any, seen: dict[int, int]) -> Any:
    kind = type(item)
    if kind in _PLAIN:
        return item
    if kind is tuple:
        return [0, *[one if type(one) in _PLAIN else _encoded(one, seen) for one in item]]
    number = _NUMBERS.get(kind)
    if number is None:
        raise TypeError(f"{kind.__name__} has no form on the wire")
    known = seen.get(id(item))
    if known is not None:
        return [-1, known]
    row = [number]
    for name in _FIELDS[kind]:
        one = getattr(item, name)
        row.append(one if type(one) in _PLAIN else _encoded(one, seen))
    seen[id(item)] = len(seen)  # numbered after its fields, in the order decode finishes them
    return row


def decode(form: Any) -> Any:
    """What `encode` was given. Raises ValueError for a form it never makes."""
    try:
        return _decoded(form, [])
    except (IndexError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"not a form of the wire: {error}") from error


def _decoded(item: Any, seen: list[Any]) -> Any:
    # No function inside `decode`: one that calls itself is a cycle, and would keep every log until garbage is looked for.
    if type(item) is not list:
        return item
    number = item[0]
    if number == -1:
        return seen[item[1]]
    parts = [_decoded(one, seen) if type(one) is list else one for one in item[1:]]
    if number == 0:
        return tuple(parts)
    value = _CLASSES[number - 1](*parts)
    seen.append(value)
    return value


def frame_message(message: dict[str, Any]) -> bytes:
    """One message with its header, ready to be written."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def content_length(header: bytes) -> int:
    """The length that a header block announces. Raises ValueError if it announces none."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    raise ValueError("a message without Content-Length")
