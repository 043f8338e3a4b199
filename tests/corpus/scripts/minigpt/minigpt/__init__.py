from .config import GPTConfig, get_config
from .model import GPT

__all__ = ["GPT", "GPTConfig", "get_config"]
__version__ = "0.1"
