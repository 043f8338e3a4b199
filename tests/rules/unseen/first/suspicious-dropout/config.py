from dataclasses import dataclass


@dataclass
class Settings:
    vocab: int = 4000
    dim: int = 50
    width: int = 64
    classes: int = 4
    lr: float = 1e-3
    steps: int = 25
