"""Hugging Face: models of transformers with the weights of a checkpoint, tokenizers, hubs. Nothing is loaded or sent.

bases        what classes of the file's own are made from in transformers
checkpoints  the configuration of a checkpoint by its name
loaded       `from_pretrained` of models and configurations, `generate`
tokens       tokenizers, and what they make of texts
processors   the same for pictures and sounds
hub          huggingface_hub
"""

from __future__ import annotations

from typing import Any

from . import bases, loaded, processors, tokens
from .hub import HUB

INSTEAD: dict[str, dict[str, Any]] = {
    **bases.INSTEAD,
    "transformers": {**bases.INSTEAD["transformers"], **tokens.TOKENIZERS, **processors.PROCESSORS},
}
"""Members of modules of transformers."""
BASES = bases.BASES
once_loaded = loaded.install
__all__ = ["BASES", "HUB", "INSTEAD", "once_loaded", "prepare"]


def prepare() -> None:
    """Once a process."""
    bases.prepare()
    loaded.prepare()
    tokens.prepare(tokens.Tokenizer, tokens.BatchEncoding, processors.Processor)
