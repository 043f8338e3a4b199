"""`python -I .../shapewise/trace/__main__.py`: the tracer as a process.

Makes the package importable by its place alone: nothing is put on `sys.path`, so that the packages
beside shapewise (another Python's, perhaps) never shadow the user's.
"""

import importlib.util
import os
import sys


def _package() -> None:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "shapewise", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["shapewise"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    if "shapewise" not in sys.modules:
        _package()
    from shapewise.trace.serving import main

    sys.exit(main())
