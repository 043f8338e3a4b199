from .fpn import FPN
from .registry import build_model

__all__ = ["FPN", "build_model"]
