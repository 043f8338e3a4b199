"""Switches of a model between training and evaluation, and which model they reach."""

from __future__ import annotations

from ...program.values import Value, roots, same


def covers(switched: Value | None, model: Value) -> bool:
    """Whether a switch reaches the model: it is the model, or what holds it, or nobody knows what it is."""
    if switched is None or same(switched, model):
        return True
    names = {root.by for root in roots(switched)}
    return bool(names & {"", "given", ".", "for", "item", "[]", "instance"})
