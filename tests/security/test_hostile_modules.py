"""Modules that the opened file imports are as harmless as the file itself, whatever is in them."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.queries.files import happened_in
from shapewise.repair import repair
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import TensorFact
from shapewise.workspace.project import Imports, Project, Refused

pytestmark = pytest.mark.slow

ATTACK = """
import os, sys
open("@MARKER@", "w")
os.system("touch @MARKER@")
def entry(x):
    open("@MARKER@", "w")
    return x
class Meta(type):
    def __prepare__(*args): open("@MARKER@", "w"); return {}
class Thing(metaclass=Meta): pass
def __getattr__(name):
    __builtins__["open"]("@MARKER@", "w")
    __import__("os").system("touch @MARKER@")
"""
FRAME = "import torch\nbefore = torch.zeros(2, 3)\n{}\nafter = torch.zeros(3)\n"


@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def tracer(loop):
    tracer = TracerProcess(sys.executable, limit=15)
    loop.run_until_complete(tracer.start())
    yield tracer
    loop.run_until_complete(tracer.close())


@pytest.fixture
def opened(tmp_path, tracer, loop):
    """Trace a file among others; its marker must not appear, its own lines must have their facts."""
    marker = tmp_path / "marker"

    def trace(files: dict[str, str], body: str) -> Log:
        for name, text in {**files, "main.py": FRAME.format(body)}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("@MARKER@", str(marker)), encoding="utf-8")
        tracer.project = Project([str(tmp_path)])
        main = tmp_path / "main.py"
        log = loop.run_until_complete(tracer.trace(str(main), repair(main.read_text())))
        facts = facts_of(happened_in(log, str(main)))
        shapes = {f.name: f.value.shape for f in facts if isinstance(f.value, TensorFact)}
        assert not marker.exists()
        assert (shapes.get("before"), shapes.get("after")) == ((2, 3), (3,)), log.notes
        return log

    return trace


@pytest.mark.parametrize(
    "body",
    [
        "import evil",
        "from evil import *\nx = entry(before)",
        "import evil\nx = evil.entry(before)\ny = evil.anything",
        "import evil\nevil.__builtins__['open']('@MARKER@', 'w')",
        "from evil import __builtins__ as b\nb['open']('@MARKER@', 'w')",
        "from evil import os\nos.system('touch @MARKER@')",
        "import evil\nevil.__dict__['__builtins__']['open']('@MARKER@', 'w')",
        "import evil\nvars(evil)['__builtins__']['open']('@MARKER@', 'w')",
        "import evil\nevil.__loader__.get_data('x')\nevil.__spec__.loader.exec_module(evil)",
        "import importlib\nimportlib.import_module('evil').entry(before)\nimportlib.reload(importlib)",
        "import importlib.util\ns = importlib.util.spec_from_file_location('evil', 'evil.py')\n"
        "m = importlib.util.module_from_spec(s)\ns.loader.exec_module(m)",
        "import sys\nsys.modules['os'] = sys.modules['evil'] = 3\nimport evil",
        "import sys, evil\nsys.modules['__shapewise_file__'].open('@MARKER@', 'w')",
        "import sys\nclass M:\n    def __getattr__(self, n): return open\nsys.modules['m'] = M()\nfrom m import x\nx('@MARKER@', 'w')",
        "import evil\nevil.before = before\nevil.__name__ = 'torch'\nevil.os.system('touch @MARKER@')",
    ],
)
def test_a_hostile_module(opened, body):
    opened({"evil.py": ATTACK}, body.replace("@MARKER@", "marker"))


def test_a_hostile_package(opened):
    opened(
        {"bad/__init__.py": ATTACK + "from . import inner\n", "bad/inner.py": ATTACK},
        "import bad.inner\nx = bad.inner.entry(before)",
    )


@pytest.mark.parametrize(
    "name", ["torch", "numpy", "sitecustomize", "os", "sys", "builtins", "encodings", "math", "json"]
)
def test_a_module_of_a_well_known_name(opened, name):
    opened({f"{name}.py": ATTACK}, f"import {name}\nfrom {name} import *")


@pytest.mark.parametrize(
    "body",
    [
        "from ....... import secret",
        "from .......etc.passwd import root",
        "import importlib\nx = importlib.import_module('../secret')\ny = importlib.import_module('.secret', '..')",
        "import importlib\nx = importlib.import_module('/etc/passwd')\ny = importlib.import_module('a\\0b')",
        "import importlib\nx = importlib.import_module('.' * 100000 + 'a', 'b')",
        "__path__ = ['/']\n__package__ = '/'\nfrom . import etc\nfrom .etc import passwd",
    ],
)
def test_names_that_try_to_climb(opened, body):
    assert opened({}, body).files == ()


def test_imports_without_end(opened):
    files = {f"m{i}.py": f"import m{i + 1}\nx = [0] * 1000\n" for i in range(1000)}
    assert len(opened(files, "import m0").files) < 900


def test_modules_that_do_nothing_but_take_time(opened):
    opened({"slow.py": "i = 0\nwhile True:\n    i += 1\n"}, "import slow")
    opened({"deep.py": "def f(n):\n    return f(n + 1)\nf(0)\n"}, "import deep")
    opened({"wide.py": "import wide\nfrom wide import *\nx = " + "(" * 300 + ")" * 300 + "\n"}, "import wide")


def test_files_that_are_no_modules(opened, tmp_path):
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0" * 100)
    (tmp_path / "latin.py").write_bytes(b"x = '\xff\xfe'\n")
    (tmp_path / "claims.py").write_bytes(b"# coding: rot13\nvzcbeg bf\n")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "huge.py").write_text("x = 1\n" * 400_000)
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "ring").symlink_to(tmp_path)
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.py")
    names = "binary latin claims folder huge loop dangling pipe ring.ring.ring.main"
    opened({}, "\n".join(f"import {name}" for name in names.split()))


def test_only_names_lead_to_files(tmp_path):
    (tmp_path / "secret.py").write_text("x = 1\n")
    (tmp_path / "work").mkdir()
    main = tmp_path / "work" / "main.py"
    main.write_text("")
    imports = Imports(Project([str(main.parent)]), str(main), "")
    for name in ("../secret", "..secret", "/etc/passwd", "", ".", "secret.py", "a b", "\0", "work/../secret"):
        assert imports.find(name, []) in (None,) or isinstance(imports.find(name, []), Refused)
    assert not isinstance(imports.find("secret", []), Path)
