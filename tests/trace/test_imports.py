"""Programs of several files: what Python itself makes of their imports is what the trace must say."""

from __future__ import annotations

import runpy
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from shapewise.host.needs import module_for
from shapewise.queries.facts import facts_of
from shapewise.queries.files import files_of, happened_in, seen_from
from shapewise.repair import repair
from shapewise.rules import check
from shapewise.trace.sources import modules
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import TensorFact
from shapewise.workspace.project import Project

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.layer = nn.Linear(3, width)

    def forward(self, x):
        hidden = self.layer(x)
        return hidden.relu()
"""


class World:
    """A folder with files, traced in this process from one of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages: list[str] = []
        self.asked: list[str] = []
        self.needs: list[str] = []

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")

    def trace(self, name: str = "main.py") -> Log:
        from shapewise.trace import session
        from shapewise.trace.wall.audit import Asleep

        path = self.folder / name
        repaired = repair(path.read_text(encoding="utf-8"))
        imports = Project([str(self.folder)], self.asked).imports(str(path), repaired.text)

        def exchange(need):
            self.needs.append(need["name"])
            with Asleep():  # the host, which reads files, is another process
                return module_for(need, imports, self.packages)

        sources = session.Sources(exchange, imports.package, imports.beside)
        return session.trace(
            str(path), repaired.text, {b.span.line: b.names for b in repaired.broken}, sources
        )

    def shapes(self, log: Log, file: str = "main.py") -> dict[str, object]:
        """Name -> shape of the tensors bound in a file, those of its last bindings."""
        facts = facts_of(happened_in(log, str(self.folder / file)))
        return {
            fact.name: fact.value.shape
            for fact in facts
            if fact.kind in ("binding", "parameter") and isinstance(fact.value, TensorFact)
        }

    def reality(self, name: str = "main.py") -> dict[str, object]:
        """Name -> shape of the tensors at the top level when Python runs the file."""
        before, path = dict(sys.modules), list(sys.path)
        sys.path[:0] = [str(self.folder), *self.packages]
        sys.dont_write_bytecode = True
        for own in self.folder.iterdir():
            sys.modules.pop(own.stem, None)
        try:
            names = runpy.run_path(str(self.folder / name))
        finally:
            sys.path[:] = path
            sys.modules.clear()
            sys.modules.update(before)
        return {
            n: tuple(v.shape)
            for n, v in names.items()
            if isinstance(v, torch.Tensor) and not n.startswith("_")
        }


@pytest.fixture
def world(tmp_path, trace) -> World:
    return World(tmp_path)


@pytest.fixture
def agree(world) -> Callable[[dict[str, str]], Log]:
    """The trace of a program says of every tensor of `main.py` what Python says."""

    def check(files: dict[str, str]) -> Log:
        world.write(files)
        real = world.reality()
        assert real
        log = world.trace()
        assert world.shapes(log) == real
        return log

    return check


def test_a_module_beside_the_script(agree, world):
    log = agree(
        {"model.py": MODEL, "main.py": "import torch\nfrom model import Net\ny = Net()(torch.zeros(2, 3))\n"}
    )
    assert world.shapes(log, "model.py") == {"x": (2, 3), "hidden": (2, 5)}


