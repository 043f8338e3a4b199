"""Settings that stand in the text are read: YAML (where PyYAML is installed), TOML, literals. What a file says is not known, but no tensor."""

from __future__ import annotations

import sys

import pytest

HEAD = '''
import torch, yaml
from torch import nn
TEXT = """
model: {dim: 64, heads: 4, dropout: 0.1}
sizes: &sizes [2, 3]
again: *sizes
"""
'''


@pytest.mark.parametrize("read", ["safe_load(TEXT)", "load(TEXT, Loader=yaml.FullLoader)", "full_load(TEXT)"])
def test_settings_in_the_text_are_known(trace, read):
    pytest.importorskip("yaml")
    traced = trace(
        HEAD + f"settings = yaml.{read}\nmodel = settings['model']\n"
        "z = nn.Sequential(nn.Linear(8, model['dim']), nn.Dropout(model['dropout']))(torch.zeros(3, 8))\n"
        "w = torch.zeros(settings['again'])\n"
    )
    assert traced.shape("z") == (3, 64) and traced.shape("w") == (2, 3)
    assert traced.failures() == []


@pytest.mark.parametrize(
    "text",
    [
        '"[" * 4000 + "]" * 4000',
        '"- " * 4000',
        '"? " * 4000',
        'open("settings.yaml")',
        '"a: &a {n: 3}\\nb: {<<: *a}"',
        '"n: !!python/tuple [1]"',
        '"n: [1"',
    ],
)
def test_what_is_not_read_is_not_known(trace, text):
    pytest.importorskip("yaml")
    traced = trace(
        HEAD + f"settings = yaml.load({text}, yaml.FullLoader)\nz = torch.zeros(settings['n'], 4)\n"
    )
    assert traced.shape("z") == (None, 4)


@pytest.mark.parametrize(
    "change",
    [
        "yaml.SafeLoader.add_constructor('!a', make)",
        "yaml.add_implicit_resolver('!a', make)",
        "class Own(yaml.SafeLoader):\n    pass\nread = Own",
    ],
)
def test_what_is_read_otherwise_is_not_known(trace, change):
    pytest.importorskip("yaml")
    code = "read = yaml.SafeLoader\ndef make(*args):\n    return torch.zeros(2, 3)\n" + change
    traced = trace(
        HEAD + code + "\nsettings = yaml.load(TEXT, Loader=read)\nz = torch.zeros(3) * settings['sizes']\n"
    )
    assert traced.shape("z") is None and traced.failures() == []


def test_json_with_a_hook_may_hold_tensors(trace):
    traced = trace(
        "import json, torch\nsettings = json.load(open('x'), object_hook=lambda d: torch.zeros(2, 3))\n"
        "z = torch.zeros(3) * settings['w']\n"
    )
    assert traced.shape("z") is None


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("z = torch.zeros(ast.literal_eval('(2, 3)'))", (2, 3)),
        ("z = torch.zeros(2) * ast.literal_eval(open('x').read())['w']", (2,)),
        ("z = torch.zeros(ast.literal_eval('[' * 300), 2)", (None, 2)),
        (
            "ini = configparser.ConfigParser()\nini.read('x.ini')\nz = torch.zeros(ini.getint('a', 'n'), 3)",
            (None, 3),
        ),
        ("z = torch.zeros(4) * configparser.ConfigParser().getfloat('a', 'w', fallback=0.5)", (4,)),
        ("z = torch.zeros(int(configparser.ConfigParser()['a']['n']), 3)", (None, 3)),
    ],
)
def test_literals_and_ini_files(trace, code, shape):
    traced = trace("import ast, configparser, torch\n" + code + "\n")
    assert traced.shape("z") == shape and traced.failures() == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_toml(trace):
    traced = trace(
        "import tomllib, torch\n"
        "settings = tomllib.loads('[model]\\ndim = 32')\nz = torch.zeros(settings['model']['dim'])\n"
        "w = torch.zeros(2) / tomllib.load(open('x.toml', 'rb'))['scale']\n"
    )
    assert traced.shape("z") == (32,) and traced.shape("w") == (2,)


def test_names_that_a_file_decides_are_set(trace):
    """Through `__dict__`, in an object that raises for what it has not."""
    traced = trace(
        "import json, torch\n"
        "class Settings:\n"
        "    def __init__(self, read):\n"
        "        for key, value in read.items():\n"
        "            self.__dict__[key] = Settings(value) if isinstance(value, dict) else value\n"
        "    def __getattr__(self, name):\n"
        "        raise AttributeError(name)\n"
        "settings = Settings(json.load(open('settings.json')))\n"
        "z = torch.zeros(settings.train.size, 3)\n"
    )
    assert traced.shape("z") == (None, 3) and traced.failures() == []
