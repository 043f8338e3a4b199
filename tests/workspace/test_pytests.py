"""Files of tests as programs: what is called is held against what pytest itself calls."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from shapewise.workspace.pytests import as_script

TESTS = """
import unittest

import pytest

CALLS = []


@pytest.fixture
def width():
    return 3


@pytest.fixture()
def model(width):
    return "model", width


def test_plain():
    CALLS.append("plain")


@pytest.mark.parametrize("batch, size", [(2, 3), (4, 5)])
@pytest.mark.parametrize("bias", [True, False])
def test_sizes(batch, size, bias):
    CALLS.append(("sizes", batch, size, bias))


def test_model(model, width, extra=7):
    CALLS.append((model, width, extra))


def test_refuses():
    CALLS.append("before")
    with pytest.raises(ValueError):
        with pytest.MonkeyPatch.context():
            CALLS.append("what must fail")
            raise ValueError
    CALLS.append("after")


def helper():
    CALLS.append("helper")


class TestThings:
    def setup_method(self):
        self.size = 4

    @pytest.mark.parametrize("n", [1, 2])
    def test_n(self, n):
        CALLS.append((self.size, n))


class OldTest(unittest.TestCase):
    def setUp(self):
        self.size = 5

    def test_old(self):
        CALLS.append(self.size)
"""
END = "\n\ndef test_zzz():\n    print(sorted(map(repr, CALLS)))\n"


def test_the_same_is_called_that_pytest_calls(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS + END)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-s",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:randomly",
    ]
    ran = subprocess.run([*command, "test_it.py"], cwd=tmp_path, capture_output=True, text=True)
    (printed,) = [line for line in ran.stdout.split("\n") if "[" in line and "plain" in line]
    calls = ast.literal_eval(printed[printed.index("[") : printed.rindex("]") + 1])
    script = as_script(TESTS, ast.parse(TESTS))
    assert script is not None
    names: dict[str, object] = {"__name__": "test_it"}
    exec(compile(script, "test_it.py", "exec"), names)
    assert sorted(map(repr, names["CALLS"])) == [call for call in calls if "must fail" not in call]
    assert script.split("\n")[: TESTS.count("\n")][7] == TESTS.split("\n")[7]


@pytest.mark.parametrize(
    "text",
    [
        "def helper():\n    pass\n",
        "def test_of_a_folder(tmp_path):\n    pass\n",
        "import pytest\n\n@pytest.fixture(params=[1, 2])\ndef n(request):\n    return 1\n\ndef test_n(n):\n    pass\n",
        "import pytest\nSIZES = [1]\n\n@pytest.mark.parametrize('n', SIZES)\ndef test_n(n):\n    pass\n",
        "import pytest\n\n@pytest.mark.parametrize('n', [pytest.param(1)])\ndef test_n(n):\n    pass\n",
    ],
)
def test_what_nobody_here_can_give_is_left_out(text):
    assert as_script(text, ast.parse(text)) is None
