"""What a checkpoint of the Hugging Face hub is, by its name: its configuration and its dtype, and nothing of its weights.

First that of the hub's cache on this disk, which transformers would take, too (`config.json`); else that of a table of the names
that people write most, as their `config.json` on the hub states it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAME = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")
"""A name on the hub: nothing that leads out of the cache."""
_LARGEST = 1_000_000
"""Bytes of a configuration that is read."""
_NOT_OURS = frozenset(("auto_map", "quantization_config", "transformers_version", "architectures"))


@dataclass(frozen=True)
class Checkpoint:
    """`kind`: the `model_type` of transformers. `options`: what its configuration says otherwise than that of the kind by default.

    `dtype`: that of its weights, by torch's name.
    """

    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    own_code: bool = False
    """Whether its model, or how its numbers are packed, is code or a format that is not transformers' own."""


def known(name: Any) -> Checkpoint | None:
    """The checkpoint of this name, None if nobody here knows it, or it lies in a folder."""
    if type(name) is not str or not _NAME.fullmatch(name) or ".." in name:
        return None
    return cached(name) or TABLE.get(_plain(name))


def _plain(name: str) -> str:
    """The name without the organisation that the hub has put old names under."""
    owner, _, rest = name.rpartition("/")
    return rest if owner in _OWNERS and rest in TABLE else name


_OWNERS = frozenset("google-bert distilbert FacebookAI openai-community google-t5 albert".split())


def cached(name: str) -> Checkpoint | None:
    """The checkpoint as it lies in the hub's cache, None if it does not."""
    try:
        folder = _cache() / f"models--{name.replace('/', '--')}"
        revision = (folder / "refs" / "main").read_text("ascii").strip()
        if not re.fullmatch(r"[0-9a-f]{40}", revision):
            return None
        file = folder / "snapshots" / revision / "config.json"
        if file.stat().st_size > _LARGEST:
            return None
        said = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if type(said) is not dict or type(said.get("model_type")) is not str:
        return None
    dtype = said.pop("dtype", None) or said.pop("torch_dtype", None) or "float32"
    own_code = "auto_map" in said or said.get("quantization_config") is not None
    options = {key: value for key, value in said.items() if key not in _NOT_OURS and key != "model_type"}
    return Checkpoint(said["model_type"], options, str(dtype), own_code)


def _cache() -> Path:
    """Where huggingface_hub keeps what it has loaded: https://huggingface.co/docs/huggingface_hub/guides/manage-cache."""
    if "HF_HUB_CACHE" in os.environ:
        return Path(os.environ["HF_HUB_CACHE"])
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("HF_HOME") or Path(home) / "huggingface") / "hub"


def _sizes(hidden: int, layers: int, heads: int, inner: int, **more: Any) -> dict[str, Any]:
    """As BERT and most after it call them."""
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        **more,
    }


def _bert(vocab: int, large: bool = False) -> Checkpoint:
    return Checkpoint("bert", {"vocab_size": vocab, **(_sizes(1024, 24, 16, 4096) if large else {})})


def _roberta(vocab: int = 50_265, kind: str = "roberta", **sizes: Any) -> Checkpoint:
    return Checkpoint(
        kind, {"vocab_size": vocab, "max_position_embeddings": 514, "type_vocab_size": 1, **sizes}
    )


def _deberta(hidden: int, layers: int, heads: int, inner: int) -> Checkpoint:
    relative = {
        "relative_attention": True,
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "type_vocab_size": 0,
        "vocab_size": 128_100,
    }
    return Checkpoint("deberta-v2", _sizes(hidden, layers, heads, inner, **relative))


def _gpt2(width: int, layers: int, heads: int) -> Checkpoint:
    return Checkpoint("gpt2", {"n_embd": width, "n_layer": layers, "n_head": heads})


def _t5(width: int, inner: int, layers: int, heads: int, gated: bool = False) -> Checkpoint:
    sizes = {"d_model": width, "d_ff": inner, "num_layers": layers, "num_heads": heads, "d_kv": 64}
    said = {"decoder_start_token_id": 0, "vocab_size": 32_128}
    newer = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False} if gated else {}
    return Checkpoint("t5", {**sizes, **said, **newer})


