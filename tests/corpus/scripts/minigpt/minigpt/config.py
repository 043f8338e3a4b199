from dataclasses import dataclass, replace


@dataclass
class GPTConfig:
    vocab_size: int = 50257
    block_size: int = 1024
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    embd_pdrop: float = 0.1
    resid_pdrop: float = 0.1
    attn_pdrop: float = 0.1


PRESETS = {
    'gpt2': dict(n_layer=12, n_head=12, n_embd=768),
    'gpt-mini': dict(n_layer=6, n_head=6, n_embd=192),
    'gpt-nano': dict(n_layer=3, n_head=3, n_embd=48),
}


def get_config(name: str, **overrides) -> GPTConfig:
    return replace(GPTConfig(**PRESETS[name]), **overrides)
