"""huggingface_hub: the mixin that models inherit from. Nothing is read, sent or written."""

from __future__ import annotations

from typing import Any

from ...unknowns.unknown import Unknown

_NOT_READ = "what lies on the hub is not read"


class PyTorchModelHubMixin:
    """`huggingface_hub.PyTorchModelHubMixin`: adds loading and saving, and takes part in nothing else.

    Also `ModelHubMixin`, which it inherits from.
    """

    def __init_subclass__(cls, **about: Any) -> None:
        """Takes what the model's card says of it (`repo_url`, `tags`, ...)."""
        super().__init_subclass__()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Takes the arguments of `__init__`, which the real one keeps for the config file."""
        return super().__new__(cls)

    @classmethod
    def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
        """A model whose arguments stand in a file."""
        return Unknown(_NOT_READ)

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Not carried out."""

    def push_to_hub(self, *args: Any, **kwargs: Any) -> Any:
        """Not carried out."""
        return Unknown(_NOT_READ)


def _not_read(*args: Any, **kwargs: Any) -> Any:
    return Unknown(_NOT_READ)


HUB: dict[str, dict[str, Any]] = {
    "huggingface_hub": {
        "PyTorchModelHubMixin": PyTorchModelHubMixin,
        "ModelHubMixin": PyTorchModelHubMixin,
        **dict.fromkeys(("hf_hub_download", "snapshot_download", "upload_folder", "upload_file"), _not_read),
    }
}
