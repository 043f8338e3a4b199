"""Where imports lead, held against Python's own path finder where that knows."""

from __future__ import annotations

import importlib.machinery
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapewise.source import Source
from shapewise.workspace.packages import is_followed
from shapewise.workspace.project import Module, Project, Refused
from shapewise.workspace.reach import mentions


@pytest.fixture
def tree(tmp_path):
    def make(*names: str, **texts: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {name}\n")
        return tmp_path

    return make


def found(
    folder: Path, script: str, name: str, library: tuple[str, ...] = (), roots: tuple[str, ...] = (".",)
) -> str | None:
    """The module's path below the folder; a word of why it is refused; None."""
    project = Project([str(folder / root) for root in roots])
    path = folder / script
    module = project.imports(str(path), path.read_text() if path.exists() else "").find(
        name, [str(folder / one) for one in library]
    )
    if isinstance(module, Refused):
        return "refused"
    return None if module is None else os.path.relpath(module.file, folder) if module.file else "namespace"


@pytest.mark.parametrize(
    "files",
    [
        ["thing.py"],
        ["thing/__init__.py", "thing.py"],
        ["lib/thing.py", "thing/data.txt"],
        ["thing/inner.py"],
        ["lib/thing/__init__.py", "thing.py"],
        ["lib/thing/__init__.py", "thing/inner.py"],
    ],
    ids=" ".join,
)
def test_as_python_finds_it(tree, files):
    folder = tree("main.py", *files)
    spec = importlib.machinery.PathFinder.find_spec("thing", [str(folder), str(folder / "lib")])
    where = found(folder, "main.py", "thing", ("lib",))
    assert where == ("namespace" if spec.origin is None else os.path.relpath(spec.origin, folder))


@pytest.mark.parametrize(
    ("script", "name", "where"),
    [
        ("tools/train.py", "net", "net.py"),  # run from the root of the project
        ("tools/train.py", "helper", "tools/helper.py"),
        ("tools/train.py", "pkg.core", "src/pkg/core.py"),
        ("src/pkg/core.py", "pkg.util", "src/pkg/util.py"),
        ("src/pkg/core.py", "util", "src/pkg/util.py"),  # run as a script
        ("tools/train.py", "absent", None),
        ("tools/train.py", "pkg.absent", None),
    ],
)
def test_a_project_with_a_src_layout(tree, script, name, where):
    folder = tree(
        "pyproject.toml",
        "net.py",
        "tools/train.py",
        "tools/helper.py",
        "src/pkg/__init__.py",
        "src/pkg/core.py",
        "src/pkg/util.py",
    )
    assert found(folder, script, name, roots=()) == where


def test_the_package_of_a_file(tree):
    folder = tree("proj/a/__init__.py", "proj/a/b/__init__.py", "proj/a/b/c.py", "loose/x/y.py")
    project = Project([str(folder)])
    assert project.imports(str(folder / "proj/a/b/c.py"), "").package == "a.b"
    assert project.imports(str(folder / "loose/x/y.py"), "").package == ""
    assert project.imports(str(folder / "loose/x/y.py"), "from .z import q\n").package == "loose.x"


def test_what_is_the_user_s_own(tree):
    folder = tree("main.py", "net.py", ".venv/lib/site-packages/dep/__init__.py", "elsewhere/more.py")
    project = Project([str(folder)], asked=[])
    imports = project.imports(str(folder / "main.py"), "")
    library = [str(folder / ".venv/lib/site-packages")]
    net, dep = imports.find("net", library), imports.find("dep", library)
    assert isinstance(net, Module) and net.own
    assert isinstance(dep, Module) and not dep.own
    asked = Project([], asked=library).imports(str(folder / "main.py"), "").find("dep", ())
    assert isinstance(asked, Module) and asked.own


def test_what_is_open_in_the_editor_counts(tree):
    folder = tree("main.py", "net.py")
    opened = {str(folder / "net.py"): "x = 2\r\n", str(folder / "new.py"): "y = (\n"}
    imports = Project([str(folder)], opened=opened.get).imports(str(folder / "main.py"), "")
    assert imports.find("net", ()).text == "x = 2\n"
    assert imports.find("new", ()).broken
    opened.clear()
    again = Project([str(folder)], opened=opened.get).imports(str(folder / "main.py"), "")
    assert again.find("new", ()) is None


def test_a_module_that_is_not_python(tree):
    folder = tree("main.py", "lib/fast.cpython-311-x86_64-linux-gnu.so", "lib/mixed.abi3.so", "lib/mixed.py")
    assert found(folder, "main.py", "fast", ("lib",)) == "refused"
    assert found(folder, "main.py", "mixed", ("lib",)) == "lib/mixed.py"


def test_which_packages_are_followed(tmp_path):
    def package(name: str, modules: int, torch: int, size: int = 100, native: bool = False) -> str:
        folder = tmp_path / name
        folder.mkdir()
        for number in range(modules):
            head = "import torch\n" if number < torch else ""
            (folder / f"m{number}.py").write_text(head + "#" * size)
        if native:
            (folder / "core.so").write_bytes(b"")
        return str(folder)

    assert is_followed(package("nets", 300, 150))
    assert is_followed(package("small", 10, 0))
    assert not is_followed(package("frames", 300, 3))
    assert not is_followed(package("compiled", 10, 0, native=True))
    assert not is_followed(package("tables", 20, 0, size=100_000))
    assert not is_followed(str(tmp_path / "absent"))


def test_whether_a_file_leads_to_torch(tree):
    folder = tree("main.py", "a.py", "pkg/__init__.py", "pkg/b.py", "pkg/c.py", "ring.py")
    (folder / "a.py").write_text("import ring, pkg.b\n")
    (folder / "ring.py").write_text("import a\n")
    (folder / "pkg" / "b.py").write_text("from . import c\n")
    project = Project([str(folder)])
    main = str(folder / "main.py")
    assert not mentions(project, Source(main, "from a import x\n"), "torch")
    (folder / "pkg" / "c.py").write_text("import torch\n")
    assert mentions(project, Source(main, "from a import x\n"), "torch")
    assert not mentions(project, Source(main, "import os, nothing\n"), "torch")


@pytest.mark.slow
def test_the_command_line_tells_facts_of_the_files_around(tree):
    folder = tree("proj/pyproject.toml", "proj/main.py", "far/lib/far.py")
    (folder / "proj" / "net.py").write_text("def double(x):\n    y = x * 2\n    return y\n")
    (folder / "far" / "lib" / "far.py").write_text("def halve(x):\n    h = x / 2\n    return h\n")
    (folder / "proj" / "main.py").write_text(
        "import torch\nfrom net import double\nfrom far import halve\nz = halve(double(torch.zeros(2)))\n"
    )
    command = [sys.executable, "-m", "shapewise", "facts", "--json", "--interpreter", sys.executable]
    done = subprocess.run(
        [*command, "--root", str(folder / "far" / "lib"), "main.py"],
        cwd=folder / "proj",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    facts = json.loads(done.stdout)["facts"]
    said = {
        (os.path.basename(f.get("file", "main.py")), f["name"]): f["shape"]
        for f in facts
        if f["kind"] == "binding"
    }
    assert said == {("main.py", "z"): [2], ("net.py", "y"): [2], ("far.py", "h"): [2]}


@pytest.mark.slow
def test_what_fails_is_found_where_it_stands(tree):
    folder = tree("pyproject.toml")
    (folder / "own.py").write_text("def flat(x):\n    return x.mT.view(-1)\n")
    (folder / "main.py").write_text("import torch, own\nx = own.flat(torch.zeros(2, 3))\n")
    command = [sys.executable, "-m", "shapewise", "check", "--interpreter", sys.executable]
    for paths in (["main.py"], ["."]):
        done = subprocess.run(
            [*command, "--output-format", "json", *paths],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert [(f["file"], f["line"]) for f in json.loads(done.stdout)] == [("own.py", 2)]
        assert done.returncode == 1