def _labels(count: int) -> dict[str, Any]:
    return {"num_labels": count}


def _llama(
    vocab: int, hidden: int, layers: int, heads: int, inner: int, groups: int, tied: bool = False, **more: Any
) -> Checkpoint:
    kind, dtype = more.pop("kind", "llama"), more.pop("dtype", "bfloat16")
    sizes = _sizes(hidden, layers, heads, inner, vocab_size=vocab, num_key_value_heads=groups)
    return Checkpoint(kind, {**sizes, "tie_word_embeddings": tied, **more}, dtype)


def _clip(
    patch: int, text: tuple[int, int, int], vision: tuple[int, int, int, int], joint: int
) -> Checkpoint:
    return Checkpoint(
        "clip",
        {
            "text_config": _sizes(text[0], 12, text[1], text[2], projection_dim=joint),
            "vision_config": _sizes(*vision, patch_size=patch, projection_dim=joint),
            "projection_dim": joint,
        },
    )


def _whisper(width: int, layers: int, heads: int) -> Checkpoint:
    sides = {
        f"{side}_{what}": number
        for side in ("encoder", "decoder")
        for what, number in (("layers", layers), ("attention_heads", heads), ("ffn_dim", 4 * width))
    }
    return Checkpoint("whisper", {"d_model": width, "vocab_size": 51_865, **sides})


