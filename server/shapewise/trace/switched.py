"""What a program has switched for all that comes after: no name leads from there to what it changes."""

from __future__ import annotations

from typing import Any


class Switched:
    """The switches of one trace. `state` says how they stand."""

    def __init__(self) -> None:
        self.open_names = False
        """Whether `from somewhere import *` may have bound any name."""
        self.gradients = True
        """Whether it is known which tensors have one: no longer once an unknown loss was sent backward."""
        self.asked_for_card = False
        """Whether the file has asked for one."""
        self.several_processes = False
        """Whether the file has joined a group of processes (`torch.distributed`)."""
        self.changed_layers: set[type] = set()
        """Torch's own layers of which the file has replaced a method: what they do is not known from there on."""
        self.replaced: dict[str, dict[int, tuple[Any, Any]]] = {}
        """By name, the classes and modules that are not the file's own and have had that attribute set, by their id, and to what: see `gate.replaced`."""
        self.resized: dict[int, Any] = {}
        """Layers that may have other sizes now, by their id: see `gate.resized`."""

        self.has_unwritten = False
        """Whether a container of layers has one that is being written: see `gate.unwritten`."""
        self.past_unwritten = False
        """Whether what came through such a one is among the values, so that a refusal may come of it."""

    def state(self) -> tuple[Any, ...]:
        """Equal as long as nothing is switched."""
        return (
            self.open_names,
            self.gradients,
            self.asked_for_card,
            self.several_processes,
            len(self.changed_layers) + len(self.resized) + sum(map(len, self.replaced.values())),
            self.has_unwritten,
            self.past_unwritten,
        )
