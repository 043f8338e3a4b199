"""What each function of torch asks of its inputs where it refuses them."""

from . import layers, shapes, views
from .demand import DEMANDS

__all__ = ["DEMANDS", "layers", "shapes", "views"]