@pytest.mark.parametrize(
    "text",
    [
        "import pkg\ny = pkg.Net()(x)",
        "import pkg.deep.model\ny = pkg.deep.model.Net()(x)",
        "import pkg.deep.model as m\ny = m.Net()(x)",
        "from pkg import deep\ny = deep.model.Net()(x)",
        "from pkg.deep import model as m, WIDTH\ny = m.Net(WIDTH)(x)",
        "from pkg.deep.model import Net as N\ny = N()(x)",
        "from pkg import *\ny = Net()(x)\nz = helper(y)",
        "import importlib\nm = importlib.import_module('pkg.deep.model')\ny = m.Net()(x)",
        "import importlib\nm = importlib.import_module('.deep.model', package='pkg')\ny = m.Net()(x)",
        "def f():\n    from pkg.deep.model import Net\n    return Net()(x)\ny = f()",
        "from pkg.space.part import double\ny = double(x)",
        "try:\n    from pkg.absent import Net\nexcept ImportError:\n    from pkg import Net\ny = Net()(x)",
        "try:\n    import absent_altogether\nexcept ModuleNotFoundError:\n    y = x[0]",
        "try:\n    from pkg import nothing\nexcept ImportError:\n    y = x[0]",
        "import pkg\ny = getattr(pkg, 'Net')(pkg.__dict__['WIDE'])(x)",
        "import pkg\npkg.SCALE = 4\ny = pkg.scaled(x)",
    ],
)
def test_every_way_to_import(agree, text):
    agree(
        {
            "pkg/__init__.py": """
            from .deep.model import Net
            from . import tools
            from .tools import helper
            __all__ = ["Net", "helper"]
            WIDE, SCALE = 9, 2
            def scaled(x):
                return x.repeat(SCALE, 1)
            """,
            "pkg/tools.py": """
            from .deep import WIDTH
            def helper(x):
                return x[None, ..., :WIDTH]
            """,
            "pkg/deep/__init__.py": "WIDTH = 4\nfrom . import model\n",
            "pkg/deep/model.py": MODEL,
            "pkg/space/part.py": "from ..tools import helper\ndef double(x):\n    return helper(x)[0].repeat(2, 1)\n",
            "main.py": f"import torch\nx = torch.zeros(2, 3)\n{text}\n",
        }
    )


def test_circles_meet_half_made_modules(agree):
    agree(
        {
            "a.py": "A = 3\nimport b\ndef make(x):\n    return b.wide(x)[..., :A]\nB = b.SEEN\n",
            "b.py": "import a\nSEEN = a.A + hasattr(a, 'make')\ndef wide(x):\n    return x.repeat(1, a.B)\n",
            "main.py": "import torch\nimport a\ny = a.make(torch.zeros(2, 4))\nz = torch.zeros(a.B)\n",
        }
    )


def test_names_that_are_made_on_demand(agree):
    agree(
        {
            "lazy/__init__.py": """
            import importlib
            _WHERE = {"Net": "model", "WIDTH": "sizes"}
            def __getattr__(name):
                if name in _WHERE:
                    return getattr(importlib.import_module("." + _WHERE[name], __name__), name)
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
            """,
            "lazy/model.py": MODEL,
            "lazy/sizes.py": "WIDTH = 7\n",
            "main.py": """
            import torch
            import lazy
            from lazy import Net
            y = Net(lazy.WIDTH)(torch.zeros(2, 3))
            z = torch.zeros(1 + hasattr(lazy, "nothing"))
            """,
        }
    )


def test_every_module_has_its_own_globals(agree):
    agree(
        {
            "counter.py": "n = 1\ndef more():\n    global n\n    n += 1\n    return n\ndef missing():\n    return len(globals())\n",
            "main.py": """
            import torch, counter
            n = 10
            def f():
                return n
            a = torch.zeros(counter.more(), counter.more(), counter.n, f())
            b = torch.zeros(2) if "a" not in vars(counter) else None
            c = torch.zeros(2, int("n" in counter.__dict__))
            """,
        }
    )


def test_names_of_the_script_are_not_the_module_s(world):
    world.write(
        {
            "other.py": "def f():\n    return secret\n",
            "main.py": "import torch, other\nsecret = torch.zeros(3)\ny = other.f()\nz = secret + 1\n",
        }
    )
    assert world.shapes(world.trace()) == {"secret": (3,), "z": (3,)}


def test_a_module_of_the_library_s_name_beside_the_script_wins(agree):
    agree(
        {"colorsys.py": "SIZE = 6\n", "main.py": "import torch, colorsys\ny = torch.zeros(colorsys.SIZE)\n"}
    )


def test_a_module_is_interpreted_once(agree, world):
    agree(
        {
            "once.py": "made = []\n",
            "a.py": "import once\nonce.made.append(1)\n",
            "b.py": "from once import made\nmade.append(2)\n",
            "main.py": "import torch, a, b, a as c\nfrom once import made\ny = torch.zeros(len(made), 2)\n",
        }
    )
    assert len(world.needs) == len(set(world.needs))


