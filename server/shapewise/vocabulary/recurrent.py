"""Torch's recurrent layers, as they are called in a log and in a text."""

from __future__ import annotations

LAYERS = ("nn.RNN", "nn.LSTM", "nn.GRU")
RUN = frozenset(f"{name}()" for name in LAYERS)
"""As ops of a log: one of them was called."""
BUILT = frozenset(f"torch.{name}" for name in LAYERS)
"""As dotted paths of a text: one of them is built."""
