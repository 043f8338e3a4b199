"""The environment variables that the user's Python is started with."""

from __future__ import annotations

import os


def environment() -> dict[str, str]:
    """This process's own, without what steers a Python, and with one thread for torch.

    Fake tensors hold no data: threads would only take the editor's time.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("PYTHON") and name != "__PYVENV_LAUNCHER__"
    }
    return {**kept, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