def test_a_broken_module_gives_what_still_parses(world):
    world.write(
        {
            "half.py": MODEL + "\nx = foo(\n\ndef g(t):\n    return t.mT\n",
            "main.py": "import torch, half\ny = half.Net()(torch.zeros(2, 3))\nz = half.g(y)\n",
        }
    )
    assert world.shapes(world.trace()) == {"y": (2, 5), "z": (5, 2)}


def test_an_import_on_one_way_of_an_unknown_condition(world):
    world.write(
        {
            "model.py": MODEL,
            "main.py": """
            import torch
            x = torch.zeros(2, 3)
            if x.sum() > 0:
                from model import Net
            else:
                from model import Net
            y = Net()(x)
            """,
        }
    )
    assert world.shapes(world.trace())["y"] == (2, 5)


def test_nothing_of_a_trace_is_left(world):
    world.write({"model.py": MODEL, "main.py": "import torch, model\nmodel.Net = None\ny = 1\n"})
    before = set(sys.modules)
    world.trace()
    assert {name for name in sys.modules if name not in before and "shapewise" in name} == set()
    world.write({"main.py": "import torch, model\ny = model.Net()(torch.zeros(2, 3))\n"})
    assert world.shapes(world.trace())["y"] == (2, 5)


def test_of_a_library_only_failures_are_written_down(world, tmp_path):
    library = tmp_path / "lib" / "site-packages"
    world.packages = [str(library)]
    world.write(
        {
            "lib/site-packages/torchlike/__init__.py": MODEL + "\ndef bad(x):\n    return x.mT.view(-1)\n",
            "main.py": "import torch, torchlike\nx = torchlike.Net()(torch.zeros(2, 3))\ny = torchlike.bad(x)\n",
        }
    )
    log = world.trace()
    assert world.shapes(log)["x"] == (2, 5)
    assert files_of(log) == (str(tmp_path / "main.py"),)
    assert [event.failure.type for event in log.events if getattr(event, "failure", None)] == ["RuntimeError"]
    (finding,) = check(seen_from(log, log.file), "")
    assert (finding.rule, finding.span.line) == ("view-on-noncontiguous", 3)
    world.asked = [str(library)]
    assert files_of(world.trace()) == (str(tmp_path / "main.py"), str(library / "torchlike" / "__init__.py"))


def test_a_registry_that_asks_where_its_functions_come_from(agree):
    agree(
        {
            "zoo/__init__.py": "from .registry import make\nfrom .nets import *\n",
            "zoo/registry.py": """
            import sys
            _entries = {}
            def register(fn):
                module = sys.modules[fn.__module__]
                if hasattr(module, "__all__"):
                    module.__all__.append(fn.__name__)
                else:
                    module.__all__ = [fn.__name__]
                _entries[fn.__module__.split(".")[-1] + "/" + fn.__name__] = fn
                return fn
            def make(name, **options):
                return _entries[name](**options)
            """,
            "zoo/nets.py": MODEL
            + "\nfrom .registry import register\n\n@register\ndef narrow(**options):\n    return Net(**options)\n",
            "main.py": """
            import torch, zoo
            y = zoo.make("nets/narrow", width=3)(torch.zeros(2, 3))
            z = zoo.narrow()(torch.zeros(2, 3))
            w = torch.zeros(1 + hasattr(zoo, "Net"))
            """,
        }
    )


def test_a_visit_of_what_is_not_known_ends(world):
    world.write(
        {
            "visit.py": """
            def visit(fn, module, name=""):
                for child_name, child in module.named_children():
                    visit(fn, child, ".".join((name, child_name)) if name else child_name)
                fn(module, name)
            """,
            "main.py": """
            import torch
            from torch import nn
            from visit import visit
            from nowhere import something
            net = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.ReLU()) for _ in range(12)])
            visit(lambda module, name: None, net)
            visit(lambda module, name: None, something)
            y = net(torch.zeros(2, 3))
            """,
        }
    )
    log = world.trace()
    assert world.shapes(log)["y"] == (2, 3) and not log.notes