_CLIP_B = (512, 8, 2048), (768, 12, 12, 3072), 512
_MINI = {"max_position_embeddings": 512}
TABLE: dict[str, Checkpoint] = {
    "bert-base-uncased": _bert(30_522),
    "bert-base-cased": _bert(28_996),
    "bert-large-uncased": _bert(30_522, large=True),
    "bert-large-cased": _bert(28_996, large=True),
    "bert-base-multilingual-cased": _bert(119_547),
    "bert-base-multilingual-uncased": _bert(105_879),
    "bert-base-chinese": _bert(21_128),
    "distilbert-base-uncased": Checkpoint("distilbert"),
    "distilbert-base-cased": Checkpoint("distilbert", {"vocab_size": 28_996}),
    "distilbert-base-multilingual-cased": Checkpoint("distilbert", {"vocab_size": 119_547}),
    "distilbert-base-uncased-finetuned-sst-2-english": Checkpoint("distilbert", _labels(2)),
    "roberta-base": _roberta(),
    "roberta-large": _roberta(**_sizes(1024, 24, 16, 4096)),
    "distilroberta-base": _roberta(num_hidden_layers=6),
    "xlm-roberta-base": _roberta(250_002, "xlm-roberta"),
    "xlm-roberta-large": _roberta(250_002, "xlm-roberta", **_sizes(1024, 24, 16, 4096)),
    "albert-base-v2": Checkpoint("albert", _sizes(768, 12, 12, 3072, embedding_size=128, vocab_size=30_000)),
    "microsoft/deberta-v3-xsmall": _deberta(384, 12, 6, 1536),
    "microsoft/deberta-v3-small": _deberta(768, 6, 12, 3072),
    "microsoft/deberta-v3-base": _deberta(768, 12, 12, 3072),
    "microsoft/deberta-v3-large": _deberta(1024, 24, 16, 4096),
    "google/electra-small-discriminator": Checkpoint("electra"),
    "google/electra-base-discriminator": Checkpoint("electra", _sizes(768, 12, 12, 3072, embedding_size=768)),
    "sentence-transformers/all-MiniLM-L6-v2": Checkpoint("bert", _sizes(384, 6, 12, 1536, **_MINI)),
    "sentence-transformers/all-MiniLM-L12-v2": Checkpoint("bert", _sizes(384, 12, 12, 1536, **_MINI)),
    "sentence-transformers/paraphrase-MiniLM-L6-v2": Checkpoint("bert", _sizes(384, 6, 12, 1536, **_MINI)),
    "sentence-transformers/all-mpnet-base-v2": Checkpoint("mpnet", {"max_position_embeddings": 514}),
    "gpt2": Checkpoint("gpt2"),
    "gpt2-medium": _gpt2(1024, 24, 16),
    "gpt2-large": _gpt2(1280, 36, 20),
    "gpt2-xl": _gpt2(1600, 48, 25),
    "distilgpt2": _gpt2(768, 6, 12),
    "t5-small": _t5(512, 2048, 6, 8),
    "t5-base": _t5(768, 3072, 12, 12),
    "t5-large": _t5(1024, 4096, 24, 16),
    "google/flan-t5-small": _t5(512, 1024, 8, 6, gated=True),
    "google/flan-t5-base": _t5(768, 2048, 12, 12, gated=True),
    "google/flan-t5-large": _t5(1024, 2816, 24, 16, gated=True),
    "facebook/bart-large": Checkpoint("bart"),
    "facebook/bart-base": Checkpoint(
        "bart",
        {
            "d_model": 768,
            **dict.fromkeys(("encoder_layers", "decoder_layers"), 6),
            **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 12),
            **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 3072),
        },
    ),
    "facebook/opt-125m": Checkpoint("opt", dtype="float16"),
    "google/vit-base-patch16-224": Checkpoint("vit", _labels(1000)),
    "google/vit-base-patch16-224-in21k": Checkpoint("vit"),
    "google/vit-large-patch16-224": Checkpoint("vit", _sizes(1024, 24, 16, 4096, **_labels(1000))),
    "facebook/dinov2-small": Checkpoint(
        "dinov2", {"hidden_size": 384, "num_attention_heads": 6, "image_size": 518}
    ),
    "facebook/dinov2-base": Checkpoint("dinov2", {"image_size": 518}),
    "microsoft/resnet-50": Checkpoint("resnet", _labels(1000)),
    "openai/clip-vit-base-patch32": _clip(32, *_CLIP_B),
    "openai/clip-vit-base-patch16": _clip(16, *_CLIP_B),
    "openai/clip-vit-large-patch14": _clip(14, (768, 12, 3072), (1024, 24, 16, 4096), 768),
    "facebook/wav2vec2-base": Checkpoint("wav2vec2"),
    "facebook/wav2vec2-base-960h": Checkpoint("wav2vec2"),
    "openai/whisper-tiny": _whisper(384, 4, 6),
    "openai/whisper-base": _whisper(512, 6, 8),
    "openai/whisper-small": _whisper(768, 12, 12),
    **dict.fromkeys(
        ("meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-chat-hf"),
        _llama(32_000, 4096, 32, 32, 11_008, 32, dtype="float16"),
    ),
    **dict.fromkeys(
        [
            f"meta-llama/{name}-8B{tuned}"
            for name in ("Meta-Llama-3", "Llama-3.1")
            for tuned in ("", "-Instruct")
        ],
        _llama(128_256, 4096, 32, 32, 14_336, 8),
    ),
    **dict.fromkeys(
        ("meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct"),
        _llama(128_256, 2048, 16, 32, 8192, 8, tied=True, head_dim=64),
    ),
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": _llama(32_000, 2048, 22, 32, 5632, 4),
    **dict.fromkeys(
        (
            "mistralai/Mistral-7B-v0.1",
            "mistralai/Mistral-7B-Instruct-v0.1",
            "mistralai/Mistral-7B-Instruct-v0.2",
        ),
        _llama(32_000, 4096, 32, 32, 14_336, 8, kind="mistral"),
    ),
    **dict.fromkeys(
        ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B-Instruct"),
        _llama(151_936, 896, 24, 14, 4864, 2, tied=True, kind="qwen2"),
    ),
    **dict.fromkeys(
        ("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-1.5B-Instruct"),
        _llama(151_936, 1536, 28, 12, 8960, 2, tied=True, kind="qwen2"),
    ),
    **dict.fromkeys(
        ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct"),
        _llama(152_064, 3584, 28, 28, 18_944, 4, kind="qwen2"),
    ),
    "Qwen/Qwen3-0.6B": _llama(151_936, 1024, 28, 16, 3072, 8, tied=True, kind="qwen3", head_dim=128),
    **dict.fromkeys(
        ("HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"),
        _llama(49_152, 576, 30, 9, 1536, 3, tied=True),
    ),
}
"""By their names on https://huggingface.co, those of old without the organisation."""
