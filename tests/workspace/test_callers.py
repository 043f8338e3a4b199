"""Which programs of the workspace use a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shapewise.workspace.callers import Callers
from shapewise.workspace.project import Project


@pytest.fixture
def callers(tmp_path):
    """Lay out files and ask who uses one of them: paths below the workspace, in order."""
    opened: dict[str, str] = {}
    asked = Callers(Project([str(tmp_path)], opened=opened.get))

    def ask(of: str, files: dict[str, str] | None = None, editor: dict[str, str] | None = None) -> list[str]:
        for name, text in (files or {}).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        opened.clear()
        opened.update({str(tmp_path / name): text for name, text in (editor or {}).items()})
        return [os.path.relpath(source.path, tmp_path) for source in asked.of(str(tmp_path / of), 9)]

    return ask


def test_what_imports_it_in_any_way_and_does_something(callers):
    uses = {
        "one.py": "import net\nnet.run()\n",
        "two.py": "from net import Net as N\nn = N()\n",
        "three.py": "from other import (\n    x,\n)\nimport os, net as m\nfor _ in range(3):\n    m.run()\n",
        "four.py": "def f():\n    from net import Net\n    return Net()\n\nif __name__ == '__main__':\n    f()\n",
        "defines.py": "from net import Net\n\nclass Other(Net):\n    pass\n",
        "elsewhere.py": "from torch import net\nnet.run()\n",
        "says.py": "print('import net')\n",
        "other.py": "x = 1\n",
    }
    found = callers("net.py", {"net.py": "def run(): pass\nclass Net: pass\n", **uses})
    assert set(found) == {"one.py", "two.py", "three.py", "four.py"}
    assert found[-1] == "two.py"  # only makes something


def test_through_packages_and_relative_imports(callers):
    files = {
        "pkg/__init__.py": "from .models import Net\n",
        "pkg/models/__init__.py": "from .net import Net\n",
        "pkg/models/net.py": "class Net: pass\n",
        "pkg/train.py": "from . import models\nmodels.Net()\n",
        "pkg/net.py": "from . import other\nother.go()\n",
        "scripts/run.py": "import pkg\npkg.Net()\n",
        "scripts/apart.py": "import torch\ntorch.zeros(1)\n",
    }
    assert callers("pkg/models/net.py", files) == ["pkg/train.py", "scripts/run.py"]


def test_the_nearest_comes_first(callers):
    files = {
        "a/far.py": "import lib.net\nlib.net.f()\n",
        "lib/net.py": "def f(): pass\n",
        "lib/near.py": "import net\nnet.f()\n",
    }
    assert callers("lib/net.py", files) == ["lib/near.py", "a/far.py"]


def test_environments_and_hidden_folders_are_left_out(callers):
    use = "import net\nnet.f()\n"
    files = {
        "net.py": "def f(): pass\n",
        ".hidden/a.py": use,
        "venv/b.py": use,
        "mine/pyvenv.cfg": "",
        "mine/c.py": use,
        "node_modules/d.py": use,
    }
    assert callers("net.py", files) == []


def test_the_editor_counts_more_than_the_disk(callers):
    files = {"net.py": "def f(): pass\n", "main.py": "import net\nnet.f()\n"}
    assert callers("net.py", files, {"main.py": "import os\nos.getcwd()\n"}) == []
    assert callers("net.py", {"new.py": ""}, {"new.py": "import net\nnet.f()\n"}) == ["main.py", "new.py"]
    assert callers("net.py", {"main.py": "import net\n"}) == []


def test_notebooks(callers):
    cell = {"cell_type": "code", "source": ["import net\n", "net.f()"], "metadata": {}, "outputs": []}
    book = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    assert callers("net.py", {"net.py": "def f(): pass\n", "try.ipynb": book}) == ["try.ipynb"]


def test_what_does_not_parse_or_cannot_be_read_uses_nothing(callers, tmp_path):
    files = {"net.py": "def f(): pass\n", "broken.py": "import net\nnet.f(\n"}
    (tmp_path / "bytes.py").write_bytes(b"import net\n\xff\xfe\0")
    assert callers("net.py", files) in ([], ["broken.py"])


def test_a_file_outside_any_project_has_its_neighbours(tmp_path):
    (tmp_path / "net.py").write_text("def f(): pass\n")
    (tmp_path / "main.py").write_text("import net\nnet.f()\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "main.py").write_text("import net\nnet.f()\n")
    found = Callers(Project()).of(str(tmp_path / "net.py"), 9)
    assert [Path(source.path).name for source in found] == ["main.py"]


def test_folders_that_are_asked_for(tmp_path):
    for name, text in {
        "models/net.py": "def f(): pass\n",
        "runs/go.py": "import net\nnet.f()\n",
        "runs/apart.py": "import os\nos.getcwd()\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    asked = Callers(Project([], [str(tmp_path / "models"), str(tmp_path / "runs")]))
    found = asked.of(str(tmp_path / "models" / "net.py"), 9)
    assert [Path(source.path).name for source in found] == ["go.py"]


def test_a_script_that_adds_a_folder_to_its_path(callers):
    change = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parents[1] / 'models'))\n"
    files = {
        "models/net.py": "def f(): pass\n",
        "runs/go.py": f"{change}import net\nnet.f()\n",
        "runs/without.py": "import net\nnet.f()\n",
    }
    assert callers("models/net.py", files) == ["runs/go.py"]