PACKAGE = {
    "pack/__init__.py": """
    from .version import __version__ as __version__
    from .nets import *
    """,
    "pack/version.py": "__version__ = '1.2'\n",
    "pack/nets/__init__.py": """
    from .other import Other
    from . import helper as tools
    __all__ = ["Other", "tools"]
    """,
    "pack/nets/other.py": "import torch\nmade = torch.ones(2)\nclass Other: pass\n",
    "pack/nets/helper.py": "from pack import __version__ as version\ndef width(): return 7\n",
}


def test_a_package_around_the_file_gathers_only_what_the_file_asks_for(world):
    world.write(
        {
            **PACKAGE,
            "pack/nets/file.py": "import torch\nfrom .helper import width, version\nx = torch.ones(width(), len(version))\n",
        }
    )
    assert world.shapes(world.trace("pack/nets/file.py"), "pack/nets/file.py")["x"] == (7, 3)
    assert "pack.version" in world.needs
    assert "pack.nets.other" not in world.needs


@pytest.mark.parametrize(
    "text",
    [
        "from . import tools\nx = torch.ones(tools.width())",
        "from . import helper\nx = torch.ones(helper.width())",
        "from pack.nets import tools as t\nx = torch.ones(t.width())",
        "import pack\nx = torch.ones(pack.nets.tools.width())",
        "import pack.nets.helper\nx = torch.ones(pack.tools.width())",
        "from . import *\nx = torch.ones(tools.width())",
        "from .. import *\nx = torch.ones(tools.width())",
    ],
)
def test_a_package_that_waits_gives_its_names(world, text):
    world.write({**PACKAGE, "pack/nets/file.py": f"import torch\n{text}\n"})
    assert world.shapes(world.trace("pack/nets/file.py"), "pack/nets/file.py")["x"] == (7,)


def test_a_package_that_waits_may_be_needed_whole_by_a_module_that_it_gathers(world):
    world.write(
        {
            "pack/__init__.py": "from .one import One\nfrom .two import Two\n",
            "pack/one.py": "try:\n    from pack import Two\nexcept ImportError:\n    Two = None\nimport nowhere_to_be_found\n",
            "pack/two.py": "import nowhere_to_be_found\n",
            "pack/file.py": """
            import torch
            try:
                from pack import One
            except ImportError:
                One = None
            x = torch.ones(2 if One is None else 3)
            """,
        }
    )
    log = world.trace("pack/file.py")
    assert world.shapes(log, "pack/file.py")["x"] == (2,) and not log.notes


def test_packages_around_a_program_run_first(world):
    world.write(
        {
            "pack/__init__.py": "from . import settings\n",
            "pack/settings.py": "import torch\ntorch.set_default_dtype(torch.float64)\n",
            "pack/sizes.py": "WIDTH = 3\n",
            "pack/program.py": """
            import torch
            from .sizes import WIDTH
            if __name__ == "__main__":
                x = torch.ones(WIDTH)
            """,
        }
    )
    world.trace("pack/program.py")
    assert "pack.settings" in world.needs


def test_a_layer_that_was_given_to_a_package_that_cuts_layers_smaller_is_not_known_any_more(world, tmp_path):
    library = tmp_path / "lib" / "site-packages"
    world.packages = [str(library)]
    world.write(
        {
            "lib/site-packages/torch_pruning/__init__.py": "class Pruner:\n    def __init__(self, model): pass\n",
            "main.py": "import torch\nimport torch_pruning as tp\n"
            + MODEL
            + "net, other = Net(), Net()\nx = torch.zeros(2, 3)\nbefore = net(x)\npruner = tp.Pruner(net)\npruner.step()\n"
            + "after = net(x)\nbias = net.layer.bias\nsame = other(x)\n",
        }
    )
    log = world.trace()
    assert world.shapes(log)["before"] == (2, 5)
    assert world.shapes(log)["same"] == (2, 5)
    assert world.shapes(log).get("after") is None
    assert world.shapes(log).get("bias") is None
    hidden = [fact.value for fact in facts_of(log) if fact.name == "hidden" and fact.kind == "binding"]
    assert all(value is None or getattr(value, "shape", None) is None for value in hidden)


def test_a_package_that_takes_too_long_to_import_is_not_known_and_what_imports_it_is(
    world, tmp_path, monkeypatch
):
    monkeypatch.setattr(modules._ImportBudget, "MAX_STEPS", 2_000)
    world.packages = [str(tmp_path / "lib" / "site-packages")]
    world.write(
        {
            "lib/site-packages/endless/__init__.py": "from .inner import n\n",
            "lib/site-packages/endless/inner.py": "n = 0\nfor i in range(3000):\n    n = (n * 7 + i) % 11\n    n = n + 1\n",
            "mine.py": "import torch\nimport endless\ndef double(x):\n    return torch.cat([x, x])\n",
            "main.py": "import torch\nfrom mine import double, endless\nx = double(torch.zeros(2, 3))\ny = torch.zeros(endless.n, 3)\n",
        }
    )
    log = world.trace()
    assert world.shapes(log)["x"] == (4, 3)
    assert world.shapes(log)["y"] == (None, 3)


LAZY = """
    import importlib, os
    from types import ModuleType

    class LazyModule(ModuleType):
        def __init__(self, name, file, structure, spec=None, extra=None):
            super().__init__(name)
            self._homes = {one: home for home, names in structure.items() for one in names}
            self._modules, self._extra = set(structure), extra or {}
            self.__all__ = [*structure, *self._homes]
            self.__file__, self.__path__, self.__spec__ = file, [os.path.dirname(file)], spec

        def __getattr__(self, name):
            if name in self._extra:
                return self._extra[name]
            if name not in self._modules and name not in self._homes:
                raise AttributeError(name)
            module = importlib.import_module("." + self._homes.get(name, name), self.__name__)
            setattr(self, name, module if name in self._modules else getattr(module, name))
            return vars(self)[name]
"""


def test_an_object_of_the_package_s_own_stands_in_its_place(agree):
    agree(
        {
            "pkg/lazy.py": LAZY,
            "pkg/spare.py": "class Missing: pass\nclass Other: pass\n",
            "pkg/__init__.py": """
                import importlib.metadata, importlib.util, sys
                from . import spare
                from .lazy import LazyModule

                def found(name):
                    try:
                        return importlib.metadata.version(name)
                    except (ImportError, importlib.metadata.PackageNotFoundError):
                        return None

                structure = {"net": ["Net"], "sub": [], "spare": [one for one in dir(spare) if one[0] != "_"]}
                if importlib.util.find_spec("torch") and found("torch")[0] in "23":
                    structure["sub"].append("Other")
                sys.modules[__name__] = LazyModule(
                    __name__, globals()["__file__"], structure, __spec__, {"__version__": "1", "V": 3}
                )
            """,
            "pkg/net.py": MODEL + "\nfrom . import __version__\nfrom .sub import Other\n",
            "pkg/sub/__init__.py": """
                import sys
                from ..lazy import LazyModule
                sys.modules[__name__] = LazyModule(__name__, __file__, {"other": ["Other"]})
            """,
            "pkg/sub/other.py": MODEL.replace("Net", "Other"),
            "main.py": """
                import types
                import torch
                import pkg
                import pkg.sub.other
                from pkg import Net, sub
                from pkg.sub import Other, other
                x = torch.zeros(2, 3)
                a, b, c, d = Net()(x), Other(7)(x), pkg.sub.Other(4)(x), other.Other(9)(x)
                e = torch.zeros(pkg.V, len(pkg.__all__), *[isinstance(m, types.ModuleType) for m in (pkg, torch, 1)])
                f = pkg.net.Net(8)(x)
            """,
        }
    )


@pytest.mark.parametrize(("more", "known"), [("", True), ("    stream.width = 5\n", False)])
def test_a_stream_in_a_module_beside_the_script(world, more, known):
    stream = """
        import torch

        class Stream:
            def __init__(self, path):
                self.path, self.width = path, 4

            def __iter__(self):
                for line in open(self.path):
                    yield torch.zeros(self.width, len(line.split()))
        """
    main = "from data import Stream\nstream = Stream('a.txt')\nfor x in stream:\n    y = x.sum(1)\n" + more
    world.write({"data.py": stream, "main.py": main})
    shapes = [
        fact.value.shape
        for fact in facts_of(world.trace())
        if fact.name == "y" and hasattr(fact.value, "shape")
    ]
    assert ((4,) in shapes) == known
